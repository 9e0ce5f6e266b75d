package maps

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"keylane.example/go/siphash"
)

// check compares a map with the built-in map that it should equal, and checks the rules of table.go.
func check[K Key](t *testing.T, m *Map[K, uint64], model map[K]uint64) {
	t.Helper()
	if m.Len() != len(model) {
		t.Fatalf("Len is %d, not %d", m.Len(), len(model))
	}
	for key, want := range model {
		if value, ok := m.Get(key); !ok || value != want {
			t.Fatalf("Get(%v) is %d, %t, not %d", key, value, ok, want)
		}
	}
	entries, taken := 0, 0
	for i := range m.table.groups {
		for n := range uint64(places) {
			state, e := m.table.look(newPlace(uint64(i), n))
			if state != 0 {
				taken++
			}
			if state&entered == 0 {
				if *e != (entry[K, uint64]{}) {
					t.Fatal("a deleted entry keeps its key or value")
				}
				continue
			}
			entries++
			hash := m.hash(e.key)
			p, found := m.table.locate(hash, e.key)
			if !found || p != newPlace(uint64(i), n) || state != control(hash) {
				t.Fatalf("an entry stands where nobody looks for it: %v", e.key)
			}
		}
	}
	if now := m.table.now(); entries != now.used || now.room != len(m.table.groups)*fill-taken || now.room < 0 {
		t.Fatalf("%d entries, %d places taken of %d groups, but used is %d and room %d",
			entries, taken, len(m.table.groups), now.used, now.room)
	}
}

// lookUps compares Get and GetMany with the built-in map, for present and absent keys.
func lookUps[K Key](t *testing.T, m *Map[K, uint64], model map[K]uint64, keys []K) {
	t.Helper()
	values, found := make([]uint64, len(keys)), make([]bool, len(keys))
	for i := range keys { // must be overwritten
		values[i], found[i] = math.MaxUint64, i%2 == 0
	}
	if n := m.GetMany(keys, values, found); n != len(keys) {
		t.Fatalf("GetMany took %d of %d keys", n, len(keys))
	}
	for i, key := range keys {
		want, ok := model[key]
		if values[i] != want || found[i] != ok {
			t.Fatalf("GetMany of %v is %d, %t, not %d, %t", key, values[i], found[i], want, ok)
		}
		if value, there := m.Get(key); value != want || there != ok {
			t.Fatalf("Get(%v) is %d, %t, not %d, %t", key, value, there, want, ok)
		}
	}
}

// entriesOf collects the entries of an iterator, and checks that no key appears twice.
func entriesOf[K Key](t *testing.T, m *Map[K, uint64]) map[K]uint64 {
	t.Helper()
	entries := make(map[K]uint64)
	for key, value := range m.All() {
		if _, twice := entries[key]; twice {
			t.Fatalf("%v comes twice", key)
		}
		entries[key] = value
	}
	return entries
}

// model does random operations on a map and on a built-in map.
func (keys keys[K]) model(t *testing.T) {
	maps := []*Map[K, uint64]{new(Map[K, uint64]), New[K, uint64](1000)}
	for _, h := range variants() {
		maps = append(maps, NewWith[K, uint64](h, 0))
	}
	steps := 1000
	if testing.Short() {
		steps = 200
	}
	for _, m := range maps {
		model := make(map[K]uint64)
		random := rand.New(rand.NewPCG(1, 2))
		batch := func() []K {
			// With few keys, many repeat.
			few := 1 + random.Uint64N(keys.count)
			batch := make([]K, random.IntN(3*chunk))
			for i := range batch {
				batch[i] = keys.of(random.Uint64N(few))
			}
			return batch
		}
		for step := range steps {
			switch key, value := keys.of(random.Uint64N(keys.count)), random.Uint64(); random.IntN(40) {
			case 0:
				if random.IntN(20) == 0 {
					m.Clear()
					clear(model)
				}
			case 1:
				m.Grow(random.IntN(100))
			case 2, 3, 4, 5:
				batch := batch()
				values := make([]uint64, len(batch))
				for i, key := range batch {
					values[i] = random.Uint64()
					model[key] = values[i]
				}
				if n := m.PutMany(batch, values); n != len(batch) {
					t.Fatalf("PutMany took %d of %d keys", n, len(batch))
				}
			case 6, 7, 8:
				for _, key := range batch() {
					_, there := model[key]
					if m.Delete(key) != there {
						t.Fatalf("Delete(%v) is not %t", key, there)
					}
					delete(model, key)
				}
			case 9:
				lookUps(t, m, model, batch())
			default:
				m.Put(key, value)
				model[key] = value
			}
			if step%500 == 0 {
				check(t, m, model)
			}
		}
		check(t, m, model)
		entries := entriesOf(t, m)
		for key, value := range model {
			if got, ok := entries[key]; !ok || got != value {
				t.Fatalf("All gives %d, %t for %v, not %d", got, ok, key, value)
			}
		}
		if len(entries) != len(model) {
			t.Fatalf("All gives %d entries, not %d", len(entries), len(model))
		}
		for key := range model {
			m.Delete(key)
		}
		check(t, m, map[K]uint64{})
	}
}

