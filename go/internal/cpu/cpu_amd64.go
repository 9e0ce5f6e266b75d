//go:build !purego

package cpu

import "golang.org/x/sys/cpu"

var (
	// AVX2 is vectors of 256 bits.
	AVX2 = cpu.X86.HasAVX2
	// AVX512 is vectors of 512 bits with operations on bytes, words of 64 bits, and shorter vectors (F, BW, DQ, VL).
	AVX512 = AVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
	// IFMA is AVX512 with products of 52 bits, shifts of two words, and counts of bits (IFMA, VBMI2, POPCNT).
	IFMA = AVX512 && cpu.X86.HasAVX512IFMA && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasPOPCNT
)
