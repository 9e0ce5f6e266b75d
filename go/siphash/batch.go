package siphash

import "errors"

// ErrOffsets is the answer to offsets that are negative, decrease, or lie behind the end of the bytes.
var ErrOffsets = errors.New("siphash: an offset lies outside of the bytes, or below the one before it")

// HashUint32s puts the tags of src, as [Hasher.HashUint32] gives them, into dst. Like copy it takes as many as
// both have room for, and returns how many.
func (h *Hasher) HashUint32s(dst []uint64, src []uint32) int {
	n := min(len(dst), len(src))
	dst, src = dst[:n], src[:n]
	for i, x := range src {
		dst[i] = h.HashUint32(x)
	}
	return n
}

// HashUint64s puts the tags of src, as [Hasher.HashUint64] gives them, into dst. Like copy it takes as many as
// both have room for, and returns how many. The two may be one slice, but may not overlap otherwise.
func (h *Hasher) HashUint64s(dst, src []uint64) int {
	n := min(len(dst), len(src))
	dst, src = dst[:n], src[:n]
	for i, x := range src {
		dst[i] = h.HashUint64(x)
	}
	return n
}

// HashUint128s puts the tags of src, as [Hasher.HashUint128] gives them, into dst. Like copy it takes as many as
// both have room for, and returns how many.
func (h *Hasher) HashUint128s(dst []uint64, src []Uint128) int {
	n := min(len(dst), len(src))
	dst, src = dst[:n], src[:n]
	for i, x := range src {
		dst[i] = h.HashUint128(x)
	}
	return n
}

// HashStrings puts the tags of src, as [Hasher.HashString] gives them, into dst. Like copy it takes as many as
// both have room for, and returns how many.
func (h *Hasher) HashStrings(dst []uint64, src []string) int {
	n := min(len(dst), len(src))
	dst, src = dst[:n], src[:n]
	for i, x := range src {
		dst[i] = h.HashString(x)
	}
	return n
}
