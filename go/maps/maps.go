// Package maps implements hash tables that cannot be flooded.
//
// An attacker who knows how a table hashes can choose keys that all collide. Then every look-up compares with all of
// these keys. A [Map] hashes with SipHash-1-3 under its own random key, so nobody outside the process knows which keys
// collide. On 32-bit targets it hashes with HalfSipHash-1-3, which such CPUs compute faster.
//
// The table is a Swiss table: one byte of each entry tells whether its key may match. A look-up tests eight such bytes at
// a time.
//
// [Map.GetMany] and [Map.PutMany] take many keys in one call. They hash keys in the lanes of vectors and overlap
// cache misses, which dominate the time of a large table.
//
// Many goroutines may read a Map at the same time, but none may while one writes. Nothing checks this.
package maps

import (
	"fmt"

	"keylane.example/go/siphash"
)

// A Map maps keys to values. The zero value is empty and ready to use. Do not copy a Map after a write, nor after
// [New], [NewWith] or [Map.Grow] has made room in it: a write to the copy panics. The copy can be read. It shares
// the entries of the original until one of the two has another table, because the original grew or either was
// assigned.
//
// A nil *Map is empty, like a nil built-in map. It can be read, Delete and Clear do nothing, and Put and Grow
// panic.
//
// Package fmt prints only the number of entries of a Map, so its hash key does not reach a log. But fmt calls no
// methods for the verb %w, for %p of a value, and for unexported fields. So do not print a Map with these verbs,
// nor a struct that has a Map in an unexported field.
type Map[K Key, V any] struct {
	self   *Map[K, V]
	table  table[K, V]
	hasher hasher
	kind   kind
}

// New returns a map with room for size entries. The size is a hint, as in make: a negative one counts as 0, and so does
// one whose table would have more than 2^45 bytes, such as 2^40 integers. If the system lacks the memory for a smaller
// table, the process ends, as with make. So do not take the size from an input without a limit.
func New[K Key, V any](size int) *Map[K, V] {
	m := new(Map[K, V])
	m.Grow(size)
	return m
}

// NewWith returns a map with room for size entries that hashes keys with h. Use it for a variant of SipHash other
// than 1-3, or to reproduce a run. If the key of h is known, or is used elsewhere, the map can be flooded. If h is
// the zero Hasher, anyone can flood it. The map hashes by h on every target, 32-bit ones included.
func NewWith[K Key, V any](h siphash.Hasher, size int) *Map[K, V] {
	m := &Map[K, V]{hasher: hasher{Hasher: h}, kind: kindOf[K]()}
	m.Grow(size)
	return m
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int {
	if m == nil {
		return 0
	}
	return m.table.now().used
}

// Get returns the value of key, and whether there is one.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	if e := m.lookUp(key); e != nil {
		return e.value, true
	}
	return
}

// lookUp returns the entry of key, or nil.
func (m *Map[K, V]) lookUp(key K) *entry[K, V] {
	if m == nil || len(m.table.groups) == 0 {
		return nil
	}
	var hash uint64
	switch m.kind {
	case integer:
		hash = m.hasher.HashUint64(widen(&key))
	case text:
		hash = m.hasher.HashString(textOf(&key))
	default:
		hash = m.hash(key)
	}
	last, control := uint64(len(m.table.groups)-1), control(hash)
	for i, step := hash&last, uint64(1); ; i, step = (i+step)&last, step+1 {
		g := &m.table.groups[i]
		for marks := matches(g.word, control); marks != 0; marks &= marks - 1 {
			if e := &g.entries[first(marks)]; e.key == key {
				return e
			}
		}
		if ends(g.word) {
			return nil
		}
	}
}

// own must be called before every write to m. Writes to two copies would go to one table, until one of them grows and
// the copies part.
func (m *Map[K, V]) own() {
	if m.self != m {
		if m.self != nil {
			panic("maps: a copied Map is written to")
		}
		m.self = m
	}
}

// Put makes value the value of key. It allocates if the table grows. A put of a new key also allocates if key
// and value have more than 64 KiB.
func (m *Map[K, V]) Put(key K, value V) {
	m.own()
	if len(m.table.groups) == 0 {
		m.resize(1)
	}
	m.put(m.hash(key), key, value)
}

// put is Put with the hash of the key. The map must have a table.
func (m *Map[K, V]) put(hash uint64, key K, value V) {
	p, found := m.table.locate(hash, key)
	state, e := m.table.look(p)
	switch {
	case found:
		e.value = value
	case m.table.room > 0 || state == deleted:
		m.table.enter(p, hash, &entry[K, V]{key, value})
	default:
		m.resize(m.groupsFor(1))
		m.table.add(hash, &entry[K, V]{key, value})
	}
}

// Delete deletes the entry of key and reports whether there was one.
func (m *Map[K, V]) Delete(key K) bool {
	if m.Len() == 0 {
		return false
	}
	m.own()
	p, found := m.table.locate(m.hash(key), key)
	if found {
		m.table.remove(p)
	}
	return found
}

// Clear deletes all entries. The map keeps the memory of its table, and its hash key.
func (m *Map[K, V]) Clear() {
	if m != nil {
		m.own()
		m.table.removeAll()
	}
}

// Format implements [fmt.Formatter] and shows nothing of the hash key.
func (m Map[K, V]) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "maps.Map(%d entries)", m.Len())
}
