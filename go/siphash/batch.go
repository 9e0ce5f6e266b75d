package siphash

import (
	"errors"
	"math/bits"
)

// Batches hash many messages under one key, several in each vector if the CPU has a kernel. Like copy, a batch
// hashes as many messages as dst has room for and returns their number. Wrong offsets and views are errors instead.

// ErrOffsets is the error for offsets that are negative, decrease, or exceed the length of the data.
var ErrOffsets = errors.New("siphash: an offset is negative, below the one before, or behind the end of the data")

// ErrViews is the error for views with a negative length, without a buffer, or beyond the end of their buffer.
var ErrViews = errors.New("siphash: a view has a negative length, no buffer, or reaches behind the end of its buffer")

// HashUint64s puts the [Hasher.HashUint64] tag of each integer of src into dst. dst and src must be
// the same slice or not overlap.
func (h *Hasher) HashUint64s(dst []uint64, src []uint64) int {
	n := min(len(dst), len(src))
	if n > fewIntegers {
		h.manyUint64s(dst[:n], src[:n])
		return n
	}
	for i, x := range src[:n] {
		dst[i] = h.s.hashUint64(x)
	}
	return n
}

// manyUint64s is HashUint64s for equally many tags and integers.
func (h *Hasher) manyUint64s(dst, src []uint64) {
	k := active()
	if k.lanes == 0 || h.s.mode&foldFlag != 0 {
		b := batch{s: &h.s, narrow: dst}
		b.k = k
		b.uint64s(src)
		return
	}
	// Messages of one word are in transposed order already.
	const length = wordSize << lengthShift
	if groups := len(src) / k.lanes; groups > 0 {
		k.run(&h.s.state, false, dst, src, groups, 1, length)
		dst, src = dst[groups*k.lanes:], src[groups*k.lanes:]
	}
	if k.profitable(len(src)) {
		var words, tags [maxLanes]word
		copy(words[:], src)
		k.run(&h.s.state, false, tags[:], words[:], 1, 1, length)
		copy(dst, tags[:])
		return
	}
	for i, x := range src {
		dst[i] = h.s.hashUint64(x)
	}
}

// HashUint128s puts the [Hasher.HashUint128] tag of each integer of src into dst.
func (h *Hasher) HashUint128s(dst []uint64, src []Uint128) int {
	n := min(len(dst), len(src))
	if n > fewIntegers {
		h.manyUint128s(dst, src[:n])
		return n
	}
	for i, x := range src[:n] {
		dst[i] = h.s.hashUint128(x)
	}
	return n
}

func (h *Hasher) manyUint128s(dst []uint64, src []Uint128) {
	b := batch{s: &h.s, narrow: dst}
	b.k = active()
	b.uint128s(src)
}

// HashStrings puts the tag of each string of src into dst.
func (h *Hasher) HashStrings(dst []uint64, src []string) int {
	n := min(len(dst), len(src))
	if !h.s.few(n) && h.s.many(dst, &messages{layout: inStrings, strings: src}, n) {
		return n
	}
	for i, p := range src[:n] {
		dst[i] = h.s.hash(bytesOf(p))
	}
	return n
}

// HashSlices puts the tag of each slice of src into dst.
func (h *Hasher) HashSlices(dst []uint64, src [][]byte) int {
	n := min(len(dst), len(src))
	if !h.s.few(n) && h.s.many(dst, &messages{layout: inSlices, slices: src}, n) {
		return n
	}
	for i, p := range src[:n] {
		dst[i] = h.s.hash(p)
	}
	return n
}

// HashRows puts the tag of each row of data into dst. Rows are adjacent and have width bytes each; bytes after
// the last whole row are ignored. If width is 0, there are as many rows as tags, all empty. If it is negative,
// there are none.
func (h *Hasher) HashRows(dst []uint64, data []byte, width int) int {
	n := rowCount(len(dst), len(data), width)
	if !h.s.fewRows(n) {
		h.manyRows(dst, data, width, n)
		return n
	}
	for i := range dst[:n] {
		dst[i] = h.s.hash(data[:width])
		data = data[width:]
	}
	return n
}

