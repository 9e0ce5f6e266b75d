package siphash

import (
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

const testdata = "../../testdata/"

// A vector is a published answer, in the schema of testdata/PROVENANCE.md or of Wycheproof.
type vector struct {
	Algorithm string
	C, D      int
	TagBits   int `json:"tag_bits"`
	Key       string
	Msg       string
	MsgRepeat struct {
		Byte  string
		Count int
	} `json:"msg_repeat"`
	Tag       string
	TagNocase string `json:"tag_nocase"`
	Result    string
	Comment   string
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	file, err := os.ReadFile(testdata + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file, into); err != nil {
		t.Fatal(err)
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	p, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// answer is the tag in bytes by the functions that a caller would use for the variant.
func answer(t *testing.T, key *[KeySize]byte, c, d, bits int, fold bool, p []byte) []byte {
	t.Helper()
	if bits == 128 {
		h, err := NewX(key, uint8(c), uint8(d))
		if err != nil {
			t.Fatal(err)
		}
		if fold {
			h = h.Fold()
		}
		stream := h.Stream()
		stream.Write(p)
		tag := h.Hash(p)
		if stream.Sum128() != tag {
			t.Errorf("stream and Hash differ: SipHash-%d-%d-128, %d bytes", c, d, len(p))
		}
		b := tag.Bytes()
		return b[:]
	}
	h, err := New(key, uint8(c), uint8(d))
	if err != nil {
		t.Fatal(err)
	}
	if fold {
		h = h.Fold()
	}
	stream := h.Stream()
	stream.Write(p)
	tag := h.Hash(p)
	if stream.Sum64() != tag {
		t.Errorf("stream and Hash differ: SipHash-%d-%d-64, %d bytes", c, d, len(p))
	}
	return stream.Sum(nil)
}

func (v vector) check(t *testing.T) {
	t.Helper()
	p := unhex(t, v.Msg)
	if v.MsgRepeat.Count > 0 {
		p = []byte(strings.Repeat(string(unhex(t, v.MsgRepeat.Byte)), v.MsgRepeat.Count))
	}
	key := [KeySize]byte(unhex(t, v.Key))
	right := hex.EncodeToString(answer(t, &key, v.C, v.D, v.TagBits, false, p)) == v.Tag
	if valid := v.Result == "valid"; right != valid {
		t.Errorf("SipHash-%d-%d-%d of %s: tag %s is %s", v.C, v.D, v.TagBits, v.Msg, v.Tag, v.Result)
	}
	if v.TagNocase != "" && hex.EncodeToString(answer(t, &key, v.C, v.D, v.TagBits, true, p)) != v.TagNocase {
		t.Errorf("SipHash-%d-%d-%d of %s, case folded, is not %s", v.C, v.D, v.TagBits, v.Msg, v.TagNocase)
	}
}

func TestVectors(t *testing.T) {
	want := map[string]int{
		"siphash.json": 744, "siphash_generated.json": 256, "siphash_long.json": 1, "redis_nocase.json": 162,
	}
	for name, want := range want {
		var file struct{ Cases []vector }
		readJSON(t, name, &file)
		n := 0
		for _, v := range file.Cases {
			if v.Algorithm == "SipHash" {
				v.check(t)
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d cases, want %d", name, n, want)
		}
	}
}

func TestWycheproof(t *testing.T) {
	for name, v := range map[string]vector{
		"siphash_1_3":  {C: 1, D: 3, TagBits: 64},
		"siphash_2_4":  {C: 2, D: 4, TagBits: 64},
		"siphash_4_8":  {C: 4, D: 8, TagBits: 64},
		"siphashx_2_4": {C: 2, D: 4, TagBits: 128},
		"siphashx_4_8": {C: 4, D: 8, TagBits: 128},
	} {
		var file struct {
			NumberOfTests int
			TestGroups    []struct{ Tests []vector }
		}
		readJSON(t, "wycheproof/"+name+"_test.json", &file)
		n := 0
		for _, group := range file.TestGroups {
			for _, test := range group.Tests {
				test.C, test.D, test.TagBits = v.C, v.D, v.TagBits
				test.check(t)
				n++
			}
		}
		if n == 0 || n != file.NumberOfTests {
			t.Errorf("%s: %d tests, want %d", name, n, file.NumberOfTests)
		}
	}
}

// TestCorpus compares with the Rust library: its test tests/tests/corpus.rs says what is hashed.
func TestCorpus(t *testing.T) {
	file, err := os.Open(testdata + "corpus.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	// SplitMix64.
	seed, data := uint64(50), make([]byte, 1024)
	for i := range data {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		data[i] = byte(z ^ z>>31)
	}
	digest := NewX24(new([KeySize]byte))
	n := 0
	for _, line := range lines {
		var c, d, bits int
		if _, err := fmt.Sscanf(line[0], "siphash-%d-%d-%d", &c, &d, &bits); err != nil {
			continue
		}
		n++
		var tags []byte
		for length := range 600 {
			p := data[length%7:][:length]
			tags = append(tags, answer(t, (*[KeySize]byte)(data), c, d, bits, false, p)...)
			tags = append(tags, answer(t, (*[KeySize]byte)(data), c, d, bits, true, p)...)
		}
		got := digest.Hash(tags).Bytes()
		if hex.EncodeToString(got[:]) != line[1] {
			t.Errorf("%s: digest %x, want %s", line[0], got, line[1])
		}
	}
	if n != 9 {
		t.Errorf("%d variants in the corpus, want 9", n)
	}
}
