//go:build (amd64 || arm64) && !purego

package prefetch

import "unsafe"

// Lines prefetches the cache lines at these addresses, all at the same time, and does not wait for them. An invalid
// address does no harm.
//
//go:noescape
func Lines(addresses []unsafe.Pointer)
