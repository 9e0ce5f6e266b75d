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
