package hashtest

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
)

// Counts are numbers of messages: around the sizes of a group, of several groups, and of the largest batch buffer. Some 200
// messages fill groups if their lengths are alike.
var Counts = []int{
	0, 1, 2, 3, 7, 8, 9, 10, 16, 17, 31, 32, 33, 40, 41, 64, 65, 95, 100, 200, 201, 202, 203, 511, 512, 513, 553,
}

// WantAll returns the tags of n messages by the definition.
func (s *Suite) WantAll(v Variant, n int, message func(i int) []byte) (tags []Tag) {
	for i := range n {
		tags = append(tags, s.Want(v, message(i)))
	}
	return tags
}

// Check compares the n tags of a batch with want. The tags after them must be unchanged.
func (s *Suite) Check(t *testing.T, what string, v Variant, tags []Tag, n int, want []Tag) {
	t.Helper()
	if n != len(want) {
		t.Fatalf("%s %+v: %d messages, want %d", what, v, n, len(want))
	}
	left := Tag{}
	copy(left[:s.bytes(v.Wide)], canary[:])
	for i, tag := range tags {
		if i >= n {
			if tag != left {
				t.Fatalf("%s %+v: tag %d after %d messages was written", what, v, i, n)
			}
		} else if tag != want[i] {
			t.Fatalf("%s %+v: tag %d of %d is %x, want %x", what, v, i, n, tag, want[i])
		}
	}
}

// integers returns n integers of each size, and data, which starts with the bytes of either.
func integers(n int) (data []byte, u32s []uint32, u64s []uint64) {
	data = EveryByte(8 * n)
	for i := range n {
		u32s = append(u32s, binary.LittleEndian.Uint32(data[4*i:]))
		u64s = append(u64s, binary.LittleEndian.Uint64(data[8*i:]))
	}
	return data, u32s, u64s
}

func (s *Suite) batchesOfIntegers(t *testing.T) {
	data, u32s, u64s := integers(600)
	s.EachKernel(t, func(t *testing.T) {
		for _, v := range s.BatchVariants() {
			h := s.subject(t, v)
			want32 := s.WantAll(v, 600, func(i int) []byte { return data[4*i : 4*i+4] })
			want64 := s.WantAll(v, 600, func(i int) []byte { return data[8*i : 8*i+8] })
			compare := func(tags, n int) {
				t.Helper()
				got, k := h.uint32s(tags, u32s[:n])
				s.Check(t, "HashUint32s", v, got, k, want32[:min(tags, n)])
				got, k = h.uint64s(tags, u64s[:n])
				s.Check(t, "HashUint64s", v, got, k, want64[:min(tags, n)])
			}
			for _, n := range Counts {
				compare(n, n)
			}
			// As in copy, the shorter slice decides.
			compare(50, 45)
			compare(45, 50)
		}
	})
}

// InPlace tests a batch of words whose tags overwrite them.
func InPlace[W Word](t *testing.T, s *Suite, one func(W) W, many func(dst, src []W) int) {
	s.EachKernel(t, func(t *testing.T) {
		for _, n := range []int{77, 140} {
			x := make([]W, n)
			for i := range x {
				x[i] = W(i) << (4 * s.Word)
			}
			many(x, x)
			for i := range x {
				if want := one(W(i) << (4 * s.Word)); x[i] != want {
					t.Fatalf("in place, tag %d is %x, want %x", i, x[i], want)
				}
			}
		}
	})
}

// tooWide returns a length that is longer than any message of a group.
func (s *Suite) tooWide() int { return 20 * s.Word }

func (s *Suite) batchesOfRows(t *testing.T) {
	data := EveryByte(3 + 138*s.tooWide())
	s.EachKernel(t, func(t *testing.T) {
		for i, v := range s.BatchVariants() {
			h := s.subject(t, v)
			compare := func(tags int, rows []byte, width int, want []Tag) {
				t.Helper()
				got, k := h.rows(tags, rows, width)
				s.Check(t, "HashRows", v, got, k, want)
			}
			wants := func(n int, rows []byte, width int) []Tag {
				return s.WantAll(v, n, func(i int) []byte { return rows[i*width : (i+1)*width] })
			}
			for width := i % 5; width < s.tooWide(); width += 5 {
				want := wants(138, data[3:], width)
				for _, n := range []int{0, 1, 8, 9, 31, 32, 41, 64, 68, 81, 138} {
					compare(n, data[3:3+n*width], width, want[:n])
				}
			}
			// Bytes after the last row, fewer tags than rows, width 0, and a negative width.
			compare(9, data[:39], 5, wants(7, data, 5))
			compare(40, data, 5, wants(40, data, 5))
			compare(40, nil, 0, wants(40, nil, 0))
			compare(40, data, -1, nil)
		}
	})
}

