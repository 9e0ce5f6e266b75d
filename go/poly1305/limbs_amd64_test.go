//go:build !purego

package poly1305

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"keylane.example/go/internal/cpu"
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

// model computes what a kernel computes for the blocks of m. It adds h to the first block. A turn takes len(steps)
// groups with the powers in steps. The powers in last multiply the lanes at the end.
func model(h *big.Int, m []byte, steps, last []*big.Int) *big.Int {
	n, width := len(m)/blockSize, len(last)
	groups := (n + width - 1) / width
	lanes := make([]*big.Int, width)
	for i := range lanes {
		lanes[i] = new(big.Int)
	}
	block := func(i int) *big.Int {
		x := new(big.Int)
		if i -= groups*width - n; i >= 0 {
			x.Or(number(m[blockSize*i:][:blockSize]), new(big.Int).Lsh(big.NewInt(1), 128))
			if i == 0 {
				x.Add(x, h)
			}
		}
		return x
	}
	for i := range lanes {
		lanes[i] = block(i)
	}
	for group := 1; group < groups; {
		k := (groups-group-1)%len(steps) + 1
		for i, lane := range lanes {
			lane.Mul(lane, steps[k-1])
			for j := range k - 1 {
				lane.Add(lane, new(big.Int).Mul(block((group+j)*width+i), steps[k-2-j]))
			}
			lane.Add(lane, block((group+k-1)*width+i))
			lane.Mod(lane, prime)
		}
		group += k
	}
	sum := new(big.Int)
	for i, lane := range lanes {
		sum.Add(sum, lane.Mul(lane, last[i]))
	}
	return sum.Mod(sum, prime)
}

func TestLimbsIFMA(t *testing.T) {
	if !cpu.IFMA {
		t.Skip("not run: this CPU lacks the instructions")
	}
	const limb, carried = 1<<44 - 1, 1<<44 - 1 + 20<<19
	r := edges{rand.New(rand.NewPCG(1, 44))}
	for range 5000 {
		var w powers
		put := func(i int, x uint64) { w.table[2*i], w.table[2*i+1] = uint32(x), uint32(x>>32) }
		w.depth = 1 << r.IntN(4)
		steps, last := make([]*big.Int, w.depth), make([]*big.Int, 8)
		for i := range steps {
			x := [3]uint64{r.limb(carried), r.limb(carried), r.limb(carried)}
			steps[i] = sumOf(44, x[:]...)
			for j, x := range x {
				put(24+8*j+i, x)
			}
		}
		for block := range last {
			x := [3]uint64{r.limb(carried), r.limb(carried), r.limb(carried)}
			last[block] = sumOf(44, x[:]...)
			for j, x := range x {
				put(8*j+block%4*2+block/4, x)
			}
		}
		h := [3]uint64{r.limb(limb), r.limb(limb), r.limb(limb / 2)}
		start, m := sumOf(44, h[:]...), r.blocks(8+r.IntN(200))
		groups, _, words, lanes, first := groupsIFMA(m)
		absorbIFMA(&h, &w.table, w.depth, &m[0], groups, words, lanes, first)
		for _, limb := range h {
			if limb >= 1<<60 {
				t.Fatalf("a limb is %x", limb)
			}
		}
		e, want := join44(&h), model(start, m, steps, last)
		if got := sumOf(64, e.h0, e.h1, e.h2); e.h2 > 4 || got.Mod(got, prime).Cmp(want) != 0 {
			t.Fatalf("%d blocks, %d steps: %x, not %x", len(m)/blockSize, w.depth, got, want)
		}
	}
}

func TestLimbsAVX2(t *testing.T) {
	if !cpu.AVX2 {
		t.Skip("not run: this CPU lacks the instructions")
	}
	const limb = 1<<26 - 1
	r := edges{rand.New(rand.NewPCG(1, 26))}
	for range 5000 {
		var w powers
		steps, last := make([]*big.Int, avx2Depth), make([]*big.Int, 4)
		power := func(at, step int) *big.Int {
			x := [5]uint64{r.limb(limb), r.limb(limb), r.limb(limb), r.limb(limb), r.limb(2*limb + 1)}
			for i, x := range append(x[:], 5*x[1], 5*x[2], 5*x[3], 5*x[4]) {
				w.table[at+step*i] = uint32(x)
			}
			return sumOf(26, x[:5]...)
		}
		for i := range steps {
			steps[i] = power(9*i, 1)
		}
		for block, lane := range [4]int{0, 2, 1, 3} {
			last[block] = power(9*avx2Depth+lane, 4)
		}
		h := [5]uint64{r.limb(limb), r.limb(limb), r.limb(limb), r.limb(limb), r.limb(2*limb + 1)}
		start, m := sumOf(26, h[:]...), r.blocks(4*(1+r.IntN(50)))
		absorbAVX2(&h, &w.table, &m[0], len(m)/(4*blockSize))
		for _, limb := range h {
			if limb >= 1<<63 {
				t.Fatalf("a limb is %x", limb)
			}
		}
		e, want := join26(&h), model(start, m, steps, last)
		if got := sumOf(64, e.h0, e.h1, e.h2); e.h2 > 4 || got.Mod(got, prime).Cmp(want) != 0 {
			t.Fatalf("%d blocks: %x, not %x", len(m)/blockSize, got, want)
		}
	}
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
