package bench

import (
	"encoding/binary"
	"fmt"
	"testing"
	"unsafe"

	"github.com/cockroachdb/swiss"
	dchest "github.com/dchest/siphash"
	"keylane.example/go/maps"
	"keylane.example/go/siphash"
)

// The twelve benchmarks of the proposal for Go's maps [Go-maps], as they were: an integer or a string becomes true, and a
// key is made where it is used. So the time of a string includes its allocation. contrib/go-runtime has them for the
// built-in map under other hashes.
//
// For integers the number of keys, for strings the number and the bytes of a key.
var (
	lifeInts    = []int{10, 100, 10_000, 1_000_000}
	lifeStrings = [][2]int{{10, 2}, {100, 4}, {10_000, 6}, {1_000_000, 8}, {10, 20}, {100, 20}, {10, 100}, {100, 100}}
)

// next makes the next key. The loop of the proposal counts in the first byte and never carries, so it has at most 255
// keys. The mended loop carries into the next byte.
func next(key []byte, carry bool) {
	if key[0]++; key[0] != 0 {
		return
	}
	if !carry {
		key[0] = 1
		return
	}
	for i := 1; i < len(key); i++ {
		if key[i]++; key[i] != 0 {
			return
		}
	}
}

// A whole is a map from its creation until it is empty again, with the methods written out. It returns the number of
// entries, how many look-ups found true, and the number of entries that are left.
type whole struct {
	name    string
	ints    func(count int) (entries, found, left int)
	strings func(count, size int, carry bool) (entries, found, left int)
}

func wholes() []whole {
	variant := func(name string, prepare func(*[siphash.KeySize]byte) siphash.Hasher) whole {
		return keylaneLife(name,
			func() *maps.Map[int, bool] { key := randomKey(); return maps.NewWith[int, bool](prepare(&key), 0) },
			func() *maps.Map[string, bool] {
				key := randomKey()
				return maps.NewWith[string, bool](prepare(&key), 0)
			})
	}
	return []whole{
		{"builtin", builtInInts, builtInStrings},
		keylaneLife("keylane-1-3",
			func() *maps.Map[int, bool] { return maps.New[int, bool](0) },
			func() *maps.Map[string, bool] { return maps.New[string, bool](0) }),
		variant("keylane-1-1", siphash.New11),
		variant("keylane-2-4", siphash.New24),
		{"swiss-dchest-2-4", swissInts, swissStrings},
	}
}

// BenchmarkMapsLife gives the time of one map.
func BenchmarkMapsLife(b *testing.B) {
	for _, count := range lifeInts {
		if testing.Short() && count > 10_000 {
			continue
		}
		for _, w := range wholes() {
			b.Run(fmt.Sprintf("keys=int/count=%d/map=%s", count, w.name), func(b *testing.B) {
				for range b.N {
					w.ints(count)
				}
			})
		}
	}
	for _, cell := range lifeStrings {
		count, size := cell[0], cell[1]
		if testing.Short() && count > 10_000 {
			continue
		}
		for _, form := range []string{"printed", "mended"} {
			for _, w := range wholes() {
				name := fmt.Sprintf("keys=string-%s/bytes=%d/count=%d/map=%s", form, size, count, w.name)
				b.Run(name, func(b *testing.B) {
					for range b.N {
						w.strings(count, size, form == "mended")
					}
				})
			}
		}
	}
}

// TestLives compares with the numbers of keys that the loops make.
func TestLives(t *testing.T) {
	for _, w := range wholes() {
		expect := func(what string, keys, count int) func(entries, found, left int) {
			return func(entries, found, left int) {
				if entries != keys || found != count || left != 0 {
					t.Errorf("%s, %s: %d, %d and %d, not %d, %d and 0", w.name, what, entries, found, left, keys, count)
				}
			}
		}
		expect("integers", 1000, 1000)(w.ints(1000))
		expect("as printed", 255, 1000)(w.strings(1000, 6, false))
		expect("mended", 70_000, 70_000)(w.strings(70_000, 6, true))
	}
}

func builtInInts(count int) (entries, found, left int) {
	m := make(map[int]bool)
	for i := range count {
		m[i] = true
	}
	entries = len(m)
	for i := range count {
		if m[i] {
			found++
		}
	}
	for i := range count {
		delete(m, i)
	}
	return entries, found, len(m)
}

func builtInStrings(count, size int, carry bool) (entries, found, left int) {
	m := make(map[string]bool)
	key := make([]byte, size)
	for range count {
		next(key, carry)
		m[string(key)] = true
	}
	entries = len(m)
	clear(key)
	for range count {
		next(key, carry)
		if m[string(key)] {
			found++
		}
	}
	clear(key)
	for range count {
		next(key, carry)
		delete(m, string(key))
	}
	return entries, found, len(m)
}

func keylaneLife(name string, makeInts func() *maps.Map[int, bool], makeStrings func() *maps.Map[string, bool]) whole {
	return whole{name, func(count int) (entries, found, left int) {
		m := makeInts()
		for i := range count {
			m.Put(i, true)
		}
		entries = m.Len()
		for i := range count {
			if value, _ := m.Get(i); value {
				found++
			}
		}
		for i := range count {
			m.Delete(i)
		}
		return entries, found, m.Len()
	}, func(count, size int, carry bool) (entries, found, left int) {
		m := makeStrings()
		key := make([]byte, size)
		for range count {
			next(key, carry)
			m.Put(string(key), true)
		}
		entries = m.Len()
		clear(key)
		for range count {
			next(key, carry)
			if value, _ := m.Get(string(key)); value {
				found++
			}
		}
		clear(key)
		for range count {
			next(key, carry)
			m.Delete(string(key))
		}
		return entries, found, m.Len()
	}}
}

// swissMap returns cockroachdb's map with dchest's SipHash-2-4.
func swissMap[K comparable, V any](asBytes func(key *K) []byte, size int) *swiss.Map[K, V] {
	secret := randomKey()
	k0, k1 := binary.LittleEndian.Uint64(secret[:8]), binary.LittleEndian.Uint64(secret[8:])
	hash := func(key *K, _ uintptr) uintptr { return uintptr(dchest.Hash(k0, k1, asBytes(key))) }
	return swiss.New[K, V](size, swiss.WithHash[K, V](hash))
}

func swissInts(count int) (entries, found, left int) {
	m := swissMap[int, bool](func(key *int) []byte {
		return unsafe.Slice((*byte)(unsafe.Pointer(key)), unsafe.Sizeof(*key))
	}, 0)
	for i := range count {
		m.Put(i, true)
	}
	entries = m.Len()
	for i := range count {
		if value, _ := m.Get(i); value {
			found++
		}
	}
	for i := range count {
		m.Delete(i)
	}
	return entries, found, m.Len()
}

func swissStrings(count, size int, carry bool) (entries, found, left int) {
	m := swissMap[string, bool](stringBytes, 0)
	key := make([]byte, size)
	for range count {
		next(key, carry)
		m.Put(string(key), true)
	}
	entries = m.Len()
	clear(key)
	for range count {
		next(key, carry)
		if value, _ := m.Get(string(key)); value {
			found++
		}
	}
	clear(key)
	for range count {
		next(key, carry)
		m.Delete(string(key))
	}
	return entries, found, m.Len()
}
