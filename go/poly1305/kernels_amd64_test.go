//go:build !purego

package poly1305

import (
	"testing"

	"keylane.example/go/internal/cpu"
)

// withKernels runs a test with each kernel. A kernel takes every message that is long enough for it.
func withKernels(t *testing.T, test func(t *testing.T)) {
	defer func(a kernel, f [len(from)]int, k int) { active, from, keeping = a, f, k }(active, from, keeping)
	keeping = 0
	for _, k := range []struct {
		name   string
		kernel kernel
		works  bool
	}{
		{"poly1305_x1_u64", scalar, true},
		{"poly1305_p4_avx2", avx2, cpu.AVX2},
		{"poly1305_p8_avx512ifma", ifma, cpu.IFMA},
	} {
		t.Run(k.name, func(t *testing.T) {
			if !k.works {
				t.Skip("not run: this CPU lacks the instructions")
			}
			active = k.kernel
			if active != scalar {
				from[active] = 128
			}
			test(t)
			t.Log("ran")
		})
	}
}
