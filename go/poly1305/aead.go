package poly1305

import "encoding/binary"

// SumAEAD puts the tag of ChaCha20-Poly1305 (RFC 8439, section 2.8) into out. It is the tag of the additional data and
// the ciphertext, each filled up with zeros to whole blocks, and their lengths. Never use the key for another message.
func SumAEAD(out *[TagSize]byte, additionalData, ciphertext []byte, key *[KeySize]byte) {
	k := load(key)
	h := element{}.filled(k, additionalData).filled(k, ciphertext)
	k.tag(out, h.lengths(k, len(additionalData), len(ciphertext)))
}

// SumManyAEAD puts the tag that [SumAEAD] computes of additionalData[i] and ciphertexts[i] under the one-time key keys[i]
// into tags[i], for all i. If the slices differ in length, it returns [ErrCount] and does nothing. [SumMany] says which
// messages are computed together.
func SumManyAEAD(tags [][TagSize]byte, keys [][KeySize]byte, additionalData, ciphertexts [][]byte) error {
	n := len(ciphertexts)
	if len(tags) != n || len(keys) != n || len(additionalData) != n {
		return ErrCount
	}
	for ; len(tags) >= fewest; tags, keys = tags[8:], keys[8:] {
		group, text := (*[8][]byte)(additionalData), (*[8][]byte)(ciphertexts)
		if !many().eightAEAD((*[8][TagSize]byte)(tags), (*[8][KeySize]byte)(keys), group, text) {
			for i := range group {
				SumAEAD(&tags[i], group[i], text[i], &keys[i])
			}
		}
		additionalData, ciphertexts = additionalData[8:], ciphertexts[8:]
	}
	for i := range tags {
		SumAEAD(&tags[i], additionalData[i], ciphertexts[i], &keys[i])
	}
	return nil
}

// filled returns h with p absorbed, filled up with zeros to whole blocks.
func (h element) filled(k key, p []byte) element {
	whole := len(p) &^ (blockSize - 1)
	if whole < least {
		h = h.blocks(k.r0, k.r1, p[:whole])
	} else {
		h = h.whole(active(), k, p[:whole])
	}
	if len(p) > whole {
		var block [blockSize]byte
		copy(block[:], p[whole:])
		h = h.blocks(k.r0, k.r1, block[:])
	}
	return h
}

// lengths returns h with the block of both lengths absorbed.
func (h element) lengths(k key, additionalData, ciphertext int) element {
	var block [blockSize]byte
	binary.LittleEndian.PutUint64(block[:8], uint64(additionalData))
	binary.LittleEndian.PutUint64(block[8:], uint64(ciphertext))
	return h.blocks(k.r0, k.r1, block[:])
}
