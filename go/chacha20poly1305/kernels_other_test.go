//go:build purego || !(amd64 || arm64)

package chacha20poly1305

import "testing"

// withKernels runs a test with the only kernel.
func withKernels(t *testing.T, test func(t *testing.T)) {
	t.Run("chacha20_x1", func(t *testing.T) {
		test(t)
		t.Log("ran")
	})
}
