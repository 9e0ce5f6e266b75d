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
		group := (*[8][]byte)(messages)
		if !m.eight((*[8][TagSize]byte)(tags), (*[8][KeySize]byte)(keys), group) {
			for i, p := range group {
				Sum(&tags[i], p, &keys[i])
			}
		}
		tags, keys, messages = tags[8:], keys[8:], messages[8:]
	}
	for i, p := range messages {
		Sum(&tags[i], p, &keys[i])
	}
}

// verify is VerifyMany for slices of one length. Tags that are computed alone need no more memory than one.
func (m *together) verify(good []bool, macs [][TagSize]byte, keys [][KeySize]byte, messages [][]byte) {
	var tags [8][TagSize]byte
	tag := &tags[0]
	for len(messages) >= 8 {
		group := (*[8][]byte)(messages)
		if m.eight(&tags, (*[8][KeySize]byte)(keys), group) {
			for i := range tags {
				good[i] = equal(&tags[i], &macs[i])
			}
		} else {
			for i, p := range group {
				Sum(tag, p, &keys[i])
				good[i] = equal(tag, &macs[i])
			}
		}
		good, macs, keys, messages = good[8:], macs[8:], keys[8:], messages[8:]
	}
	for i, p := range messages {
		Sum(tag, p, &keys[i])
		good[i] = equal(tag, &macs[i])
	}
}
