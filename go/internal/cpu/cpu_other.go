//go:build !amd64 || purego

package cpu

// None of these is at hand.
const (
	AVX2   = false
	AVX512 = false
	IFMA   = false
)
