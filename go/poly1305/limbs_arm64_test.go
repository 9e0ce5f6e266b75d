//go:build !purego

package poly1305

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// modelNEON computes what the kernel computes for groups of 4 blocks. It adds h to the first block. In a turn, the two
// powers of turns[i] multiply the blocks of group i from its end. The powers in last multiply the last group's blocks.
func modelNEON(h *big.Int, m []byte, turns [][2]*big.Int, last [4]*big.Int) *big.Int {
	lanes := [2]*big.Int{h, new(big.Int)}
	// The next group, where the first two blocks take up the lanes.
	next := func() (group [4]*big.Int) {
		for i := range group {
			group[i] = number(append(m[:blockSize:blockSize], 1))
			m = m[blockSize:]
		}
		for i, lane := range lanes {
			group[i].Add(group[i], lane)
			lanes[i] = new(big.Int)
		}
		return group
	}
	for left := len(m)/(4*blockSize) - 1; left > 0; {
		k := (left-1)%len(turns) + 1
		var sums [2]big.Int
		for i := k - 1; i >= 0; i-- {
			for j, x := range next() {
				sums[j%2].Add(&sums[j%2], x.Mul(x, turns[i][j/2]))
			}
		}
		for i := range lanes {
			lanes[i] = sums[i].Mod(&sums[i], prime)
		}
		left -= k
	}
	sum := new(big.Int)
	for i, x := range next() {
		sum.Add(sum, x.Mul(x, last[i]))
	}
	return sum.Mod(sum, prime)
}

func TestLimbsNEON(t *testing.T) {
	const limb = 1<<26 - 1
	r := edges{rand.New(rand.NewPCG(1, 26))}
	rounds := 5000
	if testing.Short() {
		rounds = 1000
	}
	for range rounds {
		var w powers
		power := func() (x [5]uint64, n *big.Int) {
			x = [5]uint64{r.limb(limb), r.limb(limb), r.limb(limb), r.limb(limb), r.limb(2*limb + 1)}
			return x, sumOf(26, x[:]...)
		}
		depth := 1 << r.IntN(3)
		turns, last := make([][2]*big.Int, depth), [4]*big.Int{}
		for i := range turns {
			for j := range turns[i] {
				x, n := power()
				turns[i][j] = n
				for k, x := range [15]uint64{
					x[0], x[1], x[2], x[3], x[4],
					x[0] + x[1], x[0] + x[2], x[0] + x[3], x[0] + x[4], x[1] + x[2], x[1] + x[3],
					5 * (x[1] + x[4]), 5 * (x[2] + x[3]), 5 * (x[2] + x[4]), 5 * (x[3] + x[4]),
				} {
					w.table[18+16*i+k] |= x << (32 * j)
				}
			}
		}
		for lane := range last {
			x, n := power()
			last[lane] = n
			for i, x := range append(x[:], 5*x[1], 5*x[2], 5*x[3], 5*x[4]) {
				w.table[2*i+lane/2] |= x << (32 * (lane % 2))
			}
		}
		h := [5]uint64{r.limb(limb), r.limb(limb), r.limb(limb), r.limb(limb), r.limb(2*limb + 1)}
		start, m := sumOf(26, h[:]...), r.blocks(4*(1+r.IntN(50)))
		absorbNEON(&h, &w.table, depth, &m[0], len(m)/(4*blockSize))
		for _, limb := range h {
			if limb >= 1<<62 {
				t.Fatalf("a limb is %x", limb)
			}
		}
		e, want := join26(&h), modelNEON(start, m, turns, last)
		if got := sumOf(64, e.h0, e.h1, e.h2); e.h2 > 4 || got.Mod(got, prime).Cmp(want) != 0 {
			t.Fatalf("%d blocks, depth %d: %x, not %x", len(m)/blockSize, depth, got, want)
		}
	}
}
