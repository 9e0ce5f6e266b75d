package siphash

import "encoding/binary"

// Integers of half a word. HalfSipHash has no such type: its integers have one word or two.

// HashUint32 returns the tag of the 4 bytes of x in little-endian order.
func (h *Hasher) HashUint32(x uint32) uint64 { tag, _ := h.s.halvesUint32(x, false); return tag }

// HashUint32 returns the tag of the 4 bytes of x in little-endian order.
func (h *HasherX) HashUint32(x uint32) Uint128 { return newUint128(h.s.halvesUint32(x, true)) }

// HashUint32s puts the [Hasher.HashUint32] tag of each integer of src into dst.
func (h *Hasher) HashUint32s(dst []uint64, src []uint32) int {
	n := min(len(dst), len(src))
	if n > fewIntegers {
		h.manyUint32s(dst, src[:n])
		return n
	}
	for i, x := range src[:n] {
		dst[i] = h.HashUint32(x)
	}
	return n
}

func (h *Hasher) manyUint32s(dst []uint64, src []uint32) {
	b := batch{s: &h.s, narrow: dst}
	b.k = active()
	b.uint32s(src)
}

// HashUint32s puts the [HasherX.HashUint32] tag of each integer of src into dst.
func (h *HasherX) HashUint32s(dst []Uint128, src []uint32) int {
	n := min(len(dst), len(src))
	if n > fewIntegers {
		h.manyUint32s(dst, src[:n])
		return n
	}
	for i, x := range src[:n] {
		dst[i] = h.HashUint32(x)
	}
	return n
}

func (h *HasherX) manyUint32s(dst []Uint128, src []uint32) {
	b := batch{s: &h.s, wide: true, wides: dst}
	b.k = active()
	b.uint32s(src)
}

func (s *start) halvesUint32(x uint32, wide bool) (lo, hi uint64) {
	var p [4]byte
	binary.LittleEndian.PutUint32(p[:], x)
	return s.halves(p[:], wide)
}

// uint32s hashes integers of 4 bytes: a message is one word, which includes the length.
func (b *batch) uint32s(src []uint32) {
	i := 0
	for k := b.take(len(src), 1); k > 0; k = b.take(len(src)-i, 1) {
		for j, x := range src[i : i+k] {
			b.words[j] = b.s.mode.fold(uint64(x)) | 4<<56
		}
		b.run(i, k, 1, 0)
		i += k
	}
	for ; i < len(src); i++ {
		lo, hi := b.s.halvesUint32(src[i], b.wide)
		if b.wide {
			b.wides[i] = newUint128(lo, hi)
		} else {
			b.narrow[i] = lo
		}
	}
}
