package poly1305

import (
	"math/big"
	"slices"
)

var prime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))

// number returns the number with these little-endian bytes.
func number(b []byte) *big.Int {
	b = slices.Clone(b)
	slices.Reverse(b)
	return new(big.Int).SetBytes(b)
}

// reference computes a tag as RFC 8439 defines it, but from an accumulator h.
func reference(h *big.Int, m []byte, key *[KeySize]byte) (tag [TagSize]byte) {
	r := slices.Clone(key[:16])
	for _, i := range []int{3, 7, 11, 15} {
		r[i] &= 15
	}
	for _, i := range []int{4, 8, 12} {
		r[i] &= 252
	}
	h = new(big.Int).Set(h)
	for block := range slices.Chunk(m, blockSize) {
		h.Add(h, number(append(slices.Clone(block), 1)))
		h.Mul(h, number(r))
		h.Mod(h, prime)
	}
	h.Mod(h, prime)
	h.Add(h, number(key[16:]))
	for i := range tag {
		tag[i] = byte(new(big.Int).Rsh(h, uint(8*i)).Uint64())
	}
	return tag
}

var zero = new(big.Int)
