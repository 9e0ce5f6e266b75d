package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Poly1305, 8 blocks of one message at a time, one in each lane, base 2^44, AVX-512 IFMA.
//
// x = x0 + 2^44 x1 + 2^88 x2, and 2^132 = 20 (mod p). The instructions multiply 52 bits by 52, and add the low or
// the high half of the product, 52 bits, to a 64-bit lane. A high half is worth 2^52, which is 2^8 times the next
// limb.
//
// Let A be the accumulator, a number in each lane, and let a group be 8 blocks. If the first group is incomplete,
// its missing blocks are zeros in front. Then:
//
//	A <- first group + h
//	A <- M1 r^8(k-1) + ... + M(k-1) r^8 + A r^8k + Mk    a turn: k more groups, one carry
//	sum over the lanes of A (r^8, ..., r^2, r)
//
// Depth is the largest k, and the number of powers r^8, r^16, ... that a turn needs.
//
// The products use Karatsuba's method:
//
//	xi yj + xj yi = (xi + xj) (yi + yj) - xi yi - xj yj
//
// Both sides are linear in the products, so a turn subtracts only once, at its end. A is multiplied last, so a turn
// can start before the previous one has finished.
//
// Bounds, checked by the package's tests:
//
//	limb after a carry                               at most 2^44 - 1 + 20 * 2^19
//	sum of two limbs of an accumulator and a block   below 2^47
//	sum of the low halves of a turn                  below 2^55
//	difference of such sums                          above -2^56; times 20, above -2^61
//
// Differences may be negative, so a turn starts from a bias: the limbs of 2^20 p, each near 2^62.

type (
	limbs [3]VecPhysical
	six   [6]VecPhysical
)

// The registers: sums of the low halves of products, and of the high halves; the accumulator; blocks or powers;
// temporaries; constants.
var (
	lowZ  = six{Z0, Z1, Z2, Z3, Z4, Z5}
	highZ = six{Z6, Z7, Z8, Z9, Z10, Z11}
	accZ  = limbs{Z12, Z13, Z14}
	nextZ = limbs{Z15, Z16, Z17}
	tmpZ  = six{Z18, Z19, Z20, Z21, Z22, Z23}

	mask44, one, up, twentyUp, twenty, bias0, bias1 = Z25, Z26, Z27, Z28, Z29, Z30, Z31
)

func constants() {
	x := GP64()
	for _, c := range []struct {
		z VecPhysical
		x uint64
	}{
		{mask44, 1<<44 - 1}, {one, 1}, {up, 1 << 8}, {twentyUp, 20 << 8}, {twenty, 20},
		{bias0, (1<<44 - 20) << 18}, {bias1, (1<<44 - 1) << 18},
	} {
		MOVQ(U64(c.x), x)
		VPBROADCASTQ(x, c.z)
	}
}

// shrd emits VPSHRDQ, which avo lacks: dst = (low + 2^64 high) / 2^bits mod 2^64.
func shrd(bits uint8, high, low, dst VecPhysical) {
	Instruction(&ir.Instruction{
		Opcode:   "VPSHRDQ",
		Operands: []Op{U8(bits), high, low, dst},
		Inputs:   []Op{high, low},
		Outputs:  []Op{dst},
	})
}

// words separates the low and the high words of two vectors of blocks. Their order is 0, 4, 1, 5, 2, 6, 3, 7.
func words(a, b VecPhysical) (low, high VecPhysical) {
	low, high = tmpZ[2], tmpZ[3]
	VPUNPCKLQDQ(b, a, low)
	VPUNPCKHQDQ(b, a, high)
	return low, high
}

// split splits words into limbs. whole is the multiple of 2^128 to add, 40 bits above 2^88; the last shift inserts
// it.
func split(low, high, whole VecPhysical, x limbs) {
	VPANDQ(mask44, low, x[0])
	shrd(44, high, low, x[1])
	VPANDQ(mask44, x[1], x[1])
	shrd(24, whole, high, x[2])
}

// group loads a group of whole blocks from p.
func group(p Register, x limbs) {
	VMOVDQU64(Mem{Base: p}, tmpZ[0])
	VMOVDQU64(Mem{Base: p, Disp: 64}, tmpZ[1])
	ADDQ(U8(128), p)
	low, high := words(tmpZ[0], tmpZ[1])
	split(low, high, one, x)
}

