//go:build !386 && !arm && !mips && !mipsle

package maps

import (
	"crypto/rand"

	"keylane.example/go/siphash"
)

// A hasher hashes the keys of a map.
type hasher struct{ siphash.Hasher }

// draw makes h SipHash-1-3 under a random key. The size is that of a key of the map.
func (h *hasher) draw(size int) {
	var key [siphash.KeySize]byte
	rand.Read(key[:]) // never fails
	h.Hasher = siphash.New13(&key)
	clear(key[:])
}
