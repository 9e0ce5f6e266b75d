//go:build !purego && (amd64 || arm64)

package poly1305

// Numbers in base 2^26, for the kernels of AVX2 and NEON.

// limbs26 splits h into limbs below 2^26, and the last below 2^27.
func (h element) limbs26() (x0, x1, x2, x3, x4 uint64) {
	const limb = 1<<26 - 1
	return h.h0 & limb, h.h0 >> 26 & limb, (h.h0>>52 | h.h1<<12) & limb, h.h1 >> 14 & limb, h.h1>>40 | h.h2<<24
}

// join26 returns the number with these limbs, which must be below 2^63.
func join26(x *[5]uint64) element {
	h := element{x[0], 0, 0}.add(x[1]<<26, x[1]>>38, 0).add(x[2]<<52, x[2]>>12, 0)
	return h.add(0, x[3]<<14, x[3]>>50).add(0, x[4]<<40, x[4]>>24).reduce()
}