func (h *Hasher) manyRows(dst []uint64, data []byte, width, n int) {
	b := batch{s: &h.s, narrow: dst}
	b.k = active()
	b.rows(data, width, n)
}

// HashOffsets32 puts the tag of each data[offsets[i]:offsets[i+1]] into dst, so n+1 offsets make n messages. It
// reads only the offsets of messages that dst has room for. If one is wrong, the error is [ErrOffsets] and dst is
// unchanged.
//
//go:noinline
func (h *Hasher) HashOffsets32(dst []uint64, data []byte, offsets []int32) (int, error) {
	if len(offsets) == 2 && len(dst) > 0 {
		from, to := int64(offsets[0]), int64(offsets[1])
		if from < 0 || from > to || to > int64(len(data)) {
			return 0, ErrOffsets
		}
		dst[0] = h.s.hash(data[from:to])
		return 1, nil
	}
	return hashOffsets(&h.s, dst, data, offsets)
}

// HashOffsets64 is HashOffsets32 with 64-bit offsets.
//
//go:noinline
func (h *Hasher) HashOffsets64(dst []uint64, data []byte, offsets []int64) (int, error) {
	if len(offsets) == 2 && len(dst) > 0 {
		from, to := int64(offsets[0]), int64(offsets[1])
		if from < 0 || from > to || to > int64(len(data)) {
			return 0, ErrOffsets
		}
		dst[0] = h.s.hash(data[from:to])
		return 1, nil
	}
	return hashOffsets(&h.s, dst, data, offsets)
}

// hashOffsets hashes any number of messages but one, for which a second call would cost most. Its callers are not inlined.
// If another package inlined them, its slices would escape: the compiler knows nothing of the instance of a generic
// function that it first meets while it inlines.
func hashOffsets[T int32 | int64](s *start, dst []uint64, data []byte, offsets []T) (int, error) {
	n := min(len(dst), max(len(offsets), 1)-1)
	if n == 0 {
		return 0, nil
	}
	if n <= offsetsAtOnce {
		from := int64(offsets[0])
		var tags [offsetsAtOnce]uint64
		for i, at := range offsets[1 : n+1] {
			to := int64(at)
			if from < 0 || from > to || to > int64(len(data)) {
				return 0, ErrOffsets
			}
			tags[i] = s.hash(data[from:to])
			from = to
		}
		dst = dst[:n]
		for i := range dst {
			dst[i] = tags[i]
		}
		return n, nil
	}
	if !rightOffsets(len(data), offsets[:n+1]) {
		return 0, ErrOffsets
	}
	if !s.few(n) && s.many(dst, inOffsets(data, offsets), n) {
		return n, nil
	}
	from := offsets[0]
	for i, to := range offsets[1 : n+1] {
		dst[i] = s.hash(data[from:to])
		from = to
	}
	return n, nil
}

// HashViews puts the tag of each message of Arrow's string views or binary views into dst. A view holds the length of
// its message, then up to 12 bytes of it. A longer one is in one of the buffers. What follows a short message in its
// view does not count, and the prefix of a long one is not read. HashViews looks only at views of messages that dst has
// room for. If one is wrong, the error is [ErrViews] and dst is unchanged.
func (h *Hasher) HashViews(dst []uint64, views [][viewSize]byte, buffers [][]byte) (int, error) {
	n := min(len(dst), len(views))
	if len(buffers) == 0 {
		buffers = noBuffers[:]
	}
	if n > viewsAtOnce {
		return h.manyViews(dst, views[:n], buffers)
	}
	if n == 1 {
		buffer, at, length, mask := inBuffer(&views[0])
		if buffer >= uint(len(buffers)) || !fits(buffers[buffer], at, length&mask) {
			return 0, ErrViews
		}
		dst[0] = h.s.hash(either(views[0][4:], buffers[buffer], at, mask, length))
		return 1, nil
	}
	var tags [viewsAtOnce]uint64
	for i := range views[:n] {
		view := &views[i]
		buffer, at, length, mask := inBuffer(view)
		if buffer >= uint(len(buffers)) || !fits(buffers[buffer], at, length&mask) {
			return 0, ErrViews
		}
		tags[i] = h.s.hash(either(view[4:], buffers[buffer], at, mask, length))
	}
	dst = dst[:n]
	for i := range dst {
		dst[i] = tags[i]
	}
	return n, nil
}

