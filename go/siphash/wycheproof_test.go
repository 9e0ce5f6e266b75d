package siphash

import (
	"testing"

	"keylane.example/go/internal/hashtest"
)

func TestWycheproof(t *testing.T) {
	for name, x := range map[string]hashtest.Vector{
		"siphash_1_3":  {C: 1, D: 3, TagBits: 64},
		"siphash_2_4":  {C: 2, D: 4, TagBits: 64},
		"siphash_4_8":  {C: 4, D: 8, TagBits: 64},
		"siphashx_2_4": {C: 2, D: 4, TagBits: 128},
		"siphashx_4_8": {C: 4, D: 8, TagBits: 128},
	} {
		var file struct {
			NumberOfTests int
			TestGroups    []struct{ Tests []hashtest.Vector }
		}
		hashtest.ReadJSON(t, "wycheproof/"+name+"_test.json", &file)
		n := 0
		for _, group := range file.TestGroups {
			for _, test := range group.Tests {
				test.C, test.D, test.TagBits = x.C, x.D, x.TagBits
				suite.CheckVector(t, test)
				n++
			}
		}
		if n == 0 || n != file.NumberOfTests {
			t.Errorf("%s: %d tests, want %d", name, n, file.NumberOfTests)
		}
	}
}
