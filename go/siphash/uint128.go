package siphash

import "encoding/binary"

// A Uint128 is an integer of 128 bits, Hi<<64 + Lo: a tag of a [HasherX], or a message.
type Uint128 struct{ Lo, Hi uint64 }

// Bytes returns the bytes of x in little-endian order, as the reference implementation writes tags.
func (x Uint128) Bytes() [16]byte {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], x.Lo)
	binary.LittleEndian.PutUint64(b[8:], x.Hi)
	return b
}

func newUint128(lo, hi uint64) Uint128 { return Uint128{lo, hi} }

func split(x Uint128) (lo, hi uint64) { return x.Lo, x.Hi }

// equalUint128 compares in constant time.
func equalUint128(x, y Uint128) bool { return (x.Lo^y.Lo)|(x.Hi^y.Hi) == 0 }

func appendUint128(b []byte, x Uint128) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, x.Lo), x.Hi)
}