// views puts the tags of views into tags. It reports whether all are right.
func (s *start) views(tags []uint64, views [][viewSize]byte, buffers [][]byte) bool {
	for i := range tags {
		view := &views[i]
		buffer, at, length, mask := inBuffer(view)
		if buffer >= uint(len(buffers)) || !fits(buffers[buffer], at, length&mask) {
			return false
		}
		tags[i] = s.hash(either(view[4:], buffers[buffer], at, mask, length))
	}
	return true
}

func (h *Hasher) manyViews(dst []uint64, views [][viewSize]byte, buffers [][]byte) (int, error) {
	n := len(views)
	if h.s.few(n) {
		var tags [2 * fewMessages]uint64
		if !h.s.views(tags[:n], views, buffers) {
			return 0, ErrViews
		}
		copy(dst, tags[:n])
		return n, nil
	}
	if !rightViews(views, buffers) {
		return 0, ErrViews
	}
	if !h.s.many(dst, &messages{layout: inViews, views: views, buffers: buffers}, n) {
		h.s.views(dst[:n], views, buffers)
	}
	return n, nil
}

// many hashes n messages of any lengths in groups. If that is not faster than one at a time, it does nothing and returns
// false.
func (s *start) many(dst []uint64, m *messages, n int) bool {
	k := active()
	if !m.fill(k, n) {
		return false
	}
	b := batch{k: k, s: s, narrow: dst}
	b.ragged(m, n)
	return true
}

// HashUint64s puts the [HasherX.HashUint64] tag of each integer of src into dst.
func (h *HasherX) HashUint64s(dst []Uint128, src []uint64) int {
	n := min(len(dst), len(src))
	if n > fewIntegers {
		h.manyUint64s(dst, src[:n])
		return n
	}
	for i, x := range src[:n] {
		dst[i] = h.s.hashUint64X(x)
	}
	return n
}

func (h *HasherX) manyUint64s(dst []Uint128, src []uint64) {
	b := batch{s: &h.s, wide: true, wides: dst}
	b.k = active()
	b.uint64s(src)
}

// HashUint128s puts the [HasherX.HashUint128] tag of each integer of src into dst. dst and src must be
// the same slice or not overlap.
func (h *HasherX) HashUint128s(dst []Uint128, src []Uint128) int {
	n := min(len(dst), len(src))
	if n > fewIntegers {
		h.manyUint128s(dst, src[:n])
		return n
	}
	for i, x := range src[:n] {
		dst[i] = h.s.hashUint128X(x)
	}
	return n
}

func (h *HasherX) manyUint128s(dst []Uint128, src []Uint128) {
	b := batch{s: &h.s, wide: true, wides: dst}
	b.k = active()
	b.uint128s(src)
}

// HashStrings puts the tag of each string of src into dst.
func (h *HasherX) HashStrings(dst []Uint128, src []string) int {
	n := min(len(dst), len(src))
	if !h.s.few(n) && h.s.manyX(dst, &messages{layout: inStrings, strings: src}, n) {
		return n
	}
	for i, p := range src[:n] {
		dst[i] = h.s.hashX(bytesOf(p))
	}
	return n
}

// HashSlices puts the tag of each slice of src into dst.
func (h *HasherX) HashSlices(dst []Uint128, src [][]byte) int {
	n := min(len(dst), len(src))
	if !h.s.few(n) && h.s.manyX(dst, &messages{layout: inSlices, slices: src}, n) {
		return n
	}
	for i, p := range src[:n] {
		dst[i] = h.s.hashX(p)
	}
	return n
}

