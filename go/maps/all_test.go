package maps

import "testing"

// squares maps the numbers below n to their squares.
func squares(n uint64) *Map[uint64, uint64] {
	m := new(Map[uint64, uint64])
	for i := range n {
		m.Put(i, i*i)
	}
	return m
}

func TestAllStops(t *testing.T) {
	n := 0
	for range squares(100).All() {
		if n++; n == 7 {
			break
		}
	}
	if n != 7 {
		t.Errorf("%d entries", n)
	}
}

func TestAllBeginsAnywhere(t *testing.T) {
	m := squares(100)
	begins := make(map[uint64]bool)
	for range 100 {
		for key := range m.All() {
			begins[key] = true
			break
		}
	}
	if len(begins) < 10 {
		t.Errorf("100 iterators begin at %d of 100 keys", len(begins))
	}
}

// TestAllMeanwhile changes a map at each step of an iterator, so its table moves several times. The promises of All
// must hold.
func TestAllMeanwhile(t *testing.T) {
	const n = 500
	for _, grow := range []uint64{0, 1, 10} {
		m := squares(n)
		seen := make(map[uint64]bool)
		gone := make(map[uint64]bool)
		again := make(map[uint64]bool)
		next := uint64(n)
		for key, value := range m.All() {
			if seen[key] {
				t.Fatalf("%d comes twice", key)
			}
			if gone[key] {
				t.Fatalf("%d comes though it was deleted", key)
			}
			if want, _ := m.Get(key); value != want {
				t.Fatalf("%d has the value %d, not %d", key, value, want)
			}
			seen[key] = true
			if other := key * 7 % n; !seen[other] {
				m.Delete(other)
				gone[other] = true
			}
			other := key * 11 % n
			m.Put(other, key)
			if gone[other] { // now this entry may appear or not
				delete(gone, other)
				again[other] = true
			}
			for range grow {
				if next < 100*n {
					m.Put(next, next)
					next++
				}
			}
		}
		for key := range uint64(n) {
			if !seen[key] && !gone[key] && !again[key] {
				t.Fatalf("%d was left out", key)
			}
		}
	}
}

func TestAllAndClear(t *testing.T) {
	for _, grow := range []int{0, 1000} {
		m := squares(100)
		n := 0
		for range m.All() {
			n++
			m.Grow(grow) // so Clear and the iterator have different tables
			m.Clear()
		}
		if n != 1 {
			t.Errorf("%d entries though the first one cleared the map", n)
		}
	}
}
