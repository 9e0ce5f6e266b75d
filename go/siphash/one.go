package siphash

import "encoding/binary"

// One message from end to end under the usual rounds, so that its state never leaves the registers: the
// general functions of state.go, written out.

// sum1 is message and tag for c = 1 and d of at most 3.
func (s state) sum1(p []byte) uint64 {
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3
	last := tail(p) | uint64(len(p))<<56
	for ; len(p) >= 8; p = p[8:] {
		m := binary.LittleEndian.Uint64(p)
		v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
		v0 ^= m
	}
	v0, v1, v2, v3 = round(v0, v1, v2, v3^last)
	return end1(v0^last, v1, v2, v3, s.mode)
}

// sum24 is message and tag for SipHash-2-4.
func (s state) sum24(p []byte) uint64 {
	v0, v1, v2, v3 := s.v0, s.v1, s.v2, s.v3
	last := tail(p) | uint64(len(p))<<56
	for ; len(p) >= 8; p = p[8:] {
		m := binary.LittleEndian.Uint64(p)
		v0, v1, v2, v3 = round(v0, v1, v2, v3^m)
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		v0 ^= m
	}
	v0, v1, v2, v3 = round(v0, v1, v2, v3^last)
	v0, v1, v2, v3 = round(v0, v1, v2, v3)
	return end24(v0^last, v1, v2, v3)
}

// end1 is tag for d of 1, 2 or 3.
func end1(v0, v1, v2, v3 uint64, m mode) uint64 {
	v2 ^= endMark
	switch m {
	case mode13:
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
		fallthrough
	case mode12:
		v0, v1, v2, v3 = round(v0, v1, v2, v3)
	}
	v0, v1, v2, v3 = round(v0, v1, v2, v3)
	return v0 ^ v1 ^ v2 ^ v3
}

// end24 is tag for d = 4.
func end24(v0, v1, v2, v3 uint64) uint64 {
	v0, v1, v2, v3 = round(v0, v1, v2^endMark, v3)
	v0, v1, v2, v3 = round(v0, v1, v2, v3)
	v0, v1, v2, v3 = round(v0, v1, v2, v3)
	v0, v1, v2, v3 = round(v0, v1, v2, v3)
	return v0 ^ v1 ^ v2 ^ v3
}
