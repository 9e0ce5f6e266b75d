//go:build !purego

package poly1305

// The kernel of asm/poly1305/ifma.go: 8 blocks at a time in base 2^44.

// ifmaRows is how many groups of blocks a turn has at most.
const ifmaRows = 8

// For each number of blocks that the first group lacks: the lanes that have one, where blocks 0 to 7 are in lanes
// 0, 2, 4, 6, 1, 3, 5, 7.
var present = [9]uint{0xff, 0xfe, 0xfa, 0xea, 0xaa, 0xa8, 0xa0, 0x80, 0}

// groupsIFMA is how many groups of 8 blocks p has, and how many rows of powers are worth being made for them. Of the
// first group it is which words there are, which lanes, and which of these is the first block's.
func groupsIFMA(p []byte) (groups, rows int, words, lanes, first uint) {
	blocks := len(p) / blockSize
	groups = (blocks + 7) / 8
	absent := 8*groups - blocks
	for rows = 1; rows < min(groups-1, ifmaRows); rows *= 2 {
	}
	return groups, rows, 0xffff << (2 * absent) & 0xffff, present[absent], present[absent] &^ present[absent+1]
}

// absorbIFMA returns h with the whole blocks of p absorbed.
func (w *powers) absorbIFMA(h element, k key, p []byte) element {
	groups, rows, words, lanes, first := groupsIFMA(p)
	if w.rows < rows || w.of != ifma {
		powersIFMA(&w.table, k.r0, k.r1, rows)
		w.rows, w.of = rows, ifma
	}
	var x [3]uint64
	x[0], x[1], x[2] = h.limbs44()
	absorbIFMA(&x, &w.table, w.rows, &p[0], groups, words, lanes, first)
	return join44(&x)
}

// wholeIFMA returns h with the whole blocks of p absorbed, and keeps no powers.
func (h element) wholeIFMA(k key, p []byte) element {
	groups, rows, words, lanes, first := groupsIFMA(p)
	var x [3]uint64
	x[0], x[1], x[2] = h.limbs44()
	wholeIFMA(&x, k.r0, k.r1, rows, &p[0], groups, words, lanes, first)
	return join44(&x)
}

// limbs44 cuts h into limbs below 2^44 and, the last, 2^43.
func (h element) limbs44() (x0, x1, x2 uint64) {
	const limb = 1<<44 - 1
	return h.h0 & limb, (h.h0>>44 | h.h1<<20) & limb, h.h1>>24 | h.h2<<40
}

// join44 is the number of limbs below 2^60.
func join44(x *[3]uint64) element {
	return element{x[0], 0, 0}.add(x[1]<<44, x[1]>>20, 0).add(0, x[2]<<24, x[2]>>40).reduce()
}
