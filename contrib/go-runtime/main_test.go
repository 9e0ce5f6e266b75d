package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// toolchain copies what the program reads of this Go.
func toolchain(t *testing.T) string {
	output, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	from, to := strings.TrimSpace(string(output)), t.TempDir()
	for _, name := range append([]string{"alg.go", "hash32.go", "hash64.go"}, assembly...) {
		copyFile(t, filepath.Join(from, "src", "runtime", name), filepath.Join(to, "src", "runtime", name))
	}
	copyFile(t, filepath.Join(from, "VERSION"), filepath.Join(to, "VERSION"))
	return to
}

func copyFile(t *testing.T, from, to string) {
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestOverlay makes one: every file that it names is there, and nothing of the toolchain changed.
func TestOverlay(t *testing.T) {
	goroot, folder := toolchain(t), t.TempDir()
	path, err := run(goroot, ours, folder)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if want := len(assembly) + 8; len(got.Replace) != want {
		t.Errorf("%d files, not %d", len(got.Replace), want)
	}
	for from, to := range got.Replace {
		if filepath.Dir(from) != filepath.Join(goroot, "src", "runtime") || filepath.Base(from) != filepath.Base(to) {
			t.Errorf("%s in place of %s", to, from)
		}
		if _, err := os.Stat(to); err != nil {
			t.Error(err)
		}
	}
	if _, err := run(goroot, ours, t.TempDir()); err != nil {
		t.Errorf("the second time: %v", err)
	}
}

// TestRefused changes one file of a toolchain. No overlay may be made of it.
func TestRefused(t *testing.T) {
	type change struct{ file, old, new, message string }
	changes := []change{
		{"VERSION", "go1.26", "go1.25", "not known"},
		{"VERSION", "go1.26", "go1.27", "not known"},
		{"VERSION", "go1.26", "go1.260", "not known"},
		{"VERSION", "go1.26", "devel go1.26", "not known"},
		{"src/runtime/hash64.go", "const (\n", "const (\n\tm6 = 1\n", "declares"},
		{"src/runtime/hash32.go", "func mix32(", "func mix33(", "declares"},
	}
	add := func(file string, edits []edit) {
		for _, e := range edits {
			changes = append(changes,
				change{file, e.old, "", "0 times"},
				change{file, e.old, e.old + e.old, "2 times"})
		}
	}
	add("src/runtime/alg.go", goEdits)
	for _, name := range assembly {
		add("src/runtime/"+name, assemblyEdits(name))
	}
	goroot := toolchain(t)
	for _, c := range changes {
		path := filepath.Join(goroot, c.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), c.old) {
			t.Fatalf("%s has no %q", c.file, c.old)
		}
		changed := strings.Replace(string(text), c.old, c.new, 1)
		if err := os.WriteFile(path, []byte(changed), 0o666); err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(t.TempDir(), "overlay")
		if _, err := run(goroot, ours, folder); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s with %q for %q: %v", c.file, c.new, c.old, err)
		}
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("%s with %q for %q: files were written", c.file, c.new, c.old)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
