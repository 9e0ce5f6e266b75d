package siphash

import "errors"

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
	if !h.s.few(n) {
		h.many(dst, &messages{layout: inStrings, strings: src}, n)
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
	if !h.s.few(n) {
		h.many(dst, &messages{layout: inSlices, slices: src}, n)
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
	if n > fewRows {
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
func (h *Hasher) HashOffsets32(dst []uint64, data []byte, offsets []int32) (int, error) {
	if p, ok := only(data, offsets); ok && len(dst) > 0 {
		dst[0] = h.s.hash(p)
		return 1, nil
	}
	n, err := offsetCount(len(dst), len(data), offsets)
	if !h.s.few(n) {
		h.many(dst, &messages{layout: inOffsets32, data: data, offsets32: offsets}, n)
		return n, nil
	}
	if n == 0 {
		return 0, err
	}
	from := offsets[0]
	for i, to := range offsets[1 : n+1] {
		dst[i] = h.s.hash(data[from:to])
		from = to
	}
	return n, nil
}

// HashOffsets64 is HashOffsets32 with 64-bit offsets.
func (h *Hasher) HashOffsets64(dst []uint64, data []byte, offsets []int64) (int, error) {
	if p, ok := only(data, offsets); ok && len(dst) > 0 {
		dst[0] = h.s.hash(p)
		return 1, nil
	}
	n, err := offsetCount(len(dst), len(data), offsets)
	if !h.s.few(n) {
		h.many(dst, &messages{layout: inOffsets64, data: data, offsets64: offsets}, n)
		return n, nil
	}
	if n == 0 {
		return 0, err
	}
	from := offsets[0]
	for i, to := range offsets[1 : n+1] {
		dst[i] = h.s.hash(data[from:to])
		from = to
	}
	return n, nil
}

// HashViews puts the tag of each message of Arrow's string views or binary views into dst. A view holds the length of
// its message, then up to 12 bytes of it. A longer one is in one of the buffers. What follows a short message in its
// view does not count, and the prefix of a long one is not read. HashViews looks only at views of messages that dst has
// room for. If one is wrong, the error is [ErrViews] and dst is unchanged.
func (h *Hasher) HashViews(dst []uint64, views [][viewSize]byte, buffers [][]byte) (int, error) {
	n, err := viewCount(len(dst), views, buffers)
	if !h.s.few(n) {
		h.many(dst, &messages{layout: inViews, views: views, buffers: buffers}, n)
		return n, err
	}
	if n == 0 {
		return 0, err
	}
	for i := range views[:n] {
		dst[i] = h.s.hash(viewed(&views[i], buffers))
	}
	return n, nil
}

// many hashes n messages of any lengths.
func (h *Hasher) many(dst []uint64, m *messages, n int) {
	b := batch{s: &h.s, narrow: dst}
	b.k = active()
	b.ragged(m, n)
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

// HashUint128s puts the [HasherX.HashUint128] tag of each integer of src into dst.
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
	if !h.s.few(n) {
		h.many(dst, &messages{layout: inStrings, strings: src}, n)
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
	if !h.s.few(n) {
		h.many(dst, &messages{layout: inSlices, slices: src}, n)
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
	if n > fewRows {
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
func (h *HasherX) HashOffsets32(dst []Uint128, data []byte, offsets []int32) (int, error) {
	if p, ok := only(data, offsets); ok && len(dst) > 0 {
		dst[0] = h.s.hashX(p)
		return 1, nil
	}
	n, err := offsetCount(len(dst), len(data), offsets)
	if !h.s.few(n) {
		h.many(dst, &messages{layout: inOffsets32, data: data, offsets32: offsets}, n)
		return n, nil
	}
	if n == 0 {
		return 0, err
	}
	from := offsets[0]
	for i, to := range offsets[1 : n+1] {
		dst[i] = h.s.hashX(data[from:to])
		from = to
	}
	return n, nil
}

// HashOffsets64 is HashOffsets32 with 64-bit offsets.
func (h *HasherX) HashOffsets64(dst []Uint128, data []byte, offsets []int64) (int, error) {
	if p, ok := only(data, offsets); ok && len(dst) > 0 {
		dst[0] = h.s.hashX(p)
		return 1, nil
	}
	n, err := offsetCount(len(dst), len(data), offsets)
	if !h.s.few(n) {
		h.many(dst, &messages{layout: inOffsets64, data: data, offsets64: offsets}, n)
		return n, nil
	}
	if n == 0 {
		return 0, err
	}
	from := offsets[0]
	for i, to := range offsets[1 : n+1] {
		dst[i] = h.s.hashX(data[from:to])
		from = to
	}
	return n, nil
}

// HashViews puts the tag of each message of Arrow's string views or binary views into dst. A view holds the length of
// its message, then up to 12 bytes of it. A longer one is in one of the buffers. What follows a short message in its
// view does not count, and the prefix of a long one is not read. HashViews looks only at views of messages that dst has
// room for. If one is wrong, the error is [ErrViews] and dst is unchanged.
func (h *HasherX) HashViews(dst []Uint128, views [][viewSize]byte, buffers [][]byte) (int, error) {
	n, err := viewCount(len(dst), views, buffers)
	if !h.s.few(n) {
		h.many(dst, &messages{layout: inViews, views: views, buffers: buffers}, n)
		return n, err
	}
	if n == 0 {
		return 0, err
	}
	for i := range views[:n] {
		dst[i] = h.s.hashX(viewed(&views[i], buffers))
	}
	return n, nil
}

// many hashes n messages of any lengths.
func (h *HasherX) many(dst []Uint128, m *messages, n int) {
	b := batch{s: &h.s, wide: true, wides: dst}
	b.k = active()
	b.ragged(m, n)
}

// rowCount returns the number of rows to hash.
func rowCount(tags, data, width int) int {
	switch {
	case width < 0:
		return 0
	case width == 0:
		return tags
	}
	return min(tags, data/width)
}

// only returns the only message between offsets, if there is one and its offsets are right.
func only[T int32 | int64](data []byte, offsets []T) ([]byte, bool) {
	if len(offsets) == 2 {
		if from, to := int64(offsets[0]), int64(offsets[1]); from >= 0 && from <= to && to <= int64(len(data)) {
			return data[from:to], true
		}
	}
	return nil, false
}

// offsetCount returns the number of messages between offsets, or an error if an offset is wrong.
//
// It is not inlined. Among the variables of its callers, the compiler would keep the loop's in memory.
//
//go:noinline
func offsetCount[T int32 | int64](tags, data int, offsets []T) (int, error) {
	n := min(tags, max(len(offsets), 1)-1)
	if n == 0 {
		return 0, nil
	}
	before := T(0)
	for _, at := range offsets[:n+1] {
		if at < before {
			return 0, ErrOffsets
		}
		before = at
	}
	if int64(before) > int64(data) {
		return 0, ErrOffsets
	}
	return n, nil
}

// viewCount returns the number of messages of views, or an error if a view is wrong.
func viewCount(tags int, views [][viewSize]byte, buffers [][]byte) (int, error) {
	n := min(tags, len(views))
	if len(buffers) == 0 {
		buffers = noBuffers[:]
	}
	for i := range views[:n] {
		view := &views[i]
		length := number(view, 0)
		// No branch predictor knows which messages are in a buffer. So the others count as empty ones of the first.
		mask := uint((inline - int64(length)) >> 63)
		buffer, at := number(view, 8)&mask, number(view, 12)&mask
		length &= mask
		if length > 1<<31-1 || buffer >= uint(len(buffers)) {
			return 0, ErrViews
		}
		size := uint(len(buffers[buffer]))
		if at > size || length > size-at {
			return 0, ErrViews
		}
	}
	return n, nil
}
