// Package reference hashes by the Go module, for tests: by SipHash where an uintptr has 64 bits, by HalfSipHash where it
// has 32.
package reference

import (
	"encoding/binary"
	"math/bits"

	"keylane.example/go/halfsiphash"
	"keylane.example/go/siphash"
)

// Hash returns the tag of p, which has the size of an uintptr, as the halves of the key have.
func Hash(c, d uint8, k0, k1 uintptr, p []byte) uintptr {
	if bits.UintSize == 32 {
		var key [halfsiphash.KeySize]byte
		binary.LittleEndian.PutUint32(key[:4], uint32(k0))
		binary.LittleEndian.PutUint32(key[4:], uint32(k1))
		h, err := halfsiphash.New(&key, c, d)
		if err != nil {
			panic(err)
		}
		return uintptr(h.Hash(p))
	}
	var key [siphash.KeySize]byte
	binary.LittleEndian.PutUint64(key[:8], uint64(k0))
	binary.LittleEndian.PutUint64(key[8:], uint64(k1))
	h, err := siphash.New(&key, c, d)
	if err != nil {
		panic(err)
	}
	return uintptr(h.Hash(p))
}
