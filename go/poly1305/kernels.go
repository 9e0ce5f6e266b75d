package poly1305

import (
	"slices"

	"keylane.example/go/kernels"
)

// Kernels lists the kernels for one message, then those for many, best first, and runs their self-tests.
func Kernels() []kernels.Kernel { return slices.Concat(pn.Kernels(), xn.Kernels()) }

// A together is a kernel for many messages: n of them at a time.
type together struct{ n int }

// fewest is the least number of messages that a kernel takes at a time.
const fewest = 8

// sumMany computes the tags of a batch. If it is small, no kernel is chosen for it.
func sumMany(tags [][TagSize]byte, keys [][KeySize]byte, messages [][]byte) {
	if len(messages) >= fewest {
		k := xn.Chosen.Load()
		if k == nil {
			k = xn.Choose()
		}
		k.sum(tags, keys, messages)
		return
	}
	for i, m := range messages {
		Sum(&tags[i], m, &keys[i])
	}
}
