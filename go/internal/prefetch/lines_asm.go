//go:build (amd64 || arm64) && !purego

package prefetch

import "unsafe"

// Lines asks for the cache lines at some addresses, all at a time, and does not wait for them. An address at which
// there is no memory does no harm.
//
//go:noescape
func Lines(addresses []unsafe.Pointer)
