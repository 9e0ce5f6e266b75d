package poly1305

import (
	"slices"

	"keylane.example/go/kernels"
)

// Kernels lists the kernels for one message, then those for many, best first, and runs their self-tests.
func Kernels() []kernels.Kernel { return slices.Concat(pn.Kernels(), xn.Kernels()) }

// A together is a kernel for many messages: n of them at a time.
type together struct{ n int }

// fewest is the least number of messages that a kernel takes at a time. For fewer ones, no kernel is chosen.
const fewest = 8

// many returns the kernel for many messages, and chooses one at the first call.
func many() *together {
	if k := xn.Chosen.Load(); k != nil {
		return k
	}
	return xn.Choose()
}

// sum computes the tags of a batch: 8 messages at a time if that pays off.
func (m *together) sum(tags [][TagSize]byte, keys [][KeySize]byte, messages [][]byte) {
	i := 0
	for ; len(messages)-i >= 8; i += 8 {
		if !m.eight((*[8][TagSize]byte)(tags[i:]), (*[8][KeySize]byte)(keys[i:]), (*[8][]byte)(messages[i:])) {
			for j := i; j < i+8; j++ {
				Sum(&tags[j], messages[j], &keys[j])
			}
		}
	}
	for ; i < len(messages); i++ {
		Sum(&tags[i], messages[i], &keys[i])
	}
}
