// Package halfsiphash implements HalfSipHash-c-d: SipHash with words of 32 bits, for 32-bit CPUs.
//
// It is used like package siphash:
//
//   - A [Hasher] is a prepared key, and its tags have 32 bits. The tags of a [HasherX] have 64 bits.
//   - A [Stream] hashes a message that arrives in pieces.
//   - HashUint32s and its relatives hash many messages at once, several in each vector of the CPU.
//
// No call allocates.
//
// Keys have 64 bits only, and two of about 2^16 messages share a tag of 32 bits. So HalfSipHash is for hash tables
// on small CPUs, and for compatibility. It is not for authentication. On a 64-bit CPU, SipHash is the better
// choice.
//
// No branch and no memory address depends on a key or on the bytes of a message. Both may depend on a length.
//
// Package fmt prints no key where it calls methods. It calls none for the verb %w, for %p of a value, and for unexported
// fields of other types.
//
// Batches use the best kernel that this CPU has and that passes its self-test. The first of them chooses it, in
// less than a millisecond; [Kernels] names it. Single messages and batches of a few use no kernel. The build tag purego
// leaves out all assembly.
package halfsiphash

//go:generate go run -C ../asm ./halfsiphash
//go:generate go run -C ../asm ./siphash -word 32

// KeySize is the size of a key in bytes.
const KeySize = 8
