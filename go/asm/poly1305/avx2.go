package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Poly1305, 4 blocks of one message at a time, one in each lane, base 2^26, AVX2.
//
// x = x0 + 2^26 x1 + ... + 2^104 x4, and 2^130 = 5 (mod p). So the factors of a power of r are its five limbs, and
// 5 times the last four. The instruction multiplies 32 bits by 32. Let A be the accumulator, a number in each lane,
// and let a group be 4 blocks. Then:
//
//	A <- first group + h
//	A <- A r^4k + M1 r^4(k-1) + ... + M(k-1) r^4 + Mk    a turn: k <= 4 more groups, one carry
//	sum over the lanes of A (r^4, ..., r^2, r)
//
// Bounds, checked by the package's tests:
//
//	limb after a carry              below 2^26 + 2^13
//	limb of a block or of a power   below 2^27
//	factor                          below 2^30
//	sum of the products of a turn   below 2^61
//	the same, summed over lanes     below 2^62

type five [5]VecPhysical

// The registers: columns of products; the accumulator or blocks; temporaries; constants.
var (
	columnsY = five{Y0, Y1, Y2, Y3, Y4}
	limbsY   = five{Y5, Y6, Y7, Y8, Y9}
	tmpY     = [4]VecPhysical{Y10, Y11, Y12, Y13}

	whole26, mask26 = Y14, Y15
)

// quad loads a group from p in the order 0, 2, 1, 3 and adds 2^128 to each block.
func quad(p Register) {
	low, high, t := tmpY[2], tmpY[3], tmpY[0]
	VMOVDQU(Mem{Base: p}, tmpY[0])
	VMOVDQU(Mem{Base: p, Disp: 32}, tmpY[1])
	ADDQ(U8(64), p)
	VPUNPCKLQDQ(tmpY[1], tmpY[0], low)
	VPUNPCKHQDQ(tmpY[1], tmpY[0], high)
	x := limbsY
	VPSRLQ(U8(26), low, x[1])
	VPSRLQ(U8(52), low, x[2])
	VPSLLQ(U8(12), high, t)
	VPOR(t, x[2], x[2])
	VPSRLQ(U8(14), high, x[3])
	VPSRLQ(U8(40), high, x[4])
	VPAND(mask26, low, x[0])
	VPAND(mask26, x[1], x[1])
	VPAND(mask26, x[2], x[2])
	VPAND(mask26, x[3], x[3])
	VPOR(whole26, x[4], x[4])
}

// products adds the products of limbsY and a power to the columns. The function factor returns the factors of the
// power: limbs 0 to 4, then 5 times limbs 1 to 4. If areFirst, the products replace the columns.
func products(factor func(i int, y VecPhysical) Op, areFirst bool) {
	n := 0
	for i := range 9 {
		y := factor(i, tmpY[i%2])
		for j, x := range limbsY {
			column := i%5 + j
			if i > 4 {
				column++
			}
			if (column > 4) != (i > 4) {
				continue
			}
			c := columnsY[column%5]
			if areFirst && i == 0 {
				VPMULUDQ(y, x, c)
				continue
			}
			t := tmpY[2+n%2]
			n++
			VPMULUDQ(y, x, t)
			VPADDQ(t, c, c)
		}
	}
}

// broadcast copies each factor at an address to all lanes. The upper halves of lanes do not matter.
func broadcast(at Register) func(int, VecPhysical) Op {
	return func(i int, y VecPhysical) Op {
		VPBROADCASTD(Mem{Base: at, Disp: 4 * i}, y)
		return y
	}
}

// carry26 carries the columns, and adds them to limbsY.
func carry26() {
	c := columnsY
	t, u := tmpY[0], tmpY[1]
	step := func(t VecPhysical, from, to int) {
		VPSRLQ(U8(26), c[from], t)
		VPAND(mask26, c[from], c[from])
		VPADDQ(t, c[to], c[to])
		if to == 0 {
			VPSLLQ(U8(2), t, t)
			VPADDQ(t, c[to], c[to])
		}
	}
	step(t, 0, 1)
	step(u, 3, 4)
	step(t, 1, 2)
	step(u, 4, 0)
	step(t, 2, 3)
	step(u, 0, 1)
	step(t, 3, 4)
	for i := range c {
		VPADDQ(c[i], limbsY[i], limbsY[i])
	}
}

func avx2() {
	text("absorbAVX2", attr.NOSPLIT, "h *[5]uint64, powers *[96]uint32, p *byte, groups int")
	h, powers, p, left := load("h"), load("powers"), load("p"), load("groups")
	x := GP64()
	for _, c := range []struct {
		y VecPhysical
		x uint64
	}{{mask26, 1<<26 - 1}, {whole26, 1 << 24}} {
		MOVQ(U64(c.x), x)
		VMOVQ(x, c.y.AsX())
		VPBROADCASTQ(c.y.AsX(), c.y)
	}
	quad(p)
	for i, limb := range limbsY {
		VMOVQ(Mem{Base: h, Disp: 8 * i}, tmpY[0].AsX())
		VPADDQ(tmpY[0], limb, limb)
	}
	DECQ(left)
	JZ(LabelRef("across"))

	Label("turn")
	Comment("Take 1 to 4 groups and leave a multiple of four.")
	k, at := GP64(), GP64()
	LEAQ(Mem{Base: left, Disp: -1}, k)
	ANDQ(U8(3), k)
	INCQ(k)
	SUBQ(k, left)
	LEAQ(Mem{Base: k, Index: k, Scale: 8}, at)
	LEAQ(Mem{Base: powers, Index: at, Scale: 4, Disp: -36}, at)
	products(broadcast(at), true)
	DECQ(k)
	JZ(LabelRef("carry"))

	Label("step")
	SUBQ(U8(36), at)
	quad(p)
	products(broadcast(at), false)
	DECQ(k)
	JNZ(LabelRef("step"))

	Label("carry")
	quad(p)
	carry26()
	TESTQ(left, left)
	JNZ(LabelRef("turn"))

	Label("across")
	products(func(i int, y VecPhysical) Op {
		VPMOVZXDQ(Mem{Base: powers, Disp: 4*36 + 16*i}, y)
		return y
	}, true)
	for i, c := range columnsY {
		t := tmpY[i%2]
		VEXTRACTI128(U8(1), c, t.AsX())
		VPADDQ(t.AsX(), c.AsX(), c.AsX())
		VPUNPCKHQDQ(c.AsX(), c.AsX(), t.AsX())
		VPADDQ(t.AsX(), c.AsX(), c.AsX())
		VMOVQ(c.AsX(), Mem{Base: h, Disp: 8 * i})
	}
	VZEROUPPER()
	RET()
}
