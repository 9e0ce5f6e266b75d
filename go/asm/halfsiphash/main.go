// Command halfsiphash generates those files of package halfsiphash that differ from package siphash in names and
// numbers only. Whatever differs more is written by hand in both packages: word.go, word_arm64.h, word_test.go,
// answers.go and one.go.
//
// A rule replaces a name or a number. A table says how often each rule applies to each file; any other count is an
// error. So whoever changes a file of siphash sees where the change touches halfsiphash, and corrects the table.
package main

import (
	"go/format"
	"log"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// rules maps a text of siphash to that of halfsiphash. A rule matches whole words only, and the longest match wins.
var rules = map[string]string{
	"siphash_x8_avx512": "halfsiphash_x16_avx512",
	"siphash_x4_avx2":   "halfsiphash_x8_avx2",
	"siphash_x2_neon":   "halfsiphash_x4_neon",
	"siphash_x1":        "halfsiphash_x1",
	"siphash-xn":        "halfsiphash-xn",
	"siphash":           "halfsiphash",
	"siphash_test":      "halfsiphash_test",
	"siphash.Uint128":   "uint64",
	"SipHash":           "HalfSipHash",
	"SIPHASH":           "HALFSIPHASH",
	"SIPHASH_WIDE":      "HALFSIPHASH_WIDE",
	"kernel{8":          "kernel{16",

	"uint64":                    "uint32",
	"Uint128":                   "uint64",
	"newUint128":                "newUint64",
	"equalUint128":              "equalUint64",
	"appendUint128":             "appendUint64",
	"LittleEndian.Uint64":       "LittleEndian.Uint32",
	"LittleEndian.AppendUint64": "LittleEndian.AppendUint32",
	"HashUint64":                "HashUint32",
	"HashUint64s":               "HashUint32s",
	"HashUint128":               "HashUint64",
	"HashUint128s":              "HashUint64s",
	"manyUint64s":               "manyUint32s",
	"manyUint128s":              "manyUint64s",
	"hashUint64":                "hashUint32",
	"hashUint64X":               "hashUint32X",
	"hashUint128":               "hashUint64",
	"hashUint128X":              "hashUint64X",
	"uint64s":                   "uint32s",
	"uint128s":                  "uint64s",
	"Sum64":                     "Sum32",
	"Sum128":                    "Sum64",
	"hash.Hash64":               "hash.Hash32",
	"hash.Hash = (*StreamX":     "hash.Hash64 = (*StreamX",

	"RotateLeft64(v1, firstV1":  "RotateLeft32(v1, 5",
	"RotateLeft64(v3, firstV3":  "RotateLeft32(v3, 8",
	"RotateLeft64(v0, 32":       "RotateLeft32(v0, 16",
	"RotateLeft64(v1, secondV1": "RotateLeft32(v1, 13",
	"RotateLeft64(v3, secondV3": "RotateLeft32(v3, 7",
	"RotateLeft64(v2, 32":       "RotateLeft32(v2, 16",

	"64 bits":                "32 bits",
	"128 bits":               "64 bits",
	"8 bytes":                "4 bytes",
	"16 bytes":               "8 bytes",
	"128 bits: a [hash.Hash": "64 bits: a [hash.Hash64",
	"the last eight":         "the last four",
	"returns 8":              "returns 4",
	"returns 16":             "returns 8",
	"groups of 8":            "groups of 16",
	"NOSPLIT, $0-64":         "NOSPLIT, $0-60",
}

// times is the number of matches of each rule, by the text of siphash.
type times map[string]int

var files = []struct {
	name     string
	expected times
}{
	{"hasher.go", times{
		"16 bytes": 1, "64 bits": 1, "8 bytes": 2, "HashUint128": 2, "HashUint64": 2, "SipHash": 3,
		"Uint128": 1, "hashUint128": 1, "hashUint64": 1, "siphash": 3, "uint64": 6,
	}},
	{"wide.go", times{
		"128 bits": 4, "16 bytes": 1, "64 bits": 1, "8 bytes": 1, "HashUint128": 2, "HashUint64": 2,
		"SipHash": 3, "Uint128": 6, "equalUint128": 1, "hashUint128X": 1, "hashUint64X": 1, "siphash": 2,
		"uint64": 1,
	}},
	{"state.go", times{
		"128 bits": 2, "64 bits": 2, "8 bytes": 1, "LittleEndian.Uint64": 4, "RotateLeft64(v0, 32": 1,
		"RotateLeft64(v1, firstV1": 1, "RotateLeft64(v1, secondV1": 1, "RotateLeft64(v2, 32": 1,
		"RotateLeft64(v3, firstV3": 1, "RotateLeft64(v3, secondV3": 1, "Uint128": 1, "newUint128": 1,
		"siphash": 1, "the last eight": 1, "uint64": 1,
	}},
	{"stream.go", times{
		"128 bits: a [hash.Hash": 1, "16 bytes": 1, "8 bytes": 1, "LittleEndian.AppendUint64": 1, "Sum128": 3,
		"Sum64": 3, "Uint128": 1, "appendUint128": 1, "hash.Hash64": 1, "returns 16": 1, "returns 8": 3,
		"siphash": 3, "uint64": 1,
	}},
	{"batch.go", times{
		"HashUint128": 2, "HashUint128s": 4, "HashUint64": 2, "HashUint64s": 5, "Uint128": 22,
		"hashUint128": 1, "hashUint128X": 1, "hashUint64": 2, "hashUint64X": 1, "manyUint128s": 4,
		"manyUint64s": 5, "siphash": 3, "uint128s": 2, "uint64": 21, "uint64s": 2,
	}},
	{"many.go", times{
		"16 bytes": 1, "8 bytes": 1, "Uint128": 2, "hashUint128": 1, "hashUint128X": 1, "hashUint64": 1,
		"hashUint64X": 1, "newUint128": 2, "siphash": 1, "siphash-xn": 1, "siphash_x1": 1, "uint128s": 2,
		"uint64": 2, "uint64s": 2,
	}},
	{"bytes.go", times{"siphash": 1}},
	{"kernel_amd64.go", times{
		"8 bytes": 1, "kernel{8": 1, "siphash": 1, "siphash_x4_avx2": 1, "siphash_x8_avx512": 1,
	}},
	{"kernel_arm64.go", times{
		"128 bits": 1, "8 bytes": 1, "LittleEndian.Uint64": 1, "groups of 8": 1, "kernel{8": 1, "siphash": 1,
		"siphash_x2_neon": 1,
	}},
	{"kernel_none.go", times{"siphash": 1}},
	{"fault_none.go", times{"siphash": 1}},
	{"fault_planted.go", times{"siphash": 1}},
	{"planted_test.go", times{"siphash": 1}},
	{"selftest.go", times{"Uint128": 1, "siphash": 1, "uint64": 1}},
	{"selftest_test.go", times{
		"HashUint64": 1, "HashUint64s": 2, "SIPHASH": 1, "SIPHASH_WIDE": 1, "siphash": 1, "uint64": 3,
	}},
	{"stack_test.go", times{
		"HashUint128": 2, "HashUint128s": 3, "HashUint64": 2, "HashUint64s": 3, "Sum128": 1, "Sum64": 1,
		"siphash": 17, "siphash.Uint128": 2, "siphash_test": 1, "uint64": 1,
	}},
	{"lanes_arm64.s", times{"NOSPLIT, $0-64": 2, "SipHash": 1, "uint64": 4}},
	{"alloc_test.go", times{
		"HashUint128": 2, "HashUint128s": 2, "HashUint64": 2, "HashUint64s": 2, "Sum128": 1, "Sum64": 1,
		"Uint128": 2, "siphash": 1, "uint64": 2,
	}},
	{"secret_test.go", times{"hash.Hash = (*StreamX": 1, "hash.Hash64": 1, "siphash": 1}},
	{"suite_test.go", times{
		"HashUint64": 1, "HashUint64s": 1, "SipHash": 2, "Sum128": 1, "Sum64": 3, "Uint128": 1, "siphash": 1,
		"uint64": 1,
	}},
}

// pattern matches any rule, the longest first.
var pattern = func() *regexp.Regexp {
	texts := slices.SortedFunc(maps.Keys(rules), func(a, b string) int { return len(b) - len(a) })
	for i, text := range texts {
		texts[i] = regexp.QuoteMeta(text)
	}
	return regexp.MustCompile(`\b(?:` + strings.Join(texts, "|") + `)\b`)
}()

func main() {
	log.SetFlags(0)
	failed := false
	for _, file := range files {
		source, err := os.ReadFile("../siphash/" + file.name)
		if err != nil {
			log.Fatal(err)
		}
		applied := times{}
		text := pattern.ReplaceAllStringFunc(string(source), func(whole string) string {
			applied[whole]++
			return rules[whole]
		})
		missing := maps.Clone(file.expected)
		for rule, n := range applied {
			missing[rule] -= n
		}
		for _, rule := range slices.Sorted(maps.Keys(missing)) {
			if missing[rule] != 0 {
				log.Printf("siphash/%s has %q %d times, not %d", file.name, rule, applied[rule], file.expected[rule])
				failed = true
			}
		}
		output := []byte("// Code generated by asm/halfsiphash from ../siphash/" + file.name + "; DO NOT EDIT.\n\n" + text)
		if strings.HasSuffix(file.name, ".go") {
			if output, err = format.Source(output); err != nil {
				log.Fatal(err)
			}
		}
		if failed {
			continue
		}
		if err := os.WriteFile("../halfsiphash/"+file.name, output, 0o644); err != nil {
			log.Fatal(err)
		}
	}
	if failed {
		os.Exit(1)
	}
}
