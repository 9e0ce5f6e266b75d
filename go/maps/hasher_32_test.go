//go:build 386 || arm || mips || mipsle

package maps

import (
	"testing"

	"keylane.example/go/halfsiphash"
)

// TestDrawnIsHalf compares a map that drew its key with HalfSipHash under a key that is known.
func TestDrawnIsHalf(t *testing.T) {
	half := halfsiphash.New13(&[halfsiphash.KeySize]byte{1, 2, 3})
	expect := func(what string, got uint64, tag uint32) {
		t.Helper()
		if got != spread(tag) {
			t.Errorf("of %s: %#x, not %#x", what, got, spread(tag))
		}
	}
	ints, longs, names, flows := New[int32, int](1), New[int64, int](1), New[name, int](1), New[flow, int](1)
	ints.hasher.half, longs.hasher.half, names.hasher.half, flows.hasher.half = half, half, half, half
	expect("an integer of 4 bytes", ints.hash(-2), half.HashUint32(0xfffffffe))
	expect("an integer of 8 bytes", longs.hash(-2), half.HashUint64(0xfffffffffffffffe))
	expect("a string", names.hash("name"), half.HashString("name"))
	expect("an array", flows.hash(flow{12: 7}), half.Hash(append(make([]byte, 12), 7)))
}
