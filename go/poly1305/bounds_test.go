package poly1305

import (
	"math/big"
	"testing"
)

// Checks the bounds at the top of asm/poly1305/ifma.go and avx2.go, and of asm_arm64.s, step by step for the largest
// limbs.

// A bound is the largest value of a number.
type bound struct{ *big.Int }

func most(x int64) bound { return bound{big.NewInt(x)} }

func power2(n uint) bound { return bound{new(big.Int).Lsh(big.NewInt(1), n)} }

func (a bound) plus(b bound) bound { return bound{new(big.Int).Add(a.Int, b.Int)} }

func (a bound) times(b bound) bound { return bound{new(big.Int).Mul(a.Int, b.Int)} }

func (a bound) shifted(n uint) bound { return bound{new(big.Int).Rsh(a.Int, n)} }

// below checks that a < 2^n.
func (a bound) below(t *testing.T, n uint, what string) {
	t.Helper()
	if a.Cmp(power2(n).Int) >= 0 {
		t.Errorf("%s: %d bits, not %d", what, a.BitLen(), n)
	}
}

func TestBoundsIFMA(t *testing.T) {
	limb, carried := power2(44).plus(most(-1)), power2(44).plus(most(-1+20<<19))
	up, twenty := power2(8), most(20)
	bias0, bias1 := power2(44).plus(most(-20)).times(power2(18)), limb.times(power2(18))
	a := carried.plus(limb) // an accumulator and a block

	// A turn by Karatsuba's method: one product is of the accumulator, the others are of blocks.
	x, y := a.plus(a), carried.plus(carried)
	x.below(t, 47, "a sum of two limbs")
	halves := func(x, block, y bound) bound {
		return x.times(y).shifted(52).plus(block.times(y).shifted(52).times(most(ifmaDepthMost - 1)))
	}
	low := power2(52).times(most(ifmaDepthMost))
	high := halves(x, limb.plus(limb), y)
	high.below(t, 43, "high halves")
	high.plus(high).times(up).below(t, 52, "a high half 8 bits up") // of a sum and of a limb
	halves(a, limb, carried).times(twenty).times(up).below(t, 52, "the last high half")
	least := low.plus(low) // below zero, of e - d - d'
	if least.times(twenty).Cmp(bias0.Int) >= 0 || least.Cmp(bias1.Int) >= 0 {
		t.Error("the bias is too small")
	}
	limb52 := power2(52)
	y3, y4 := low.plus(low).plus(limb52), low.plus(limb52)
	bias0.plus(low).plus(twenty.times(y3)).below(t, 63, "limb 0")
	bias1.plus(low).plus(limb52).plus(twenty.times(y4)).below(t, 63, "limb 1")
	bias1.plus(low).plus(low).plus(limb52).plus(limb52).below(t, 63, "limb 2")

	// Two products, of an accumulator and of a block, for a message in a lane. The sums over the lanes are of one
	// product.
	s := carried.times(twenty)
	s.below(t, 52, "a factor")
	half := func(y bound) bound {
		return a.times(y).shifted(52).plus(limb.times(y).shifted(52))
	}
	half(carried).plus(half(s)).plus(half(s)).times(up).below(t, 52, "a high half 8 bits up")
	half(carried).times(most(3)).times(twenty).times(up).below(t, 52, "the last high half")
	limb52.times(most(2*3+1)).below(t, 63, "a limb of two products")
	limb52.times(most(3+1)).times(most(8)).below(t, 60, "a sum over the lanes")

	// A limb of 63 bits after its carry.
	if limb.plus(power2(63).shifted(44).times(twenty)).Cmp(carried.plus(most(1)).Int) > 0 {
		t.Error("a carried limb")
	}
}

// The largest limbs in base 2^26: of a block, after a carry, and of a power or of h from base 2^64.
var limb26, carried26, power26 = power2(26), power2(26).plus(power2(13)), power2(27)

// product26 is the largest column of a product in base 2^26, for the largest limb of one factor. A column has five
// products. At most four have a factor times 5.
func product26(x bound) bound {
	return x.times(power26.times(most(5))).times(most(4)).plus(x.times(power26))
}

// carries26 checks the carry of a turn in base 2^26.
func carries26(t *testing.T, turn bound) {
	t.Helper()
	// The steps in order: a column divided by 2^26 is added to another.
	c := [5]bound{turn, turn, turn, turn, turn}
	step := func(from, to int, factor bound) {
		c[to] = c[to].plus(c[from].shifted(26).times(factor))
		c[to].below(t, 62, "a column that is carried")
		c[from] = limb26
	}
	one := most(1)
	step(0, 1, one)
	step(3, 4, one)
	step(1, 2, one)
	step(4, 0, most(5))
	step(2, 3, one)
	step(0, 1, one)
	step(3, 4, one)
	for _, limb := range c {
		if limb.Cmp(carried26.Int) > 0 {
			t.Errorf("a carried limb: %x", limb)
		}
	}
}

func TestBoundsAVX2(t *testing.T) {
	a := carried26.plus(limb26)
	power26.times(most(5)).below(t, 32, "a factor")
	a.below(t, 32, "an accumulator")
	turn := product26(a).plus(product26(limb26).times(most(avx2DepthMost - 1)))
	turn.below(t, 61, "a column of a turn")
	first := limb26.plus(power26) // a block and h
	product26(first).plus(product26(limb26).times(most(avx2DepthMost-1))).below(t, 61, "a column of the first turn")
	product26(first).times(most(4)).below(t, 62, "a column over the lanes")
	carries26(t, turn)
}

func TestBoundsNEON(t *testing.T) {
	first := limb26.plus(power26) // a block and h, which is more than a block and an accumulator
	first.plus(first).below(t, 32, "a sum of two limbs")
	if first.Cmp(limb26.plus(carried26).Int) < 0 {
		t.Error("a block and an accumulator")
	}
	power26.plus(limb26).times(most(5)).below(t, 31, "a factor")
	// A group has two products.
	turn := product26(first).plus(product26(limb26).times(most(2*neonDepthMost - 1)))
	turn.below(t, 61, "a column of a turn")
	product26(first).plus(product26(limb26)).times(most(2)).below(t, 62, "a column over the lanes")
	carries26(t, turn)
}

// ifmaDepthMost, avx2DepthMost and neonDepthMost are the largest number of groups in a turn.
const ifmaDepthMost, avx2DepthMost, neonDepthMost = 8, 4, 4
