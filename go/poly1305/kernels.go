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
	for len(messages) >= 8 {
		if !m.eight((*[8][TagSize]byte)(tags), (*[8][KeySize]byte)(keys), (*[8][]byte)(messages)) {
			oneByOne(tags, keys, messages[:8])
		}
		tags, keys, messages = tags[8:], keys[8:], messages[8:]
	}
	oneByOne(tags, keys, messages)
}

func oneByOne(tags [][TagSize]byte, keys [][KeySize]byte, messages [][]byte) {
	for i, p := range messages {
		Sum(&tags[i], p, &keys[i])
	}
}
