package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// avx2 is AVX2: 16 registers of 256 bits.
type avx2 struct{}

func (avx2) bytes() int                         { return 32 }
func (avx2) move(from, to Op)                   { VMOVDQU(from, to) }
func (avx2) broadcast(m Mem, v reg.VecPhysical) { VPBROADCASTD(m, v) }
func (avx2) broadcastRegister(r reg.GPVirtual, v reg.VecPhysical) {
	VMOVD(r, v.AsX())
	VPBROADCASTD(v.AsX(), v)
}
func (avx2) row(m Mem, v reg.VecPhysical)         { VBROADCASTI128(m, v) }
func (avx2) add(a, v reg.VecPhysical)             { VPADDD(a, v, v) }
func (avx2) addMem(m Mem, v, _ reg.VecPhysical)   { VPADDD(m, v, v) }
func (avx2) xor(a, v reg.VecPhysical)             { VPXOR(a, v, v) }
func (avx2) xorMem(m Mem, v, _ reg.VecPhysical)   { VPXOR(m, v, v) }
func (avx2) shuffle(order int, v reg.VecPhysical) { VPSHUFD(U8(order), v, v) }
func (avx2) zero(v reg.VecPhysical)               { VPXOR(v, v, v) }
func (avx2) end()                                 { VZEROUPPER() }
func (avx2) rotate(bits int, v, t reg.VecPhysical) {
	switch bits {
	case 16:
		VPSHUFB(by16, v, v)
	case 8:
		VPSHUFB(by8, v, v)
	default:
		VPSLLD(U8(bits), v, t)
		VPSRLD(U8(32-bits), v, v)
		VPOR(t, v, v)
	}
}
func (avx2) unpack(isHigh bool, bits int, a, b, v reg.VecPhysical) {
	switch {
	case isHigh && bits == 32:
		VPUNPCKHDQ(b, a, v)
	case isHigh:
		VPUNPCKHQDQ(b, a, v)
	case bits == 32:
		VPUNPCKLDQ(b, a, v)
	default:
		VPUNPCKLQDQ(b, a, v)
	}
}

// sse2 is SSE2: 16 registers of 128 bits. An operation overwrites an operand, and operands in memory must be aligned.
type sse2 struct{}

func (sse2) bytes() int { return 16 }
func (sse2) move(from, to Op) {
	_, isLoad := from.(Mem)
	_, isStore := to.(Mem)
	if isLoad || isStore {
		MOVOU(from, to)
		return
	}
	MOVO(from, to)
}
func (sse2) broadcast(m Mem, v reg.VecPhysical) {
	MOVSS(m, v)
	PSHUFD(U8(0), v, v)
}
func (sse2) broadcastRegister(r reg.GPVirtual, v reg.VecPhysical) {
	MOVD(r, v)
	PSHUFD(U8(0), v, v)
}
func (sse2) row(m Mem, v reg.VecPhysical) { MOVOU(m, v) }
func (sse2) add(a, v reg.VecPhysical)     { PADDD(a, v) }
func (sse2) addMem(m Mem, v, t reg.VecPhysical) {
	MOVOU(m, t)
	PADDD(t, v)
}
func (sse2) xor(a, v reg.VecPhysical) { PXOR(a, v) }
func (sse2) xorMem(m Mem, v, t reg.VecPhysical) {
	MOVOU(m, t)
	PXOR(t, v)
}
func (sse2) shuffle(order int, v reg.VecPhysical) { PSHUFD(U8(order), v, v) }
func (sse2) zero(v reg.VecPhysical)               { PXOR(v, v) }
func (sse2) end()                                 {}
func (sse2) rotate(bits int, v, t reg.VecPhysical) {
	if bits == 16 {
		PSHUFLW(U8(0b10_11_00_01), v, v)
		PSHUFHW(U8(0b10_11_00_01), v, v)
		return
	}
	MOVO(v, t)
	PSLLL(U8(bits), t)
	PSRLL(U8(32-bits), v)
	POR(t, v)
}
func (sse2) unpack(isHigh bool, bits int, a, b, v reg.VecPhysical) {
	if a != v {
		MOVO(a, v)
	}
	switch {
	case isHigh && bits == 32:
		PUNPCKHLQ(b, v)
	case isHigh:
		PUNPCKHQDQ(b, v)
	case bits == 32:
		PUNPCKLLQ(b, v)
	default:
		PUNPCKLQDQ(b, v)
	}
}

// avx512 is AVX-512: 32 registers of 512 bits, or of 256 bits.
type avx512 struct{}

func (avx512) bytes() int                                           { return 64 }
func (avx512) move(from, to Op)                                     { VMOVDQU32(from, to) }
func (avx512) broadcast(m Mem, v reg.VecPhysical)                   { VPBROADCASTD(m, v) }
func (avx512) broadcastRegister(r reg.GPVirtual, v reg.VecPhysical) { VPBROADCASTD(r, v) }
func (avx512) row(m Mem, v reg.VecPhysical)                         { VBROADCASTI32X4(m, v) }
func (avx512) add(a, v reg.VecPhysical)                             { VPADDD(a, v, v) }
func (avx512) addMem(m Mem, v, _ reg.VecPhysical)                   { VPADDD(m, v, v) }
func (avx512) xor(a, v reg.VecPhysical)                             { VPXORD(a, v, v) }
func (avx512) xorMem(m Mem, v, _ reg.VecPhysical)                   { VPXORD(m, v, v) }
func (avx512) rotate(bits int, v, _ reg.VecPhysical)                { VPROLD(U8(bits), v, v) }
func (avx512) shuffle(order int, v reg.VecPhysical)                 { VPSHUFD(U8(order), v, v) }
func (avx512) zero(v reg.VecPhysical)                               { VPXORD(v, v, v) }
func (avx512) end()                                                 { VZEROUPPER() }
func (avx512) unpack(isHigh bool, bits int, a, b, v reg.VecPhysical) {
	avx2{}.unpack(isHigh, bits, a, b, v)
}

