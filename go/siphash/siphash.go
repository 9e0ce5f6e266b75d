// Package siphash implements SipHash-c-d, a keyed hash for short messages.
//
// A [Hasher] is a key made ready for a number of rounds, and gives tags of 64 bits; a [HasherX] gives tags of
// 128 bits. Both are plain values: they may be copied and used by many goroutines at a time, and no
// call of theirs allocates. One message is hashed by Hash and its relatives, a message that arrives in pieces by a
// [Stream], and many messages at once, several in each vector of the CPU, by HashUint64s and its relatives.
//
// SipHash is a pseudorandom function: whoever does not know the key can tell nothing about the tags of messages
// that he has not seen. SipHash-1-3 is the usual choice for hash tables, SipHash-2-4 for authentication. A tag of 64
// bits is forged with chance 2^-64 a try, and among about 2^32 messages two have the same. SipHash-1-1 and 1-2
// are for compatibility and hash tables only. Whoever knows the key can find collisions.
//
// A key should come from [crypto/rand] and be used with one variant only.
//
// No branch and no index depends on a key or on the bytes of a message; lengths do steer.
//
// Package fmt shows nothing of a key, but for the verbs %w, and %p of a value, where it asks no methods, and in
// unexported fields of other types.
//
// With the build tag purego no assembly is used.
package siphash

import (
	"errors"
	"fmt"
	"io"
)

// KeySize is the size of a key in bytes.
const KeySize = 16

// ErrRounds is the answer to a request for no rounds at all.
var ErrRounds = errors.New("siphash: the numbers of rounds must be at least 1")

// A Hasher computes tags of 64 bits under one key. Its zero value has no key and is of no use; New and its
// relatives make one.
//
// Package fmt prints nothing of the key in a Hasher, nor in an exported field that holds one. It calls no methods of
// unexported fields, so do not print structs that have a Hasher in one.
type Hasher struct{ s start }

// New11 prepares key for SipHash-1-1.
func New11(key *[KeySize]byte) Hasher { return Hasher{newStart(key, mode11, 0)} }

// New12 prepares key for SipHash-1-2.
func New12(key *[KeySize]byte) Hasher { return Hasher{newStart(key, mode12, 0)} }

// New13 prepares key for SipHash-1-3.
func New13(key *[KeySize]byte) Hasher { return Hasher{newStart(key, mode13, 0)} }

// New24 prepares key for SipHash-2-4.
func New24(key *[KeySize]byte) Hasher { return Hasher{newStart(key, mode24, 0)} }

// New48 prepares key for SipHash-4-8.
func New48(key *[KeySize]byte) Hasher { return Hasher{newStart(key, mode48, 0)} }

// New prepares key for SipHash-c-d: c rounds for each word of 8 bytes and d rounds at the end. If one of them is 0
// the error is [ErrRounds].
func New(key *[KeySize]byte, c, d uint8) (Hasher, error) {
	m, err := newMode(c, d)
	if err != nil {
		return Hasher{}, err
	}
	return Hasher{newStart(key, m, 0)}, nil
}

func newMode(c, d uint8) (mode, error) {
	if c == 0 || d == 0 {
		return 0, ErrRounds
	}
	return mode(d-1) | mode(c-1)<<8, nil
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
func (h Hasher) Format(f fmt.State, _ rune) { h.s.mode.format(f, "siphash.Hasher") }

func (m mode) format(f fmt.State, name string) {
	io.WriteString(f, name)
	fmt.Fprintf(f, "(%d-%d)", m.c(), m.d())
}

// Hash returns the tag of p.
func (h *Hasher) Hash(p []byte) uint64 { tag, _ := h.s.hash(p, false); return tag }

// HashString returns the tag of the bytes of s.
func (h *Hasher) HashString(s string) uint64 { return h.Hash(bytesOf(s)) }

// HashUint32 returns the tag of the 4 bytes of x, the lowest first.
func (h *Hasher) HashUint32(x uint32) uint64 { tag, _ := h.s.hashUint32(x, false); return tag }

// HashUint64 returns the tag of the 8 bytes of x, the lowest first.
func (h *Hasher) HashUint64(x uint64) uint64 { return h.s.hashUint64(x) }

// HashUint128 returns the tag of the 16 bytes of x, the lowest first.
func (h *Hasher) HashUint128(x Uint128) uint64 { tag, _ := h.s.hashUint128(x, false); return tag }

// Verify reports whether tag is the tag of p. How long it takes says nothing about the tags.
func (h *Hasher) Verify(p []byte, tag uint64) bool { return h.Hash(p)^tag == 0 }
