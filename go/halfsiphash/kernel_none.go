//go:build (!amd64 && !arm64) || purego

package halfsiphash

var vectorKernels []kernel

// Without kernels there are no groups, and these are never called.

func (k kernel) run(*state, bool, []uint32, []uint32, int, int, uint32) {}

func transpose([]uint32, *[maxLanes]*byte, *[maxLanes]uint8, int, int) {}
