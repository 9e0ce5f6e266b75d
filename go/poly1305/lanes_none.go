//go:build purego || !amd64

package poly1305

import "keylane.example/go/internal/dispatch"

// Without AVX-512 IFMA, no kernel computes many messages together.

var xn = dispatch.Slot[together]{
	Name:   "poly1305-xn",
	Rows:   []dispatch.Row[together]{{Name: "poly1305_x1_u64", Here: true, Kernel: together{1}}},
	Passes: (*together).passes,
}

func (*together) eight(*[8][TagSize]byte, *[8][KeySize]byte, *[8][]byte) bool { return false }

func (*together) eightAEAD(*[8][TagSize]byte, *[8][KeySize]byte, *[8][]byte, *[8][]byte) bool {
	return false
}
