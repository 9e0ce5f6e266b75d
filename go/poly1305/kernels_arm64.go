//go:build !purego

package poly1305

import (
	"math"

	"keylane.example/go/internal/dispatch"
)

// long is the least number of bytes for which powers of r may pay off. It comes from models of cores (docs/GO.md).
const long = 1024

// A method is how a kernel absorbs many blocks at a time.
type method uint8

const (
	scalar method = iota
	neon
)

var pn = dispatch.Slot[kernel]{
	Name: "poly1305-pn",
	Rows: []dispatch.Row[kernel]{
		{Name: "poly1305_p4_neon", Here: true, Kernel: kernel{neon, long}},
		{Name: "poly1305_x1_u64", Here: true, Kernel: kernel{scalar, math.MaxInt}},
	},
	Passes: (*kernel).passes,
}

// absorb returns h with the whole blocks of p absorbed, by m if that pays off. It keeps powers. The length of p must
// satisfy mayPay.
func (w *powers) absorb(m *kernel, h element, k key, p []byte) element {
	if w.depth == 0 && len(p)-keeping < m.from || m.method == scalar {
		return h.blocks(k.r0, k.r1, p)
	}
	return m.spoil(w.absorbNEON(h, k, p), p)
}

// whole returns h with the whole blocks of p absorbed by m, if that pays off. It keeps no powers.
func (h element) whole(m *kernel, k key, p []byte) element {
	if len(p) < m.from || m.method == scalar {
		return h.blocks(k.r0, k.r1, p)
	}
	var w powers
	h = w.absorbNEON(h, k, p)
	w.wipe()
	return m.spoil(h, p)
}
