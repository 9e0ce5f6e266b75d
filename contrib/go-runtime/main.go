// Command go-runtime makes an overlay that puts SipHash under Go's own maps: go-runtime [-goroot FOLDER] [-hash FOLDER] FOLDER
//
// With -hash, another hash takes its place, to be measured beside it. The program writes changed copies of files of the
// runtime to FOLDER, and overlay.json, whose path it prints. It changes nothing in the toolchain.
package main

import (
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed runtime/hash32.go runtime/hash64.go runtime/siphash_rounds_11.go runtime/siphash_rounds_13.go
//go:embed runtime/siphash_rounds_24.go runtime/siphash_turns.go runtime/siphash_turns_darwin_arm64.go
var embedded embed.FS

// ours is SipHash.
var ours, _ = fs.Sub(embedded, "runtime")

// known matches the versions whose files the edits were written for.
var known = regexp.MustCompile(`^go1\.26(\.[0-9]+)?$`)

// An edit replaces old, which must be there exactly once.
type edit struct{ old, new string }

// goEdits are those of alg.go. The functions whose bodies are in assembly make room for ours, and the runtime does not ask
// whether the CPU has AES instructions.
var goEdits = []edit{
	{"func memhash(p unsafe.Pointer, h, s uintptr) uintptr\n", "func memhashReplaced(p unsafe.Pointer, h, s uintptr) uintptr\n"},
	{"func memhash32(p unsafe.Pointer, h uintptr) uintptr\n", "func memhash32Replaced(p unsafe.Pointer, h uintptr) uintptr\n"},
	{"func memhash64(p unsafe.Pointer, h uintptr) uintptr\n", "func memhash64Replaced(p unsafe.Pointer, h uintptr) uintptr\n"},
	{"func strhash(p unsafe.Pointer, h uintptr) uintptr\n", "func strhashReplaced(p unsafe.Pointer, h uintptr) uintptr\n"},
	{"\treturn memhashFallback(", "\treturn memhash("},
	{"func alginit() {\n", "func alginit() {\n\tsipInit()\n\treturn\n"},
}

// assembly lists the files with those bodies.
var assembly = []string{
	"asm_386.s", "asm_amd64.s", "asm_arm.s", "asm_arm64.s", "asm_loong64.s", "asm_mips64x.s", "asm_mipsx.s", "asm_ppc64x.s",
	"asm_riscv64.s", "asm_s390x.s", "asm_wasm.s",
}

// assemblyEdits renames the functions of a file. The linker leaves out what nothing calls.
func assemblyEdits(file string) []edit {
	abi := "<ABIInternal>"
	switch file {
	case "asm_386.s", "asm_arm.s", "asm_mips64x.s", "asm_mipsx.s", "asm_wasm.s":
		abi = ""
	}
	var edits []edit
	for _, name := range []string{"memhash", "memhash32", "memhash64", "strhash"} {
		edits = append(edits, edit{
			"TEXT runtime\u00b7" + name + abi + "(SB),",
			"TEXT runtime\u00b7" + name + "Replaced" + abi + "(SB),",
		})
	}
	return edits
}

// replaced lists what the runtime's files declare in whose place ours stand. Another declaration could be missed.
var replaced = map[string][]string{
	"hash32.go": {"memhash32Fallback", "memhash64Fallback", "memhashFallback", "mix32"},
	"hash64.go": {"m5", "memhash32Fallback", "memhash64Fallback", "memhashFallback", "mix", "r4", "r8"},
}

func main() {
	goroot := flag.String("goroot", "", "the `folder` of the toolchain (default: what go env GOROOT prints)")
	hash := flag.String("hash", "", "the `folder` with the Go files of another hash (default: SipHash)")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go-runtime [-goroot FOLDER] [-hash FOLDER] FOLDER")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	hashes := ours
	if *hash != "" {
		hashes = os.DirFS(*hash)
	}
	path, err := run(*goroot, hashes, flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "go-runtime:", err)
		os.Exit(1)
	}
	fmt.Println(path)
}

// run writes the overlay with the Go files of hashes to folder, and returns its path.
func run(goroot string, hashes fs.FS, folder string) (string, error) {
	if goroot == "" {
		output, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return "", fmt.Errorf("go env GOROOT: %w", err)
		}
		goroot = strings.TrimSpace(string(output))
	}
	goroot, err := filepath.Abs(goroot)
	if err != nil {
		return "", err
	}
	folder, err = filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	files, err := overlay(goroot, hashes)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return "", err
		}
		replace[filepath.Join(goroot, "src", "runtime", name)] = path
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, append(text, '\n'), 0o666)
}

// overlay returns the files of package runtime that differ, by their names.
func overlay(goroot string, hashes fs.FS) (map[string][]byte, error) {
	version, err := os.ReadFile(filepath.Join(goroot, "VERSION"))
	if err != nil {
		return nil, err
	}
	if line, _, _ := strings.Cut(string(version), "\n"); !known.MatchString(line) {
		return nil, fmt.Errorf("the version %q of Go is not known here, only 1.26", line)
	}
	runtime := filepath.Join(goroot, "src", "runtime")
	files := map[string][]byte{}
	change := func(name string, edits []edit) error {
		text, err := os.ReadFile(filepath.Join(runtime, name))
		if err != nil {
			return err
		}
		changed, err := apply(string(text), edits)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(runtime, name), err)
		}
		files[name] = []byte(changed)
		return nil
	}
	if err := change("alg.go", goEdits); err != nil {
		return nil, err
	}
	for _, name := range assembly {
		if err := change(name, assemblyEdits(name)); err != nil {
			return nil, err
		}
	}
	for name, want := range replaced {
		got, err := declared(filepath.Join(runtime, name))
		if err != nil {
			return nil, err
		}
		if !slices.Equal(got, want) {
			return nil, fmt.Errorf("%s declares %v, not %v", filepath.Join(runtime, name), got, want)
		}
	}
	for name := range replaced {
		files[name] = []byte("package runtime\n")
	}
	names, err := fs.Glob(hashes, "*.go")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("the folder of the hash has no Go files")
	}
	for _, name := range names {
		text, err := fs.ReadFile(hashes, name)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(filepath.Join(runtime, name)); err == nil && replaced[name] == nil {
			return nil, fmt.Errorf("the runtime has a file %s", name)
		}
		files[name] = text
	}
	return files, nil
}

// apply makes the edits, each of which must fit exactly once.
func apply(text string, edits []edit) (string, error) {
	for _, e := range edits {
		if n := strings.Count(text, e.old); n != 1 {
			return "", fmt.Errorf("%q is there %d times, not once", e.old, n)
		}
		text = strings.Replace(text, e.old, e.new, 1)
	}
	return text, nil
}

// declared returns the names that a file of Go declares, sorted.
func declared(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range s.Names {
						names = append(names, name.Name)
					}
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return names, nil
}
