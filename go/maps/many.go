package maps

// chunk is how many keys are hashed, and searched for, at a time.
const chunk = 64

// large is from how many bytes on a table is thought not to be in the caches near to the CPU. Memory is asked for
// before it is read; in a smaller table that would take longer than the waits.
var large = 1 << 20

func (t *table[K, V]) isLarge() bool { return len(t.groups)*sizeOf[group[K, V]]() >= large }

// GetMany looks up keys: values[i] becomes the value of keys[i], or the zero value if it has none, and found[i]
// whether it has one. Like copy it takes as many keys as all three slices have room for, and returns how many.
func (m *Map[K, V]) GetMany(keys []K, values []V, found []bool) int {
	n := min(len(keys), len(values), len(found))
	keys, values, found = keys[:n], values[:n], found[:n]
	if m == nil || m.table.used == 0 {
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

// expect puts into likely where the keys of hashes most probably are. It reads one word for each, none of which waits
// for another.
func (t *table[K, V]) expect(likely []place, hashes []uint64) {
	last := uint64(len(t.groups) - 1)
	for i, hash := range hashes {
		g := hash & last
		likely[i] = newPlace(g, first(matches(t.groups[g].word, control(hash))))
	}
}

// PutMany makes values[i] the value of keys[i], in order: if a key is there more than once, its last value stays.
// Like copy it takes as many as both slices have, and returns how many.
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
