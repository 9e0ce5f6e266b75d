package hashtest

import "testing"

// guardedPage returns a page between two whose access faults, with every value of a byte.
func guardedPage(t *testing.T) []byte {
	page := Guarded(t, 1)
	copy(page, EveryByte(len(page)))
	return page
}

// Messages at the start and at the end of the page, one by one.
func (s *Suite) oneReadsNothingOutside(t *testing.T) {
	page := guardedPage(t)
	for _, v := range s.Variants() {
		h := s.subject(t, v)
		for n := range v.longest() + 1 {
			for _, p := range [][]byte{page[:n:n], page[len(page)-n:]} {
				if got, want := h.hash(p), s.Want(v, p); got != want {
					t.Fatalf("%+v: Hash of %d bytes: %x, want %x", v, n, got, want)
				}
			}
		}
	}
}

// Messages at the start and at the end of the page, in batches.
func (s *Suite) batchReadsNothingOutside(t *testing.T) {
	page := guardedPage(t)
	size := len(page)
	s.EachKernel(t, func(t *testing.T) {
		v := Variant{C: 1, D: 3}
		h := s.subject(t, v)
		for n := range s.tooWide() {
			var messages [][]byte
			for i := range 65 {
				if i%2 == 0 {
					messages = append(messages, page[:n])
				} else {
					messages = append(messages, page[size-n:])
				}
			}
			tags, k := h.slices(len(messages), messages)
			s.Check(t, "HashSlices", v, tags, k, s.WantAll(v, len(messages), func(i int) []byte { return messages[i] }))
			buffers, views := [][]byte{page[:n], page[size-n:]}, [][16]byte(nil)
			for i, p := range messages {
				views = append(views, View(p, i%2, 0))
			}
			tags, k, err := h.views(len(views), views, buffers)
			if err != nil {
				t.Fatal(err)
			}
			s.Check(t, "HashViews", v, tags, k, s.WantAll(v, len(messages), func(i int) []byte { return messages[i] }))
			// Rows up to the end of the page, and rows from its start.
			count := min(size/max(n, 1), 70)
			for _, rows := range [][]byte{page[size-count*n:], page[:count*n]} {
				tags, k := h.rows(count, rows, n)
				s.Check(t, "HashRows", v, tags, k, s.WantAll(v, count, func(i int) []byte { return rows[i*n : (i+1)*n] }))
			}
		}
	})
}
