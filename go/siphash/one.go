package siphash

import (
	"encoding/binary"
	"math/bits"
)

// One message. state.go does the same for a stream, but here the words of the state never leave the registers.
//
// The lower bound, for n words including the one with the length:
//
//	half round   an addition and an xor; the rotations run beside the additions    2 cycles
//	rounds       cn + d of them, two half rounds each                              4cn + 4d cycles
//	words        each is xored into v3, which is ready last                        n cycles
//	tag                                                                            2 cycles
//
// A round has 14 operations, 6 of them rotations. Many CPUs do two rotations a cycle, so the next message can
// hardly overlap this one. What remains is to save operations:
//
//   - the part of the first round that is the same for all messages;
//   - the part of the last round that does not reach the tag;
//   - calls, bounds checks and a stack frame: halves has none of them.
//
// The lines of round are in the order that was fastest on Zen 4, for short messages and for long ones. The result does
// not depend on it.

// A start is the state at the start of a message, and the part of the first round that depends on the key alone. That
// is v0 and v1 after its first half, and v1 rotated for the second.
type start struct {
	state
	half0, half1, rotated1 uint64
}

// newStart prepares key. The mark is wideMark for wide tags, or else 0.
func newStart(key *[KeySize]byte, m mode, mark uint64) start {
	k0, k1 := binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:])
	s := state{k0 ^ init0, k1 ^ init1 ^ mark, k0 ^ init2, k1 ^ init3, m}
	half0 := s.v0 + s.v1
	half1 := bits.RotateLeft64(s.v1, firstV1) ^ half0
	return start{s, bits.RotateLeft64(half0, 32), half1, bits.RotateLeft64(half1, secondV1)}
}

// firstRound is the round of a message's first word.
func (s *start) firstRound(m uint64) (v0, v1, v2, v3 uint64) {
	v3 = s.v3 ^ m
	v2 = s.v2 + v3
	v3 = bits.RotateLeft64(v3, firstV3) ^ v2
	v2 += s.half1
	v0 = s.half0 + v3
	v1 = s.rotated1 ^ v2
	v3 = bits.RotateLeft64(v3, secondV3) ^ v0
	v2 = bits.RotateLeft64(v2, 32)
	return v0, v1, v2, v3
}

// lastRound does a round and returns the xor of its words. v0 cancels out, since v3 is xored with it.
func lastRound(v0, v1, v2, v3 uint64) uint64 {
	v0 += v1
	v2 += v3
	v1 = bits.RotateLeft64(v1, firstV1) ^ v0
	v3 = bits.RotateLeft64(v3, firstV3) ^ v2
	v2 += v1
	return bits.RotateLeft64(v1, secondV1) ^ bits.RotateLeft64(v3, secondV3) ^ v2 ^ bits.RotateLeft64(v2, 32)
}

