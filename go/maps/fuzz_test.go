package maps

import "testing"

// FuzzMap does the operations that the input encodes on a map and on a built-in map. The first byte is the size
// hint. Then an operation is one byte, followed by the bytes of its keys.
func FuzzMap(f *testing.F) {
	f.Add([]byte("\x00\x00a\x01a\x00b\x03"))
	f.Add([]byte("\x40\x02abcdefghabcdefgh\x01a\x01b\x02hgfedcbahgfedcba\x04"))
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) == 0 {
			return
		}
		m := New[uint8, uint64](int(input[0]))
		model := make(map[uint8]uint64)
		input = input[1:]
		next := func(n int) []byte {
			n = min(n, len(input))
			taken := input[:n]
			input = input[n:]
			return taken
		}
		for step := uint64(0); len(input) > 0; step++ {
			switch operation := next(1)[0]; operation % 5 {
			case 0:
				for _, key := range next(1) {
					m.Put(key, step)
					model[key] = step
				}
			case 1:
				for _, key := range next(1) {
					_, there := model[key]
					if m.Delete(key) != there {
						t.Fatalf("Delete(%d) is not %t", key, there)
					}
					delete(model, key)
				}
			case 2:
				keys := next(int(operation))
				values := make([]uint64, len(keys))
				for i, key := range keys {
					values[i] = step + uint64(i)
					model[key] = values[i]
				}
				m.PutMany(keys, values)
			case 3:
				m.Grow(int(operation))
			case 4:
				m.Clear()
				clear(model)
			}
		}
		check(t, m, model)
		lookUps(t, m, model, []uint8{0, 1, 'a', 'b', 255})
		if entries := entriesOf(t, m); len(entries) != len(model) {
			t.Fatalf("All gives %d entries, not %d", len(entries), len(model))
		}
	})
}
