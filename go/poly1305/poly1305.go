// Package poly1305 implements Poly1305, a one-time authenticator with tags of 128 bits (RFC 8439, section 2.5).
//
// A key has 32 bytes and must be used for ONE message only. Two messages under one key reveal it, and anyone can
// then forge tags. So derive a new key for each message from a long-lived key and a nonce by a cipher, as
// ChaCha20-Poly1305 does. Without the key, one attempt to forge a message of L bytes succeeds with probability at
// most 8 ceil(L / 16) / 2^106. A tag does not commit to its key: someone who chooses the key can find another key
// and message with the same tag.
//
//   - [Sum] and [Verify] take one message.
//   - A [MAC] takes a message that arrives in pieces.
//   - [SumMany] and [VerifyMany] take many messages, each under its own key.
//   - [SumAEAD] and [SumManyAEAD] take what ChaCha20-Poly1305 authenticates: additional data and a ciphertext.
//
// No call allocates memory, except New if its result escapes.
//
// No branch and no memory address depends on a key, a tag or the bytes of a message. Both may depend on a length.
//
// This package overwrites the keys, accumulators and powers of keys that it kept in memory. Go limits this:
// registers, values that the compiler spilled to the stack, and old copies of a stack that has grown are out of
// reach. The caller must wipe its own copy of a key.
//
// Messages of 256 bytes or more (1024 on arm64), and batches, use the best kernel that this CPU has and that passes its
// self-test. The first of them chooses it, in less than a millisecond; [Kernels] names it. The build tag purego leaves out
// all assembly.
package poly1305

import "encoding/binary"

const (
	// KeySize is the size of a key in bytes: 16 for r, which ignores 22 of its bits, and 16 for s.
	KeySize = 32
	// TagSize is the size of a tag in bytes.
	TagSize = 16

	blockSize = 16
)

// Sum puts the tag of m under a one-time key into out. Never use this key for another message.
func Sum(out *[TagSize]byte, m []byte, key *[KeySize]byte) {
	if len(m) >= long {
		sumLong(out, m, key)
		return
	}
	k := load(key)
	h := element{}.blocks(k.r0, k.r1, m)
	if tail := m[len(m)&^(blockSize-1):]; len(tail) > 0 {
		h = h.last(k.r0, k.r1, tail)
	}
	k.tag(out, h)
}

// Verify reports whether mac is the tag of m under key. Its time does not depend on the tags.
func Verify(mac *[TagSize]byte, m []byte, key *[KeySize]byte) bool {
	var tag [TagSize]byte
	Sum(&tag, m, key)
	return equal(&tag, mac)
}

// equal compares in constant time.
func equal(a, b *[TagSize]byte) bool {
	low := binary.LittleEndian.Uint64(a[:8]) ^ binary.LittleEndian.Uint64(b[:8])
	high := binary.LittleEndian.Uint64(a[8:]) ^ binary.LittleEndian.Uint64(b[8:])
	return low|high == 0
}

// sumLong is Sum for messages that may be long enough for powers of r.
func sumLong(out *[TagSize]byte, m []byte, key *[KeySize]byte) {
	k := load(key)
	k.finish(out, element{}, m)
}

// finish absorbs m, the rest of a message, into h, and puts the tag into out.
func (k key) finish(out *[TagSize]byte, h element, m []byte) {
	whole := len(m) &^ (blockSize - 1)
	if whole < least {
		h = h.blocks(k.r0, k.r1, m[:whole])
	} else {
		h = h.whole(active(), k, m[:whole])
	}
	if len(m) > whole {
		h = h.last(k.r0, k.r1, m[whole:])
	}
	k.tag(out, h)
}
