package siphash

import (
	"errors"
	"fmt"
	"io"
)

// ErrRounds is the error for a number of rounds of 0.
var ErrRounds = errors.New("siphash: the numbers of rounds must be at least 1")

// A Hasher computes tags of 64 bits under one key. New and its relatives make one; the zero value has no key and
// is useless.
//
// Package fmt does not print the key of a Hasher, even in an exported field of a struct. It calls no methods of
// unexported fields, so do not print a struct that has a Hasher in one.
type Hasher struct{ s start }

// New13 prepares key for SipHash-1-3.
func New13(key *[KeySize]byte) Hasher { return Hasher{newStart(key, mode13, 0)} }

// New24 prepares key for SipHash-2-4.
func New24(key *[KeySize]byte) Hasher { return Hasher{newStart(key, mode24, 0)} }

// New prepares key for SipHash-c-d: c rounds for each word of 8 bytes, and d rounds at the end. If c or d is 0,
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

// Fold returns a hasher under the same key that ignores ASCII case: it reads the bytes 'A' to 'Z' as 'a' to 'z'.
func (h Hasher) Fold() Hasher {
	h.s.mode |= foldFlag
	return h
}

// Wipe overwrites the hasher. It does not reach copies, neither yours nor those that the Go runtime may have
// made.
//
// It is not inlined, because the compiler could then remove the store as dead.
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
func (h *Hasher) Hash(p []byte) uint64 { return h.s.hash(p) }

// HashString returns the tag of the bytes of s.
func (h *Hasher) HashString(s string) uint64 { return h.s.hash(bytesOf(s)) }

// HashUint64 returns the tag of the 8 bytes of x in little-endian order.
func (h *Hasher) HashUint64(x uint64) uint64 { return h.s.hashUint64(x) }

// HashUint128 returns the tag of the 16 bytes of x in little-endian order.
func (h *Hasher) HashUint128(x Uint128) uint64 { return h.s.hashUint128(x) }

// Verify reports whether tag is the tag of p. Its time does not depend on the tags.
func (h *Hasher) Verify(p []byte, tag uint64) bool { return h.Hash(p)^tag == 0 }
