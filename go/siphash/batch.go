package siphash

import "errors"

// The batches: many messages under one key, several in each vector where the CPU has a kernel for that. Like copy
// they take as many messages as there are tags to fill and return how many that were, except where offsets may be
// wrong.

// ErrOffsets is the answer to offsets that are negative, decrease, or lie behind the end of the data.
var ErrOffsets = errors.New("siphash: an offset is negative, below the one before, or behind the end of the data")

// HashUint32s puts the tag of each integer of src, as [Hasher.HashUint32] gives it, into dst.
func (h *Hasher) HashUint32s(dst []uint64, src []uint32) int {
	n := min(len(dst), len(src))
	b := batch{s: &h.s, narrow: dst}
	b.uint32s(src[:n])
	return n
}

// HashUint64s puts the tag of each integer of src, as [Hasher.HashUint64] gives it, into dst. The two may be one
// slice, but may not overlap otherwise.
func (h *Hasher) HashUint64s(dst []uint64, src []uint64) int {
	n := min(len(dst), len(src))
	dst, src = dst[:n], src[:n]
	if lanes := active.lanes; lanes > 0 && n >= lanes && h.s.mode&foldFlag == 0 {
		// Whole groups are transposed as they are.
		whole := n / lanes * lanes
		active.run(&h.s.state, false, dst, src, n/lanes, 1, 8<<56)
		dst, src = dst[whole:], src[whole:]
	}
	if !active.worth(len(src)) && h.s.mode&foldFlag == 0 {
		for i, x := range src {
			dst[i] = h.s.hashUint64(x)
		}
		return n
	}
	b := batch{s: &h.s, narrow: dst}
	b.uint64s(src)
	return n
}

// HashUint128s puts the tag of each integer of src, as [Hasher.HashUint128] gives it, into dst.
func (h *Hasher) HashUint128s(dst []uint64, src []Uint128) int {
	n := min(len(dst), len(src))
	b := batch{s: &h.s, narrow: dst}
	b.uint128s(src[:n])
	return n
}

// HashStrings puts the tag of each string of src into dst.
func (h *Hasher) HashStrings(dst []uint64, src []string) int {
	n := min(len(dst), len(src))
	b := batch{s: &h.s, narrow: dst}
	b.ragged(&messages{layout: inStrings, strings: src}, n)
	return n
}

// HashSlices puts the tag of each slice of src into dst.
func (h *Hasher) HashSlices(dst []uint64, src [][]byte) int {
	n := min(len(dst), len(src))
	b := batch{s: &h.s, narrow: dst}
	b.ragged(&messages{layout: inSlices, slices: src}, n)
	return n
}

// HashRows puts the tag of each row of data into dst. The rows follow each other and have width bytes each; bytes
// behind the last whole row are left. With a width of 0 there are as many rows as tags, with a negative one none.
func (h *Hasher) HashRows(dst []uint64, data []byte, width int) int {
	n := rowCount(len(dst), len(data), width)
	b := batch{s: &h.s, narrow: dst}
	b.rows(data, width, n)
	return n
}

// HashOffsets32 puts the tag of each data[offsets[i]:offsets[i+1]] into dst, which makes one message fewer than
// there are offsets. If one of those that are needed is wrong the error is [ErrOffsets], and dst is left as it is.
func (h *Hasher) HashOffsets32(dst []uint64, data []byte, offsets []int32) (int, error) {
	n, err := offsetCount(len(dst), len(data), offsets)
	b := batch{s: &h.s, narrow: dst}
	b.ragged(&messages{layout: inOffsets32, data: data, offsets32: offsets}, n)
	return n, err
}

// HashOffsets64 is HashOffsets32 with offsets of 64 bits.
func (h *Hasher) HashOffsets64(dst []uint64, data []byte, offsets []int64) (int, error) {
	n, err := offsetCount(len(dst), len(data), offsets)
	b := batch{s: &h.s, narrow: dst}
	b.ragged(&messages{layout: inOffsets64, data: data, offsets64: offsets}, n)
	return n, err
}