// halves returns the tag of p, with hi = 0 for a tag of 64 bits. Every p[8:] leaves at least 8 bytes, so the
// compiler needs no instructions to keep its pointer inside p.
func (s *start) halves(p []byte, wide bool) (lo, hi uint64) {
	var v0, v1, v2, v3 uint64
	switch {
	case s.mode <= mode13:
		if len(p) >= 8 {
			last := longTail(p) | uint64(len(p))<<56
			m := binary.LittleEndian.Uint64(p)
			v0, v1, v2, v3 = s.firstRound(m)
			v0 ^= m
			for len(p) >= 16 {
				p = p[8:]
				m = binary.LittleEndian.Uint64(p)
				v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
				v0 ^= m
			}
			v0, v1, v2, v3 = round(v0, v1, v2, v3^last)
			v0 ^= last
		} else {
			last := shortTail(p) | uint64(len(p))<<56
			v0, v1, v2, v3 = s.firstRound(last)
			v0 ^= last
		}
		if wide {
			break
		}
		v2 ^= endMark
		if s.mode > mode11 {
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
		}
		if s.mode > mode12 {
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
		}
		return lastRound(v0, v1, v2, v3), 0
	case s.mode == mode24:
		if len(p) >= 8 {
			last := longTail(p) | uint64(len(p))<<56
			m := binary.LittleEndian.Uint64(p)
			v0, v1, v2, v3 = s.firstRound(m)
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
			v0 ^= m
			for len(p) >= 16 {
				p = p[8:]
				m = binary.LittleEndian.Uint64(p)
				v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
				v0, v1, v2, v3 = round(v0, v1, v2, v3)
				v0 ^= m
			}
			v0, v1, v2, v3 = round(v0, v1, v2, v3^last)
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
			v0 ^= last
		} else {
			last := shortTail(p) | uint64(len(p))<<56
			v0, v1, v2, v3 = s.firstRound(last)
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
			v0 ^= last
		}
		if wide {
			v0, v1, v2, v3 = round(v0, v1, v2^wideMark, v3)
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
			lo = v0 ^ v1 ^ v2 ^ v3
			v0, v1, v2, v3 = round(v0, v1^secondMark, v2, v3)
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
			return lo, lastRound(v0, v1, v2, v3)
		}
		v0, v1, v2, v3 = round(v0, v1, v2^endMark, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		return lastRound(v0, v1, v2, v3), 0
	default:
		var last uint64
		if len(p) >= 8 {
			last = longTail(p)
		} else {
			last = shortTail(p)
		}
		last = s.mode.fold(last) | uint64(len(p))<<56
		v0, v1, v2, v3 = s.v0, s.v1, s.v2, s.v3
		for len(p) >= 8 {
			m := s.mode.fold(binary.LittleEndian.Uint64(p))
			v3 ^= m
			for range s.mode.c() {
				v0, v1, v2, v3 = round(v0, v1, v2, v3)
			}
			v0 ^= m
			if len(p) < 16 {
				break
			}
			p = p[8:]
		}
		v3 ^= last
		for range s.mode.c() {
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
		}
		v0 ^= last
	}
	if wide {
		v2 ^= wideMark
		for range s.mode.d() {
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
		}
		lo = v0 ^ v1 ^ v2 ^ v3
		v1 ^= secondMark
	} else {
		v2 ^= endMark
	}
	for range s.mode.d() - 1 {
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
	}
	tag := lastRound(v0, v1, v2, v3)
	if wide {
		return lo, tag
	}
	return tag, 0
}

// eight is the last word of a message of 8 bytes. It is a variable because the compiler turns the xor of a
// constant with one bit set into a bit complement, which is slower.
var eight uint64 = 8 << 56

// hashUint64 returns the tag of 64 bits of the 8 bytes of x.
func (s *start) hashUint64(x uint64) uint64 {
	length := eight
	switch {
	case s.mode <= mode13:
		v0, v1, v2, v3 := s.firstRound(x)
		v0, v1, v2, v3 = round(v0^x, v1, v2, v3^length)
		v0, v2 = v0^length, v2^endMark
		if s.mode > mode11 {
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
		}
		if s.mode > mode12 {
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
		}
		return lastRound(v0, v1, v2, v3)
	case s.mode == mode24:
		v0, v1, v2, v3 := s.firstRound(x)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0^x, v1, v2, v3^length)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v2 = v0^length, v2^endMark
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		return lastRound(v0, v1, v2, v3)
	}
	m := s.mode.fold(x)
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3^m
	for range s.mode.c() {
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
	}
	v0, v3 = v0^m, v3^length
	for range s.mode.c() {
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
	}
	v0, v2 = v0^length, v2^endMark
	for range s.mode.d() - 1 {
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
	}
	return lastRound(v0, v1, v2, v3)
}

func (s *start) hash(p []byte) uint64 { tag, _ := s.halves(p, false); return tag }

func (s *start) hashX(p []byte) Uint128 { return newUint128(s.halves(p, true)) }

// Other integers are hashed as their bytes.

func (s *start) hashUint64X(x uint64) Uint128 {
	var p [8]byte
	binary.LittleEndian.PutUint64(p[:], x)
	return s.hashX(p[:])
}

// x.Bytes would be copied by one load that spans two recent stores, which stalls.
func (s *start) halvesUint128(x Uint128, wide bool) (lo, hi uint64) {
	var p [16]byte
	binary.LittleEndian.PutUint64(p[:8], x.Lo)
	binary.LittleEndian.PutUint64(p[8:], x.Hi)
	return s.halves(p[:], wide)
}

func (s *start) hashUint128(x Uint128) uint64 { tag, _ := s.halvesUint128(x, false); return tag }

func (s *start) hashUint128X(x Uint128) Uint128 { return newUint128(s.halvesUint128(x, true)) }
