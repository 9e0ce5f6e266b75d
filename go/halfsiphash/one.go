package halfsiphash

import "encoding/binary"

// One message.

// A start is the state at the start of a message.
type start struct{ state }

// newStart prepares key. The mark is wideMark for wide tags, or else 0.
func newStart(key *[KeySize]byte, m mode, mark uint32) start {
	k0, k1 := binary.LittleEndian.Uint32(key[:4]), binary.LittleEndian.Uint32(key[4:])
	return start{state{k0, k1 ^ mark, k0 ^ init2, k1 ^ init3, m}}
}

// hash returns the tag of 32 bits of p. It makes no calls and has few variables, so the words of the state never
// leave the registers. Every p[4:] leaves at least 4 bytes, so the compiler needs no instructions to keep its
// pointer inside p.
func (s *start) hash(p []byte) uint32 {
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

// Integers are hashed as their bytes.

func (s *start) hashUint32(x uint32) uint32 {
	var p [4]byte
	binary.LittleEndian.PutUint32(p[:], x)
	return s.hash(p[:])
}

func (s *start) hashUint64(x uint64) uint32 {
	var p [8]byte
	binary.LittleEndian.PutUint64(p[:], x)
	return s.hash(p[:])
}

// hashX returns the tag of 64 bits of p.
func (s *start) hashX(p []byte) uint64 {
	m := s.state
	m.words(p)
	m.absorb(m.mode.fold(tail(p)) | uint32(len(p))<<24)
	return m.tagX()
}

// uint32 and uint64 absorb a message that is the bytes of an integer.
func (s *state) uint32(x uint32) {
	s.absorb(s.mode.fold(x))
	s.absorb(4 << 24)
}

func (s *state) uint64(x uint64) {
	s.absorb(s.mode.fold(uint32(x)))
	s.absorb(s.mode.fold(uint32(x >> 32)))
	s.absorb(8 << 24)
}

// Wide tags of integers.

func (s *start) hashUint32X(x uint32) uint64 {
	m := s.state
	m.uint32(x)
	return m.tagX()
}

func (s *start) hashUint64X(x uint64) uint64 {
	m := s.state
	m.uint64(x)
	return m.tagX()
}