// HashRows puts the tag of each row of data into dst. Rows are adjacent and have width bytes each; bytes after
// the last whole row are ignored. If width is 0, there are as many rows as tags, all empty. If it is negative,
// there are none.
func (h *HasherX) HashRows(dst []Uint128, data []byte, width int) int {
	n := rowCount(len(dst), len(data), width)
	if !h.s.fewRows(n) {
		h.manyRows(dst, data, width, n)
		return n
	}
	for i := range dst[:n] {
		dst[i] = h.s.hashX(data[:width])
		data = data[width:]
	}
	return n
}

func (h *HasherX) manyRows(dst []Uint128, data []byte, width, n int) {
	b := batch{s: &h.s, wide: true, wides: dst}
	b.k = active()
	b.rows(data, width, n)
}

// HashOffsets32 puts the tag of each data[offsets[i]:offsets[i+1]] into dst, so n+1 offsets make n messages. It
// reads only the offsets of messages that dst has room for. If one is wrong, the error is [ErrOffsets] and dst is
// unchanged.
//
//go:noinline
func (h *HasherX) HashOffsets32(dst []Uint128, data []byte, offsets []int32) (int, error) {
	if len(offsets) == 2 && len(dst) > 0 {
		from, to := int64(offsets[0]), int64(offsets[1])
		if from < 0 || from > to || to > int64(len(data)) {
			return 0, ErrOffsets
		}
		dst[0] = h.s.hashX(data[from:to])
		return 1, nil
	}
	return hashOffsetsX(&h.s, dst, data, offsets)
}

// HashOffsets64 is HashOffsets32 with 64-bit offsets.
//
//go:noinline
func (h *HasherX) HashOffsets64(dst []Uint128, data []byte, offsets []int64) (int, error) {
	if len(offsets) == 2 && len(dst) > 0 {
		from, to := int64(offsets[0]), int64(offsets[1])
		if from < 0 || from > to || to > int64(len(data)) {
			return 0, ErrOffsets
		}
		dst[0] = h.s.hashX(data[from:to])
		return 1, nil
	}
	return hashOffsetsX(&h.s, dst, data, offsets)
}

// hashOffsetsX is hashOffsets for wide tags.
func hashOffsetsX[T int32 | int64](s *start, dst []Uint128, data []byte, offsets []T) (int, error) {
	n := min(len(dst), max(len(offsets), 1)-1)
	if n == 0 {
		return 0, nil
	}
	if n <= offsetsAtOnce {
		from := int64(offsets[0])
		var tags [offsetsAtOnce]Uint128
		for i, at := range offsets[1 : n+1] {
			to := int64(at)
			if from < 0 || from > to || to > int64(len(data)) {
				return 0, ErrOffsets
			}
			tags[i] = s.hashX(data[from:to])
			from = to
		}
		dst = dst[:n]
		for i := range dst {
			dst[i] = tags[i]
		}
		return n, nil
	}
	if !rightOffsets(len(data), offsets[:n+1]) {
		return 0, ErrOffsets
	}
	if !s.few(n) && s.manyX(dst, inOffsets(data, offsets), n) {
		return n, nil
	}
	from := offsets[0]
	for i, to := range offsets[1 : n+1] {
		dst[i] = s.hashX(data[from:to])
		from = to
	}
	return n, nil
}

