//go:build !purego

package poly1305

import (
	"math"

	"keylane.example/go/internal/cpu"
	"keylane.example/go/internal/dispatch"
)

//go:generate go run -C ../asm ./poly1305 -out ../poly1305/asm_amd64.s -stubs ../poly1305/asm_amd64.go -pkg poly1305

// long is the least number of bytes for which powers of r may pay off.
const long = 256

// A table has the powers of either method.
type table = [96]uint32

// A method is how a kernel absorbs many blocks at a time.
type method uint8

const (
	scalar method = iota
	avx2
	ifma
)

var pn = dispatch.Slot[kernel]{
	Name: "poly1305-pn",
	Rows: []dispatch.Row[kernel]{
		{Name: "poly1305_p8_avx512ifma", Here: cpu.IFMA, Kernel: kernel{ifma, long}},
		{Name: "poly1305_p4_avx2", Here: cpu.AVX2, Kernel: kernel{avx2, 768}},
		{Name: "poly1305_x1_u64", Here: true, Kernel: kernel{scalar, math.MaxInt}},
	},
	Passes: (*kernel).passes,
}

var xn = dispatch.Slot[together]{
	Name: "poly1305-xn",
	Rows: []dispatch.Row[together]{
		{Name: "poly1305_x8_avx512ifma", Here: cpu.IFMA, Kernel: together{8}},
		{Name: "poly1305_x1_u64", Here: true, Kernel: together{1}},
	},
	Passes: (*together).passes,
}

// absorb returns h with the whole blocks of p absorbed, by m if that pays off. It keeps powers. The length of p must
// satisfy mayPay.
func (w *powers) absorb(m *kernel, h element, k key, p []byte) element {
	switch {
	case w.depth == 0 && len(p)-keeping < m.from || m.method == scalar:
		return h.blocks(k.r0, k.r1, p)
	case m.method == ifma:
		return m.spoil(w.absorbIFMA(h, k, p), p)
	default:
		return m.spoil(w.absorbAVX2(h, k, p), p)
	}
}

// whole returns h with the whole blocks of p absorbed by m, if that pays off. It keeps no powers.
func (h element) whole(m *kernel, k key, p []byte) element {
	switch {
	case len(p) < m.from || m.method == scalar:
		return h.blocks(k.r0, k.r1, p)
	case m.method == ifma:
		return m.spoil(h.wholeIFMA(k, p), p)
	default:
		var w powers
		h = w.absorbAVX2(h, k, p)
		w.wipe()
		return m.spoil(h, p)
	}
}
