package poly1305_test

import (
	"testing"

	"keylane.example/go/poly1305"
)

// TestStack checks that calls from another package leave variables of their caller on its stack.
func TestStack(t *testing.T) {
	const n = 9 // for any kernel
	for name, call := range map[string]func(){
		"Sum": func() {
			var tag [poly1305.TagSize]byte
			var key [poly1305.KeySize]byte
			var m [1000]byte
			poly1305.Sum(&tag, m[:], &key)
		},
		"Verify": func() {
			var tag [poly1305.TagSize]byte
			var key [poly1305.KeySize]byte
			var m [1000]byte
			poly1305.Verify(&tag, m[:], &key)
		},
		"SumMany": func() {
			var tags [n][poly1305.TagSize]byte
			var keys [n][poly1305.KeySize]byte
			var m [1000]byte
			messages := [n][]byte{m[:]}
			poly1305.SumMany(tags[:], keys[:], messages[:])
		},
		"VerifyMany": func() {
			var good [n]bool
			var tags [n][poly1305.TagSize]byte
			var keys [n][poly1305.KeySize]byte
			var m [1000]byte
			messages := [n][]byte{m[:]}
			poly1305.VerifyMany(good[:], tags[:], keys[:], messages[:])
		},
		"New": func() {
			var tag [poly1305.TagSize]byte
			var key [poly1305.KeySize]byte
			var m [1000]byte
			mac := poly1305.New(&key)
			mac.Write(m[:])
			mac.Sum(tag[:0])
			mac.Verify(tag[:])
			mac.Wipe()
		},
		"MAC": func() {
			var tag [poly1305.TagSize]byte
			var key [poly1305.KeySize]byte
			var m [1000]byte
			var mac poly1305.MAC
			mac.Init(&key)
			mac.Write(m[:])
			mac.Verify(tag[:])
		},
	} {
		if n := testing.AllocsPerRun(10, call); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
