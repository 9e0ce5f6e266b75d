package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFigures makes a table of two rounds. It refuses a hash that lacks a round.
func TestFigures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "figures.txt")
	var text, table strings.Builder
	for round := range 2 {
		for i, hash := range hashes {
			// Two cells of a kind, whose mean is of their ratios.
			fmt.Fprintf(&text, "BenchmarkLives/keys=printed/bytes=20/count=10/hash=%s-2   5   %d ns/op\n", hash[0], 1000<<i)
			fmt.Fprintf(&text, "BenchmarkLives/keys=mended/bytes=20/count=10/hash=%s-2   5   %d ns/op\n", hash[0], 1000<<(3*i))
			fmt.Fprintf(&text, "BenchmarkLives/keys=int/count=10/hash=%s-2   5   %d ns/op\n", hash[0], 1000*(i+1)+100*round)
			fmt.Fprintf(&text, "BenchmarkLives/keys=mended/bytes=4/count=100/hash=%s   5   2500 ns/op\n", hash[0])
		}
	}
	make := func(text string) error {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		table.Reset()
		out := csv.NewWriter(&table)
		defer out.Flush()
		return run("amd64", path, out)
	}
	if err := make(text.String()); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`"amd64, integers",10,"AES, ns",105.0`, `"amd64, integers",10,1-3,1.95`,
		`"amd64, strings, keys mended",100 of 4 bytes,"AES, ns",25.0`,
		`"amd64, means",integers,aim of 1-3,1.15`, `"amd64, means",strings of 20 bytes,1-3,4.00`,
	} {
		if !strings.Contains(table.String(), line+"\n") {
			t.Errorf("no line %s in\n%s", line, table.String())
		}
	}
	if strings.Contains(table.String(), "strings of 100 bytes") {
		t.Errorf("a mean without cells in\n%s", table.String())
	}
	if err := make(strings.Replace(text.String(), "hash=jenkins", "hash=other", 1)); err == nil {
		t.Error("a round is missing, and nobody noticed")
	}
	// A hash that no cell has was not asked for. The AES hash is what the others are compared with.
	without := func(hash string) error {
		var kept []string
		for line := range strings.Lines(text.String()) {
			if !strings.Contains(line, "hash="+hash) {
				kept = append(kept, line)
			}
		}
		return make(strings.Join(kept, ""))
	}
	if err := without("jenkins"); err != nil || strings.Contains(table.String(), "Jenkins") {
		t.Errorf("a hash that was not asked for: %v, in\n%s", err, table.String())
	}
	if err := without("aes"); err == nil {
		t.Error("the AES hash is missing, and nobody noticed")
	}
}
