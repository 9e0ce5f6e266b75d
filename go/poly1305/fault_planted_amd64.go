//go:build !purego && keylane_planted

package poly1305

// plantedLanes reports whether the kernel for many messages is wrong in a lane. Only tests of the self-test set it.
var plantedLanes func(lane, blocks int) bool

// spoilLanes changes what the kernel for many messages has computed.
func spoilLanes(h *[24]uint64, blocks int) {
	for lane := range 8 {
		if plantedLanes != nil && plantedLanes(lane, blocks) {
			h[8+lane] ^= 1
		}
	}
}