func TestModel(t *testing.T) { eachKeyType(t, keyType.model) }

// TestModelLarge is TestModel with prefetching for every table.
func TestModelLarge(t *testing.T) {
	defer func(size int) { large = size }(large)
	large = 0
	eachKeyType(t, keyType.model)
}

// hashes compares the hashes of a map, one by one and as a batch, with each other and with those of another map.
func (keys keys[K]) hashes(t *testing.T) {
	m, other := New[K, int](1), New[K, int](1)
	batch, hashes := make([]K, 200), make([]uint64, 200)
	same := 0
	for i := range batch {
		batch[i] = keys.of(uint64(i))
	}
	for at := 0; at < len(batch); at += chunk {
		end := min(at+chunk, len(batch))
		m.hashMany(hashes[at:end], batch[at:end])
	}
	for i, key := range batch {
		if hashes[i] != m.hash(key) {
			t.Fatalf("hashMany gives %#x for %v, hash %#x", hashes[i], key, m.hash(key))
		}
		if hashes[i] == other.hash(key) {
			same++
		}
	}
	if same > 0 {
		t.Fatalf("two maps hash %d of %d keys alike", same, len(batch))
	}
}

func TestHashes(t *testing.T) { eachKeyType(t, keyType.hashes) }

func TestHashIsSipHash(t *testing.T) {
	key := [siphash.KeySize]byte{1, 2, 3}
	h := siphash.New13(&key)
	if NewWith[int32, int](h, 0).hash(-2) != h.HashUint64(0xfffffffe) {
		t.Error("of an integer")
	}
	if NewWith[name, int](h, 0).hash("name") != h.HashString("name") {
		t.Error("of a string")
	}
	if NewWith[flow, int](h, 0).hash(flow{12: 7}) != h.Hash(append(make([]byte, 12), 7)) {
		t.Error("of an array")
	}
}

func (keys keys[K]) allocations(t *testing.T) {
	const n = 150
	m := New[K, uint64](n)
	batch, values, found := make([]K, n), make([]uint64, n), make([]bool, n)
	for i := range batch {
		batch[i] = keys.of(uint64(i))
	}
	for _, call := range []struct {
		name string
		f    func()
	}{
		{"PutMany", func() { m.PutMany(batch, values) }},
		{"Put", func() { m.Put(batch[1], 1) }},
		{"GetMany", func() { m.GetMany(batch, values, found) }},
		{"Get", func() { m.Get(batch[2]) }},
		{"Delete", func() { m.Delete(batch[3]) }},
		{"All", func() {
			for range m.All() {
			}
		}},
		{"Clear", m.Clear},
	} {
		if n := testing.AllocsPerRun(10, call.f); n != 0 {
			t.Errorf("%s allocates %v times", call.name, n)
		}
	}
}

func TestAllocations(t *testing.T) { eachKeyType(t, keyType.allocations) }

// TestLargeEntries puts new keys without growth. What the documentation says of entries above 64 KiB must hold.
func TestLargeEntries(t *testing.T) {
	if n := putsAllocate[[64<<10 - 8]byte](); n != 0 {
		t.Errorf("a put of 64 KiB allocates %v times", n)
	}
	if n := putsAllocate[[64 << 10]byte](); n != 1 {
		t.Errorf("a put of more than 64 KiB allocates %v times", n)
	}
}

// putsAllocate returns how often a put of a new key allocates.
func putsAllocate[V any]() float64 {
	m, value, i := New[int, V](20), *new(V), 0
	return testing.AllocsPerRun(10, func() { i++; m.Put(i, value) })
}

