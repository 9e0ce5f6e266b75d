package maps

import (
	"iter"
	"math/rand/v2"
)

// All returns an iterator over the entries, in an order that is another each time.
//
// The map may be changed meanwhile, as a built-in map may: an entry that is deleted before the iterator comes to it
// is left out, one that is put may come or not, no other entry is left out, none comes twice, and each value is the
// one that the key has by then.
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
			if &t.groups[0] != &m.table.groups[0] { // since then all entries were moved: t is as it was before
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
