//go:build !amd64 || purego

package siphash

var vectorKernels []kernel

// run is never called: without kernels there are no groups.
func (k kernel) run(*state, bool, []uint64, []uint64, int, int, uint64) {}