// first loads the first group, with zeros in place of missing blocks, and adds h to its first block.
func first(p, h Register, x limbs) {
	there, n, k := GP64(), GP64(), K()
	a, b, whole := tmpZ[0], tmpZ[1], tmpZ[4]
	Load(Param("words"), there)
	KMOVW(there.As32(), k)
	VMOVDQU64(Mem{Base: p}, a)
	VPEXPANDQ_Z(a, k, a)
	MOVBQZX(there.As8(), n)
	POPCNTQ(n, n)
	VMOVDQU64(Mem{Base: p, Index: n, Scale: 8}, b)
	KSHIFTRW(U8(8), k, k)
	VPEXPANDQ_Z(b, k, b)
	POPCNTQ(there, there)
	LEAQ(Mem{Base: p, Index: there, Scale: 8}, p)
	Load(Param("lanes"), n)
	KMOVW(n.As32(), k)
	VMOVDQA64_Z(one, k, whole)
	low, high := words(a, b)
	split(low, high, whole, x)
	Load(Param("first"), n)
	KMOVW(n.As32(), k)
	for i := range x {
		VPADDQ_BCST(Mem{Base: h, Disp: 8 * i}, x[i], k, x[i])
	}
}

// begin initializes the six sums of a turn. Three are of products of limbs 0, 1, 2. Three are of products of the limb
// sums 0 + 1, 0 + 2, 1 + 2. They start at zero, except for limbs 1 and 2 of the bias. end adds limb 0.
func begin() {
	for i, z := range lowZ {
		if i == 3 || i == 4 {
			VMOVDQA64(bias1, z)
		} else {
			VPXORQ(z, z, z)
		}
		VPXORQ(highZ[i], highZ[i], highZ[i])
	}
}

// add adds the product of x and the power at an address to the sums. It destroys x.
func add(x limbs, power Register) {
	sums, y := limbs{tmpZ[0], tmpZ[1], tmpZ[2]}, limbs{tmpZ[3], tmpZ[4], tmpZ[5]}
	pairwise(x, sums)
	for i := range y {
		VPBROADCASTQ(Mem{Base: power, Disp: 64 * i}, y[i])
		VPMADD52LUQ(x[i], y[i], lowZ[i])
		VPMADD52HUQ(x[i], y[i], highZ[i])
	}
	pairwise(y, x)
	for i := range sums {
		VPMADD52LUQ(sums[i], x[i], lowZ[3+i])
		VPMADD52HUQ(sums[i], x[i], highZ[3+i])
	}
}

// pairwise puts the limb sums 0 + 1, 0 + 2, 1 + 2 into out.
func pairwise(x, out limbs) {
	VPADDQ(x[0], x[1], out[0])
	VPADDQ(x[0], x[2], out[1])
	VPADDQ(x[1], x[2], out[2])
}

// end returns the limbs of the sums, each below 2^63. Let d be the products of limbs, and e those of limb sums. For
// low and for high halves:
//
//	x0 = d0    x1 = e01 - d0 - d1    x2 = e02 - d0 - d2 + d1    x3 = e12 - d1 - d2    x4 = d2
//
// Then 20 x3 is added to limb 0 and 20 x4 to limb 1.
func end() limbs {
	l, h := lowZ, highZ
	cross := func(t VecPhysical, e, d, f VecPhysical) {
		VPADDQ(d, f, t)
		VPSUBQ(t, e, e)
	}
	for i, x := range []six{h, l} {
		t := tmpZ[3*i:]
		cross(t[0], x[3], x[0], x[1])
		cross(t[1], x[4], x[0], x[2])
		cross(t[2], x[5], x[1], x[2])
		VPADDQ(x[1], x[4], x[4])
	}
	VPADDQ(bias0, l[0], l[0])
	// Add to each limb the high half of the limb below.
	VPMADD52LUQ(h[4], up, l[5])
	VPMADD52LUQ(h[5], up, l[2])
	VPMADD52LUQ(h[0], up, l[3])
	VPMADD52LUQ(h[3], up, l[4])
	VPMADD52LUQ(h[2], twentyUp, l[4])
	for i, x := range [][2]VecPhysical{{l[5], l[0]}, {l[2], l[3]}} {
		t := tmpZ[2*i:]
		VPSLLQ(U8(4), x[0], t[0])
		VPSLLQ(U8(2), x[0], t[1])
		VPADDQ(t[0], x[1], x[1])
		VPADDQ(t[1], x[1], x[1])
	}
	return limbs{l[0], l[3], l[4]}
}

