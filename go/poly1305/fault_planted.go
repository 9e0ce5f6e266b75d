//go:build amd64 && !purego && keylane_planted

package poly1305

// planted reports whether a kernel for one message is wrong for blocks, and plantedLanes whether the one for many is
// wrong in a lane. Only tests of the self-test set them.
var (
	planted      func(m *kernel, blocks []byte) bool
	plantedLanes func(lane, blocks int) bool
)

// spoil changes what a kernel has computed.
func (m *kernel) spoil(h element, blocks []byte) element {
	if planted != nil && planted(m, blocks) {
		h.h0 ^= 1 << 40
	}
	return h
}

// spoilLanes changes what the kernel for many messages has computed.
func spoilLanes(h *[24]uint64, blocks int) {
	for lane := range 8 {
		if plantedLanes != nil && plantedLanes(lane, blocks) {
			h[8+lane] ^= 1
		}
	}
}