// vertical512 generates 16 or 8 blocks in the vectors v. At least present of them exist.
func (s *set) vertical512(v [32]reg.VecPhysical, present int) {
	isWide := v == zmm
	t := v[16]
	for i := range 16 {
		s.input(i, v[i], t)
	}
	s.loop(func() {
		for _, q := range quarters {
			var w [4][4]reg.VecPhysical
			for i := range w {
				for j := range w[i] {
					w[i][j] = v[q[i][j]]
				}
			}
			// In step, all four would want the ports for rotations at the same time.
			for i := range 4 {
				s.step(i, w[0], w[1], [2]reg.VecPhysical{})
				s.step(i, w[2], w[3], [2]reg.VecPhysical{})
			}
		}
	})
	for i := range 16 {
		switch {
		case i < 4 || s.out == nil && i != 12:
			VPADDD_BCST(s.word(i), v[i], v[i])
		case s.out != nil:
			VPADDD(at(s.table, 64*(i-4)), v[i], v[i])
		default:
			s.input(i, t, t)
			s.add(t, v[i])
		}
	}
	// Quarter or half j of quads[g][i]: words 4g to 4g + 3 of block 4j + i.
	var quads [4][4]reg.VecPhysical
	free := [2]reg.VecPhysical{v[16], v[17]}
	for g := range quads {
		quads[g], free = s.transpose4([4]reg.VecPhysical(v[4*g:]), free)
	}
	var blocks [16][]reg.VecPhysical
	for i := range 4 {
		a, b, c, d := quads[0][i], quads[1][i], quads[2][i], quads[3][i]
		if isWide {
			for j, block := range s.join([4]reg.VecPhysical{a, b, c, d}, [4]reg.VecPhysical(v[18:])) {
				blocks[4*j+i] = []reg.VecPhysical{block}
			}
			continue
		}
		ab, cd := v[18+2*i], v[19+2*i]
		VSHUFI64X2(U8(0), b, a, ab)
		VSHUFI64X2(U8(0), d, c, cd)
		VSHUFI64X2(U8(3), b, a, a)
		VSHUFI64X2(U8(3), d, c, c)
		blocks[i], blocks[4+i] = []reg.VecPhysical{ab, cd}, []reg.VecPhysical{a, c}
	}
	count := 16
	if !isWide {
		count = 8
	}
	s.put512(blocks[:count], present)
}

// put512 puts blocks where they belong, one vector or two each. At least present of them exist.
func (s *set) put512(blocks [][]reg.VecPhysical, present int) {
	size := 64 / len(blocks[0])
	for i, block := range blocks {
		if i >= present {
			CMPQ(s.left, U8(i))
			JBE(LabelRef("done"))
		}
		for j, v := range block {
			if s.out != nil {
				s.move(v, at(s.out, 64*i+size*j))
				continue
			}
			s.xorMem(at(s.src, 64*i+size*j), v, v)
			s.move(v, at(s.dst, 64*i+size*j))
		}
	}
}

// rows512 generates up to four blocks, a row of each in a vector.
func (s *set) rows512() {
	v := [4]reg.VecPhysical(zmm[:])
	start := [4]reg.VecPhysical(zmm[4:])
	s.row(sigma, start[0])
	s.row(at(s.key, 0), start[1])
	s.row(at(s.key, 16), start[2])
	s.counterRow(start[3])
	s.addMem(rows, start[3], start[3])
	for i := range v {
		s.move(start[i], v[i])
	}
	s.loop(func() { s.doubleRoundOfRows([][4]reg.VecPhysical{v}, zmm[8:9]) })
	for i := range v {
		s.add(start[i], v[i])
	}
	var blocks [][]reg.VecPhysical
	for _, block := range s.join(v, start) {
		blocks = append(blocks, []reg.VecPhysical{block})
	}
	s.put512(blocks, 1)
}

// join returns four blocks, of vectors that have a row of each. It needs four vectors more.
func (s *set) join(v, t [4]reg.VecPhysical) [4]reg.VecPhysical {
	const evens, odds, lows, highs = 0b10_00_10_00, 0b11_01_11_01, 0b01_00_01_00, 0b11_10_11_10
	VSHUFI32X4(U8(lows), v[1], v[0], t[0])
	VSHUFI32X4(U8(highs), v[1], v[0], t[1])
	VSHUFI32X4(U8(lows), v[3], v[2], t[2])
	VSHUFI32X4(U8(highs), v[3], v[2], t[3])
	VSHUFI32X4(U8(evens), t[2], t[0], v[0])
	VSHUFI32X4(U8(odds), t[2], t[0], v[1])
	VSHUFI32X4(U8(evens), t[3], t[1], v[2])
	VSHUFI32X4(U8(odds), t[3], t[1], v[3])
	return v
}
