package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Poly1305, 8 messages at a time, one in each lane, each under its own key, base 2^44, AVX-512 IFMA. The arithmetic
// is that of ifma.go, but the only powers are r and r^2. Two blocks of each message take one carry:
//
//	h <- (h + m1) r^2 + m2 r
//
// The limbs of h must be as small as after a carry.

// Registers that the functions of ifma.go leave free here.
var (
	laneR    = limbs{Z3, Z4, Z5}
	laneR20  = [2]VecPhysical{Z9, Z10}
	laneR2   = limbs{Z11, Z15, Z16}
	laneR220 = [2]VecPhysical{Z17, Z24}
	laneM    = limbs{tmpZ[0], tmpZ[1], Z30}
)

// transpose loads 32 bytes of each message. Vector i of the result has word i of every message.
func transpose(p [8]Register, at Register) [4]VecPhysical {
	t := tmpZ
	for i, first := range [4]int{0, 1, 4, 5} {
		VMOVDQU64(Mem{Base: p[first], Index: at, Scale: 1}, t[i].AsY())
		VINSERTI64X4(U8(1), Mem{Base: p[first+2], Index: at, Scale: 1}, t[i], t[i])
	}
	// Even words and odd words, of messages 0 to 3, then of messages 4 to 7.
	VPUNPCKLQDQ(t[1], t[0], t[4])
	VPUNPCKHQDQ(t[1], t[0], t[5])
	VPUNPCKLQDQ(t[3], t[2], t[0])
	VPUNPCKHQDQ(t[3], t[2], t[1])
	// Quarters 0 and 2 of both vectors, then quarters 1 and 3.
	VSHUFI64X2(U8(0b10_00_10_00), t[0], t[4], t[2])
	VSHUFI64X2(U8(0b11_01_11_01), t[0], t[4], t[3])
	VSHUFI64X2(U8(0b10_00_10_00), t[1], t[5], t[4])
	VSHUFI64X2(U8(0b11_01_11_01), t[1], t[5], t[5])
	return [4]VecPhysical{t[2], t[4], t[3], t[5]}
}

func lanes() {
	text("lanesIFMA", attr.NOSPLIT, "h *[24]uint64, r *[16]uint64, messages *[8]*byte, pairs int")
	r, messages := load("r"), load("messages")
	constants()
	var p [8]Register
	VMOVDQU64(Mem{Base: r}, tmpZ[0])
	VMOVDQU64(Mem{Base: r, Disp: 64}, tmpZ[1])
	for i := range p {
		p[i] = GP64()
		MOVQ(Mem{Base: messages, Disp: 8 * i}, p[i])
	}
	VPXORQ(tmpZ[2], tmpZ[2], tmpZ[2])
	split(tmpZ[0], tmpZ[1], tmpZ[2], laneR)
	times20(laneR, laneR20)
	clearSums()
	addProduct(laneR, laneR, laneR20)
	carry(columns(), laneR2)
	times20(laneR2, laneR220)
	h := load("h")
	for i, z := range accZ {
		VMOVDQU64(Mem{Base: h, Disp: 64 * i}, z)
	}
	at, left := GP64(), load("pairs")
	XORQ(at, at)

	Label("pair")
	w := transpose(p, at)
	split(w[0], w[1], one, laneM)
	for i, z := range laneM {
		VPADDQ(z, accZ[i], accZ[i])
	}
	split(w[2], w[3], one, laneM)
	clearSums()
	addProduct(laneM, laneR, laneR20)
	addProduct(accZ, laneR2, laneR220)
	carry(columns(), accZ)
	ADDQ(U8(32), at)
	DECQ(left)
	JNZ(LabelRef("pair"))

	Load(Param("h"), h)
	for i, z := range accZ {
		VMOVDQU64(z, Mem{Base: h, Disp: 64 * i})
	}
	VZEROUPPER()
	RET()
}
