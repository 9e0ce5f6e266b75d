//go:build !(amd64 || arm64) || purego

package prefetch

import "unsafe"

// Lines does nothing: there is no such instruction in Go. Whoever reads the memory later waits for it then.
func Lines([]unsafe.Pointer) {}
