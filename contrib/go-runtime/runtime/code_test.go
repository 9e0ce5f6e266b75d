package runtime

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestCode looks at the instructions for amd64. Integers and strings take no frame and no call, and every rotation is one
// instruction.
func TestCode(t *testing.T) {
	build := exec.Command("go", "build", "-gcflags=-S", ".")
	build.Env = append(os.Environ(), "GOARCH=amd64", "GOAMD64=v1", "GOFLAGS=")
	listing, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, listing)
	}
	// A round has six rotations. The first one lacks one, which is done beforehand, and the last one lacks that of v0.
	rotations := map[string]int{"memhash32": 6*4 - 2, "memhash64": 6*5 - 2}
	functions := regexp.MustCompile(`(?m)^keylane\.example/contrib/go-runtime/runtime\.(\w+) STEXT ([^\n]*)\n((?:\t[^\n]*\n)*)`)
	seen := 0
	for _, found := range functions.FindAllStringSubmatch(string(listing), -1) {
		name, head, code := found[1], found[2], found[3]
		switch name {
		case "memhash", "memhash32", "memhash64", "strhash":
		default:
			continue
		}
		seen++
		if !strings.Contains(head, "locals=0x0") || !strings.Contains(head, "nosplit") {
			t.Errorf("%s has a frame: %s", name, head)
		}
		if strings.Contains(code, "\tCALL\t") {
			t.Errorf("%s calls", name)
		}
		if n, ok := rotations[name]; ok {
			if rolled := strings.Count(code, "\tROLQ\t"); rolled != n {
				t.Errorf("%s has %d rotations, not %d", name, rolled, n)
			}
			if regexp.MustCompile(`\tSH[LR]Q\t`).MatchString(code) {
				t.Errorf("%s shifts", name)
			}
		}
	}
	if seen != 4 {
		t.Errorf("%d functions, not 4", seen)
	}
}
