// Package maps implements hash tables that cannot be flooded.
//
// Whoever knows how a table hashes can choose keys that all collide, and each look-up among them then takes as long
// as there are keys. A [Map] hashes by SipHash-1-3 under a random key of its own, so that nobody outside the
// process can tell which keys collide. It is a Swiss table: of each entry one byte says whether its key is worth a
// comparison, and a word of eight such bytes is searched at a time.
//
// [Map.GetMany] and [Map.PutMany] take many keys in one call. They hash them in the lanes of vectors and let their
// cache misses overlap, which is what a large table spends its time on.
//
// Many goroutines may read a Map at a time, but none while one writes. There is no check for that.
package maps

import (
	"fmt"

	"keylane.example/go/siphash"
)

// A Map is a table from keys to values. Its zero value is empty and ready to use. A Map must not be copied once it
// has been written to: calls that would write to the copy panic.
//
// A nil *Map is empty, like a built-in map that is nil: it can be read, Delete and Clear do nothing, and Put and Grow
// panic.
//
// Package fmt prints nothing of a Map but the number of its entries, so that its hash key cannot reach a log. It
// calls no methods of unexported fields, nor for the verb %w, nor of values for %p: do not print a Map by these, or
// structs that have one in an unexported field.
type Map[K Key, V any] struct {
	self   *Map[K, V]
	table  table[K, V]
	hasher siphash.Hasher
	kind   kind
}

// New returns a map with room for size entries. Like that of make, the size is a hint: if no memory can hold so many,
// or it is negative, it is taken for 0.
func New[K Key, V any](size int) *Map[K, V] {
	m := new(Map[K, V])
	m.Grow(size)
	return m
}

// NewWith returns a map with room for size entries whose keys are hashed by h. It is for other variants of SipHash
// than 1-3, and to repeat what a map did. If h's key is known, or serves elsewhere, the map can be flooded; if h is
// the zero Hasher, anyone can flood it.
func NewWith[K Key, V any](h siphash.Hasher, size int) *Map[K, V] {
	m := &Map[K, V]{hasher: h, kind: kindOf[K]()}
	m.Grow(size)
	return m
}

// Len returns the number of entries.
func (m *Map[K, V]) Len() int {
	if m == nil {
		return 0
	}
	return m.table.used
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
	if m == nil || m.table.used == 0 {
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

// own is called before m is written to. Two copies would fill one table, each counting for itself, until a search
// found no end in it.
func (m *Map[K, V]) own() {
	if m.self != m {
		if m.self != nil {
			panic("maps: a copied Map is written to")
		}
		m.self = m
	}
}

// Put makes value the value of key.
func (m *Map[K, V]) Put(key K, value V) {
	m.own()
	if len(m.table.groups) == 0 {
		m.resize(1)
	}
	m.put(m.hash(key), key, value)
}

// put is Put of a key whose hash is known, into a map that has a table.
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
	if m == nil || m.table.used == 0 {
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
	fmt.Fprintf(f, "maps.Map(%d entries)", m.table.used)
}