// Messages is a list of messages in all layouts.
type Messages struct {
	Data      []byte
	Offsets32 []int32
	Offsets64 []int64
	Strings   []string
	Slices    [][]byte
	Views     [][16]byte
	Buffers   [][]byte
}

// View returns the view of a message at an offset in a buffer. What nobody may read is not zero.
func View(p []byte, buffer, offset int) (view [16]byte) {
	copy(view[4:], "\xffnobody read\xff")
	binary.LittleEndian.PutUint32(view[:], uint32(len(p)))
	if copy(view[4:], p[:min(len(p), 12)]) < len(p) {
		copy(view[4:8], "read")
		binary.LittleEndian.PutUint32(view[8:], uint32(buffer))
		binary.LittleEndian.PutUint32(view[12:], uint32(offset))
	}
	return view
}

// Ragged returns n messages of random lengths below most.
func Ragged(n, most int) (m Messages) {
	random := rand.New(rand.NewPCG(uint64(n), uint64(most)))
	at := int32(5)
	m.Offsets32 = append(m.Offsets32, at)
	for range n {
		at += random.Int32N(int32(most))
		m.Offsets32 = append(m.Offsets32, at)
	}
	m.Data = EveryByte(int(at) + 3)
	for i, at := range m.Offsets32 {
		m.Offsets64 = append(m.Offsets64, int64(at))
		if i > 0 {
			p := m.Data[m.Offsets32[i-1]:at]
			m.Strings, m.Slices = append(m.Strings, string(p)), append(m.Slices, p)
			// Buffer 1 ends with the last message.
			m.Views = append(m.Views, View(p, i%3, int(m.Offsets32[i-1])))
		}
	}
	m.Buffers = [][]byte{m.Data, m.Data[:at], m.Data, nil}
	return m
}

func (s *Suite) raggedBatches(t *testing.T) {
	s.EachKernel(t, func(t *testing.T) {
		for _, v := range s.BatchVariants() {
			h := s.subject(t, v)
			for _, n := range Counts {
				for i, most := range []int{1, 9, 30, 100, 300} {
					if (n+i)%4 != int(v.C+v.D)%4 {
						continue // a quarter of all pairs for each variant, in turn
					}
					m := Ragged(n, most)
					want := s.WantAll(v, n, func(i int) []byte { return m.Slices[i] })
					tags, k := h.strings(n, m.Strings)
					s.Check(t, "HashStrings", v, tags, k, want)
					tags, k = h.slices(n, m.Slices)
					s.Check(t, "HashSlices", v, tags, k, want)
					tags, k, err := h.offsets32(n, m.Data, m.Offsets32)
					s.Check(t, "HashOffsets32", v, tags, k, want)
					tags, k, err64 := h.offsets64(n, m.Data, m.Offsets64)
					s.Check(t, "HashOffsets64", v, tags, k, want)
					tags, k, errViews := h.views(n, m.Views, m.Buffers)
					s.Check(t, "HashViews", v, tags, k, want)
					if err != nil || err64 != nil || errViews != nil {
						t.Fatal(err, err64, errViews)
					}
				}
			}
		}
	})
}

