package siphash

import "fmt"

// A HasherX is a [Hasher] whose tags have 128 bits. A tag of 64 bits is no part of the longer one.
type HasherX struct{ s start }

// NewX13 prepares key for SipHash-1-3 with tags of 128 bits.
func NewX13(key *[KeySize]byte) HasherX { return HasherX{newStart(key, mode13, wideMark)} }

// NewX24 prepares key for SipHash-2-4 with tags of 128 bits.
func NewX24(key *[KeySize]byte) HasherX { return HasherX{newStart(key, mode24, wideMark)} }

// NewX prepares key for SipHash-c-d with tags of 128 bits. If c or d is 0, the error is [ErrRounds].
func NewX(key *[KeySize]byte, c, d uint8) (HasherX, error) {
	m, err := newMode(c, d)
	if err != nil {
		return HasherX{}, err
	}
	return HasherX{newStart(key, m, wideMark)}, nil
}

// Fold returns a hasher under the same key that ignores ASCII case: it reads the bytes 'A' to 'Z' as 'a' to 'z'.
func (h HasherX) Fold() HasherX {
	h.s.mode |= foldFlag
	return h
}

// Wipe overwrites the hasher, as [Hasher.Wipe] does.
//
// It is not inlined, because the compiler could then remove the store as dead.
//
//go:noinline
func (h *HasherX) Wipe() { *h = HasherX{} }

// Format implements [fmt.Formatter] and shows nothing of the key.
func (h HasherX) Format(f fmt.State, _ rune) { h.s.mode.format(f, "siphash.HasherX") }

// Hash returns the tag of p.
func (h *HasherX) Hash(p []byte) Uint128 { return h.s.hashX(p) }

// HashString returns the tag of the bytes of s.
func (h *HasherX) HashString(s string) Uint128 { return h.s.hashX(bytesOf(s)) }

// HashUint64 returns the tag of the 8 bytes of x in little-endian order.
func (h *HasherX) HashUint64(x uint64) Uint128 { return h.s.hashUint64X(x) }

// HashUint128 returns the tag of the 16 bytes of x in little-endian order.
func (h *HasherX) HashUint128(x Uint128) Uint128 { return h.s.hashUint128X(x) }

// Verify reports whether tag is the tag of p. Its time does not depend on the tags.
func (h *HasherX) Verify(p []byte, tag Uint128) bool { return equalUint128(h.Hash(p), tag) }
