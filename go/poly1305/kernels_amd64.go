//go:build !purego

package poly1305

import (
	"math"

	"keylane.example/go/internal/cpu"
)

//go:generate go run -C ../asm ./poly1305 -out ../poly1305/asm_amd64.s -stubs ../poly1305/asm_amd64.go -pkg poly1305

// long is from how many bytes on powers of r may be worth making.
const long = 256

// A kernel absorbs many blocks at a time.
type kernel uint8

const (
	scalar kernel = iota
	avx2
	ifma
)

// active is the kernel for this CPU.
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

// from is from how many bytes on a kernel pays, at least 128, when it makes powers for a whole message.
var from = [...]int{scalar: math.MaxInt, avx2: 768, ifma: long}

// again is from how many bytes of a piece on powers pay that are there. Kernels read that many at once.
const again = 128

// keeping is how many bytes more a piece needs for powers to pay that are made to be kept.
var keeping = 96

// powers is what a kernel keeps between the pieces of a message: powers of r, in its own form. Each MAC has a table,
// and Go sets each to zero, so it is as small as can be.
type powers struct {
	table [96]uint32
	rows  int // how many rows of them are there
	of    kernel
}

// pay tells whether powers are worth it for a piece of n bytes.
func (w *powers) pay(n int) bool {
	return n >= again && (w.rows > 0 || n-keeping >= from[active])
}

// absorb returns h with the whole blocks of p absorbed.
func (w *powers) absorb(h element, k key, p []byte) element {
	if active == ifma {
		return w.absorbIFMA(h, k, p)
	}
	return w.absorbAVX2(h, k, p)
}

// whole returns h with the whole blocks of p absorbed, and keeps no powers.
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

// wipe overwrites the powers that there are.
func (w *powers) wipe() {
	if w.rows > 0 {
		w.overwrite()
	}
}

// overwrite is not inlined, so that the compiler cannot know that nobody reads them again.
//
//go:noinline
func (w *powers) overwrite() { *w = powers{} }