// carryAdd adds x to b after one carry. All limbs carry at once, and a carry into a limb does not go further.
func carryAdd(x, b limbs) {
	for i, t := range tmpZ[:3] {
		VPANDQ(mask44, x[i], t)
		VPADDQ(t, b[i], b[i])
		VPSRLQ(U8(44), x[i], x[i])
	}
	VPMADD52LUQ(x[2], twenty, b[0])
	VPADDQ(x[0], b[1], b[1])
	VPADDQ(x[1], b[2], b[2])
}

// times20 puts 20 times the last two limbs of y into out.
func times20(y limbs, out [2]VecPhysical) {
	for i, z := range out {
		VPXORQ(z, z, z)
		VPMADD52LUQ(y[1+i], twenty, z)
	}
}

func clearSums() {
	for i := range 3 {
		VPXORQ(lowZ[i], lowZ[i], lowZ[i])
		VPXORQ(highZ[i], highZ[i], highZ[i])
	}
}

// addProduct adds x y to the first three sums by the schoolbook method.
func addProduct(x, y limbs, y20 [2]VecPhysical) {
	for j := range x {
		for i := range x {
			z := y[(i-j+3)%3]
			if i < j {
				z = y20[i-j+2]
			}
			VPMADD52LUQ(x[j], z, lowZ[i])
			VPMADD52HUQ(x[j], z, highZ[i])
		}
	}
}

// columns returns the limbs of the first three sums. They are not carried, and below 2^56.
func columns() limbs {
	// High halves are below 2^44, and the last one below 2^39. Times 2^8, and times 20 * 2^8, they stay below 2^52.
	VPMADD52LUQ(highZ[2], twentyUp, lowZ[0])
	VPMADD52LUQ(highZ[0], up, lowZ[1])
	VPMADD52LUQ(highZ[1], up, lowZ[2])
	return limbs{lowZ[0], lowZ[1], lowZ[2]}
}

// carry puts z into out after one carry.
func carry(z, out limbs) {
	for i := range out {
		VPANDQ(mask44, z[i], out[i])
		VPSRLQ(U8(44), z[i], z[i])
	}
	VPMADD52LUQ(z[2], twenty, out[0])
	VPADDQ(z[0], out[1], out[1])
	VPADDQ(z[1], out[2], out[2])
}

// multiply returns the limbs of x y. They are not carried.
func multiply(x, y limbs) limbs {
	y20 := [2]VecPhysical{tmpZ[0], tmpZ[1]}
	times20(y, y20)
	clearSums()
	addProduct(x, y, y20)
	return columns()
}

// product puts x y into out after one carry.
func product(x, y, out limbs) { carry(multiply(x, y), out) }

// across multiplies each lane of a by its own power, and puts the sum over the lanes into h.
func across(a limbs, powers Mem, h Register) {
	for i, z := range nextZ {
		VMOVDQU64(powers.Offset(64*i), z)
	}
	for i, x := range multiply(a, nextZ) {
		t := tmpZ[i]
		VEXTRACTI64X4(U8(1), x, t.AsY())
		VPADDQ(t.AsY(), x.AsY(), x.AsY())
		VEXTRACTI64X2(U8(1), x.AsY(), t.AsX())
		VPADDQ(t.AsX(), x.AsX(), x.AsX())
		VPUNPCKHQDQ(x.AsX(), x.AsX(), t.AsX())
		VPADDQ(t.AsX(), x.AsX(), x.AsX())
		VMOVQ(x.AsX(), Mem{Base: h, Disp: 8 * i})
	}
}

// blend copies the lanes of b that mask selects to a.
func blend(mask uint64, b, a limbs) {
	g, k := GP64(), K()
	MOVQ(U64(mask), g)
	KMOVW(g.As32(), k)
	for i := range a {
		VMOVDQA64(b[i], k, a[i])
	}
}

func copyOf(x, out limbs) {
	for i := range x {
		VMOVDQA64(x[i], out[i])
	}
}

// odd puts the odd lanes of x into out, each twice: also in the even lane below.
func odd(x, out limbs) {
	for i := range x {
		VPUNPCKHQDQ(x[i], x[i], out[i])
	}
}

