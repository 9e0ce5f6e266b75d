//go:build !amd64 || purego

package poly1305

import "math"

// long is the least number of bytes for which powers of r may pay off. Without a kernel they never do.
const long = math.MaxInt

// powers is empty without a kernel.
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
