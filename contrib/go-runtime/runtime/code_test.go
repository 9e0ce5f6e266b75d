package runtime

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// A function as the compiler lists it: the line that begins it, and its instructions.
type function struct{ head, code string }

// functions compiles the package for a target and returns those of its functions that hash.
func functions(t *testing.T, target ...string) map[string]function {
	build := exec.Command("go", "build", "-gcflags=-S", ".")
	build.Env = append(append(os.Environ(), "GOFLAGS=", "CGO_ENABLED=0"), target...)
	listing, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, listing)
	}
	listed := regexp.MustCompile(`(?m)^keylane\.example/contrib/go-runtime/runtime\.(\w+) STEXT ([^\n]*)\n((?:\t[^\n]*\n)*)`)
	found := map[string]function{}
	for _, match := range listed.FindAllStringSubmatch(string(listing), -1) {
		switch match[1] {
		case "memhash", "memhash32", "memhash64", "strhash":
			found[match[1]] = function{match[2], match[3]}
		}
	}
	if len(found) != 4 {
		t.Fatalf("%d functions, not 4", len(found))
	}
	return found
}

// TestCode looks at the instructions for amd64. Integers and strings take no frame and no call, and every rotation is one
// instruction.
func TestCode(t *testing.T) {
	// A round has six rotations. The first one lacks one, which is done beforehand, and the last one lacks that of v0.
	rotations := map[string]int{"memhash32": 6*4 - 2, "memhash64": 6*5 - 2}
	for name, f := range functions(t, "GOARCH=amd64", "GOAMD64=v1") {
		if !strings.Contains(f.head, "locals=0x0") || !strings.Contains(f.head, "nosplit") {
			t.Errorf("%s has a frame: %s", name, f.head)
		}
		if strings.Contains(f.code, "\tCALL\t") {
			t.Errorf("%s calls", name)
		}
		if n, ok := rotations[name]; ok {
			if rolled := strings.Count(f.code, "\tROLQ\t"); rolled != n {
				t.Errorf("%s has %d rotations, not %d", name, rolled, n)
			}
			if regexp.MustCompile(`\tSH[LR]Q\t`).MatchString(f.code) {
				t.Errorf("%s shifts", name)
			}
		}
	}
}

// TestCodeFor32Bits looks at the instructions for 386 and arm, which have HalfSipHash. Every rotation is one instruction, on
// arm perhaps with the move or the xor that it belongs to, and integers take no call.
func TestCodeFor32Bits(t *testing.T) {
	rotation := map[string]*regexp.Regexp{
		"386": regexp.MustCompile(`\tROLL\t`),
		"arm": regexp.MustCompile(`R\d+@>\d+, `),
	}
	// As in TestCode. HalfSipHash takes 4 bytes at a time.
	rotations := map[string]int{"memhash32": 6*5 - 2, "memhash64": 6*6 - 2}
	for goarch, one := range rotation {
		code := functions(t, "GOARCH="+goarch)
		for name, n := range rotations {
			if found := len(one.FindAllString(code[name].code, -1)); found != n {
				t.Errorf("%s, %s: %d rotations, not %d", goarch, name, found, n)
			}
			if regexp.MustCompile(`\tSH[LR]L\t|R\d+(->|>>)\d+|\tSR[LA]\t`).MatchString(code[name].code) {
				t.Errorf("%s, %s shifts", goarch, name)
			}
			if strings.Contains(code[name].code, "\tCALL\t") {
				t.Errorf("%s, %s calls", goarch, name)
			}
		}
	}
}

// TestCodeForArm looks at the instructions for arm64. There the compiler joins rotations with the xors after them. It must
// not do so for Apple's CPUs (siphash_turns_darwin_arm64.go).
func TestCodeForArm(t *testing.T) {
	joined := regexp.MustCompile(`\tEOR\tR\d+@>(51|48|47|43),`)
	apart := regexp.MustCompile(`\tROR\t(R\d+|\$(51|48|47|43)), R\d+, R\d+`)
	// A round has four rotations but those by 32 bits. The first round lacks one, which is done beforehand.
	rotations := map[string]int{"memhash32": 4*4 - 1, "memhash64": 4*5 - 1}
	for _, goos := range []string{"linux", "darwin"} {
		code := functions(t, "GOARCH=arm64", "GOOS="+goos)
		for name, n := range rotations {
			together := len(joined.FindAllString(code[name].code, -1))
			single := len(apart.FindAllString(code[name].code, -1))
			t.Logf("%s, %s: %d joined, %d apart", goos, name, together, single)
			if together+single != n {
				t.Errorf("%s, %s: %d rotations, not %d", goos, name, together+single, n)
			}
			if (together == 0) != (goos == "darwin") {
				t.Errorf("%s, %s: %d joined with a xor", goos, name, together)
			}
		}
	}
}
