//go:build !purego && (amd64 || arm64) && keylane_planted

package chacha20poly1305

// planted says which byte of a kernel's output is wrong, or -1, and plantedLanes says the same for many messages. Only
// tests of the self-test set them.
var (
	planted      func(k *kernel, bytes int, s *state) int
	plantedLanes func(m *together, n int) int
)

// spoil changes what a kernel has written.
func (k *kernel) spoil(dst []byte, s *state) {
	if planted != nil {
		if i := planted(k, len(dst), s); i >= 0 {
			dst[i] ^= 0x10
		}
	}
}

// spoil changes what the kernel for many messages has written.
func (m *together) spoil(out *[lanes * blockSize]byte, n int) {
	if plantedLanes != nil {
		if i := plantedLanes(m, n); i >= 0 {
			out[i] ^= 0x10
		}
	}
}
