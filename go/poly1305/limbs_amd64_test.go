//go:build !purego

package poly1305

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"keylane.example/go/internal/cpu"
)

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
