package bench

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// How the compiler may do a rotation of the rounds, by target. A rotation that becomes two shifts costs more than all
// that a schedule can win.
var rotations = []struct {
	goos, goarch, pkg string
	// Each occurs in the package's code.
	has []string
	// None does.
	lacks []string
}{
	{
		"linux", "amd64", "siphash",
		[]string{`ROLQ \$13,`, `ROLQ \$16,`, `ROLQ \$17,`, `ROLQ \$21,`, `ROLQ \$32,`},
		[]string{`SHRQ \$(51|48|47|43|32),`},
	},
	{
		"linux", "amd64", "halfsiphash",
		[]string{`ROLL \$5,`, `ROLL \$8,`, `ROLL \$7,`, `ROLL \$13,`, `ROLL \$16,`},
		[]string{`SHRL \$(27|25|19),`},
	},
	{
		// Joined with the xor: one instruction for both.
		"linux", "arm64", "siphash",
		[]string{`EOR R\d+@>51,`, `EOR R\d+@>48,`, `EOR R\d+@>47,`, `EOR R\d+@>43,`, `ROR \$32,`},
		[]string{`LSR \$(51|48|47|43),`, `R\d+>>(51|48|47|43),`},
	},
	{
		// Apart, since Apple's CPUs take longer for the joined form (siphash/turns_darwin_arm64.go).
		"darwin", "arm64", "siphash",
		[]string{`ROR R\d+, R\d+, R\d+`, `ROR \$32,`},
		[]string{`EOR R\d+@>(51|48|47|43),`, `LSR \$(51|48|47|43),`, `R\d+>>(51|48|47|43),`},
	},
	{
		"linux", "arm64", "halfsiphash",
		[]string{`RORW \$27,`, `RORW \$24,`, `RORW \$25,`, `RORW \$19,`, `RORW \$16,`},
		[]string{`EOR R\d+@>(27|24|25|19),`, `R\d+>>(27|25|19),`},
	},
}

// TestRotationsStayOneInstruction reads the code that the compiler makes, for targets that need not be available.
func TestRotationsStayOneInstruction(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles for other targets")
	}
	space := regexp.MustCompile(`\s+`)
	for _, target := range rotations {
		t.Run(target.goos+"/"+target.goarch+" "+target.pkg, func(t *testing.T) {
			build := exec.Command("go", "build", "-gcflags=-S", "keylane.example/go/"+target.pkg)
			build.Env = append(os.Environ(), "GOOS="+target.goos, "GOARCH="+target.goarch, "CGO_ENABLED=0")
			listing, err := build.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, listing)
			}
			// Each line's address and source are left out.
			var code strings.Builder
			for line := range strings.Lines(string(listing)) {
				if _, instruction, found := strings.Cut(line, ")\t"); found && strings.HasPrefix(line, "\t0x") {
					code.WriteString(strings.TrimSpace(space.ReplaceAllString(instruction, " ")) + "\n")
				}
			}
			find := func(pattern string) int {
				return len(regexp.MustCompile(`(?m)(^| )`+pattern).FindAllString(code.String(), -1))
			}
			for _, pattern := range target.has {
				if find(pattern) == 0 {
					t.Errorf("no %s", pattern)
				}
			}
			for _, pattern := range target.lacks {
				if n := find(pattern); n != 0 {
					t.Errorf("%s occurs %d times", pattern, n)
				}
			}
		})
	}
}

// TestAppleForm runs the tests of siphash here with the file that is meant for Apple's CPUs.
func TestAppleForm(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs another package's tests")
	}
	folder, err := filepath.Abs("../siphash")
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string) string { return filepath.Join(folder, name) }
	text, err := json.Marshal(map[string]any{
		"Replace": map[string]string{file("turns.go"): file("turns_darwin_arm64.go")},
	})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		t.Fatal(err)
	}
	test := exec.Command("go", "test", "-short", "-overlay", overlay, "keylane.example/go/siphash")
	if output, err := test.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
}
