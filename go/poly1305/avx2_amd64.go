//go:build !purego

package poly1305

// The kernel of asm/poly1305/avx2.go: 4 blocks at a time in base 2^26.

// avx2Depth is the largest number of groups in a turn.
const avx2Depth = 4

// absorbAVX2 returns h with the whole blocks of p absorbed. The blocks in excess of groups of 4 come first, one by
// one.
func (w *powers) absorbAVX2(h element, k key, p []byte) element {
	if w.of != avx2 {
		w.makeAVX2(k)
	}
	odd := len(p) % (4 * blockSize)
	h = h.blocks(k.r0, k.r1, p[:odd])
	p = p[odd:]
	var x [5]uint64
	x[0], x[1], x[2], x[3], x[4] = h.limbs26()
	absorbAVX2(&x, &w.table, &p[0], len(p)/(4*blockSize))
	return join26(&x)
}

// makeAVX2 computes powers of r. For the turns: r^4, r^8, r^12, r^16, each as its nine factors. For the end: r^4,
// r^2, r^3, r side by side, factor by factor. This is the order of a group's blocks in lanes, 0, 2, 1, 3.
func (w *powers) makeAVX2(k key) {
	r := element{k.r0, k.r1, 0}
	r2 := r.times(r)
	r3 := r2.times(r)
	r4 := r2.times(r2)
	r8 := r4.times(r4)
	w.putAVX2(0, 1, r4)
	w.putAVX2(9, 1, r8)
	w.putAVX2(18, 1, r8.times(r4))
	w.putAVX2(27, 1, r8.times(r8))
	w.putAVX2(36, 4, r4)
	w.putAVX2(37, 4, r2)
	w.putAVX2(38, 4, r3)
	w.putAVX2(39, 4, r)
	w.depth, w.of = avx2Depth, avx2
}

// putAVX2 stores the factors of a power of r at the indices i, i + step, and so on. The factors are its limbs, and 5
// times all limbs except the first. They are below 2^30.
func (w *powers) putAVX2(i, step int, r element) {
	x0, x1, x2, x3, x4 := r.limbs26()
	for _, x := range [9]uint64{x0, x1, x2, x3, x4, 5 * x1, 5 * x2, 5 * x3, 5 * x4} {
		w.table[i] = uint32(x)
		i += step
	}
}
