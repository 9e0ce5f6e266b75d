package siphash

import (
	"encoding/binary"
	"math/bits"
)

// One message: what state.go does for a stream, but without a call, so that the words of the state are never in
// memory.
//
// The floor: a half round is a chain of an addition and an xor, since its rotations run beside the additions, so
// a round takes 4 cycles at least, and SipHash-c-d of n words, of which the last has the length, 4cn + 4d. Each
// word goes into v3, which is the last to be ready: n more; and the tag is 2 more. A round is 14 operations, 6 of
// them rotations, and two rotations a cycle, as many CPUs have, are so few that the next message hardly begins
// before this one is done. So what can be saved is operations: the part of the first round that no message
// changes, that of the last round that drops out of the tag, and all that a call adds. The function calls no
// other, has its bounds known to the compiler, and so few variables at a time that it needs no frame.

// A start is where the messages under a key begin, and what of the first round none of them changes: v0 and v1 behind
// its first half, and v1 turned for the second.
type start struct {
	state
	half0, half1, turned1 uint64
}

// newStart prepares key. The mark is 0 or that of wide tags.
func newStart(key *[KeySize]byte, m mode, mark uint64) start {
	k0, k1 := binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:])
	s := state{k0 ^ init0, k1 ^ init1 ^ mark, k0 ^ init2, k1 ^ init3, m}
	half0 := s.v0 + s.v1
	half1 := bits.RotateLeft64(s.v1, 13) ^ half0
	return start{s, bits.RotateLeft64(half0, 32), half1, bits.RotateLeft64(half1, 17)}
}

// firstRound is the round of a message's first word.
func (s *start) firstRound(m uint64) (v0, v1, v2, v3 uint64) {
	v3 = s.v3 ^ m
	v2 = s.v2 + v3
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v2 += s.half1
	v0 = s.half0 + v3
	v1 = s.turned1 ^ v2
	v3 = bits.RotateLeft64(v3, 21) ^ v0
	v2 = bits.RotateLeft64(v2, 32)
	return v0, v1, v2, v3
}

// lastRound is a round and the xor of its words. v0 drops out, since it goes into v3 by xor.
func lastRound(v0, v1, v2, v3 uint64) uint64 {
	v0 += v1
	v2 += v3
	v1 = bits.RotateLeft64(v1, 13) ^ v0
	v3 = bits.RotateLeft64(v3, 16) ^ v2
	v2 += v1
	return bits.RotateLeft64(v1, 17) ^ bits.RotateLeft64(v3, 21) ^ v2 ^ bits.RotateLeft64(v2, 32)
}

// hash is the tag of p, of which hi is 0 if it is one of 64 bits. Each p[8:] is sure to begin inside of p, so that
// the compiler need not see to it that no pointer leaves.
func (s *start) hash(p []byte, wide bool) (lo, hi uint64) {
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

// eight is the word of a length of 8 bytes. As a constant it would be one bit, and its xor an instruction that
// complements a bit, which is slower.
var eight uint64 = 8 << 56

// hashUint64 is the tag of 64 bits of the 8 bytes of x.
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

// The tags of other integers are those of their bytes.

func (s *start) hashUint32(x uint32, wide bool) (lo, hi uint64) {
	var p [4]byte
	binary.LittleEndian.PutUint32(p[:], x)
	return s.hash(p[:], wide)
}

func (s *start) hashUint64X(x uint64) (lo, hi uint64) {
	var p [8]byte
	binary.LittleEndian.PutUint64(p[:], x)
	return s.hash(p[:], true)
}

// Uint128.Bytes would be copied, by a load that waits for two stores.
func (s *start) hashUint128(x Uint128, wide bool) (lo, hi uint64) {
	var p [16]byte
	binary.LittleEndian.PutUint64(p[:8], x.Lo)
	binary.LittleEndian.PutUint64(p[8:], x.Hi)
	return s.hash(p[:], wide)
}