// probes returns the number of groups that a look-up visits.
func (t *table[K, V]) probes(hash uint64, key K) (n int) {
	last := uint64(len(t.groups) - 1)
	for i, step := hash&last, uint64(1); ; i, step = (i+step)&last, step+1 {
		n++
		for _, e := range t.groups[i].entries {
			if e.key == key {
				return n
			}
		}
		if ends(t.groups[i].word) {
			return n
		}
	}
}

// TestFlood attacks with a known hash key: it chooses keys whose searches all begin at one group. In a map with
// that hash key a look-up visits most of the groups that they fill. In any other map they are ordinary keys.
func TestFlood(t *testing.T) {
	const count = 2000
	known := siphash.New13(&[siphash.KeySize]byte{1, 2, 3})
	var flood []uint64
	for key := uint64(1); len(flood) < count; key++ {
		if known.HashUint64(key)&0xfff == 0 {
			flood = append(flood, key)
		}
	}
	mean := func(m *Map[uint64, int]) float64 {
		for i, key := range flood {
			m.Put(key, i)
		}
		sum := 0
		for _, key := range flood {
			sum += m.table.probes(m.hash(key), key)
		}
		return float64(sum) / count
	}
	if n := mean(NewWith[uint64, int](known, 0)); n < count/places/4 {
		t.Errorf("under a known key %.1f groups a look-up: this test sees no flood", n)
	}
	if n := mean(new(Map[uint64, int])); n > 1.5 {
		t.Errorf("under a random key %.1f groups a look-up", n)
	}
}

// TestDeletions puts and deletes one key after another, to leave as many deleted places as possible. The table must
// not grow.
func TestDeletions(t *testing.T) {
	m := New[int, int](100)
	groups := len(m.table.groups)
	for i := range 100_000 {
		m.Put(i, i)
		if i >= 50 && !m.Delete(i-50) {
			t.Fatalf("%d is gone", i-50)
		}
	}
	if m.Len() != 50 || len(m.table.groups) != groups {
		t.Errorf("%d entries, %d groups instead of %d", m.Len(), len(m.table.groups), groups)
	}
}

// TestDeletedPlaces deletes and puts each key of a full table. The entry may return to its place, so the table must
// not move.
func TestDeletedPlaces(t *testing.T) {
	m := New[int, int](10_000)
	for m.table.room > 0 {
		m.Put(m.Len(), 0)
	}
	groups, deletions := &m.table.groups[0], 0
	for key := range m.Len() {
		m.Delete(key)
		if m.table.room == 0 {
			deletions++
		}
		m.Put(key, 1)
	}
	if groups != &m.table.groups[0] {
		t.Error("the table was moved")
	}
	if deletions == 0 {
		t.Error("no deletion left a place that searches go past: this test sees nothing")
	}
}

func TestRepeatedKeysInABatch(t *testing.T) {
	for _, n := range []int{3, chunk, 5 * chunk} {
		keys, values := make([]string, n), make([]int, n)
		for i := range keys {
			keys[i], values[i] = fmt.Sprint(i%3), i
		}
		var m Map[string, int]
		m.PutMany(keys, values)
		for i := n - 3; i < n; i++ {
			if value, _ := m.Get(keys[i]); value != i {
				t.Errorf("of %d keys, %q has the value %d, not its last one, %d", n, keys[i], value, i)
			}
		}
		if m.Len() != 3 {
			t.Errorf("%d entries of 3 keys", m.Len())
		}
	}
}

func TestShortSlices(t *testing.T) {
	m := New[int, int](0)
	if n := m.PutMany([]int{1, 2, 3}, []int{10, 20}); n != 2 || m.Len() != 2 {
		t.Errorf("PutMany with 2 values took %d keys, %d are in the map", n, m.Len())
	}
	values, found := []int{7, 7, 7}, []bool{false, false}
	if n := m.GetMany([]int{1, 2, 3}, values, found); n != 2 || values[1] != 20 || values[2] != 7 || !found[1] {
		t.Errorf("GetMany with room for 2 took %d: %v, %v", n, values, found)
	}
	if n := m.GetMany([]int{1}, nil, found); n != 0 {
		t.Errorf("GetMany without room took %d", n)
	}
	if n := new(Map[int, int]).PutMany(nil, nil); n != 0 {
		t.Errorf("PutMany of nothing took %d", n)
	}
}

