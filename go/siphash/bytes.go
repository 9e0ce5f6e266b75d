package siphash

import "unsafe"

// bytesOf returns the bytes of s without a copy. This package never writes to a message or keeps one, so s does
// not change.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// pointer returns the address of p, and message turns it back into p. Pointers and lengths of 8 bits take less
// memory than slices.
func pointer(p []byte) *byte { return unsafe.SliceData(p) }

// message returns the n bytes at p, where p and n must come from the same slice.
func message(p *byte, n uint8) []byte { return unsafe.Slice(p, n) }

// either returns the first n bytes of inline, or if mask is not 0 those of p from at on. They must have as many.
func either(inline, p []byte, at, mask, n uint) []byte {
	from, other := unsafe.Pointer(unsafe.SliceData(inline)), unsafe.Add(unsafe.Pointer(unsafe.SliceData(p)), at)
	if mask != 0 {
		from = other
	}
	return unsafe.Slice((*byte)(from), n)
}
