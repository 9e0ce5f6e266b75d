package siphash

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestNoLegacySSE looks for instructions on vector registers in the old encoding, in every package with kernels. After an
// instruction on 256 bits, each of them costs an Intel CPU hundreds of cycles. AMD's CPUs do not show it. A function for
// SSE2 has the old encoding only. It comes after VZEROUPPER, which ends every other function.
func TestNoLegacySSE(t *testing.T) {
	files, err := filepath.Glob("../*/*_amd64.s")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	old := regexp.MustCompile(`(?m)^\t[^VK/\s]\S*[ \t].*\b[XYZ]\d+\b.*$`)
	if !old.MatchString("\tMOVQ AX, X15\n") || old.MatchString("\tVMOVQ AX, X15\n") {
		t.Fatal("the pattern is wrong")
	}
	isNew := regexp.MustCompile(`(?m)^\tV\S*[ \t].*\b[XYZ]\d+\b`)
	end := regexp.MustCompile(`(?m)^(.*)\n\tRET$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, function := range bytes.Split(text, []byte("\nTEXT "))[1:] {
			if !isNew.Match(function) {
				continue
			}
			name, _, _ := bytes.Cut(function, []byte("("))
			for _, line := range old.FindAll(function, -1) {
				t.Errorf("%s, %s: %s", file, name, line)
			}
			for _, last := range end.FindAllSubmatch(function, -1) {
				if string(last[1]) != "\tVZEROUPPER" {
					t.Errorf("%s, %s: before RET: %s", file, name, last[1])
				}
			}
		}
	}
}
