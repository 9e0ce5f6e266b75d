//go:build !amd64 || purego

package cpu

// No vector kernel can run.
const (
	AVX2   = false
	AVX512 = false
	IFMA   = false
)
