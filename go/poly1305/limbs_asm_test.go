//go:build !purego && (amd64 || arm64)

package poly1305

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// Tests the kernels with limbs at the limits of their bounds, in accumulators, powers and blocks. Powers are
// arbitrary numbers here. Random messages and random keys do not come near these limits.

// edges draws 0, 1, the largest number, or any number.
type edges struct{ *rand.Rand }

func (r edges) limb(most uint64) uint64 {
	switch r.IntN(8) {
	case 0:
		return 0
	case 1:
		return 1
	case 2:
		return r.Uint64N(most + 1)
	}
	return most
}

func (r edges) blocks(n int) []byte {
	m := filled(0xff, blockSize*n)
	switch r.IntN(4) {
	case 0:
		clear(m)
	case 1:
		for i := range m {
			m[i] = byte(r.Uint32())
		}
	case 2:
		for i := range m {
			m[i] = byte(int8(r.Uint32()) >> 7)
		}
	}
	return m
}

// sumOf returns the number with these limbs, in base 2^bits.
func sumOf(bits uint, limbs ...uint64) *big.Int {
	n := new(big.Int)
	for i := len(limbs) - 1; i >= 0; i-- {
		n.Add(n.Lsh(n, bits), new(big.Int).SetUint64(limbs[i]))
	}
	return n
}

// TestWide multiplies numbers of extreme words.
func TestWide(t *testing.T) {
	r := edges{rand.New(rand.NewPCG(1, 64))}
	for range 5000 {
		word := func() uint64 { return r.limb(1<<64 - 2 - uint64(r.IntN(7))) }
		a, b := element{word(), word(), r.limb(7)}, element{word(), word(), r.limb(7)}
		want := sumOf(64, a.h0, a.h1, a.h2)
		want.Mul(want, sumOf(64, b.h0, b.h1, b.h2))
		e := a.times(b)
		if got := sumOf(64, e.h0, e.h1, e.h2); e.h2 > 4 || got.Mod(got, prime).Cmp(want.Mod(want, prime)) != 0 {
			t.Fatalf("%x %x: %x, not %x", a, b, got, want)
		}
	}
}
