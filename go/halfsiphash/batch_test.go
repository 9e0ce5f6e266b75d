package halfsiphash

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
)

// eachKernel runs a test with every kernel that this CPU can run, and says which those are.
func eachKernel(t *testing.T, test func(t *testing.T)) {
	defer func(k kernel) { active = k }(active)
	for _, k := range kernels {
		if !k.here {
			t.Logf("%s: not run, this CPU does not have its instructions", k.name)
			continue
		}
		t.Logf("%s: run", k.name)
		active = k
		t.Run(k.name, test)
	}
}

// counts of messages, on both sides of what fills a group, several groups, and all that are put together at once.
var counts = []int{0, 1, 2, 3, 7, 8, 9, 10, 16, 17, 31, 32, 33, 40, 41, 64, 65, 95, 100, 511, 512, 513, 553}

// check compares the first n tags, and sees that those behind them were left.
func check(t *testing.T, what string, v variant, tags []uint64, n, want int, message func(i int) []byte) {
	t.Helper()
	if n != want {
		t.Fatalf("%s %+v: %d messages, want %d", what, v, n, want)
	}
	for i, tag := range tags {
		if i >= n {
			if tag != canary {
				t.Fatalf("%s %+v: tag %d behind %d messages was written", what, v, i, n)
			}
		} else if want := v.want(message(i)); tag != want {
			t.Fatalf("%s %+v: tag %d of %d is %x, want %x", what, v, i, n, tag, want)
		}
	}
}

// batchVariants are those for which every batch is compared with the reference: the slowest one would take minutes.
func batchVariants() []variant { return variants[:len(variants)-4] }

func TestBatchesOfIntegers(t *testing.T) {
	data := everyByte(8 * 600)
	u32s, u64s := make([]uint32, 600), make([]uint64, 600)
	for i := range 600 {
		u32s[i] = binary.LittleEndian.Uint32(data[4*i:])
		u64s[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	eachKernel(t, func(t *testing.T) {
		for _, v := range batchVariants() {
			s := v.subject(t)
			for _, n := range counts {
				tags, k := s.uint32s(n, u32s[:n])
				check(t, "HashUint32s", v, tags, k, n, func(i int) []byte { return data[4*i : 4*i+4] })
				tags, k = s.uint64s(n, u64s[:n])
				check(t, "HashUint64s", v, tags, k, n, func(i int) []byte { return data[8*i : 8*i+8] })
			}
			// As copy does: the shorter of the two decides.
			tags, k := s.uint32s(50, u32s[:45])
			check(t, "HashUint32s", v, tags, k, 45, func(i int) []byte { return data[4*i : 4*i+4] })
			tags, k = s.uint32s(45, u32s[:50])
			check(t, "HashUint32s", v, tags, k, 45, func(i int) []byte { return data[4*i : 4*i+4] })
		}
	})
}

func TestBatchInPlace(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		h := New13(&testKey)
		x := make([]uint32, 140)
		for i := range x {
			x[i] = uint32(i) << 16
		}
		h.HashUint32s(x, x)
		for i := range x {
			if want := h.HashUint32(uint32(i) << 16); x[i] != want {
				t.Fatalf("in place, tag %d is %x, want %x", i, x[i], want)
			}
		}
	})
}

func TestBatchesOfRows(t *testing.T) {
	data := everyByte(90 * 140)
	eachKernel(t, func(t *testing.T) {
		for i, v := range batchVariants() {
			s := v.subject(t)
			for width := i % 5; width < 80; width += 5 {
				for _, n := range []int{0, 1, 8, 9, 31, 64, 81, 138} {
					rows := data[3 : 3+n*width]
					tags, k := s.hashRows(n, rows, width)
					check(t, "HashRows", v, tags, k, n, func(i int) []byte { return rows[i*width : (i+1)*width] })
				}
			}
			// Bytes behind the last row, fewer tags than rows, no width, and less.
			tags, k := s.hashRows(9, data[:39], 5)
			check(t, "HashRows", v, tags, k, 7, func(i int) []byte { return data[5*i : 5*i+5] })
			tags, k = s.hashRows(40, data, 5)
			check(t, "HashRows", v, tags, k, 40, func(i int) []byte { return data[5*i : 5*i+5] })
			tags, k = s.hashRows(40, nil, 0)
			check(t, "HashRows", v, tags, k, 40, func(int) []byte { return nil })
			tags, k = s.hashRows(40, data, -1)
			check(t, "HashRows", v, tags, k, 0, nil)
		}
	})
}

// ragged is n messages of random lengths below most, one behind the other, and where they end.
func ragged(n, most int) (data []byte, offsets []int32) {
	random := rand.New(rand.NewPCG(uint64(n), uint64(most)))
	at := int32(5)
	offsets = append(offsets, at)
	for range n {
		at += random.Int32N(int32(most))
		offsets = append(offsets, at)
	}
	return everyByte(int(at) + 3), offsets
}

