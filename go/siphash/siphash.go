// Package siphash implements SipHash-c-d, a keyed hash for short messages.
//
// A [Hasher] is a key prepared for a number of rounds; its tags have 64 bits. The tags of a [HasherX] have 128 bits.
// Both are plain values: they may be copied, and used by many goroutines concurrently. No call allocates.
//
//   - Hash and its relatives hash one message.
//   - A [Stream] hashes a message that arrives in pieces.
//   - HashUint64s and its relatives hash many messages at once, several in each vector of the CPU.
//
// SipHash is a pseudorandom function: without the key, tags of new messages are indistinguishable from random
// numbers. SipHash-1-3 is the usual choice for hash tables, SipHash-2-4 for authentication. SipHash-1-1 and
// SipHash-1-2 are for compatibility and hash tables only. One attempt to forge a 64-bit tag succeeds with probability
// 2^-64. Among about 2^32 messages two share a 64-bit tag. Someone who knows the key can find collisions.
//
// Draw a key from [crypto/rand], and use it with one variant only.
//
// No branch and no memory address depends on a key or on the bytes of a message. Both may depend on a length.
//
// Package fmt prints no key where it calls methods. It calls none for the verb %w, for %p of a value, and for
// unexported fields of other types.
//
// Batches use the best kernel that this CPU has and that passes its self-test. The first of them chooses it, in
// less than a millisecond; [Kernels] names it. Single messages and batches of a few use no kernel. The build tag purego
// leaves out all assembly.
package siphash

//go:generate go run -C ../asm ./siphash -word 64

// KeySize is the size of a key in bytes.
const KeySize = 16

// Variants that HalfSipHash has no constructors for.
const (
	mode11 mode = 0 | 0<<8
	mode12 mode = 1 | 0<<8
	mode48 mode = 7 | 3<<8
)

// New11 prepares key for SipHash-1-1.
func New11(key *[KeySize]byte) Hasher { return Hasher{newStart(key, mode11, 0)} }

// New12 prepares key for SipHash-1-2.
func New12(key *[KeySize]byte) Hasher { return Hasher{newStart(key, mode12, 0)} }

// New48 prepares key for SipHash-4-8.
func New48(key *[KeySize]byte) Hasher { return Hasher{newStart(key, mode48, 0)} }

// NewX48 prepares key for SipHash-4-8 with tags of 128 bits. Under a key from which keylane's other languages derive
// subkeys, it should hash nothing: its tags are the subkeys.
func NewX48(key *[KeySize]byte) HasherX { return HasherX{newStart(key, mode48, wideMark)} }
