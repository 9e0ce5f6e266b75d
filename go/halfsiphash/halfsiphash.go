// Package halfsiphash implements HalfSipHash-c-d, SipHash in words of 32 bits, for CPUs that have no larger ones.
//
// Its calls are those of package siphash: a [Hasher] is a key made ready and gives tags of 32 bits, a [HasherX] gives
// tags of 64 bits, a [Stream] is a message that arrives in pieces, and HashUint32s and its relatives hash many
// messages at once, several in each vector of the CPU. No call allocates.
//
// Keys have 64 bits only, and tags of 32 bits collide after about 2^16 messages: this is for hash tables, where
// speed on small CPUs matters, and for compatibility. It is not for authentication, and on a CPU of 64 bits
// SipHash is the better choice.
//
// No branch and no index depends on a key or on the bytes of a message; lengths do steer.
//
// Package fmt shows nothing of a key, but for the verbs %w, and %p of a value, where it asks no methods, and in
// unexported fields of other types.
//
// With the build tag purego no assembly is used.
package halfsiphash

import (
	"errors"
	"fmt"
	"io"
)

// KeySize is the size of a key in bytes.
const KeySize = 8

// ErrRounds is the answer to a request for no rounds at all.
var ErrRounds = errors.New("halfsiphash: the numbers of rounds must be at least 1")

// A Hasher computes tags of 32 bits under one key. Its zero value has no key and is of no use; New and its
// relatives make one.
//
// Package fmt prints nothing of the key in a Hasher, nor in an exported field that holds one. It calls no methods of
// unexported fields, so do not print structs that have a Hasher in one.
type Hasher struct{ s state }

// New13 prepares key for HalfSipHash-1-3.
func New13(key *[KeySize]byte) Hasher { return Hasher{newState(key, mode13)} }

// New24 prepares key for HalfSipHash-2-4.
func New24(key *[KeySize]byte) Hasher { return Hasher{newState(key, mode24)} }

// New prepares key for HalfSipHash-c-d: c rounds for each word of 4 bytes and d rounds at the end. If one of them
// is 0 the error is [ErrRounds].
func New(key *[KeySize]byte, c, d uint8) (Hasher, error) {
	m, err := newMode(c, d)
	if err != nil {
		return Hasher{}, err
	}
	return Hasher{newState(key, m)}, nil
}

func newMode(c, d uint8) (mode, error) {
	if c == 0 || d == 0 {
		return 0, ErrRounds
	}
	return mode(c-1) | mode(d-1)<<8, nil
}

// Fold returns a hasher under the same key that takes the bytes 'A' to 'Z' of every message for 'a' to 'z', and no
// other bytes for each other.
func (h Hasher) Fold() Hasher {
	h.s.mode |= foldFlag
	return h
}

// Wipe overwrites the hasher. Copies of it stay what they are, and so may those that the run-time system has made.
//
// It is not inlined: where it is a last use, the compiler could leave it out.
//
//go:noinline
func (h *Hasher) Wipe() { *h = Hasher{} }

// Format implements [fmt.Formatter] and shows nothing of the key.
func (h Hasher) Format(f fmt.State, _ rune) { h.s.mode.format(f, "halfsiphash.Hasher") }

func (m mode) format(f fmt.State, name string) {
	io.WriteString(f, name)
	fmt.Fprintf(f, "(%d-%d)", m.c(), m.d())
}

// Hash returns the tag of p.
func (h *Hasher) Hash(p []byte) uint32 { return h.s.hash(p) }

// HashString returns the tag of the bytes of s.
func (h *Hasher) HashString(s string) uint32 { return h.s.hash(bytesOf(s)) }

// HashUint32 returns the tag of the 4 bytes of x, the lowest first.
func (h *Hasher) HashUint32(x uint32) uint32 { return h.s.hashUint32(x) }

// HashUint64 returns the tag of the 8 bytes of x, the lowest first.
func (h *Hasher) HashUint64(x uint64) uint32 { return h.s.hashUint64(x) }

// Verify reports whether tag is the tag of p. How long it takes says nothing about the tags.
func (h *Hasher) Verify(p []byte, tag uint32) bool { return h.Hash(p)^tag == 0 }

// A HasherX is a [Hasher] of tags of 64 bits. They are not longer forms of the tags of 32 bits.
type HasherX struct{ s state }

// NewX13 prepares key for HalfSipHash-1-3 with tags of 64 bits.
func NewX13(key *[KeySize]byte) HasherX { return HasherX{newStateX(key, mode13)} }

// NewX24 prepares key for HalfSipHash-2-4 with tags of 64 bits.
func NewX24(key *[KeySize]byte) HasherX { return HasherX{newStateX(key, mode24)} }

// NewX prepares key for HalfSipHash-c-d with tags of 64 bits. If c or d is 0 the error is [ErrRounds].
func NewX(key *[KeySize]byte, c, d uint8) (HasherX, error) {
	m, err := newMode(c, d)
	if err != nil {
		return HasherX{}, err
	}
	return HasherX{newStateX(key, m)}, nil
}

func newStateX(key *[KeySize]byte, m mode) state {
	s := newState(key, m)
	s.v1 ^= wideMark
	return s
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
func (h HasherX) Format(f fmt.State, _ rune) { h.s.mode.format(f, "halfsiphash.HasherX") }

// Hash returns the tag of p.
func (h *HasherX) Hash(p []byte) uint64 { return h.s.hashX(p) }

// HashString returns the tag of the bytes of s.
func (h *HasherX) HashString(s string) uint64 { return h.s.hashX(bytesOf(s)) }

// HashUint32 returns the tag of the 4 bytes of x, the lowest first.
func (h *HasherX) HashUint32(x uint32) uint64 { return h.s.hashUint32X(x) }

// HashUint64 returns the tag of the 8 bytes of x, the lowest first.
func (h *HasherX) HashUint64(x uint64) uint64 { return h.s.hashUint64X(x) }

// Verify reports whether tag is the tag of p. How long it takes says nothing about the tags.
func (h *HasherX) Verify(p []byte, tag uint64) bool { return h.Hash(p)^tag == 0 }
