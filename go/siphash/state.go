package siphash

import (
	"encoding/binary"
	"math/bits"
)

// The four words that a message starts from, xored with the key: "somepseudorandomlygeneratedbytes".
const (
	init0 = 0x736f6d6570736575
	init1 = 0x646f72616e646f6d
	init2 = 0x6c7967656e657261
	init3 = 0x7465646279746573
)

// Marks between the message and the rounds at its end. A tag of 128 bits begins and ends with marks of its own.
const (
	endMark    = 0xff
	wideMark   = 0xee
	secondMark = 0xdd
)

// mode is d - 1, then c - 1, a byte each, then whether case is folded. One comparison finds a variant, or those from
// 1-1 to 1-3, and no value means no rounds.
type mode uint32

const (
	foldFlag mode = 1 << 16
	mode11        = 0 | 0<<8
	mode12        = 1 | 0<<8
	mode13        = 2 | 0<<8
	mode24        = 3 | 1<<8
	mode48        = 7 | 3<<8
)

func (m mode) d() int { return int(m&0xff) + 1 }
func (m mode) c() int { return int(m>>8&0xff) + 1 }

// state is what a message has come to. It has too many fields for the compiler to keep one in registers; functions
// that matter hold its words in variables, and copies are made only of states that were not just written, since
// they are made by loads of several words.
type state struct {
	v0, v1, v2, v3 uint64
	mode           mode
}

// round is small enough to be inlined everywhere. Its order was the fastest of those tried on Zen 4, for short messages
// and for long ones; for the result it does not matter.
func round(v0, v1, v2, v3 uint64) (uint64, uint64, uint64, uint64) {
	v0 += v1
	v1 = bits.RotateLeft64(v1, 13)
	v2 += v3
	v3 = bits.RotateLeft64(v3, 16)
	v1 ^= v0
	v3 ^= v2
	v0 = bits.RotateLeft64(v0, 32)
	v2 += v1
	v1 = bits.RotateLeft64(v1, 17)
	v0 += v3
	v3 = bits.RotateLeft64(v3, 21)
	v1 ^= v2
	v3 ^= v0
	v2 = bits.RotateLeft64(v2, 32)
	return v0, v1, v2, v3
}

// rounds does n rounds.
func (s *state) rounds(n int) {
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3
	for range n {
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
	}
	s.v0, s.v1, s.v2, s.v3 = v0, v1, v2, v3
}

// absorb takes one word of a message.
func (s *state) absorb(m uint64) {
	s.v3 ^= m
	s.rounds(s.mode.c())
	s.v0 ^= m
}

// words absorbs the whole words of p.
func (s *state) words(p []byte) {
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3
	switch s.mode & (foldFlag | 0xff00) {
	case 0:
		for ; len(p) >= 8; p = p[8:] {
			m := binary.LittleEndian.Uint64(p)
			v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
			v0 ^= m
		}
	case 1 << 8:
		for ; len(p) >= 8; p = p[8:] {
			m := binary.LittleEndian.Uint64(p)
			v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
			v0 ^= m
		}
	default:
		for ; len(p) >= 8; p = p[8:] {
			m := s.mode.fold(binary.LittleEndian.Uint64(p))
			v3 ^= m
			for range s.mode.c() {
				v0, v1, v2, v3 = round(v0, v1, v2, v3)
			}
			v0 ^= m
		}
	}
	s.v0, s.v1, s.v2, s.v3 = v0, v1, v2, v3
}

// tag ends a message with a tag of 64 bits.
func (s *state) tag() uint64 {
	s.v2 ^= endMark
	s.rounds(s.mode.d())
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3
}

// tagX ends a message with a tag of 128 bits.
func (s *state) tagX() Uint128 {
	s.v2 ^= wideMark
	s.rounds(s.mode.d())
	lo := s.v0 ^ s.v1 ^ s.v2 ^ s.v3
	s.v1 ^= secondMark
	s.rounds(s.mode.d())
	return Uint128{Lo: lo, Hi: s.v0 ^ s.v1 ^ s.v2 ^ s.v3}
}

// tail is the bytes behind the last whole word, as an integer.
func tail(p []byte) uint64 {
	if len(p) >= 8 {
		return longTail(p)
	}
	return shortTail(p)
}

// longTail is tail for 8 bytes or more: the last eight, without those that belong to the word before. At least one
// does, so the first shift takes the lowest, and the second is by less than all bits.
func longTail(p []byte) uint64 {
	n := len(p)
	return binary.LittleEndian.Uint64(p[n-8:]) >> 8 >> (^n * 8 & 63)
}

// shortTail is tail for fewer than 8 bytes: two loads that agree in the bytes that they share.
func shortTail(p []byte) uint64 {
	switch n := len(p); {
	case n >= 4:
		high := uint64(binary.LittleEndian.Uint32(p[n-4:]))
		return uint64(binary.LittleEndian.Uint32(p)) | high<<(8*n-32&63)
	case n >= 2:
		high := uint64(binary.LittleEndian.Uint16(p[n-2:]))
		return uint64(binary.LittleEndian.Uint16(p)) | high<<(8*n-16&63)
	case n == 1:
		return uint64(p[0])
	}
	return 0
}

// fold makes lower-case letters of the bytes 'A' to 'Z', if the mode says so.
func (m mode) fold(word uint64) uint64 {
	if m&foldFlag == 0 {
		return word
	}
	const ones = 0x0101010101010101
	low := word & (0x7f * ones)
	// The high bit of each byte: at least 'A', but not above 'Z', and ASCII.
	capital := (low + (0x80-'A')*ones) &^ (low + (0x80-'Z'-1)*ones) &^ word & (0x80 * ones)
	return word | capital>>2
}
