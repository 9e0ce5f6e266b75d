//go:build !purego

package poly1305

import "keylane.example/go/internal/cpu"

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

// powers is what a kernel keeps between the pieces of a message: powers of r, in its own form.
type powers struct {
	words [72]uint64
	rows  int // how many rows of them are there
	of    kernel
}

// absorb returns h with the whole blocks of p absorbed.
func (w *powers) absorb(h element, k key, p []byte) element {
	switch {
	case active == ifma && len(p) >= ifmaFrom:
		return w.absorbIFMA(h, k, p)
	case active == avx2 && len(p) >= avx2From:
		return w.absorbAVX2(h, k, p)
	}
	return h.blocks(k.r0, k.r1, p)
}

// whole returns h with the whole blocks of p absorbed, and keeps no powers.
func (h element) whole(k key, p []byte) element {
	switch {
	case active == ifma && len(p) >= ifmaFrom:
		return h.wholeIFMA(k, p)
	case active == avx2 && len(p) >= avx2From:
		var w powers
		h = w.absorbAVX2(h, k, p)
		w.wipe()
		return h
	}
	return h.blocks(k.r0, k.r1, p)
}

// wipe overwrites the powers. It is not inlined, so that the compiler cannot know that nobody reads them again.
//
//go:noinline
func (w *powers) wipe() {
	if w.rows > 0 {
		*w = powers{}
	}
}
