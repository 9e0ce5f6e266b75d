//go:build !(amd64 || arm64) || purego

package prefetch

import "unsafe"

// Lines does nothing, since Go has no prefetch instruction. The later read waits for the memory.
func Lines([]unsafe.Pointer) {}
