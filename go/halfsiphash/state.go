package halfsiphash

import (
	"encoding/binary"
	"math/bits"
)

// The words that a message starts from, xored with the key: the other half of SipHash's. The first two are 0.
const (
	init2 = 0x6c796765
	init3 = 0x74656462
)

// Marks between the message and the rounds at its end. A tag of 64 bits begins and ends with marks of its own.
const (
	endMark    = 0xff
	wideMark   = 0xee
	secondMark = 0xdd
)

// mode is c - 1, then d - 1, a byte each, then whether case is folded. No value means no rounds.
type mode uint32

const (
	foldFlag mode = 1 << 16
	mode13        = 0 | 2<<8
	mode24        = 1 | 3<<8
)

func (m mode) c() int { return int(m&0xff) + 1 }
func (m mode) d() int { return int(m>>8&0xff) + 1 }

// state is what a message has come to.
type state struct {
	v0, v1, v2, v3 uint32
	mode           mode
}

func newState(key *[KeySize]byte, m mode) state {
	k0, k1 := binary.LittleEndian.Uint32(key[:4]), binary.LittleEndian.Uint32(key[4:])
	return state{k0, k1, k0 ^ init2, k1 ^ init3, m}
}

// round is small enough to be inlined everywhere.
func round(v0, v1, v2, v3 uint32) (uint32, uint32, uint32, uint32) {
	v0 += v1
	v1 = bits.RotateLeft32(v1, 5)
	v2 += v3
	v3 = bits.RotateLeft32(v3, 8)
	v1 ^= v0
	v3 ^= v2
	v0 = bits.RotateLeft32(v0, 16)
	v2 += v1
	v1 = bits.RotateLeft32(v1, 13)
	v0 += v3
	v3 = bits.RotateLeft32(v3, 7)
	v1 ^= v2
	v3 ^= v0
	v2 = bits.RotateLeft32(v2, 16)
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
func (s *state) absorb(m uint32) {
	s.v3 ^= m
	s.rounds(s.mode.c())
	s.v0 ^= m
}

// words absorbs the whole words of p.
func (s *state) words(p []byte) {
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3
	switch s.mode & (foldFlag | 0xff) {
	case 0:
		for ; len(p) >= 4; p = p[4:] {
			m := binary.LittleEndian.Uint32(p)
			v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
			v0 ^= m
		}
	case 1:
		for ; len(p) >= 4; p = p[4:] {
			m := binary.LittleEndian.Uint32(p)
			v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
			v0 ^= m
		}
	default:
		for ; len(p) >= 4; p = p[4:] {
			m := s.mode.fold(binary.LittleEndian.Uint32(p))
			v3 ^= m
			for range s.mode.c() {
				v0, v1, v2, v3 = round(v0, v1, v2, v3)
			}
			v0 ^= m
		}
	}
	s.v0, s.v1, s.v2, s.v3 = v0, v1, v2, v3
}

// hash is the tag of 32 bits of p, in one function without calls and with few variables at a time: the words of the
// state are never in memory. The loops stop where p[4:] is sure to begin inside of p, and the compiler need not see
// to it that no pointer leaves.
func (s *state) hash(p []byte) uint32 {
	var last uint32
	if len(p) >= 4 {
		last = longTail(p)
	} else {
		last = shortTail(p)
	}
	last = s.mode.fold(last) | uint32(len(p))<<24
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3
	switch s.mode {
	case mode24:
		for len(p) >= 4 {
			m := binary.LittleEndian.Uint32(p)
			v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
			v0 ^= m
			if len(p) < 8 {
				break
			}
			p = p[4:]
		}
		v0, v1, v2, v3 = round(v0, v1, v2, v3^last)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0^last, v1, v2^endMark, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		_, v1, _, v3 = round(v0, v1, v2, v3)
	case mode13:
		for len(p) >= 4 {
			m := binary.LittleEndian.Uint32(p)
			v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
			v0 ^= m
			if len(p) < 8 {
				break
			}
			p = p[4:]
		}
		v0, v1, v2, v3 = round(v0, v1, v2, v3^last)
		v0, v1, v2, v3 = round(v0^last, v1, v2^endMark, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		_, v1, _, v3 = round(v0, v1, v2, v3)
	default:
		for len(p) >= 4 {
			m := s.mode.fold(binary.LittleEndian.Uint32(p))
			v3 ^= m
			for range s.mode.c() {
				v0, v1, v2, v3 = round(v0, v1, v2, v3)
			}
			v0 ^= m
			if len(p) < 8 {
				break
			}
			p = p[4:]
		}
		v3 ^= last
		for range s.mode.c() {
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
		}
		v0 ^= last
		v2 ^= endMark
		for range s.mode.d() {
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
		}
	}
	return v1 ^ v3
}

// hashUint32 and hashUint64 are the tags of integers, by way of their bytes.

func (s *state) hashUint32(x uint32) uint32 {
	var p [4]byte
	binary.LittleEndian.PutUint32(p[:], x)
	return s.hash(p[:])
}

func (s *state) hashUint64(x uint64) uint32 {
	var p [8]byte
	binary.LittleEndian.PutUint64(p[:], x)
	return s.hash(p[:])
}

// hashX is the tag of 64 bits of p.
func (s *state) hashX(p []byte) uint64 {
	m := *s
	m.words(p)
	m.absorb(m.mode.fold(tail(p)) | uint32(len(p))<<24)
	return m.tagX()
}

// uint32 and uint64 absorb an integer as the message of its bytes.
func (s *state) uint32(x uint32) {
	s.absorb(s.mode.fold(x))
	s.absorb(4 << 24)
}

func (s *state) uint64(x uint64) {
	s.absorb(s.mode.fold(uint32(x)))
	s.absorb(s.mode.fold(uint32(x >> 32)))
	s.absorb(8 << 24)
}

// The wide tags of integers.

func (s *state) hashUint32X(x uint32) uint64 {
	m := *s
	m.uint32(x)
	return m.tagX()
}

func (s *state) hashUint64X(x uint64) uint64 {
	m := *s
	m.uint64(x)
	return m.tagX()
}

// tag ends a message with a tag of 32 bits.
func (s *state) tag() uint32 {
	s.v2 ^= endMark
	s.rounds(s.mode.d())
	return s.v1 ^ s.v3
}

// tagX ends a message with a tag of 64 bits.
func (s *state) tagX() uint64 {
	s.v2 ^= wideMark
	s.rounds(s.mode.d())
	low := s.v1 ^ s.v3
	s.v1 ^= secondMark
	s.rounds(s.mode.d())
	return uint64(low) | uint64(s.v1^s.v3)<<32
}

// tail is the bytes behind the last whole word, as an integer.
func tail(p []byte) uint32 {
	if len(p) >= 4 {
		return longTail(p)
	}
	return shortTail(p)
}

// longTail is tail for 4 bytes or more: the last four, without those that belong to the word before. At least one
// does, so the first shift takes the lowest, and the second is by less than all bits.
func longTail(p []byte) uint32 {
	n := len(p)
	return binary.LittleEndian.Uint32(p[n-4:]) >> 8 >> (^n * 8 & 31)
}

// shortTail is tail for fewer than 4 bytes: two loads that agree in the byte that they share.
func shortTail(p []byte) uint32 {
	switch n := len(p); {
	case n >= 2:
		high := uint32(binary.LittleEndian.Uint16(p[n-2:]))
		return uint32(binary.LittleEndian.Uint16(p)) | high<<(8*n-16&31)
	case n == 1:
		return uint32(p[0])
	}
	return 0
}

// fold makes lower-case letters of the bytes 'A' to 'Z', if the mode says so.
func (m mode) fold(word uint32) uint32 {
	if m&foldFlag == 0 {
		return word
	}
	const ones = 0x01010101
	low := word & (0x7f * ones)
	// The high bit of each byte: at least 'A', but not above 'Z', and ASCII.
	capital := (low + (0x80-'A')*ones) &^ (low + (0x80-'Z'-1)*ones) &^ word & (0x80 * ones)
	return word | capital>>2
}
