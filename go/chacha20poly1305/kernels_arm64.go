//go:build !purego

package chacha20poly1305

import "keylane.example/go/internal/dispatch"

// A method is the instruction set of a kernel.
type method uint8

const (
	scalar method = iota
	neon
)

var pn = dispatch.Slot[kernel]{
	Name: "chacha20-pn",
	Rows: []dispatch.Row[kernel]{
		{Name: "chacha20_p4_neon", Here: true, Kernel: kernel{neon}},
		{Name: "chacha20_x1", Here: true, Kernel: kernel{scalar}},
	},
	Passes: (*kernel).passes,
}

var xn = dispatch.Slot[together]{
	Name: "chacha20-xn",
	Rows: []dispatch.Row[together]{
		{Name: "chacha20_x4_neon", Here: true, Kernel: together{neon}},
		{Name: "chacha20_x1", Here: true, Kernel: together{scalar}},
	},
	Passes: (*together).passes,
}

// xorBlocks XORs src, at least one whole block, with the key stream into dst.
func (k *kernel) xorBlocks(dst, src []byte, s *state) {
	if k.method == neon {
		xorNEON(&dst[0], &src[0], len(src)/blockSize, &s.key, s.first, s.last)
	} else {
		s.xorBlocks(dst, src)
	}
	k.spoil(dst, s)
}

// stream writes the key stream of the first n lanes. It may write to those behind them.
func (m *together) stream(out *[lanes * blockSize]byte, t *table, n int) {
	if m.method == neon {
		lanesNEON(out, (*[12 * lanes]uint32)(t), n)
	} else {
		t.stream(out, n)
	}
	m.spoil(out, n)
}
