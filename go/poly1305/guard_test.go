package poly1305

import (
	"testing"

	"keylane.example/go/internal/hashtest"
)

// TestGuards puts messages, keys and tags at the first and at the last bytes between such pages.
func TestGuards(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		text, keys, tags := hashtest.Guarded(t, 2048), hashtest.Guarded(t, KeySize), hashtest.Guarded(t, TagSize)
		copy(text, random(1, len(text)))
		for _, n := range spread(1300) {
			for _, m := range [][]byte{text[:n], text[len(text)-n:]} {
				for _, at := range [][2]int{{0, 0}, {len(keys) - KeySize, len(tags) - TagSize}} {
					key, tag := (*[KeySize]byte)(keys[at[0]:]), (*[TagSize]byte)(tags[at[1]:])
					copy(key[:], random(uint64(n), KeySize))
					Sum(tag, m, key)
					want := *tag
					sumLong(tag, m, key)
					if *tag != want || inPieces(key, m) != want {
						t.Fatal(n)
					}
					batch := [][]byte{m, m, m, m, m, m, m, m, m[:n/2]}
					var many [9][TagSize]byte
					SumMany(many[:], [][KeySize]byte{*key, *key, *key, *key, *key, *key, *key, *key, *key}, batch)
					if many[0] != want || many[7] != want {
						t.Fatal(n)
					}
				}
			}
		}
	})
}
