package maps_test

import (
	"testing"

	"keylane.example/go/maps"
)

// TestStack checks that calls from another package leave variables of their caller on its stack. The calls are written
// out, since escape analysis does not see through a type parameter.
func TestStack(t *testing.T) {
	const n = 100
	longs, shorts := maps.New[uint64, int](n), maps.New[int32, int](n)
	texts, arrays := maps.New[string, int](n), maps.New[[5]byte, int](n)
	for name, call := range map[string]func(){
		"uint64": func() {
			var keys [n]uint64
			var values [n]int
			var found [n]bool
			longs.Put(keys[0], values[0])
			longs.PutMany(keys[:], values[:])
			longs.Get(keys[0])
			longs.GetMany(keys[:], values[:], found[:])
			for key, value := range longs.All() {
				keys[0], values[0] = key, value
			}
			longs.Delete(keys[0])
			longs.Clear()
		},
		"int32": func() {
			var keys [n]int32
			var values [n]int
			var found [n]bool
			shorts.Put(keys[0], values[0])
			shorts.PutMany(keys[:], values[:])
			shorts.Get(keys[0])
			shorts.GetMany(keys[:], values[:], found[:])
			for key, value := range shorts.All() {
				keys[0], values[0] = key, value
			}
			shorts.Delete(keys[0])
			shorts.Clear()
		},
		"string": func() {
			// The map keeps the bytes of keys that are put, so only look-ups can have them on the stack.
			kept := [n]string{"key"}
			var bytes [10]byte
			keys := [n]string{string(bytes[:])}
			var values [n]int
			var found [n]bool
			texts.Put(kept[0], values[0])
			texts.PutMany(kept[:], values[:])
			texts.Get(string(bytes[:]))
			texts.GetMany(keys[:], values[:], found[:])
			for key, value := range texts.All() {
				kept[0], values[0] = key, value
			}
			texts.Delete(string(bytes[:]))
			texts.Clear()
		},
		"array": func() {
			var keys [n][5]byte
			var values [n]int
			var found [n]bool
			arrays.Put(keys[0], values[0])
			arrays.PutMany(keys[:], values[:])
			arrays.Get(keys[0])
			arrays.GetMany(keys[:], values[:], found[:])
			for key, value := range arrays.All() {
				keys[0], values[0] = key, value
			}
			arrays.Delete(keys[0])
			arrays.Clear()
		},
	} {
		if n := testing.AllocsPerRun(10, call); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