func TestRaggedBatches(t *testing.T) {
	eachKernel(t, func(t *testing.T) {
		for _, v := range batchVariants() {
			s := v.subject(t)
			for _, n := range counts {
				for i, most := range []int{1, 9, 30, 100} {
					if (n+i)%4 != int(v.c+v.d)%4 {
						continue // a quarter of all pairs for each variant, another one for the next
					}
					data, offsets := ragged(n, most)
					var texts []string
					var slices [][]byte
					var wide []int64
					for i := range n {
						p := data[offsets[i]:offsets[i+1]]
						texts, slices = append(texts, string(p)), append(slices, p)
					}
					for _, at := range offsets {
						wide = append(wide, int64(at))
					}
					message := func(i int) []byte { return slices[i] }
					tags, k := s.hashStrings(n, texts)
					check(t, "HashStrings", v, tags, k, n, message)
					tags, k = s.hashSlices(n, slices)
					check(t, "HashSlices", v, tags, k, n, message)
					tags, k, err := s.hashOffsets(n, data, offsets)
					check(t, "HashOffsets32", v, tags, k, n, message)
					tags, k, err64 := s.hashOffset64(n, data, wide)
					check(t, "HashOffsets64", v, tags, k, n, message)
					if err != nil || err64 != nil {
						t.Fatal(err, err64)
					}
				}
			}
		}
	})
}

func TestWrongOffsets(t *testing.T) {
	data := make([]byte, 100)
	for _, offsets := range [][]int64{{-1, 5}, {0, 5, 4}, {0, 101}, {101, 101}, {0, 1 << 62}, {0, -1 << 63}, {3, 2}} {
		for _, v := range variants[:2] {
			s := v.subject(t)
			tags, n, err := s.hashOffset64(9, data, offsets)
			if !errors.Is(err, ErrOffsets) {
				t.Errorf("offsets %v: error %v", offsets, err)
			}
			check(t, "HashOffsets64", v, tags, n, 0, nil)
			narrow := make([]int32, len(offsets))
			for i, at := range offsets {
				narrow[i] = int32(max(min(at, 1<<31-1), -1<<31))
			}
			tags, n, err = s.hashOffsets(9, data, narrow)
			if !errors.Is(err, ErrOffsets) {
				t.Errorf("offsets %v: error %v", narrow, err)
			}
			check(t, "HashOffsets32", v, tags, n, 0, nil)
		}
	}
	s := variants[0].subject(t)
	for _, offsets := range [][]int32{nil, {}, {7}} {
		tags, n, err := s.hashOffsets(9, data, offsets)
		if err != nil {
			t.Errorf("offsets %v: %v", offsets, err)
		}
		check(t, "HashOffsets32", variants[0], tags, n, 0, nil)
	}
	// Offsets for which there are no tags are not looked at.
	tags, n, err := s.hashOffsets(1, data, []int32{0, 100, 50})
	if err != nil {
		t.Error(err)
	}
	check(t, "HashOffsets32", variants[0], tags, n, 1, func(int) []byte { return data })
}

func TestNoAllocation(t *testing.T) {
	data, offsets := ragged(100, 40)
	texts, u64s := make([]string, 100), make([]uint64, 100)
	slices, u32s := make([][]byte, 100), make([]uint32, 100)
	wide := make([]int64, 100)
	for i := range 100 {
		slices[i] = data[offsets[i]:offsets[i+1]]
		texts[i] = string(slices[i])
		wide[i] = int64(offsets[i])
	}
	narrow, tags := make([]uint32, 100), make([]uint64, 100)
	sum := make([]byte, 0, 16)
	calls := map[string]func(){
		"narrow": func() {
			h := New24(&testKey)
			h.Hash(data)
			h.HashString(texts[1])
			h.HashUint32(1)
			h.HashUint64(1)
			h.Verify(data, 1)
			f := h.Fold()
			f.Hash(data)
			d := h.Stream()
			d.Write(data)
			d.WriteString(texts[1])
			d.Sum32()
			sum = d.Sum(sum[:0])
			d.Reset()
			h.HashUint32s(narrow, u32s)
			h.HashUint64s(narrow, u64s)
			h.HashStrings(narrow, texts)
			h.HashSlices(narrow, slices)
			h.HashRows(narrow, data, 5)
			h.HashOffsets32(narrow, data, offsets)
			h.HashOffsets64(narrow, data, wide)
			h.Wipe()
		},
		"wide": func() {
			h := NewX24(&testKey)
			h.Hash(data)
			h.HashString(texts[1])
			h.HashUint32(1)
			h.HashUint64(1)
			h.Verify(data, 1)
			f := h.Fold()
			f.Hash(data)
			d := h.Stream()
			d.Write(data)
			d.WriteString(texts[1])
			d.Sum64()
			sum = d.Sum(sum[:0])
			d.Reset()
			h.HashUint32s(tags, u32s)
			h.HashUint64s(tags, u64s)
			h.HashStrings(tags, texts)
			h.HashSlices(tags, slices)
			h.HashRows(tags, data, 5)
			h.HashOffsets32(tags, data, offsets)
			h.HashOffsets64(tags, data, wide)
			h.Wipe()
		},
	}
	eachKernel(t, func(t *testing.T) {
		for name, call := range calls {
			if n := testing.AllocsPerRun(10, call); n != 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	})
}
