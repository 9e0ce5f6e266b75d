package halfsiphash

import "encoding/binary"

// A word is the integer that HalfSipHash computes with. Whatever differs in SipHash by more than a name stands in
// this file, in answers.go and in one.go; asm/halfsiphash generates the other files from package siphash.
type word = uint32

const (
	wordSize    = 4  // bytes in a word
	lengthShift = 24 // position of the length in the last word of a message, in bits
	maxLanes    = 64 // messages in a group of the widest kernel
)

// Batches of so few integers, rows, or messages of any lengths are hashed one by one.
const (
	fewIntegers = 16
	fewRows     = 16
	fewRows13   = 16 // with as few rounds as 1-3
	fewMessages = 96
)

// quarters is how many quarters of the lanes must be full for messages of any lengths: in the mean of all groups, and in a
// last group with as few rounds as 1-3.
const quarters = 1

// The initial state, before the key is xored in: the upper halves of SipHash's words. The first two are 0.
const (
	init2 = 0x6c796765
	init3 = 0x74656462
)

// shortTail is tail for fewer than 4 bytes: two loads, which may overlap.
func shortTail(p []byte) word {
	switch n := len(p); {
	case n >= 2:
		high := uint32(binary.LittleEndian.Uint16(p[n-2:]))
		return uint32(binary.LittleEndian.Uint16(p)) | high<<(8*n-16&31)
	case n == 1:
		return uint32(p[0])
	}
	return 0
}

// xor returns the word that a tag takes from the state.
func (s *state) xor() word { return s.v1 ^ s.v3 }

// A uint64 is a wide tag, or an integer of two words.

func newUint64(lo, hi uint32) uint64 { return uint64(lo) | uint64(hi)<<32 }

func split(x uint64) (lo, hi uint32) { return uint32(x), uint32(x >> 32) }

// equalUint64 compares in constant time.
func equalUint64(x, y uint64) bool { return x^y == 0 }

func appendUint64(b []byte, x uint64) []byte { return binary.LittleEndian.AppendUint64(b, x) }
