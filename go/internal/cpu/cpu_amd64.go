//go:build !purego

package cpu

import "golang.org/x/sys/cpu"

var (
	// AVX2 has vectors of 256 bits.
	AVX2 = cpu.X86.HasAVX2
	// AVX512 has vectors of 512 bits, and operations on bytes, 64-bit words and shorter vectors (F, BW, DQ, VL).
	AVX512 = AVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL
	// IFMA adds 52-bit products, double-word shifts and bit counts to AVX512 (IFMA, VBMI2, POPCNT).
	IFMA = AVX512 && cpu.X86.HasAVX512IFMA && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasPOPCNT
)
