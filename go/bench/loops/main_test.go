package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLoops makes a table of three rounds of one cell, and of one of another.
func TestLoops(t *testing.T) {
	var text strings.Builder
	for _, ratio := range []string{"1.20", "0.90", "1.05"} {
		text.WriteString("BenchmarkAgainstLoop/hash=siphash-1-3/call=rows/bytes=16/n=2-2   4   9 keylane-ns   8 loop-ns   " + ratio + " ratio\n")
	}
	text.WriteString("PASS\nBenchmarkAgainstLoop/hash=siphash-1-3/call=uint64s/n=128   4   3 keylane-ns   9 loop-ns   0.33 ratio\n")
	path := filepath.Join(t.TempDir(), "Loop.txt")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := run(path, &table); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`rows,"n = 2, 3","1 of 1, 1.05"`, `uint64s,n = 48 to 128,"0 of 1, 0.33"`, `all,all,"1 of 2, 1.05"`,
	} {
		if !strings.Contains(table.String(), line+"\n") {
			t.Errorf("no line %s in\n%s", line, table.String())
		}
	}
}