// HashViews puts the tag of each message of Arrow's string views or binary views into dst. A view holds the length of
// its message, then up to 12 bytes of it. A longer one is in one of the buffers. What follows a short message in its
// view does not count, and the prefix of a long one is not read. HashViews looks only at views of messages that dst has
// room for. If one is wrong, the error is [ErrViews] and dst is unchanged.
func (h *HasherX) HashViews(dst []Uint128, views [][viewSize]byte, buffers [][]byte) (int, error) {
	n := min(len(dst), len(views))
	if len(buffers) == 0 {
		buffers = noBuffers[:]
	}
	if n > viewsAtOnce {
		return h.manyViews(dst, views[:n], buffers)
	}
	if n == 1 {
		buffer, at, length, mask := inBuffer(&views[0])
		if buffer >= uint(len(buffers)) || !fits(buffers[buffer], at, length&mask) {
			return 0, ErrViews
		}
		dst[0] = h.s.hashX(either(views[0][4:], buffers[buffer], at, mask, length))
		return 1, nil
	}
	var tags [viewsAtOnce]Uint128
	for i := range views[:n] {
		view := &views[i]
		buffer, at, length, mask := inBuffer(view)
		if buffer >= uint(len(buffers)) || !fits(buffers[buffer], at, length&mask) {
			return 0, ErrViews
		}
		tags[i] = h.s.hashX(either(view[4:], buffers[buffer], at, mask, length))
	}
	dst = dst[:n]
	for i := range dst {
		dst[i] = tags[i]
	}
	return n, nil
}

// viewsX is views for tags of two words.
func (s *start) viewsX(tags []Uint128, views [][viewSize]byte, buffers [][]byte) bool {
	for i := range tags {
		view := &views[i]
		buffer, at, length, mask := inBuffer(view)
		if buffer >= uint(len(buffers)) || !fits(buffers[buffer], at, length&mask) {
			return false
		}
		tags[i] = s.hashX(either(view[4:], buffers[buffer], at, mask, length))
	}
	return true
}

func (h *HasherX) manyViews(dst []Uint128, views [][viewSize]byte, buffers [][]byte) (int, error) {
	n := len(views)
	if h.s.few(n) {
		var tags [2 * fewMessages]Uint128
		if !h.s.viewsX(tags[:n], views, buffers) {
			return 0, ErrViews
		}
		copy(dst, tags[:n])
		return n, nil
	}
	if !rightViews(views, buffers) {
		return 0, ErrViews
	}
	if !h.s.manyX(dst, &messages{layout: inViews, views: views, buffers: buffers}, n) {
		h.s.viewsX(dst[:n], views, buffers)
	}
	return n, nil
}

// manyX is many for wide tags.
func (s *start) manyX(dst []Uint128, m *messages, n int) bool {
	k := active()
	if !m.fill(k, n) {
		return false
	}
	b := batch{k: k, s: s, wide: true, wides: dst}
	b.ragged(m, n)
	return true
}

// rowCount returns the number of rows to hash.
func rowCount(tags, data, width int) int {
	if width < 0 {
		return 0
	}
	// Most calls have as many tags as rows. They need no division.
	if high, low := bits.Mul(uint(tags), uint(width)); high == 0 && low <= uint(data) {
		return tags
	}
	return data / width
}

// So many messages are hashed while their offsets or views are checked: their tags wait. More have to be checked before.
const (
	offsetsAtOnce = 8
	viewsAtOnce   = 16
)

// rightOffsets reports whether offsets do not decrease, and fit into so many bytes of data.
//
// It is not inlined. Among the variables of its callers, the compiler would keep the loop's in memory.
//
//go:noinline
func rightOffsets[T int32 | int64](data int, offsets []T) bool {
	before := T(0)
	for _, at := range offsets {
		if at < before {
			return false
		}
		before = at
	}
	return int64(before) <= int64(data)
}

// rightViews reports whether all views are right.
func rightViews(views [][viewSize]byte, buffers [][]byte) bool {
	for i := range views {
		buffer, at, length, mask := inBuffer(&views[i])
		if buffer >= uint(len(buffers)) || !fits(buffers[buffer], at, length&mask) {
			return false
		}
	}
	return true
}

// inOffsets returns the messages between offsets.
func inOffsets[T int32 | int64](data []byte, offsets []T) *messages {
	switch list := any(offsets).(type) {
	case []int32:
		return &messages{layout: inOffsets32, data: data, offsets32: list}
	case []int64:
		return &messages{layout: inOffsets64, data: data, offsets64: list}
	}
	return nil
}
