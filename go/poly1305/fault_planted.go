//go:build !purego && (amd64 || arm64) && keylane_planted

package poly1305

// planted reports whether a kernel for one message is wrong for blocks. Only tests of the self-test set it.
var planted func(m *kernel, blocks []byte) bool

// spoil changes what a kernel has computed.
func (m *kernel) spoil(h element, blocks []byte) element {
	if planted != nil && planted(m, blocks) {
		h.h0 ^= 1 << 40
	}
	return h
}
