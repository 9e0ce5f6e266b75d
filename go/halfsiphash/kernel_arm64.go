//go:build !purego

package halfsiphash

import "encoding/binary"

// NEON is part of every CPU of this architecture.
var vectorKernels = []kernel{{"halfsiphash_x4_neon", 16, true}}

// lanesNEON hashes groups of 16 messages, at least one, from the state of four words at v. A group is at src: n >=
// 1 words of each message, the first ones of all, and so on. If length is not 0 it is one more word of each. At
// dst come the group's tags.
//
//go:noescape
func lanesNEON(v, dst, src *uint32, groups, n, c, d int, length uint32)

// lanesXNEON is lanesNEON for tags of 64 bits: all low halves of a group before all high ones.
//
//go:noescape
func lanesXNEON(v, dst, src *uint32, groups, n, c, d int, length uint32)

// run hashes groups of k.lanes messages. A group is n >= 1 words of src for each, the first ones of all, and so
// on, and if length is not 0 that word too. For each group dst gets the tags, or the low halves of all tags and
// then the high ones if they are wide.
func (k kernel) run(s *state, wide bool, dst, src []uint32, groups, n int, length uint32) {
	if wide {
		lanesXNEON(&s.v0, &dst[0], &src[0], groups, n, s.mode.c(), s.mode.d(), length)
	} else {
		lanesNEON(&s.v0, &dst[0], &src[0], groups, n, s.mode.c(), s.mode.d(), length)
	}
}

// transpose puts the n words of messages of 4 bytes or more at dst: the first words of all lanes, and so on, with the
// length in the last byte of the last word.
func transpose(dst []uint32, messages *[maxLanes]*byte, lengths *[maxLanes]uint8, lanes, n int) {
	for lane, length := range lengths[:lanes] {
		p := message(messages[lane], length)
		at := lane + (n-1)*lanes
		dst[at] = longTail(p) | uint32(length)<<24
		for at = lane; len(p) >= 4; p = p[4:] {
			dst[at] = binary.LittleEndian.Uint32(p)
			at += lanes
		}
	}
}