func (s *Suite) wrongOffsets(t *testing.T) {
	data := make([]byte, 100)
	variants := s.Variants()[:2]
	for _, offsets := range [][]int64{{-1, 5}, {0, 5, 4}, {0, 101}, {101, 101}, {0, 1 << 62}, {0, -1 << 63}, {3, 2}} {
		for _, v := range variants {
			h := s.subject(t, v)
			tags, n, err := h.offsets64(9, data, offsets)
			if !errors.Is(err, s.ErrOffsets) {
				t.Errorf("offsets %v: error %v", offsets, err)
			}
			s.Check(t, "HashOffsets64", v, tags, n, nil)
			narrow := make([]int32, len(offsets))
			for i, at := range offsets {
				narrow[i] = int32(max(min(at, 1<<31-1), -1<<31))
			}
			tags, n, err = h.offsets32(9, data, narrow)
			if !errors.Is(err, s.ErrOffsets) {
				t.Errorf("offsets %v: error %v", narrow, err)
			}
			s.Check(t, "HashOffsets32", v, tags, n, nil)
		}
	}
	v := variants[0]
	h := s.subject(t, v)
	for _, offsets := range [][]int32{nil, {}, {7}} {
		tags, n, err := h.offsets32(9, data, offsets)
		if err != nil {
			t.Errorf("offsets %v: %v", offsets, err)
		}
		s.Check(t, "HashOffsets32", v, tags, n, nil)
	}
	// Offsets of messages without a tag are not checked.
	tags, n, err := h.offsets32(1, data, []int32{0, 100, 50})
	if err != nil {
		t.Error(err)
	}
	s.Check(t, "HashOffsets32", v, tags, n, []Tag{s.Want(v, data)})
}

func (s *Suite) wrongViews(t *testing.T) {
	buffers := [][]byte{make([]byte, 100), nil, make([]byte, 13)}
	view := func(length, buffer, offset uint32) (view [16]byte) {
		for i, number := range []uint32{length, 7, buffer, offset} {
			binary.LittleEndian.PutUint32(view[4*i:], number)
		}
		return view
	}
	good := [][16]byte{
		{}, view(12, 1<<31, 1<<31), view(0, 99, 99), view(100, 0, 0), view(13, 0, 87), view(13, 2, 0),
	}
	wrong := [][16]byte{
		view(101, 0, 0), view(1<<31-1, 0, 0), view(1<<31, 0, 0), view(1<<32-1, 0, 0), view(1<<32-12, 0, 12),
		view(14, 2, 0), view(13, 1, 0), view(13, 0, 88), view(13, 0, 101), view(13, 0, 1<<31), view(13, 0, 1<<32-1),
		view(13, 0, 1<<32-13), view(100, 0, 1<<32-100), view(1<<31-1, 0, 1<<31+1), view(13, 1, 1<<32-13),
		view(13, 3, 0), view(13, 1<<31, 0), view(13, 1<<32-1, 0),
	}
	for _, v := range s.Variants()[:4] {
		h := s.subject(t, v)
		for _, n := range []int{1, 9, 70, 200} {
			views := make([][16]byte, n)
			for i := range views {
				views[i] = good[i%len(good)]
			}
			if tags, k, err := h.views(n, views, buffers); err != nil || k != n || tags[n] == (Tag{}) {
				t.Errorf("good views: %d, error %v", k, err)
			}
			for i, one := range wrong {
				at := i * n / len(wrong)
				before := views[at]
				views[at] = one
				tags, k, err := h.views(n, views, buffers)
				if !errors.Is(err, s.ErrViews) {
					t.Errorf("view %x: error %v", one, err)
				}
				s.Check(t, "HashViews", v, tags, k, nil)
				// Views of messages without a tag are not checked.
				if _, k, err := h.views(at, views, buffers); k != at || err != nil {
					t.Errorf("%d tags, then view %x: %d, error %v", at, one, k, err)
				}
				views[at] = before
			}
			// Without buffers, only messages within their views are good.
			tags, k, err := h.views(n, append(good[:3:3], good[3]), nil)
			if n > 3 && !errors.Is(err, s.ErrViews) || n <= 3 && err != nil {
				t.Errorf("no buffers: error %v", err)
			}
			if n > 3 {
				s.Check(t, "HashViews", v, tags, k, nil)
			}
		}
	}
}

// NoAllocation checks that no call allocates, with any kernel.
func (s *Suite) NoAllocation(t *testing.T, calls map[string]func()) {
	s.EachKernel(t, func(t *testing.T) {
		for name, call := range calls {
			if n := testing.AllocsPerRun(10, call); n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	})
}
