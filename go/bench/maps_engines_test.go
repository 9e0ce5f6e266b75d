package bench

import (
	"crypto/rand"
	"unsafe"

	"github.com/cockroachdb/swiss"
	"keylane.example/go/maps"
	"keylane.example/go/siphash"
)

// The kinds of maps. The code of each is written out, since a call that the compiler cannot see through would
// distort the measurement.

// A life is the result of a map from creation until it is empty again.
type life struct {
	entries int    // after all keys were put
	sum     uint64 // of the values that were looked up
	left    int    // entries after all keys were deleted
}

// A mapEngine makes maps of one kind. The value of a key is its index in a list.
type mapEngine[K maps.Key] struct {
	name string
	// life makes a map without a size hint. It puts, looks up and deletes all keys, in the order of the list.
	life func(keys []K) life
	// full makes a map of all keys, with a size hint. It returns a function that looks up keys. This function
	// returns the number of keys found and the sum of their values.
	full func(keys []K) func(keys []K) (found int, sum uint64)
}

// mapEngines returns all kinds, the built-in map first. asBytes returns a key as a message.
func mapEngines[K maps.Key](asBytes func(key *K) []byte) []mapEngine[K] {
	variant := func(prepare func(*[siphash.KeySize]byte) siphash.Hasher) func(size int) *maps.Map[K, uint32] {
		return func(size int) *maps.Map[K, uint32] {
			key := randomKey()
			return maps.NewWith[K, uint32](prepare(&key), size)
		}
	}
	return []mapEngine[K]{
		builtIn[K](),
		keylane("keylane-1-3", maps.New[K, uint32]),
		batches[K](),
		keylane("keylane-1-1", variant(siphash.New11)),
		keylane("keylane-2-4", variant(siphash.New24)),
		swissDchest(asBytes),
	}
}

// intBytes and stringBytes return keys as messages.
func intBytes(key *uint64) []byte    { return unsafe.Slice((*byte)(unsafe.Pointer(key)), 8) }
func stringBytes(key *string) []byte { return unsafe.Slice(unsafe.StringData(*key), len(*key)) }

func randomKey() (key [siphash.KeySize]byte) {
	rand.Read(key[:])
	return key
}

func builtIn[K maps.Key]() mapEngine[K] {
	lookUp := func(m map[K]uint32, keys []K) (found int, sum uint64) {
		for _, key := range keys {
			if value, ok := m[key]; ok {
				found++
				sum += uint64(value)
			}
		}
		return found, sum
	}
	put := func(m map[K]uint32, keys []K) {
		for i, key := range keys {
			m[key] = uint32(i)
		}
	}
	return mapEngine[K]{"builtin", func(keys []K) (l life) {
		m := make(map[K]uint32)
		put(m, keys)
		l.entries = len(m)
		_, l.sum = lookUp(m, keys)
		for _, key := range keys {
			delete(m, key)
		}
		l.left = len(m)
		return l
	}, func(keys []K) func([]K) (int, uint64) {
		m := make(map[K]uint32, len(keys))
		put(m, keys)
		return func(keys []K) (int, uint64) { return lookUp(m, keys) }
	}}
}

func keylane[K maps.Key](name string, make func(size int) *maps.Map[K, uint32]) mapEngine[K] {
	lookUp := func(m *maps.Map[K, uint32], keys []K) (found int, sum uint64) {
		for _, key := range keys {
			if value, ok := m.Get(key); ok {
				found++
				sum += uint64(value)
			}
		}
		return found, sum
	}
	put := func(m *maps.Map[K, uint32], keys []K) {
		for i, key := range keys {
			m.Put(key, uint32(i))
		}
	}
	return mapEngine[K]{name, func(keys []K) (l life) {
		m := make(0)
		put(m, keys)
		l.entries = m.Len()
		_, l.sum = lookUp(m, keys)
		for _, key := range keys {
			m.Delete(key)
		}
		l.left = m.Len()
		return l
	}, func(keys []K) func([]K) (int, uint64) {
		m := make(len(keys))
		put(m, keys)
		return func(keys []K) (int, uint64) { return lookUp(m, keys) }
	}}
}

// batches returns keylane-1-3 with PutMany and GetMany. It deletes keys one by one.
func batches[K maps.Key]() mapEngine[K] {
	const most = 1024 // keys of a call
	values, found := make([]uint32, most), make([]bool, most)
	lookUp := func(m *maps.Map[K, uint32], keys []K) (n int, sum uint64) {
		for len(keys) > 0 {
			k := m.GetMany(keys, values, found)
			for i, ok := range found[:k] {
				if ok {
					n++
					sum += uint64(values[i])
				}
			}
			keys = keys[k:]
		}
		return n, sum
	}
	put := func(m *maps.Map[K, uint32], keys []K) {
		for at := 0; at < len(keys); {
			for i := range values {
				values[i] = uint32(at + i)
			}
			at += m.PutMany(keys[at:], values)
		}
	}
	return mapEngine[K]{"keylane-1-3-many", func(keys []K) (l life) {
		m := maps.New[K, uint32](0)
		put(m, keys)
		l.entries = m.Len()
		_, l.sum = lookUp(m, keys)
		for _, key := range keys {
			m.Delete(key)
		}
		l.left = m.Len()
		return l
	}, func(keys []K) func([]K) (int, uint64) {
		m := maps.New[K, uint32](len(keys))
		put(m, keys)
		return func(keys []K) (int, uint64) { return lookUp(m, keys) }
	}}
}

// swissDchest returns cockroachdb's map with dchest's SipHash-2-4.
func swissDchest[K maps.Key](asBytes func(key *K) []byte) mapEngine[K] {
	make := func(size int) *swiss.Map[K, uint32] { return swissMap[K, uint32](asBytes, size) }
	lookUp := func(m *swiss.Map[K, uint32], keys []K) (found int, sum uint64) {
		for _, key := range keys {
			if value, ok := m.Get(key); ok {
				found++
				sum += uint64(value)
			}
		}
		return found, sum
	}
	put := func(m *swiss.Map[K, uint32], keys []K) {
		for i, key := range keys {
			m.Put(key, uint32(i))
		}
	}
	return mapEngine[K]{"swiss-dchest-2-4", func(keys []K) (l life) {
		m := make(0)
		put(m, keys)
		l.entries = m.Len()
		_, l.sum = lookUp(m, keys)
		for _, key := range keys {
			m.Delete(key)
		}
		l.left = m.Len()
		return l
	}, func(keys []K) func([]K) (int, uint64) {
		m := make(len(keys))
		put(m, keys)
		return func(keys []K) (int, uint64) { return lookUp(m, keys) }
	}}
}
