package siphash

import "encoding/binary"

// A word is the integer that SipHash computes with. HalfSipHash differs by more than names only in this file, in
// answers.go and in one.go. asm/halfsiphash generates the rest of that package from this one.
type word = uint64

const (
	wordSize    = 8  // bytes in a word
	lengthShift = 56 // position of the length in the last word of a message, in bits
	maxLanes    = 32 // messages in a group of the widest kernel
)

// Batches of so few integers, rows, or messages of any lengths are hashed one by one.
const (
	fewIntegers = 12
	fewRows     = 16
	fewRows13   = 31 // with as few rounds as 1-3
	fewMessages = 64
)

// quarters is how many quarters of the lanes must be full for messages of any lengths: in the mean of all groups, and in a
// last group with as few rounds as 1-3.
const quarters = 3

// The initial state, before the key is xored in: "somepseudorandomlygeneratedbytes".
const (
	init0 = 0x736f6d6570736575
	init1 = 0x646f72616e646f6d
	init2 = 0x6c7967656e657261
	init3 = 0x7465646279746573
)

// shortTail is tail for fewer than 8 bytes: two loads, which may overlap.
func shortTail(p []byte) word {
	switch n := len(p); {
	case n >= 4:
		high := uint64(binary.LittleEndian.Uint32(p[n-4:]))
		return uint64(binary.LittleEndian.Uint32(p)) | high<<(8*n-32&63)
	case n >= 2:
		high := uint64(binary.LittleEndian.Uint16(p[n-2:]))
		return uint64(binary.LittleEndian.Uint16(p)) | high<<(8*n-16&63)
	case n == 1:
		return uint64(p[0])
	}
	return 0
}

// xor returns the word that a tag takes from the state.
func (s *state) xor() word { return s.v0 ^ s.v1 ^ s.v2 ^ s.v3 }
