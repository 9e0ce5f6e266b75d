package chacha20poly1305

import "unsafe"

// checkOverlap panics if out overlaps text elsewhere than at its beginning, or the additional data.
func checkOverlap(out, text, additionalData []byte) {
	if overlap(out, text) && &out[0] != &text[0] {
		panic("chacha20poly1305: invalid buffer overlap of output and input")
	}
	if overlap(out, additionalData) {
		panic("chacha20poly1305: invalid buffer overlap of output and additional data")
	}
}

// overlap reports whether a and b share memory.
func overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	// SAFETY: the addresses are compared only. Both objects are alive, so the collector has not reused their memory.
	firstA, firstB := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	return firstA < firstB+uintptr(len(b)) && firstB < firstA+uintptr(len(a))
}
