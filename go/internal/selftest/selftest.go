// Package selftest has what the self-tests of the other packages share. Their inputs and checksums are those of the Rust
// library, in crates/keylane/src/dispatch/selftest.
package selftest

import (
	"encoding/binary"
	"math/bits"
)

// Rounds are the rounds c and d that are tested: those with code of their own in some kernel, and others.
var Rounds = [...][2]uint8{{1, 1}, {1, 2}, {1, 3}, {2, 4}, {4, 8}, {3, 5}}

const (
	// Messages is the number of messages, and of integers, in a batch.
	Messages = 130
	// Lengths is the number of lengths: message i has i % Lengths bytes.
	Lengths = 41
	// First is where the first message begins. The others follow without gaps.
	First = 64
	// Size is the number of bytes, including some before and after the messages.
	Size = First + 2481 + 8
	// Width is the length of the messages of a fixed length, the first of which begins at the first byte.
	Width = 19
	// Keys is the number of keys for Poly1305. Key i is the 32 bytes of the input from byte i on.
	Keys = 7
)

// Input fills p with all kinds of bytes, letters of both cases among them.
func Input(p []byte) {
	for i := range p {
		p[i] = byte(i)*0x3d + 0x41
	}
}

// Integer returns integer i of a batch, of which shorter integers are the low bytes.
func Integer(i int) (lo, hi uint64) {
	return uint64(Sum(0).mix(uint64(i))), uint64(Sum(1).mix(uint64(i)))
}

// Differ fills p with words that all differ. The last one may be cut.
func Differ(p []byte) {
	for i := 0; len(p) > 0; i++ {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], uint64(Sum(2).mix(uint64(i))))
		p = p[copy(p, word[:]):]
	}
}

// A Sum is a checksum of tags that depends on their order.
type Sum uint64

// Plus returns the checksum with a tag of one or two words added.
func Plus[W uint32 | uint64](s Sum, lo, hi W) Sum { return s.mix(uint64(lo)).mix(uint64(hi)) }

// Bytes returns the checksum with bytes added, eight at a time.
func (s Sum) Bytes(p []byte) Sum {
	for ; len(p) >= 8; p = p[8:] {
		s = s.mix(binary.LittleEndian.Uint64(p))
	}
	return s
}

func (s Sum) mix(x uint64) Sum {
	return Sum((bits.RotateLeft64(uint64(s), 7) ^ x) * 0x9e3779b97f4a7c15)
}
