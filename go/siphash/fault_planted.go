//go:build keylane_planted

package siphash

// A result is a tag that a kernel has computed.
type result struct {
	k                 *kernel
	mode              mode
	n                 int  // words of the message, with its length in the last if length is 0
	last, length      word // the last of these words, and the word after them if it is not 0
	group, lane, half int  // where the tag is; half is 1 for the high half of a wide tag
}

// planted reports whether a result is to be wrong. Only tests of the self-test set it.
var planted func(result) bool

// spoil changes the tags that a kernel has computed.
func (k *kernel) spoil(s *state, wide bool, dst, src []word, groups, n int, length word) {
	if planted == nil {
		return
	}
	halves := 1
	if wide {
		halves = 2
	}
	for i := range groups * halves * k.lanes {
		r := result{k, s.mode, n, 0, length, i / k.lanes / halves, i % k.lanes, i / k.lanes % halves}
		r.last = src[(r.group*n+n-1)*k.lanes+r.lane]
		if planted(r) {
			dst[i] ^= 1 << (i % (8 * wordSize))
		}
	}
}
