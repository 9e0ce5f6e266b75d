//go:build purego || !(amd64 || arm64)

package chacha20poly1305

import "keylane.example/go/internal/dispatch"

type kernel struct{}

type together struct{}

var pn = dispatch.Slot[kernel]{
	Name:   "chacha20-pn",
	Rows:   []dispatch.Row[kernel]{{Name: "chacha20_x1", Here: true}},
	Passes: (*kernel).passes,
}

var xn = dispatch.Slot[together]{
	Name:   "chacha20-xn",
	Rows:   []dispatch.Row[together]{{Name: "chacha20_x1", Here: true}},
	Passes: (*together).passes,
}

// pays reports whether it is faster than packet by packet. Without lanes it is not.
func (*together) pays(int) bool { return false }

func (*kernel) xorBlocks(dst, src []byte, s *state) { s.xorBlocks(dst, src) }

func (*together) stream(out *[lanes * blockSize]byte, t *table, n int) { t.stream(out, n) }
