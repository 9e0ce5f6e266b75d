//go:build !amd64 || purego

package poly1305

import "math"

// long is from how many bytes on powers of r may be worth making: never.
const long = math.MaxInt

// powers stands for what a kernel keeps between the pieces of a message.
type powers struct{}

func (*powers) pay(int) bool { return false }

func (*powers) absorb(h element, k key, p []byte) element { return h.blocks(k.r0, k.r1, p) }

func (*powers) wipe() {}

func (h element) whole(k key, p []byte) element { return h.blocks(k.r0, k.r1, p) }

func sumMany(tags [][TagSize]byte, keys [][KeySize]byte, messages [][]byte) {
	for i, m := range messages {
		Sum(&tags[i], m, &keys[i])
	}
}
