//go:build !purego && (amd64 || arm64) && !keylane_planted

package chacha20poly1305

// Tests of the self-test plant faults with the build tag keylane_planted. Without it there are none.

func (*kernel) spoil([]byte, *state) {}

func (*together) spoil(*[lanes * blockSize]byte, int) {}
