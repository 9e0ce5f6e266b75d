package poly1305

import (
	"crypto/subtle"
	"errors"
)

// ErrCount is the answer to a batch whose slices are not equally long.
var ErrCount = errors.New("poly1305: a batch needs as many keys and tags as messages")

// SumMany puts the tag of messages[i] under the one-time key keys[i] into tags[i], for all i. If the slices are not
// equally long it returns [ErrCount] and does nothing.
//
// Where the CPU can, 8 messages at a time are computed together, in their order, as far as the shortest of them goes.
// So it is best to have messages of like lengths beside each other.
func SumMany(tags [][TagSize]byte, keys [][KeySize]byte, messages [][]byte) error {
	if len(tags) != len(messages) || len(keys) != len(messages) {
		return ErrCount
	}
	sumMany(tags, keys, messages)
	return nil
}

// VerifyMany puts into good[i] whether macs[i] is the tag of messages[i] under keys[i], for all i. If the slices are
// not equally long it returns [ErrCount] and does nothing. The time does not depend on where a tag differs.
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
