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

// mode is c, then d, a byte each, then whether case is folded. One comparison finds a variant.
type mode uint32

const (
	foldFlag mode = 1 << 16
	mode11        = 1 | 1<<8
	mode12        = 1 | 2<<8
	mode13        = 1 | 3<<8
	mode24        = 2 | 4<<8
	mode48        = 4 | 8<<8
)

func (m mode) c() int { return int(m & 0xff) }
func (m mode) d() int { return int(m >> 8 & 0xff) }

// state is the sum so far of whole words, and what comes next. It is passed in registers.
type state struct {
	v0, v1, v2, v3 uint64
	mode           mode
}

func newState(key *[KeySize]byte, m mode) state {
	k0, k1 := binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:])
	return state{k0 ^ init0, k1 ^ init1, k0 ^ init2, k1 ^ init3, m}
}

// round is small enough to be inlined everywhere.
func round(v0, v1, v2, v3 uint64) (uint64, uint64, uint64, uint64) {
	v0 += v1
	v2 += v3
	v1 = bits.RotateLeft64(v1, 13) ^ v0
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v2 += v1
	v0 = bits.RotateLeft64(v0, 32) + v3
	v1 = bits.RotateLeft64(v1, 17) ^ v2
	v3 = bits.RotateLeft64(v3, 21) ^ v0
	return v0, v1, bits.RotateLeft64(v2, 32), v3
}

// rounds does any number of them.
func (s state) rounds(n int) state {
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3
	for range n {
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
	}
	return state{v0, v1, v2, v3, s.mode}
}

// absorb takes one word of a message.
func (s state) absorb(m uint64) state {
	s.v3 ^= m
	s = s.rounds(s.mode.c())
	s.v0 ^= m
	return s
}

// words absorbs the whole words of p.
func (s state) words(p []byte) state {
	switch s.mode & (foldFlag | 0xff) {
	case 1:
		return s.words1(p)
	case 2:
		return s.words2(p)
	}
	for ; len(p) >= 8; p = p[8:] {
		s = s.absorb(s.mode.fold(binary.LittleEndian.Uint64(p)))
	}
	return s
}

func (s state) words1(p []byte) state {
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3
	for ; len(p) >= 8; p = p[8:] {
		m := binary.LittleEndian.Uint64(p)
		v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
		v0 ^= m
	}
	return state{v0, v1, v2, v3, s.mode}
}

func (s state) words2(p []byte) state {
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3
	for ; len(p) >= 8; p = p[8:] {
		m := binary.LittleEndian.Uint64(p)
		v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0 ^= m
	}
	return state{v0, v1, v2, v3, s.mode}
}

// message absorbs all of p, with the word of its length.
func (s state) message(p []byte) state {
	return s.words(p).absorb(s.mode.fold(tail(p)) | uint64(len(p))<<56)
}

// uint32, uint64 and uint128 absorb an integer as the message of its bytes.
func (s state) uint32(x uint32) state { return s.absorb(s.mode.fold(uint64(x)) | 4<<56) }
func (s state) uint64(x uint64) state { return s.absorb(s.mode.fold(x)).absorb(8 << 56) }
func (s state) uint128(x Uint128) state {
	return s.absorb(s.mode.fold(x.Lo)).absorb(s.mode.fold(x.Hi)).absorb(16 << 56)
}

// tag ends a message with a tag of 64 bits.
func (s state) tag() uint64 {
	s.v2 ^= endMark
	s = s.rounds(s.mode.d())
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3
}

// tagX ends a message with a tag of 128 bits.
func (s state) tagX() Uint128 {
	s.v2 ^= wideMark
	s = s.rounds(s.mode.d())
	lo := s.v0 ^ s.v1 ^ s.v2 ^ s.v3
	s.v1 ^= secondMark
	s = s.rounds(s.mode.d())
	return Uint128{Lo: lo, Hi: s.v0 ^ s.v1 ^ s.v2 ^ s.v3}
}

// tail is the bytes behind the last whole word, as an integer.
func tail(p []byte) uint64 {
	n := len(p)
	left := n & 7
	switch {
	case n >= 8:
		// The last eight bytes; those that were absorbed are shifted out. Twice, since a shift by 64 is wanted too.
		return binary.LittleEndian.Uint64(p[n-8:]) >> 1 >> (63 - 8*left)
	case n >= 4:
		// Two loads that overlap agree in the bytes that they share.
		return uint64(binary.LittleEndian.Uint32(p)) |
			uint64(binary.LittleEndian.Uint32(p[n-4:]))<<(8*(n-4))
	case n > 0:
		return uint64(p[0]) | uint64(p[n>>1])<<(8*(n>>1)) | uint64(p[n-1])<<(8*(n-1))
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