func TestNil(t *testing.T) {
	var m *Map[string, int]
	values, found := []int{7}, []bool{true}
	if n := m.GetMany([]string{"a"}, values, found); n != 1 || values[0] != 0 || found[0] {
		t.Errorf("GetMany gives %d, %v, %v", n, values, found)
	}
	if _, ok := m.Get("a"); ok || m.Len() != 0 || m.Delete("a") {
		t.Error("something is in a nil map")
	}
	m.Clear()
	for key := range m.All() {
		t.Errorf("%q is in a nil map", key)
	}
	defer func() {
		if recover() == nil {
			t.Error("Put into a nil map does not panic")
		}
	}()
	m.Put("a", 1)
}

func TestSizes(t *testing.T) {
	sizes := []int{math.MinInt, -1, 0, math.MaxInt}
	if math.MaxInt > math.MaxInt32 {
		sizes = append(sizes, math.MaxInt>>23+1, math.MaxInt>>20, math.MaxInt>>3) // 2^40, which make ignores too, and more
	}
	for _, size := range sizes {
		if n := len(make(map[int]int, size)); size >= 0 && n != 0 {
			t.Errorf("a built-in map for %d entries has %d", size, n)
		}
		m := New[int, int](size)
		if len(m.table.groups) != 0 {
			t.Errorf("a map for %d entries has %d groups", size, len(m.table.groups))
		}
		copied := *m // there is nothing to share
		copied.Put(1, 1)
		m.Put(1, 2)
		m.Grow(size)
		if value, _ := m.Get(1); value != 2 {
			t.Errorf("Grow(%d) lost an entry", size)
		}
	}
	for size := 1; size < 5000; size += 1 + size/5 {
		m := New[int, int](size)
		for i := range size {
			m.Put(-i, i)
		}
		m.Clear()
		m.Put(0, 0)
		m.Grow(2 * size)
		groups := &m.table.groups[0]
		for i := range 2 * size {
			m.Put(1+i, i)
		}
		if groups != &m.table.groups[0] || m.Len() != 2*size+1 {
			t.Fatalf("with room for %d more entries the table was moved", 2*size)
		}
	}
}

func TestFormat(t *testing.T) {
	m := NewWith[int, int](variants()[1], 0)
	m.Put(1, 2)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%q"} {
		for _, value := range []any{m, *m} {
			if got := fmt.Sprintf(verb, value); got != "maps.Map(1 entries)" {
				t.Errorf("%s prints %s", verb, got)
			}
		}
	}
}

// TestReaders reads a map in many goroutines, for the race detector.
func TestReaders(t *testing.T) {
	m := squares(1000)
	keys, want := make([]uint64, 100), make([]uint64, 100)
	for i := range keys {
		keys[i], want[i] = uint64(i*3), uint64(i*i*9)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			values, found := make([]uint64, len(keys)), make([]bool, len(keys))
			m.GetMany(keys, values, found)
			if !slices.Equal(values, want) {
				t.Error("GetMany gives other values in a goroutine")
			}
			n := 0
			for key, value := range m.All() {
				n++
				if got, _ := m.Get(key); got != value {
					t.Errorf("Get(%d) is %d, not %d", key, got, value)
				}
			}
			if n != m.Len() {
				t.Errorf("All gives %d entries of %d", n, m.Len())
			}
		})
	}
	group.Wait()
}

// A copy of a map with room cannot be written to, although nothing was put before.
func TestCopyOfRoom(t *testing.T) {
	grown := new(Map[int, int])
	grown.Grow(1)
	for _, m := range []*Map[int, int]{New[int, int](10), NewWith[int, int](variants()[0], 10), grown} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("Put into a copy does not panic")
				}
			}()
			copied := *m
			copied.Put(1, 1)
		}()
	}
}

// A copy of a used map can be read. A write would fill the shared table.
func TestCopy(t *testing.T) {
	a := New[int, int](0)
	for i := range 5 {
		a.Put(i, i)
	}
	b := *a
	if v, ok := b.Get(3); !ok || v != 3 {
		t.Error("a copy cannot be read")
	}
	for name, write := range map[string]func(){
		"Put":     func() { b.Put(9, 9) },
		"PutMany": func() { b.PutMany([]int{9}, []int{9}) },
		"Delete":  func() { b.Delete(3) },
		"Clear":   func() { b.Clear() },
		"Grow":    func() { b.Grow(1000) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of a copy does not panic", name)
				}
			}()
			write()
		}()
	}
	if v, ok := a.Get(3); !ok || v != 3 || a.Len() != 5 {
		t.Error("the map itself has changed")
	}
}
