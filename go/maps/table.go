package maps

import "math/bits"

// A table [Swiss-tables] has groups of eight places. The word of a group has a control byte for each place:
//
//	0           vacant
//	0x40        vacant now, but occupied when some key was put into a later group
//	0x80 | tag  an entry, whose hash has tag as its highest seven bits
//
// The lowest bits of a hash select the group where the search begins. The search visits each group once, and ends
// at the first group with a zero byte: the key is in none of the later groups. The search always ends, since at least an
// eighth of all control bytes is zero.
const (
	places  = 8
	fill    = 7 // largest number of nonzero control bytes in a group, on average
	lowest  = 0x0101010101010101
	highest = 0x8080808080808080
	deleted = 0x40
	entered = 0x80
)

// An entry is a key with its value.
type entry[K Key, V any] struct {
	key   K
	value V
}

// A group has its word next to its places in memory.
type group[K Key, V any] struct {
	word    uint64
	entries [places]entry[K, V]
}

// The number of groups of a table is zero or a power of two. Copies of a table share its groups, so they share its
// numbers too. With numbers of their own, copies could fill all groups, and then a search would never end.
type table[K Key, V any] struct {
	groups []group[K, V]
	*numbers
}

// numbers describe the groups of a table. Without groups there are none.
type numbers struct {
	used int // entries
	room int // zero bytes that may still be overwritten
}

func newTable[K Key, V any](groups uint64) table[K, V] {
	return table[K, V]{make([]group[K, V], groups), &numbers{room: int(groups) * fill}}
}

// now returns the numbers, which are zero if there are no groups.
func (t *table[K, V]) now() numbers {
	if t.numbers == nil {
		return numbers{}
	}
	return *t.numbers
}

// is reports whether t has the groups of other, which has at least one.
func (t *table[K, V]) is(other *table[K, V]) bool {
	return len(t.groups) > 0 && &t.groups[0] == &other.groups[0]
}

// control returns the control byte of an entry.
func control(hash uint64) uint64 { return entered | hash>>57 }

// matches sets the highest bit of each byte of word that equals control. It rarely marks another entry as well,
// which follows a match.
func matches(word, control uint64) uint64 {
	difference := word ^ control*lowest
	return (difference - lowest) &^ difference & highest
}

// vacancies marks the places without an entry.
func vacancies(word uint64) uint64 { return ^word & highest }

// ends reports whether a search ends at a group: whether its word has a zero byte.
func ends(word uint64) bool { return ^(word|word<<1)&highest != 0 }

// first returns the first marked place. The mask tells the compiler that it is less than 8.
func first(marks uint64) uint64 { return uint64(bits.TrailingZeros64(marks)/8) & (places - 1) }

// A place is 8 times the index of a group, plus an index in the group.
type place uint64

func newPlace(group, number uint64) place { return place(group*places + number) }

// look returns the control byte of a place, and its entry, if it has one.
func (t *table[K, V]) look(p place) (control uint64, e *entry[K, V]) {
	g := &t.groups[p/places]
	return g.word >> (p % places * 8) & 0xff, &g.entries[p%places]
}

// set changes the control byte of a place, from a known one.
func (g *group[K, V]) set(number, from, to uint64) { g.word ^= (from ^ to) << (number * 8) }

// locate returns the place of key. If there is none, it returns the first place where the key may be put.
func (t *table[K, V]) locate(hash uint64, key K) (p place, found bool) {
	const nowhere = ^place(0)
	p = nowhere
	last, control := uint64(len(t.groups)-1), control(hash)
	for i, step := hash&last, uint64(1); ; i, step = (i+step)&last, step+1 {
		g := &t.groups[i]
		for marks := matches(g.word, control); marks != 0; marks &= marks - 1 {
			if n := first(marks); g.entries[n].key == key {
				return newPlace(i, n), true
			}
		}
		if vacant := vacancies(g.word); vacant != 0 && p == nowhere {
			p = newPlace(i, first(vacant))
		}
		if ends(g.word) {
			return p, false
		}
	}
}

// add puts an entry into the first vacant place of its search. The table must not have the key.
func (t *table[K, V]) add(hash uint64, e *entry[K, V]) {
	last := uint64(len(t.groups) - 1)
	for i, step := hash&last, uint64(1); ; i, step = (i+step)&last, step+1 {
		if vacant := vacancies(t.groups[i].word); vacant != 0 {
			t.enter(newPlace(i, first(vacant)), hash, e)
			return
		}
	}
}

// enter puts an entry into a vacant place.
func (t *table[K, V]) enter(p place, hash uint64, e *entry[K, V]) {
	g, n := &t.groups[p/places], uint64(p%places)
	state := g.word >> (n * 8) & 0xff
	if state == 0 {
		t.room--
	}
	g.set(n, state, control(hash))
	g.entries[n] = *e
	t.used++
}

// remove deletes the entry of a place. If its group has a zero byte, no search goes past the group, so the place
// may become zero too.
func (t *table[K, V]) remove(p place) {
	g, n := &t.groups[p/places], uint64(p%places)
	state := g.word >> (n * 8) & 0xff
	if ends(g.word) {
		g.set(n, state, 0)
		t.room++
	} else {
		g.set(n, state, deleted)
	}
	g.entries[n] = entry[K, V]{}
	t.used--
}

// removeAll deletes all entries.
func (t *table[K, V]) removeAll() {
	if len(t.groups) > 0 {
		clear(t.groups)
		t.used, t.room = 0, len(t.groups)*fill
	}
}
