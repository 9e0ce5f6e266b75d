package siphash_test

import (
	"testing"

	"keylane.example/go/siphash"
)

// zeroKey is not on the stack.
var zeroKey [siphash.KeySize]byte

// stays checks that calls leave the variables of their caller on its stack. The caller must be in another package: there
// the compiler may know less of what a function does with its arguments.
func stays(t *testing.T, calls map[string]func()) {
	t.Helper()
	for name, call := range calls {
		if n := testing.AllocsPerRun(10, call); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestStackMessage(t *testing.T) {
	stays(t, map[string]func(){
		"New": func() {
			var key [siphash.KeySize]byte
			h, _ := siphash.New(&key, 2, 3)
			x, _ := siphash.NewX(&key, 2, 3)
			h.Wipe()
			x.Wipe()
		},
		"Hash": func() {
			var key [siphash.KeySize]byte
			var data [10]byte
			h, x := siphash.New13(&key), siphash.NewX13(&key)
			h, x = h.Fold(), x.Fold()
			h.Verify(data[:], h.Hash(data[:]))
			x.Verify(data[:], x.Hash(data[:]))
		},
		"HashString": func() {
			var key [siphash.KeySize]byte
			var data [10]byte
			h, x := siphash.New24(&key), siphash.NewX24(&key)
			h.HashString(string(data[:]))
			x.HashString(string(data[:]))
		},
		"integers": func() {
			h, x := siphash.New24(&zeroKey), siphash.NewX24(&zeroKey)
			var long siphash.Uint128
			h.HashUint64(1)
			x.HashUint64(1)
			h.HashUint128(long)
			x.HashUint128(long)
		},
		"Stream": func() {
			var data, sum [16]byte
			h := siphash.New13(&zeroKey)
			d := h.Stream()
			d.Write(data[:])
			d.WriteString(string(data[:]))
			d.Sum64()
			d.Sum(sum[:0])
			d.Reset()
			d.Wipe()
		},
		"StreamX": func() {
			var data, sum [16]byte
			x := siphash.NewX13(&zeroKey)
			d := x.Stream()
			d.Write(data[:])
			d.WriteString(string(data[:]))
			d.Sum128()
			d.Sum(sum[:0])
			d.Reset()
			d.Wipe()
		},
	})
}

// One call that keeps a slice would hide that the next does, so each kind of offsets has its own slices.
func TestStackMessages(t *testing.T) {
	const n = 200 // for any kernel
	type (
		narrow = [n]uint64
		wide   = [n]siphash.Uint128
		bytes  = [10 * n]byte
	)
	h, x := siphash.New13(&zeroKey), siphash.NewX13(&zeroKey)
	stays(t, map[string]func(){
		"HashUint64s": func() {
			var src, tags narrow
			var wides wide
			h.HashUint64s(tags[:], src[:])
			x.HashUint64s(wides[:], src[:])
		},
		"HashUint128s": func() {
			var tags narrow
			var src, wides wide
			h.HashUint128s(tags[:], src[:])
			x.HashUint128s(wides[:], src[:])
		},
		"HashStrings": func() {
			var tags narrow
			var wides wide
			var data [10]byte
			src := [n]string{string(data[:])}
			h.HashStrings(tags[:], src[:])
			x.HashStrings(wides[:], src[:])
		},
		"HashSlices": func() {
			var tags narrow
			var wides wide
			var data bytes
			var src [n][]byte
			for i := range src {
				src[i] = data[10*i:][:10]
			}
			h.HashSlices(tags[:], src[:])
			x.HashSlices(wides[:], src[:])
		},
		"HashRows": func() {
			var tags narrow
			var wides wide
			var data bytes
			h.HashRows(tags[:], data[:], 10)
			x.HashRows(wides[:], data[:], 10)
		},
		"HashOffsets32": func() {
			var tags narrow
			var data bytes
			var offsets [n + 1]int32
			for i := range offsets {
				offsets[i] = int32(10 * i)
			}
			h.HashOffsets32(tags[:], data[:], offsets[:])
		},
		"HashOffsets32, wide": func() {
			var wides wide
			var data bytes
			var offsets [n + 1]int32
			for i := range offsets {
				offsets[i] = int32(10 * i)
			}
			x.HashOffsets32(wides[:], data[:], offsets[:])
		},
		"HashOffsets64": func() {
			var tags narrow
			var data bytes
			var offsets [n + 1]int64
			for i := range offsets {
				offsets[i] = int64(10 * i)
			}
			h.HashOffsets64(tags[:], data[:], offsets[:])
		},
		"HashOffsets64, wide": func() {
			var wides wide
			var data bytes
			var offsets [n + 1]int64
			for i := range offsets {
				offsets[i] = int64(10 * i)
			}
			x.HashOffsets64(wides[:], data[:], offsets[:])
		},
		"HashViews": func() {
			var tags narrow
			var wides wide
			var data bytes
			var views [n][16]byte
			buffers := [1][]byte{data[:]}
			for i := range views {
				views[i][0] = byte(i % 20)
			}
			h.HashViews(tags[:], views[:], buffers[:])
			x.HashViews(wides[:], views[:], buffers[:])
		},
	})
}