// HashUint32s puts the tag of each integer of src, as [HasherX.HashUint32] gives it, into dst.
func (h *HasherX) HashUint32s(dst []Uint128, src []uint32) int {
	n := min(len(dst), len(src))
	b := batch{s: &h.s, wide: true, wides: dst}
	b.uint32s(src[:n])
	return n
}

// HashUint64s puts the tag of each integer of src, as [HasherX.HashUint64] gives it, into dst.
func (h *HasherX) HashUint64s(dst []Uint128, src []uint64) int {
	n := min(len(dst), len(src))
	b := batch{s: &h.s, wide: true, wides: dst}
	b.uint64s(src[:n])
	return n
}

// HashUint128s puts the tag of each integer of src, as [HasherX.HashUint128] gives it, into dst.
func (h *HasherX) HashUint128s(dst []Uint128, src []Uint128) int {
	n := min(len(dst), len(src))
	b := batch{s: &h.s, wide: true, wides: dst}
	b.uint128s(src[:n])
	return n
}

// HashStrings puts the tag of each string of src into dst.
func (h *HasherX) HashStrings(dst []Uint128, src []string) int {
	n := min(len(dst), len(src))
	b := batch{s: &h.s, wide: true, wides: dst}
	b.ragged(&messages{layout: inStrings, strings: src}, n)
	return n
}

// HashSlices puts the tag of each slice of src into dst.
func (h *HasherX) HashSlices(dst []Uint128, src [][]byte) int {
	n := min(len(dst), len(src))
	b := batch{s: &h.s, wide: true, wides: dst}
	b.ragged(&messages{layout: inSlices, slices: src}, n)
	return n
}

// HashRows puts the tag of each row of data into dst. The rows follow each other and have width bytes each; bytes
// behind the last whole row are left. With a width of 0 there are as many rows as tags, with a negative one none.
func (h *HasherX) HashRows(dst []Uint128, data []byte, width int) int {
	n := rowCount(len(dst), len(data), width)
	b := batch{s: &h.s, wide: true, wides: dst}
	b.rows(data, width, n)
	return n
}

// HashOffsets32 puts the tag of each data[offsets[i]:offsets[i+1]] into dst, which makes one message fewer than
// there are offsets. If one of those that are needed is wrong the error is [ErrOffsets], and dst is left as it is.
func (h *HasherX) HashOffsets32(dst []Uint128, data []byte, offsets []int32) (int, error) {
	n, err := offsetCount(len(dst), len(data), offsets)
	b := batch{s: &h.s, wide: true, wides: dst}
	b.ragged(&messages{layout: inOffsets32, data: data, offsets32: offsets}, n)
	return n, err
}

// HashOffsets64 is HashOffsets32 with offsets of 64 bits.
func (h *HasherX) HashOffsets64(dst []Uint128, data []byte, offsets []int64) (int, error) {
	n, err := offsetCount(len(dst), len(data), offsets)
	b := batch{s: &h.s, wide: true, wides: dst}
	b.ragged(&messages{layout: inOffsets64, data: data, offsets64: offsets}, n)
	return n, err
}

// rowCount is how many rows are hashed.
func rowCount(tags, data, width int) int {
	switch {
	case width < 0:
		return 0
	case width == 0:
		return tags
	}
	return min(tags, data/width)
}

// offsetCount is how many messages lie between offsets, if these are right.
func offsetCount[T int32 | int64](tags, data int, offsets []T) (int, error) {
	n := min(tags, max(len(offsets), 1)-1)
	if n == 0 {
		return 0, nil
	}
	before := T(0)
	for _, at := range offsets[:min(n+1, len(offsets))] {
		if at < before || int64(at) > int64(data) {
			return 0, ErrOffsets
		}
		before = at
	}
	return n, nil
}
