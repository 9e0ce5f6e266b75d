package poly1305

import (
	"crypto/subtle"
	"errors"
)

// ErrCount is the error for a batch whose slices differ in length.
var ErrCount = errors.New("poly1305: a batch needs as many keys and tags as messages")

// SumMany puts the tag of messages[i] under the one-time key keys[i] into tags[i], for all i. If the slices differ
// in length, it returns [ErrCount] and does nothing.
//
// If the CPU has AVX-512 IFMA, 8 consecutive messages are computed together, up to the length of the shortest. So
// put messages of similar lengths next to each other.
func SumMany(tags [][TagSize]byte, keys [][KeySize]byte, messages [][]byte) error {
	if len(tags) != len(messages) || len(keys) != len(messages) {
		return ErrCount
	}
	sumMany(tags, keys, messages)
	return nil
}

// VerifyMany puts into good[i] whether macs[i] is the tag of messages[i] under keys[i], for all i. If the slices
// differ in length, it returns [ErrCount] and does nothing. Its time does not depend on the tags.
func VerifyMany(good []bool, macs [][TagSize]byte, keys [][KeySize]byte, messages [][]byte) error {
	n := len(messages)
	if len(good) != n || len(macs) != n || len(keys) != n {
		return ErrCount
	}
	var tags [64][TagSize]byte
	for len(messages) > 0 {
		n := min(len(messages), len(tags))
		sumMany(tags[:n], keys[:n], messages[:n])
		for i, tag := range tags[:n] {
			good[i] = subtle.ConstantTimeCompare(tag[:], macs[i][:]) == 1
		}
		good, macs, keys, messages = good[n:], macs[n:], keys[n:], messages[n:]
	}
	return nil
}
