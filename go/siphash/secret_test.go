package siphash

import (
	"hash"
	"testing"

	"keylane.example/go/internal/hashtest"
)

var _ hash.Hash64 = (*Stream)(nil)

var _ hash.Hash = (*StreamX)(nil)

func TestKeysAreNotPrinted(t *testing.T) {
	h, x := New24(&testKey), NewX24(&testKey)
	s, sx := h.Stream(), x.Stream()
	hashtest.NotPrinted(t,
		h, &h, x, &x, s, &s, sx, &sx, []Hasher{h}, map[int]HasherX{1: x}, struct{ H Hasher }{h})
}

func TestWipe(t *testing.T) {
	h, x := New24(&testKey), NewX24(&testKey)
	s, sx := h.Stream(), x.Stream()
	s.Write(testKey[:])
	sx.Write(testKey[:])
	hashtest.Wiped(t, &h)
	hashtest.Wiped(t, &x)
	hashtest.Wiped(t, &s)
	hashtest.Wiped(t, &sx)
}

func TestNamedVariants(t *testing.T) {
	hashtest.Named(t, &testKey, New, map[[2]uint8]Hasher{{1, 3}: New13(&testKey), {2, 4}: New24(&testKey)})
	hashtest.Named(t, &testKey, NewX, map[[2]uint8]HasherX{{1, 3}: NewX13(&testKey), {2, 4}: NewX24(&testKey)})
}
