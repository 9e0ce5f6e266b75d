//go:build !purego

package poly1305

import (
	"math"

	"keylane.example/go/internal/cpu"
)

//go:generate go run -C ../asm ./poly1305 -out ../poly1305/asm_amd64.s -stubs ../poly1305/asm_amd64.go -pkg poly1305

// long is the least number of bytes for which powers of r may pay off.
const long = 256

// A kernel absorbs many blocks at a time.
type kernel uint8

const (
	scalar kernel = iota
	avx2
	ifma
)

// active is the kernel that this CPU uses.
var active = best()

func best() kernel {
	switch {
	case cpu.IFMA:
		return ifma
	case cpu.AVX2:
		return avx2
	}
	return scalar
}

// from is the least number of bytes for which a kernel pays off if it computes powers for one whole message. It
// must be at least 128.
var from = [...]int{scalar: math.MaxInt, avx2: 768, ifma: long}

// again is the least number of bytes of a piece for which existing powers pay off. Kernels read that many at once.
const again = 128

// keeping is how many bytes more than from a piece needs if its powers are to be kept.
var keeping = 96

// powers holds powers of r between the pieces of a message, in the form of the kernel. Every MAC has a table, and
// Go zeroes it, so the table is as small as possible.
type powers struct {
	table [96]uint32
	depth int // number of powers for the turns
	of    kernel
}

// pay reports whether powers pay off for a piece of n bytes.
func (w *powers) pay(n int) bool {
	return n >= again && (w.depth > 0 || n-keeping >= from[active])
}

// absorb returns h with the whole blocks of p absorbed.
func (w *powers) absorb(h element, k key, p []byte) element {
	if active == ifma {
		return w.absorbIFMA(h, k, p)
	}
	return w.absorbAVX2(h, k, p)
}

// whole returns h with the whole blocks of p absorbed. It keeps no powers.
func (h element) whole(k key, p []byte) element {
	switch {
	case len(p) < from[active]:
		return h.blocks(k.r0, k.r1, p)
	case active == ifma:
		return h.wholeIFMA(k, p)
	default:
		var w powers
		h = w.absorbAVX2(h, k, p)
		w.wipe()
		return h
	}
}

// wipe overwrites the powers, if there are any.
func (w *powers) wipe() {
	if w.depth > 0 {
		w.overwrite()
	}
}

// overwrite is not inlined, because the compiler could then remove the stores as dead.
//
//go:noinline
func (w *powers) overwrite() { *w = powers{} }
