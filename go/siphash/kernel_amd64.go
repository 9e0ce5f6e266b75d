//go:build !purego

package siphash

import "keylane.example/go/internal/cpu"

//go:generate go run -C ../asm ./siphash -word 64

var vectorKernels = []kernel{
	{"siphash_x8_avx512", 32, cpu.AVX512},
	{"siphash_x4_avx2", 8, cpu.AVX2},
}

// run hashes groups of k.lanes messages. A group is n >= 1 words of src for each, the first ones of all, and so
// on, and if length is not 0 that word too. For each group dst gets the tags, or the low halves of all tags and
// then the high ones if they are wide.
func (k kernel) run(s *state, wide bool, dst, src []uint64, groups, n int, length uint64) {
	v, to, from, c, d := &s.v0, &dst[0], &src[0], s.mode.c(), s.mode.d()
	switch {
	case k.lanes == 32 && wide:
		lanesXAVX512(v, to, from, groups, n, c, d, length)
	case k.lanes == 32:
		lanesAVX512(v, to, from, groups, n, c, d, length)
	case wide:
		lanesXAVX2(v, to, from, groups, n, c, d, length)
	default:
		lanesAVX2(v, to, from, groups, n, c, d, length)
	}
}

// transpose puts the n words of messages of 8 bytes or more at dst: the first words of all lanes, and so on, with the
// length in the last byte of the last word.
func transpose(dst []uint64, messages *[maxLanes]*byte, lengths *[maxLanes]uint8, lanes, n int) {
	transposeAVX2(&dst[0], &messages[0], &lengths[0], lanes, n)
}
