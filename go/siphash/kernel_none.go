//go:build (!amd64 && !arm64) || purego

package siphash

var vectorKernels []kernel

// Without kernels there are no groups, and these are never called.

func (k kernel) run(*state, bool, []uint64, []uint64, int, int, uint64) {}

func transpose([]uint64, *[maxLanes]*byte, *[maxLanes]uint8, int, int) {}