// makePowers computes powers of r. One product gives up to 8 of them, one in each lane.
func makePowers(powers Mem, r0, r1, depth Register) {
	a, b, c := accZ, nextZ, limbs{tmpZ[3], tmpZ[4], tmpZ[5]}
	VPBROADCASTQ(r0, tmpZ[0])
	VPBROADCASTQ(r1, tmpZ[1])
	VPXORQ(tmpZ[2], tmpZ[2], tmpZ[2])
	split(tmpZ[0], tmpZ[1], tmpZ[2], a)

	Comment("r2 in all lanes; r2 r2 r r2 twice.")
	product(a, a, b)
	copyOf(b, c)
	blend(0b01000100, a, c)
	Comment("r4 r4 r3 r4 twice; r4 in all lanes; r4 r4 r3 r4 r2 r4 r r4.")
	product(c, b, a)
	odd(a, b)
	blend(0b01010000, c, a)
	Comment("r8 r8 r7 r8 r6 r8 r5 r8; then r8 r4 r7 r3 r6 r2 r5 r; r8 in all lanes.")
	product(a, b, c)
	for i := range a {
		VPUNPCKLQDQ(a[i], c[i], a[i])
		VMOVDQU64(a[i], powers.Offset(64*i))
	}
	odd(c, b)

	Comment("r^8(i+1) in lane i: each step doubles the number of lanes for which this holds.")
	copyOf(b, c)
	CMPQ(depth, U8(1))
	JE(LabelRef("keep"))
	product(b, b, a)
	blend(0b10101010, a, c)
	CMPQ(depth, U8(2))
	JE(LabelRef("keep"))
	product(c, a, b)
	blend(0b11001100, b, c)
	CMPQ(depth, U8(4))
	JE(LabelRef("keep"))
	odd(b, a)
	product(c, a, b)
	blend(0b11110000, b, c)

	Label("keep")
	for i, z := range c {
		VMOVDQU64(z, powers.Offset(64*(3+i)))
	}
}

// absorbGroups absorbs groups of 8 blocks at p into h.
func absorbGroups(powers Mem, h, depth, p, left Register) {
	first(p, h, accZ)
	DECQ(left)
	JZ(LabelRef("across"))

	Label("turn")
	Comment("Take 1 to depth groups and leave a multiple of depth.")
	k, top, power := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: depth, Disp: -1}, k)
	ANDQ(left, k)
	CMOVQEQ(depth, k)
	SUBQ(k, left)
	LEAQ(powers.Offset(3*64-8).Idx(k, 8), top)
	MOVQ(top, power)
	begin()
	DECQ(k)
	JZ(LabelRef("last"))

	Label("step")
	group(p, nextZ)
	SUBQ(U8(8), power)
	add(nextZ, power)
	DECQ(k)
	JNZ(LabelRef("step"))

	Label("last")
	add(accZ, top)
	x := end()
	group(p, accZ)
	carryAdd(x, accZ)
	TESTQ(left, left)
	JNZ(LabelRef("turn"))

	Label("across")
	across(accZ, powers, h)
}

// text starts a function whose arguments do not escape.
func text(name string, attributes attr.Attribute, arguments string) {
	TEXT(name, attributes, "func("+arguments+")")
	Pragma("noescape")
}

func load(name string) Register {
	r := GP64()
	Load(Param(name), r)
	return r
}

// ifma generates three functions. powersIFMA computes powers. Then absorbIFMA absorbs a piece of a message with them.
// And wholeIFMA does both for a whole message: it keeps the powers in its own stack frame, and wipes them.
func ifma() {
	text("powersIFMA", attr.NOSPLIT, "powers *[96]uint32, r0, r1 uint64, depth int")
	constants()
	makePowers(Mem{Base: load("powers")}, load("r0"), load("r1"), load("depth"))
	VZEROUPPER()
	RET()

	const message = "p *byte, groups int, words, lanes, first uint"
	text("absorbIFMA", attr.NOSPLIT, "h *[3]uint64, powers *[96]uint32, depth int, "+message)
	constants()
	absorbGroups(Mem{Base: load("powers")}, load("h"), load("depth"), load("p"), load("groups"))
	VZEROUPPER()
	RET()

	text("wholeIFMA", 0, "h *[3]uint64, r0, r1 uint64, depth int, "+message)
	powers := AllocLocal(384)
	constants()
	depth := load("depth")
	makePowers(powers, load("r0"), load("r1"), depth)
	absorbGroups(powers, load("h"), depth, load("p"), load("groups"))
	VPXORQ(Z0, Z0, Z0)
	for i := range 384 / 64 {
		VMOVDQU64(Z0, powers.Offset(64*i))
	}
	VZEROUPPER()
	RET()
}
