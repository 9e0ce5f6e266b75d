//go:build !purego

package poly1305

// The kernel of asm/poly1305/ifma.go: 8 blocks at a time in base 2^44.

// ifmaDepth is the largest number of groups in a turn.
const ifmaDepth = 8

// present[n] is the set of lanes with a block if the first group lacks n blocks. Blocks 0 to 7 are in lanes
// 0, 2, 4, 6, 1, 3, 5, 7.
var present = [9]uint{0xff, 0xfe, 0xfa, 0xea, 0xaa, 0xa8, 0xa0, 0x80, 0}

// groupsIFMA returns the number of groups of 8 blocks in p, and the depth that pays off for them. For the first group
// it returns three sets: the words that exist, the lanes with a block, and the lane of the first block.
func groupsIFMA(p []byte) (groups, depth int, words, lanes, first uint) {
	blocks := len(p) / blockSize
	groups = (blocks + 7) / 8
	absent := 8*groups - blocks
	for depth = 1; depth < min(groups-1, ifmaDepth); depth *= 2 {
	}
	return groups, depth, 0xffff << (2 * absent) & 0xffff, present[absent], present[absent] &^ present[absent+1]
}

// absorbIFMA returns h with the whole blocks of p absorbed.
func (w *powers) absorbIFMA(h element, k key, p []byte) element {
	groups, depth, words, lanes, first := groupsIFMA(p)
	if w.depth < depth || w.of != ifma {
		powersIFMA(&w.table, k.r0, k.r1, depth)
		w.depth, w.of = depth, ifma
	}
	var x [3]uint64
	x[0], x[1], x[2] = h.limbs44()
	absorbIFMA(&x, &w.table, w.depth, &p[0], groups, words, lanes, first)
	return join44(&x)
}

// wholeIFMA returns h with the whole blocks of p absorbed. It keeps no powers.
func (h element) wholeIFMA(k key, p []byte) element {
	groups, depth, words, lanes, first := groupsIFMA(p)
	var x [3]uint64
	x[0], x[1], x[2] = h.limbs44()
	wholeIFMA(&x, k.r0, k.r1, depth, &p[0], groups, words, lanes, first)
	return join44(&x)
}

// limbs44 splits h into limbs below 2^44, and the last below 2^43.
func (h element) limbs44() (x0, x1, x2 uint64) {
	const limb = 1<<44 - 1
	return h.h0 & limb, (h.h0>>44 | h.h1<<20) & limb, h.h1>>24 | h.h2<<40
}

// join44 returns the number with these limbs, which must be below 2^60.
func join44(x *[3]uint64) element {
	return element{x[0], 0, 0}.add(x[1]<<44, x[1]>>20, 0).add(0, x[2]<<24, x[2]>>40).reduce()
}
