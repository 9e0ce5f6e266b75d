package poly1305

import (
	"encoding/binary"
	"math/bits"
)

// One block is
//
//	h <- (h + m) r  (mod p),  p = 2^130 - 5,
//
// in base 2^64, where h + m = h0 + 2^64 h1 + 2^128 h2 and r = r0 + 2^64 r1. Clamping makes r1 a multiple of 4, so s1 =
// 5 r1 / 4 is an integer. Also 2^128 r1 = 2^130 (r1 / 4) = s1 (mod p). Then the product is
//
//	d0 = h0 r0 + h1 s1           at 1
//	d1 = h0 r1 + h1 r0 + h2 s1   at 2^64
//	d2 = h2 r0                   at 2^128
//
// The bits from 2^130 on are multiplied by 5 and added at 1, since 2^130 = 5 (mod p).

// An element is a number modulo p in base 2^64. Between blocks it is below 2^131, so h2 is at most 7.
type element struct{ h0, h1, h2 uint64 }

// A key is r, clamped, and s, in base 2^64.
type key struct{ r0, r1, s0, s1 uint64 }

func load(b *[KeySize]byte) key {
	return key{
		binary.LittleEndian.Uint64(b[0:]) & 0x0ffffffc0fffffff,
		binary.LittleEndian.Uint64(b[8:]) & 0x0ffffffc0ffffffc,
		binary.LittleEndian.Uint64(b[16:]),
		binary.LittleEndian.Uint64(b[24:]),
	}
}

// blocks returns h with the whole blocks of p absorbed, for a clamped r.
//
// The order of its lines was chosen by measurement. The compiler keeps this order, and has no register to spare.
func (h element) blocks(r0, r1 uint64, p []byte) element {
	s1 := r1 + r1>>2
	// A slice without spare capacity takes one register less.
	for p = p[:len(p):len(p)]; len(p) >= blockSize; {
		var c uint64
		m0, m1 := binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:16])
		p = p[blockSize:len(p):len(p)]
		h.h0, c = bits.Add64(h.h0, m0, 0)
		h.h1, c = bits.Add64(h.h1, m1, c)
		h.h2, _ = bits.Add64(h.h2, 1, c)

		// Bounds: h2 <= 7 + 1 + 1, r0, r1 < 2^60, and s1 < 2^60.4. So:
		//
		//	d0 < 2^64 (2^60 + 2^60.4) < 2^126
		//	d1 < 2^64 (2^60 + 2^60) + 9 s1 < 2^126
		//	d2 <= 9 r0 + 2^61 + 1 < 11 * 2^60
		a1, a0 := bits.Mul64(h.h0, r0)
		b1, b0 := bits.Mul64(h.h1, s1)
		a0, c = bits.Add64(a0, b0, 0)
		a1, _ = bits.Add64(a1, b1, c)
		d2, d1 := bits.Mul64(h.h0, r1)
		b1, b0 = bits.Mul64(h.h1, r0)
		d1, c = bits.Add64(d1, b0, 0)
		d2, _ = bits.Add64(d2, b1, c)
		d1, c = bits.Add64(d1, h.h2*s1, 0)
		d2, _ = bits.Add64(d2, h.h2*r0, c)
		// The high half of d0 is ready last.
		d1, c = bits.Add64(d1, a1, 0)
		d2, _ = bits.Add64(d2, 0, c)

		// 5 (d2 / 4) = 4 (d2 / 4) + d2 / 4 < 13.75 * 2^60, so it fits in a word. h2 <= 3 + 1.
		h.h0, c = bits.Add64(a0, d2&^3+d2>>2, 0)
		h.h1, c = bits.Add64(d1, 0, c)
		h.h2, _ = bits.Add64(d2&3, 0, c)
	}
	return h
}

// last returns h with the last block of a message absorbed, for a clamped r. The block has 1 to 15 bytes. A byte 1
// follows them, in place of the 2^128 of a whole block.
func (h element) last(r0, r1 uint64, p []byte) element {
	var m0, m1 uint64
	switch n := uint(len(p)); {
	case n >= 8:
		// Two shifts, by 1 and by 127 - 8n: the byte 1 enters at the top.
		m0 = binary.LittleEndian.Uint64(p)
		m1 = (binary.LittleEndian.Uint64(p[n-8:])>>1 | 1<<63) >> (127 - 8*n)
	case n >= 4:
		m0 = uint64(binary.LittleEndian.Uint32(p)) | uint64(binary.LittleEndian.Uint32(p[n-4:]))<<(8*n-32) | 1<<(8*n)
	default:
		m0 = uint64(p[0]) | uint64(p[n/2])<<(n/2*8) | uint64(p[n-1])<<(8*n-8) | 1<<(8*n)
	}
	var block [blockSize]byte
	binary.LittleEndian.PutUint64(block[:8], m0)
	binary.LittleEndian.PutUint64(block[8:], m1)
	// blocks adds 2^128 to every block. Cancel it; the wrap-around modulo 2^64 does no harm.
	h.h2--
	return h.blocks(r0, r1, block[:])
}

// add returns h + m, whose last word must not overflow.
func (h element) add(m0, m1, m2 uint64) element {
	var c uint64
	h.h0, c = bits.Add64(h.h0, m0, 0)
	h.h1, c = bits.Add64(h.h1, m1, c)
	h.h2, _ = bits.Add64(h.h2, m2, c)
	return h
}

// tag puts (h mod p) + s mod 2^128 into out.
func (k key) tag(out *[TagSize]byte, h element) {
	// Let q = floor(h / p). Then h mod p = h - q p = h + 5 q - 2^130 q, and 2^130 q vanishes modulo 2^128. Let
	// e = floor(h / 2^130). Then h - e p is in [0, 2p), so q is e or e + 1. It is e + 1 if h + 5 (e + 1) reaches
	// 2^130 (e + 1).
	q := h.add(5*(h.h2>>2+1), 0, 0).h2 >> 2
	h = h.add(5*q, 0, 0).add(k.s0, k.s1, 0)
	binary.LittleEndian.PutUint64(out[:8], h.h0)
	binary.LittleEndian.PutUint64(out[8:], h.h1)
}
