package siphash

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestNoLegacySSE looks for instructions on vector registers in the old encoding, in every package with kernels. After an
// instruction on 256 bits, each of them costs an Intel CPU hundreds of cycles. AMD's CPUs do not show it.
func TestNoLegacySSE(t *testing.T) {
	files, err := filepath.Glob("../*/*_amd64.s")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	old := regexp.MustCompile(`(?m)^\t[^VK/\s]\S*[ \t].*\b[XYZ]\d+\b.*$`)
	if !old.MatchString("\tMOVQ AX, X15\n") || old.MatchString("\tVMOVQ AX, X15\n") {
		t.Fatal("the pattern is wrong")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range old.FindAll(text, -1) {
			t.Errorf("%s: %s", file, line)
		}
	}
}
