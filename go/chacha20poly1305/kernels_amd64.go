//go:build !purego

package chacha20poly1305

import (
	"keylane.example/go/internal/cpu"
	"keylane.example/go/internal/dispatch"
)

//go:generate go run -C ../asm ./chacha20poly1305 -out ../chacha20poly1305/asm_amd64.s -stubs ../chacha20poly1305/asm_amd64.go -pkg chacha20poly1305

// A method is the instruction set of a kernel.
type method uint8

const (
	scalar method = iota
	sse2
	avx2
	avx512
)

var pn = dispatch.Slot[kernel]{
	Name: "chacha20-pn",
	Rows: []dispatch.Row[kernel]{
		{Name: "chacha20_p16_avx512", Here: cpu.AVX512, Kernel: kernel{avx512}},
		{Name: "chacha20_p8_avx2", Here: cpu.AVX2, Kernel: kernel{avx2}},
		{Name: "chacha20_p4_sse2", Here: true, Kernel: kernel{sse2}},
		{Name: "chacha20_x1", Here: true, Kernel: kernel{scalar}},
	},
	Passes: (*kernel).passes,
}

var xn = dispatch.Slot[together]{
	Name: "chacha20-xn",
	Rows: []dispatch.Row[together]{
		{Name: "chacha20_x16_avx512", Here: cpu.AVX512, Kernel: together{avx512}},
		{Name: "chacha20_x8_avx2", Here: cpu.AVX2, Kernel: together{avx2}},
		{Name: "chacha20_x4_sse2", Here: true, Kernel: together{sse2}},
		{Name: "chacha20_x1", Here: true, Kernel: together{scalar}},
	},
	Passes: (*together).passes,
}

// xorBlocks XORs src, at least one whole block, with the key stream into dst.
func (k *kernel) xorBlocks(dst, src []byte, s *state) {
	blocks := len(src) / blockSize
	switch k.method {
	case avx512:
		xorAVX512(&dst[0], &src[0], blocks, &s.key, s.first, s.last)
	case avx2:
		xorAVX2(&dst[0], &src[0], blocks, &s.key, s.first, s.last)
	case sse2:
		xorSSE2(&dst[0], &src[0], blocks, &s.key, s.first, s.last)
	default:
		s.xorBlocks(dst, src)
	}
	k.spoil(dst, s)
}

// stream writes the key stream of the first n lanes. It may write to those behind them.
func (m *together) stream(out *[lanes * blockSize]byte, t *table, n int) {
	switch m.method {
	case avx512:
		lanesAVX512(out, (*[12 * lanes]uint32)(t), n)
	case avx2:
		lanesAVX2(out, (*[12 * lanes]uint32)(t), n)
	case sse2:
		lanesSSE2(out, (*[12 * lanes]uint32)(t), n)
	default:
		t.stream(out, n)
	}
	m.spoil(out, n)
}
