package prefetch

import (
	"slices"
	"testing"
	"unsafe"
)

// TestLines calls Lines with arbitrary addresses. It must not read beyond the slice, nor change memory.
func TestLines(t *testing.T) {
	memory := make([]byte, 4096)
	for n := range 70 {
		addresses := make([]unsafe.Pointer, n)
		for i := range addresses {
			if i%3 != 0 {
				addresses[i] = unsafe.Pointer(&memory[i*61%len(memory)])
			}
		}
		before := slices.Clone(addresses)
		Lines(addresses)
		if !slices.Equal(addresses, before) {
			t.Fatalf("with %d addresses, one was changed", n)
		}
	}
	if slices.ContainsFunc(memory, func(b byte) bool { return b != 0 }) {
		t.Error("memory was changed")
	}
}
