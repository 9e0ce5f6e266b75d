//go:build !purego

package siphash

import (
	"encoding/binary"

	"keylane.example/go/internal/dispatch"
)

// Every CPU of this architecture has NEON.
var vectorKernels = []dispatch.Row[kernel]{{Name: "siphash_x2_neon", Here: true, Kernel: kernel{8}}}

// lanesNEON hashes one or more groups of 8 messages, starting from the state of four words at v. In src a group
// is n >= 1 words of each message: the first words of all lanes, then the second words, and so on. A length other
// than 0 is one more word of every message. In dst a group is its tags.
//
//go:noescape
func lanesNEON(v, dst, src *word, groups, n, c, d int, length word)

// lanesXNEON is lanesNEON for tags of 128 bits: all low halves of a group come before all high halves.
//
//go:noescape
func lanesXNEON(v, dst, src *word, groups, n, c, d int, length word)

// run hashes groups of k.lanes messages by lanesNEON or lanesXNEON.
func (k *kernel) run(s *state, wide bool, dst, src []word, groups, n int, length word) {
	if wide {
		lanesXNEON(&s.v0, &dst[0], &src[0], groups, n, s.mode.c(), s.mode.d(), length)
	} else {
		lanesNEON(&s.v0, &dst[0], &src[0], groups, n, s.mode.c(), s.mode.d(), length)
	}
	k.spoil(s, wide, dst, src, groups, n, length)
}

// transpose writes the n words of messages of 8 bytes or more to dst. The order is: the first words of all lanes, then
// the second words, and so on. The last byte of a message's last word is its length.
func transpose(dst []word, messages *[maxLanes]*byte, lengths *[maxLanes]uint8, lanes, n int) {
	for lane, length := range lengths[:lanes] {
		p := message(messages[lane], length)
		at := lane + (n-1)*lanes
		dst[at] = longTail(p) | word(length)<<lengthShift
		for at = lane; len(p) >= wordSize; p = p[wordSize:] {
			dst[at] = binary.LittleEndian.Uint64(p)
			at += lanes
		}
	}
}
