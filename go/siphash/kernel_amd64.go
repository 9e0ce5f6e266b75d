//go:build !purego

package siphash

import (
	"keylane.example/go/internal/cpu"
	"keylane.example/go/internal/dispatch"
)

var vectorKernels = []dispatch.Row[kernel]{
	{Name: "siphash_x8_avx512", Here: cpu.AVX512, Kernel: kernel{maxLanes}},
	{Name: "siphash_x4_avx2", Here: cpu.AVX2, Kernel: kernel{8}},
}

// run hashes groups of k.lanes messages. In src a group is n >= 1 words of each message: the first words of all
// lanes, then the second words, and so on. A length other than 0 is one more word of every message. In dst a
// group is its tags; if they are wide, all low halves come before all high halves.
func (k *kernel) run(s *state, wide bool, dst, src []word, groups, n int, length word) {
	v, to, from, c, d := &s.v0, &dst[0], &src[0], s.mode.c(), s.mode.d()
	switch {
	case k.lanes == maxLanes && wide:
		lanesXAVX512(v, to, from, groups, n, c, d, length)
	case k.lanes == maxLanes:
		lanesAVX512(v, to, from, groups, n, c, d, length)
	case wide:
		lanesXAVX2(v, to, from, groups, n, c, d, length)
	default:
		lanesAVX2(v, to, from, groups, n, c, d, length)
	}
	k.spoil(s, wide, dst, src, groups, n, length)
}

// transpose writes the n words of messages of 8 bytes or more to dst. The order is: the first words of all lanes, then
// the second words, and so on. The last byte of a message's last word is its length.
func transpose(dst []word, messages *[maxLanes]*byte, lengths *[maxLanes]uint8, lanes, n int) {
	transposeAVX2(&dst[0], &messages[0], &lengths[0], lanes, n)
}
