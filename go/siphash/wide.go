package siphash

import (
	"encoding/binary"
	"fmt"
)

// A Uint128 is an integer of 128 bits, Hi<<64 + Lo: a tag of a [HasherX], or a message.
type Uint128 struct{ Lo, Hi uint64 }

func newUint128(lo, hi uint64) Uint128 { return Uint128{lo, hi} }

// Bytes returns the bytes of x, the lowest first: the order in which the reference writes tags.
func (x Uint128) Bytes() [16]byte {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], x.Lo)
	binary.LittleEndian.PutUint64(b[8:], x.Hi)
	return b
}

// A HasherX is a [Hasher] of tags of 128 bits. They are not longer forms of the tags of 64 bits.
type HasherX struct{ s start }

// NewX13 prepares key for SipHash-1-3 with tags of 128 bits.
func NewX13(key *[KeySize]byte) HasherX { return HasherX{newStart(key, mode13, wideMark)} }

// NewX24 prepares key for SipHash-2-4 with tags of 128 bits.
func NewX24(key *[KeySize]byte) HasherX { return HasherX{newStart(key, mode24, wideMark)} }

// NewX48 prepares key for SipHash-4-8 with tags of 128 bits.
func NewX48(key *[KeySize]byte) HasherX { return HasherX{newStart(key, mode48, wideMark)} }

// NewX prepares key for SipHash-c-d with tags of 128 bits. If c or d is 0 the error is [ErrRounds].
func NewX(key *[KeySize]byte, c, d uint8) (HasherX, error) {
	m, err := newMode(c, d)
	if err != nil {
		return HasherX{}, err
	}
	return HasherX{newStart(key, m, wideMark)}, nil
}

// Fold returns a hasher under the same key that takes the bytes 'A' to 'Z' of every message for 'a' to 'z', and no
// other bytes for each other.
func (h HasherX) Fold() HasherX {
	h.s.mode |= foldFlag
	return h
}

// Wipe overwrites the hasher, as [Hasher.Wipe] does.
//
// It is not inlined: where it is a last use, the compiler could leave it out.
//
//go:noinline
func (h *HasherX) Wipe() { *h = HasherX{} }

// Format implements [fmt.Formatter] and shows nothing of the key.
func (h HasherX) Format(f fmt.State, _ rune) { h.s.mode.format(f, "siphash.HasherX") }

// Hash returns the tag of p.
func (h *HasherX) Hash(p []byte) Uint128 { return newUint128(h.s.hash(p, true)) }

// HashString returns the tag of the bytes of s.
func (h *HasherX) HashString(s string) Uint128 { return h.Hash(bytesOf(s)) }

// HashUint32 returns the tag of the 4 bytes of x, the lowest first.
func (h *HasherX) HashUint32(x uint32) Uint128 { return newUint128(h.s.hashUint32(x, true)) }

// HashUint64 returns the tag of the 8 bytes of x, the lowest first.
func (h *HasherX) HashUint64(x uint64) Uint128 { return newUint128(h.s.hashUint64X(x)) }

// HashUint128 returns the tag of the 16 bytes of x, the lowest first.
func (h *HasherX) HashUint128(x Uint128) Uint128 { return newUint128(h.s.hashUint128(x, true)) }

// Verify reports whether tag is the tag of p. How long it takes says nothing about the tags.
func (h *HasherX) Verify(p []byte, tag Uint128) bool {
	t := h.Hash(p)
	return (t.Lo^tag.Lo)|(t.Hi^tag.Hi) == 0
}
