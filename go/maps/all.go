package maps

import (
	"iter"
	"math/rand/v2"
)

// All returns an iterator over the entries. Their order differs from call to call.
//
// The map may change during the iteration, like a built-in map:
//
//   - An entry that is deleted before the iterator reaches it does not appear.
//   - An entry that is added may appear or not. That includes an entry whose key was deleted before.
//   - Every other entry appears. None appears twice.
//   - A value is the one that the key has when the entry appears.
//
// An assignment to the map (*m = ...) deletes its entries and adds those that are assigned. Unlike a range over a
// built-in map, the iterator does not go on with the old map.
func (m *Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		if m.Len() == 0 {
			return
		}
		t := m.table
		start, last := place(rand.Uint64()), place(len(t.groups)*places-1)
		for i := range last + 1 {
			p := (start + i) & last
			state, e := t.look(p)
			if state&entered == 0 {
				continue
			}
			if !m.table.is(&t) { // t keeps old entries, and m has others
				if e = m.lookUp(e.key); e == nil {
					continue
				}
			}
			if !yield(e.key, e.value) {
				return
			}
		}
	}
}
