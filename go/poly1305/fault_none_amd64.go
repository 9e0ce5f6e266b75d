//go:build !purego && !keylane_planted

package poly1305

func spoilLanes(*[24]uint64, int) {}
