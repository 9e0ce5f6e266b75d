//go:build !purego

package poly1305

// The kernel of asm_arm64.s: 4 blocks at a time in base 2^26.

// A turn has at most two groups, and at most four if the message has at least fourGroups bytes.
const neonDepth, fourGroups = 4, 2048

// A table has two factors in each word. For the last group it has the nine factors of r^4 and r^3, and of r^2 and r. For
// each group of a turn it has the fifteen factors of two powers, and a word that is free.
type table [2*9 + 16*neonDepth]uint64

// absorbNEON returns h with the whole blocks of p absorbed. The blocks in excess of groups of 4 come first, one by
// one.
func (w *powers) absorbNEON(h element, k key, p []byte) element {
	odd := len(p) % (4 * blockSize)
	h = h.blocks(k.r0, k.r1, p[:odd])
	p = p[odd:]
	depth := neonDepth
	if len(p) < fourGroups {
		depth = 2
	}
	if w.depth < depth {
		w.makeNEON(k, depth)
	}
	var x [5]uint64
	x[0], x[1], x[2], x[3], x[4] = h.limbs26()
	absorbNEON(&x, &w.table, w.depth, &p[0], len(p)/(4*blockSize))
	return join26(&x)
}

// makeNEON computes powers of r. For the last group: r^4, r^3, r^2, r. For group i from the end of a turn: r^(4i+4) for
// its first two blocks, and r^(4i+2) for the others.
func (w *powers) makeNEON(k key, depth int) {
	r := element{k.r0, k.r1, 0}
	r2 := r.times(r)
	r3 := r2.times(r)
	r4 := r2.times(r2)
	w.table.putLast(0, r4, r3)
	w.table.putLast(1, r2, r)
	first, second := r4, r2
	for i := range depth {
		if i > 0 {
			first, second = first.times(r4), second.times(r4)
		}
		w.table.putTurn(i, first, second)
	}
	w.depth, w.of = depth, neon
}

// pair26 returns the limbs of two numbers, two in each word. They can be added and multiplied by 5 as one number.
func pair26(a, b element) (x0, x1, x2, x3, x4 uint64) {
	x0, x1, x2, x3, x4 = a.limbs26()
	y0, y1, y2, y3, y4 := b.limbs26()
	return x0 | y0<<32, x1 | y1<<32, x2 | y2<<32, x3 | y3<<32, x4 | y4<<32
}

// putLast stores the nine factors of two powers of r for the last group: their limbs, and 5 times all limbs except the
// first. They are below 2^30.
func (t *table) putLast(half int, a, b element) {
	x0, x1, x2, x3, x4 := pair26(a, b)
	to := (*[17]uint64)(t[half:])
	to[0], to[2], to[4], to[6], to[8] = x0, x1, x2, x3, x4
	to[10], to[12], to[14], to[16] = 5*x1, 5*x2, 5*x3, 5*x4
}

// putTurn stores the fifteen factors of two powers of r for a group of a turn. They are the limbs, and the sums of two
// limbs for Karatsuba's identity, times 5 where their products stand at 2^130 or above. They are below 2^31.
func (t *table) putTurn(group int, a, b element) {
	x0, x1, x2, x3, x4 := pair26(a, b)
	to := (*[16]uint64)(t[2*9+16*group:])
	to[0], to[1], to[2], to[3], to[4] = x0, x1, x2, x3, x4
	to[5], to[6], to[7], to[8], to[9], to[10] = x0+x1, x0+x2, x0+x3, x0+x4, x1+x2, x1+x3
	to[11], to[12], to[13], to[14] = 5*(x1+x4), 5*(x2+x3), 5*(x2+x4), 5*(x3+x4)
}
