// Package poly1305 implements Poly1305, a one-time authenticator with tags of 128 bits (RFC 8439, section 2.5).
//
// A key is 32 bytes and good for ONE message. Two messages under one key give the key away, and anyone can forge
// from then on. So a key is made anew for each message, by a cipher from a long-lived key and a nonce, as
// ChaCha20-Poly1305 does it. Whoever does not know the key forges a message of L bytes with chance at most
// 8 ceil(L / 16) / 2^106 a try. A tag does not commit to its key: whoever chooses the key can find another key and
// message with the same tag.
//
// [Sum] and [Verify] take a message at once, a [MAC] takes one that arrives in pieces, [SumMany] and [VerifyMany]
// take many messages, each under its own key. No call allocates memory, but for New where its result escapes.
//
// No branch and no index depends on a key, a tag or the bytes of a message; lengths do steer.
//
// Keys, accumulators and powers of keys are overwritten where this package has kept them in memory. Go sets limits
// to that: what stood in registers, what the compiler has put aside on the stack, and old copies of a stack that has
// grown are out of reach. The caller's own copy of a key is the caller's to wipe.
//
// With the build tag purego no assembly is used.
package poly1305

import "crypto/subtle"

const (
	// KeySize is the size of a key in bytes: 16 of r, of which 22 bits are ignored, and 16 of s.
	KeySize = 32
	// TagSize is the size of a tag in bytes.
	TagSize = 16

	blockSize = 16
)

// Sum puts the tag of m under a one-time key into out. No other message may ever have this key.
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

// Verify reports whether mac is the tag of m under key. The time does not depend on where a tag differs.
func Verify(mac *[TagSize]byte, m []byte, key *[KeySize]byte) bool {
	var tag [TagSize]byte
	Sum(&tag, m, key)
	return subtle.ConstantTimeCompare(tag[:], mac[:]) == 1
}

// sumLong is Sum for messages that may be worth the powers of r.
func sumLong(out *[TagSize]byte, m []byte, key *[KeySize]byte) {
	k := load(key)
	k.finish(out, element{}, m)
}

// finish puts the tag of a message into out that goes on from h with the bytes of m.
func (k key) finish(out *[TagSize]byte, h element, m []byte) {
	whole := len(m) &^ (blockSize - 1)
	h = h.whole(k, m[:whole])
	if len(m) > whole {
		h = h.last(k.r0, k.r1, m[whole:])
	}
	k.tag(out, h)
}
