//go:build !darwin || !arm64

package siphash

// By how many bits the first half of a round rotates v1 and v3, and the second half.
const (
	firstV1  = 13
	firstV3  = 16
	secondV1 = 17
	secondV3 = 21
)
