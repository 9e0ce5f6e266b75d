//go:build !purego && (amd64 || arm64) && !keylane_planted

package poly1305

// Tests of the self-test plant faults with the build tag keylane_planted. Without it there are none.

func (m *kernel) spoil(h element, _ []byte) element { return h }
