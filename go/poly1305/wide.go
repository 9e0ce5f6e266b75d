//go:build !purego && (amd64 || arm64)

package poly1305

import "math/bits"

// times returns a b modulo p.
func (a element) times(b element) element {
	// Word by word; a b is below 2^262.
	n0, n1, n2, n3 := b.timesWord(a.h0)
	m0, m1, m2, m3 := b.timesWord(a.h1)
	l0, l1, l2, _ := b.timesWord(a.h2)
	n1, c := bits.Add64(n1, m0, 0)
	n2, c = bits.Add64(n2, m1, c)
	n3, c = bits.Add64(n3, m2, c)
	n4, _ := bits.Add64(l2, m3, c)
	n2, c = bits.Add64(n2, l0, 0)
	n3, c = bits.Add64(n3, l1, c)
	n4, _ = bits.Add64(n4, 0, c)

	// With q = floor(n / 2^130), 2^130 q = 5 q = 4 q + q (mod p).
	h := element{n0, n1, n2 & 3}.add(n2&^3, n3, n4)
	return h.add(n2>>2|n3<<62, n3>>2|n4<<62, n4>>2).reduce()
}

// timesWord returns b f, in four words.
func (b element) timesWord(f uint64) (w0, w1, w2, w3 uint64) {
	u1, w0 := bits.Mul64(b.h0, f)
	u2, v1 := bits.Mul64(b.h1, f)
	w3, v2 := bits.Mul64(b.h2, f)
	w1, c := bits.Add64(u1, v1, 0)
	w2, c = bits.Add64(u2, v2, c)
	return w0, w1, w2, w3 + c
}

// reduce returns an equal number modulo p with a last word of at most 4. The last word of h must be below 2^61.
func (h element) reduce() element {
	q := h.h2 >> 2
	h.h2 &= 3
	return h.add(5*q, 0, 0)
}
