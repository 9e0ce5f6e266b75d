// Package runtime is SipHash for Go's own maps. The files for the overlay are compiled here as a package of their own too,
// so that tests can set the key.
package runtime

import "math/rand/v2"

// bootstrapRand stands in for the runtime's function of this name. It is not part of the overlay.
func bootstrapRand() uint64 { return rand.Uint64() }
