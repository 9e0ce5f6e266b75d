package siphash

import "encoding/binary"

// The functions of this file do what state.go does, but each without a call, so that the words of the state are never
// in memory.

// hash is the tag of 64 bits of p.
func (s *state) hash(p []byte) uint64 {
	// While more than 8 bytes are left,
	// p[8:] is sure to begin inside of p, and the compiler need not see to it that no pointer leaves; so the loops
	// stop there.
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3
	last := uint64(len(p)) << 56
	switch s.mode {
	case mode24:
		if len(p) >= 8 {
			last |= longTail(p)
			for len(p) > 8 {
				m := binary.LittleEndian.Uint64(p)
				v3 ^= m
				p = p[8:]
				v0, v1, v2, v3 = round(v0, v1, v2, v3)
				v0, v1, v2, v3 = round(v0, v1, v2, v3)
				v0 ^= m
			}
			if len(p) == 8 {
				m := binary.LittleEndian.Uint64(p)
				v3 ^= m
				v0, v1, v2, v3 = round(v0, v1, v2, v3)
				v0, v1, v2, v3 = round(v0, v1, v2, v3)
				v0 ^= m
			}
		} else {
			last |= shortTail(p)
		}
		v3 ^= last
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0 ^= last
		v2 ^= endMark
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
	case mode13, mode12, mode11:
		if len(p) >= 8 {
			last |= longTail(p)
			for len(p) > 8 {
				m := binary.LittleEndian.Uint64(p)
				v3 ^= m
				p = p[8:]
				v0, v1, v2, v3 = round(v0, v1, v2, v3)
				v0 ^= m
			}
			if len(p) == 8 {
				m := binary.LittleEndian.Uint64(p)
				v3 ^= m
				v0, v1, v2, v3 = round(v0, v1, v2, v3)
				v0 ^= m
			}
		} else {
			last |= shortTail(p)
		}
		v3 ^= last
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0 ^= last
		v2 ^= endMark
		if s.mode > mode11 {
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
		}
		if s.mode > mode12 {
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
		}
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
	default:
		if len(p) >= 8 {
			last |= s.mode.fold(longTail(p))
		} else {
			last |= s.mode.fold(shortTail(p))
		}
		for ; len(p) >= 8; p = p[8:] {
			m := s.mode.fold(binary.LittleEndian.Uint64(p))
			v3 ^= m
			for range s.mode.c() {
				v0, v1, v2, v3 = round(v0, v1, v2, v3)
			}
			v0 ^= m
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
	return v0 ^ v1 ^ v2 ^ v3
}

// eight is the word of a length of 8 bytes. As a constant it would be one bit, and its xor an instruction that
// complements a bit, which is slower.
var eight uint64 = 8 << 56

// hashUint64 is the tag of 64 bits of the 8 bytes of x.
func (s *state) hashUint64(x uint64) uint64 {
	length := eight
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3
	switch s.mode {
	case mode13, mode12, mode11:
		v0, v1, v2, v3 = round(v0, v1, v2, v3^x)
		v0, v1, v2, v3 = round(v0^x, v1, v2, v3^length)
		v0, v2 = v0^length, v2^endMark
		if s.mode > mode11 {
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
		}
		if s.mode > mode12 {
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
		}
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		return v0 ^ v1 ^ v2 ^ v3
	case mode24:
		v0, v1, v2, v3 = round(v0, v1, v2, v3^x)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0^x, v1, v2, v3^length)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v2 = v0^length, v2^endMark
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		return v0 ^ v1 ^ v2 ^ v3
	}
	for _, m := range [2]uint64{s.mode.fold(x), length} {
		v3 ^= m
		for range s.mode.c() {
			v0, v1, v2, v3 = round(v0, v1, v2, v3)
		}
		v0 ^= m
	}
	v2 ^= endMark
	for range s.mode.d() {
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
	}
	return v0 ^ v1 ^ v2 ^ v3
}
