package poly1305

import "errors"

// ErrCount is the error for a batch whose slices differ in length.
var ErrCount = errors.New("poly1305: a batch needs as many keys and tags as messages")

// SumMany puts the tag of messages[i] under the one-time key keys[i] into tags[i], for all i. If the slices differ
// in length, it returns [ErrCount] and does nothing. No message may overlap tags.
//
// If the CPU has AVX-512 IFMA, 8 consecutive messages are computed together, up to the length of the shortest. They are
// computed one by one if the longest is at least twice as long. So put messages of similar lengths next to each other.
func SumMany(tags [][TagSize]byte, keys [][KeySize]byte, messages [][]byte) error {
	if len(tags) != len(messages) || len(keys) != len(messages) {
		return ErrCount
	}
	if len(messages) >= fewest {
		many().sum(tags, keys, messages)
		return nil
	}
	for i, p := range messages {
		Sum(&tags[i], p, &keys[i])
	}
	return nil
}

// VerifyMany puts into good[i] whether macs[i] is the tag of messages[i] under keys[i], for all i. If the slices
// differ in length, it returns [ErrCount] and does nothing. Its time does not depend on the tags.
func VerifyMany(good []bool, macs [][TagSize]byte, keys [][KeySize]byte, messages [][]byte) error {
	n := len(messages)
	if len(good) != n || len(macs) != n || len(keys) != n {
		return ErrCount
	}
	if n >= fewest {
		many().verify(good, macs, keys, messages)
		return nil
	}
	var tag [TagSize]byte
	for i, m := range messages {
		Sum(&tag, m, &keys[i])
		good[i] = equal(&tag, &macs[i])
	}
	return nil
}
