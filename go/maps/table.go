package maps

import "math/bits"

// A table [Swiss-tables] has groups of eight places. A group's word has a byte for each place, which says of it
//
//	0           it is vacant
//	0x40        it is vacant, but was not when keys went past it to later groups
//	0x80 | tag  it has an entry, whose hash begins with the seven bits of tag
//
// The lowest bits of a hash are the group where its search begins; others follow in an order that visits each group
// once. A key stands in none behind the first that has a byte of 0. There always is one, since an eighth of all bytes
// is kept 0.
const (
	places  = 8
	fill    = 7 // bytes of a group that may be other than 0, on average
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

// A group is a word with its places, near to each other in memory.
type group[K Key, V any] struct {
	word    uint64
	entries [places]entry[K, V]
}

// A table is a number of groups that is a power of two, or none.
type table[K Key, V any] struct {
	groups []group[K, V]
	used   int // entries
	room   int // bytes of 0 that may be overwritten
}

func newTable[K Key, V any](groups uint64) table[K, V] {
	return table[K, V]{groups: make([]group[K, V], groups), room: int(groups) * fill}
}

// control is the byte of an entry.
func control(hash uint64) uint64 { return entered | hash>>57 }

// matches marks the bytes of word that are control, by their highest bits, and seldom an entry that follows one.
func matches(word, control uint64) uint64 {
	difference := word ^ control*lowest
	return (difference - lowest) &^ difference & highest
}

// vacancies marks the places without an entry.
func vacancies(word uint64) uint64 { return ^word & highest }

// ends tells whether a search ends at a group, since a byte of its word is 0.
func ends(word uint64) bool { return ^(word|word<<1)&highest != 0 }

// first is the number of the first marked place, less than 8 in a way that the compiler sees.
func first(marks uint64) uint64 { return uint64(bits.TrailingZeros64(marks)/8) & (places - 1) }

// A place is a group's number times 8 and its own number in the group.
type place uint64

func newPlace(group, number uint64) place { return place(group*places + number) }

// look returns what the byte of a place says, and its entry, if it has one.
func (t *table[K, V]) look(p place) (control uint64, e *entry[K, V]) {
	g := &t.groups[p/places]
	return g.word >> (p % places * 8) & 0xff, &g.entries[p%places]
}

// set changes the byte of a place.
func (g *group[K, V]) set(number, control uint64) {
	shift := number * 8
	g.word = g.word&^(0xff<<shift) | control<<shift
}

// locate returns the place of key, or else the first where it may be put.
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

// add makes an entry of a key that the table has not, in the first vacant place of its search.
func (t *table[K, V]) add(hash uint64, e *entry[K, V]) {
	last := uint64(len(t.groups) - 1)
	for i, step := hash&last, uint64(1); ; i, step = (i+step)&last, step+1 {
		if vacant := vacancies(t.groups[i].word); vacant != 0 {
			t.enter(newPlace(i, first(vacant)), hash, e)
			return
		}
	}
}

// enter makes an entry in a vacant place.
func (t *table[K, V]) enter(p place, hash uint64, e *entry[K, V]) {
	g, n := &t.groups[p/places], uint64(p%places)
	if g.word>>(n*8)&0xff == 0 {
		t.room--
	}
	g.set(n, control(hash))
	g.entries[n] = *e
	t.used++
}

// remove deletes the entry of a place. Where searches end at its group as it is, none goes past it.
func (t *table[K, V]) remove(p place) {
	g, n := &t.groups[p/places], uint64(p%places)
	if ends(g.word) {
		g.set(n, 0)
		t.room++
	} else {
		g.set(n, deleted)
	}
	g.entries[n] = entry[K, V]{}
	t.used--
}

// removeAll deletes all entries.
func (t *table[K, V]) removeAll() {
	clear(t.groups)
	t.used, t.room = 0, len(t.groups)*fill
}
