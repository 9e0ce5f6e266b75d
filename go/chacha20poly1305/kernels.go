package chacha20poly1305

import (
	"slices"

	"keylane.example/go/kernels"
)

// Kernels lists the kernels of ChaCha20 for one message, then those for many, best first, and runs their self-tests.
// Poly1305 has its own (keylane.example/go/poly1305).
func Kernels() []kernels.Kernel { return slices.Concat(pn.Kernels(), xn.Kernels()) }

// active returns the kernel for one message, and chooses it at the first call. It is inlined.
func active() (k *kernel) {
	if k = pn.Chosen.Load(); k == nil {
		k = choose()
	}
	return
}

//go:noinline
func choose() *kernel { return pn.Choose() }

// many returns the kernel for many messages, and chooses it at the first call.
func many() *together {
	if k := xn.Chosen.Load(); k != nil {
		return k
	}
	return xn.Choose()
}
