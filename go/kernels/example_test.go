package kernels_test

import (
	"fmt"
	"slices"

	"keylane.example/go/chacha20poly1305"
	"keylane.example/go/halfsiphash"
	"keylane.example/go/kernels"
	"keylane.example/go/poly1305"
	"keylane.example/go/siphash"
)

// A program that logs its kernels at the start, and complains about wrong ones.
func Example() {
	for _, k := range slices.Concat(
		siphash.Kernels(), halfsiphash.Kernels(), poly1305.Kernels(), chacha20poly1305.Kernels(),
	) {
		if k.Status == kernels.FailedSelfTest {
			fmt.Println(k)
		}
	}
	// Output:
}
