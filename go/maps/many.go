package maps

// chunk is the number of keys that are hashed, and looked up, at a time.
const chunk = 64

// large is the least number of bytes of a table that is assumed not to be in the inner caches. Such a table is
// prefetched. For a smaller one prefetching costs more than it saves.
var large = 1 << 20

func (t *table[K, V]) isLarge() bool { return len(t.groups)*sizeOf[group[K, V]]() >= large }

// GetMany looks up many keys. It sets values[i] to the value of keys[i], or to the zero value if there is none, and
// found[i] to whether there is one. Like copy, it takes as many keys as the shortest slice has, and returns their
// number.
func (m *Map[K, V]) GetMany(keys []K, values []V, found []bool) int {
	n := min(len(keys), len(values), len(found))
	keys, values, found = keys[:n], values[:n], found[:n]
	if m == nil || len(m.table.groups) == 0 {
		clear(values)
		clear(found)
		return n
	}
	var (
		hashes [chunk]uint64
		likely [chunk]place
	)
	isLarge := m.table.isLarge()
	for len(keys) > 0 {
		k := min(chunk, len(keys))
		m.hashMany(hashes[:k], keys[:k])
		if isLarge {
			m.table.fetchGroups(hashes[:k])
		}
		m.table.expect(likely[:k], hashes[:k])
		switch {
		case !isLarge:
		case m.kind == text:
			m.table.fetchTexts(likely[:k])
		default:
			m.table.fetchEntries(likely[:k])
		}
		for i, key := range keys[:k] {
			state, e := m.table.look(likely[i])
			if state != control(hashes[i]) || e.key != key {
				p, ok := m.table.locate(hashes[i], key)
				if !ok {
					var none V
					values[i], found[i] = none, false
					continue
				}
				_, e = m.table.look(p)
			}
			values[i], found[i] = e.value, true
		}
		keys, values, found = keys[k:], values[k:], found[k:]
	}
	return n
}

// expect puts the most probable places of the keys into likely. It reads one word for each hash, and these reads do
// not depend on each other.
func (t *table[K, V]) expect(likely []place, hashes []uint64) {
	last := uint64(len(t.groups) - 1)
	for i, hash := range hashes {
		g := hash & last
		likely[i] = newPlace(g, first(matches(t.groups[g].word, control(hash))))
	}
}

// PutMany makes values[i] the value of keys[i], in order. If a key occurs more than once, its last value counts.
// Like copy, PutMany takes as many keys as the shorter slice has, and returns their number.
func (m *Map[K, V]) PutMany(keys []K, values []V) int {
	n := min(len(keys), len(values))
	keys, values = keys[:n], values[:n]
	if n == 0 {
		return 0
	}
	m.own()
	if len(m.table.groups) == 0 {
		m.resize(1)
	}
	var hashes [chunk]uint64
	for len(keys) > 0 {
		k := min(chunk, len(keys))
		m.hashMany(hashes[:k], keys[:k])
		if m.table.isLarge() {
			m.table.fetchGroups(hashes[:k])
		}
		for i, key := range keys[:k] {
			m.put(hashes[i], key, values[i])
		}
		keys, values = keys[k:], values[k:]
	}
	return n
}
