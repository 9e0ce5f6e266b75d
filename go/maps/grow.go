package maps

import (
	"math"
	"math/bits"
)

// Grow makes room for n more entries, so they can be put without moving the table. Like the size in [New], n is a
// hint.
func (m *Map[K, V]) Grow(n int) {
	// The bytes of a table are at most these. For integers this is where make ignores a size: it takes a group for each
	// place, and refuses 2^48 bytes.
	const memory = min(math.MaxInt, 1<<45)
	if n <= m.table.now().room {
		return
	}
	if groups := m.groupsFor(n); groups <= memory/uint64(sizeOf[group[K, V]]()) {
		m.own()
		m.resize(groups)
	}
}

// groupsFor returns the number of groups that a table with room for n more entries should have. If it has as many
// now, deleted entries take up the room. Moving to a table of the same size pays off only if they are many: only so
// many entries fit before the next move.
func (m *Map[K, V]) groupsFor(n int) uint64 {
	now, used := uint64(len(m.table.groups)), uint64(m.Len())
	groups := max(now, 1<<bits.Len64((used+uint64(n)-1)/fill))
	if groups == now && used > now*fill/2 {
		groups *= 2
	}
	return groups
}

// resize moves all entries to a new table. The old one stays as it is.
func (m *Map[K, V]) resize(groups uint64) {
	if m.kind == unknown {
		m.hasher.draw(sizeOf[K]())
		m.kind = kindOf[K]()
	}
	old := m.table
	m.table = newTable[K, V](groups)
	if len(old.groups) > 0 {
		m.addAll(&old)
	}
}

// addAll puts all entries of another table into the table, which must have room for them and none of their keys.
func (m *Map[K, V]) addAll(old *table[K, V]) {
	const few = 16 // small, so moving a small table is cheap, but enough to fill the lanes of vectors
	var (
		waiting [few]*entry[K, V]
		keys    [few]K
		hashes  [few]uint64
		n       int
	)
	for i := range old.groups {
		g := &old.groups[i]
		for marks := g.word & highest; marks != 0; marks &= marks - 1 {
			e := &g.entries[first(marks)]
			waiting[n], keys[n] = e, e.key
			n++
		}
		if n > few-places || i == len(old.groups)-1 {
			m.hashMany(hashes[:n], keys[:n])
			for i, e := range waiting[:n] {
				m.table.add(hashes[i], e)
			}
			n = 0
		}
	}
}
