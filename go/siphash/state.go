package siphash

import (
	"encoding/binary"
	"math/bits"
)

// Constants that separate the message from the final rounds.
const (
	endMark    = 0xff // before a tag of 64 bits
	wideMark   = 0xee // before the first half of a tag of 128 bits, and in its initial state
	secondMark = 0xdd // before the second half
)

// A mode packs d - 1 into byte 0, c - 1 into byte 1, and case folding into bit 16. So one comparison recognizes a
// variant, or the range from 1-1 to 1-3, and no mode has zero rounds.
type mode uint32

const (
	foldFlag mode = 1 << 16
	mode13        = 2 | 0<<8
	mode24        = 3 | 1<<8
)

func (m mode) d() int { return int(m&0xff) + 1 }
func (m mode) c() int { return int(m>>8&0xff) + 1 }

// A state is the state of a message. It has too many fields for the compiler to keep it in registers, so hot
// functions hold its words in variables. Copying a state loads several words at once, which stalls right after a
// write; so only states that were not just written are copied.
type state struct {
	v0, v1, v2, v3 word
	mode           mode
}

// round is small enough to be inlined everywhere.
func round(v0, v1, v2, v3 word) (word, word, word, word) {
	v0 += v1
	v1 = bits.RotateLeft64(v1, firstV1)
	v2 += v3
	v3 = bits.RotateLeft64(v3, firstV3)
	v1 ^= v0
	v3 ^= v2
	v0 = bits.RotateLeft64(v0, 32)
	v2 += v1
	v1 = bits.RotateLeft64(v1, secondV1)
	v0 += v3
	v3 = bits.RotateLeft64(v3, secondV3)
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

// absorb absorbs one word of a message.
func (s *state) absorb(m word) {
	s.v3 ^= m
	s.rounds(s.mode.c())
	s.v0 ^= m
}

// words absorbs the whole words of p.
func (s *state) words(p []byte) {
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3
	switch s.mode & (foldFlag | 0xff00) {
	case 0:
		for ; len(p) >= wordSize; p = p[wordSize:] {
			m := binary.LittleEndian.Uint64(p)
			v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
			v0 ^= m
		}
	case 1 << 8:
		for ; len(p) >= wordSize; p = p[wordSize:] {
			m := binary.LittleEndian.Uint64(p)
			v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
			v0 ^= m
		}
	default:
		for ; len(p) >= wordSize; p = p[wordSize:] {
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

// tag finishes a message and returns its tag of 64 bits.
func (s *state) tag() uint64 {
	s.v2 ^= endMark
	s.rounds(s.mode.d())
	return s.xor()
}

// tagX finishes a message and returns its tag of 128 bits.
func (s *state) tagX() Uint128 {
	s.v2 ^= wideMark
	s.rounds(s.mode.d())
	lo := s.xor()
	s.v1 ^= secondMark
	s.rounds(s.mode.d())
	return newUint128(lo, s.xor())
}

// tail returns the bytes after the last whole word, as an integer.
func tail(p []byte) word {
	if len(p) >= wordSize {
		return longTail(p)
	}
	return shortTail(p)
}

// longTail is tail for 8 bytes or more. It loads the last eight bytes and shifts out those of the last whole
// word. There is at least one, so the first shift removes one byte and the second is shorter than a word.
func longTail(p []byte) word {
	n := len(p)
	return binary.LittleEndian.Uint64(p[n-wordSize:]) >> 8 >> (^n * 8 & (8*wordSize - 1))
}

// fold converts the bytes 'A' to 'Z' to lower case if the mode says so.
func (m mode) fold(x word) word {
	if m&foldFlag == 0 {
		return x
	}
	const ones = ^word(0) / 0xff
	low := x & (0x7f * ones)
	// The high bit of each byte: set if the byte is ASCII, at least 'A' and at most 'Z'.
	capital := (low + (0x80-'A')*ones) &^ (low + (0x80-'Z'-1)*ones) &^ x & (0x80 * ones)
	return x | capital>>2
}
