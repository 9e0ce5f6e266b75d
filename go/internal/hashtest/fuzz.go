package hashtest

import (
	"encoding/binary"
	"testing"
)

// Fuzz compares with the definition: one message, a stream in two pieces, and batches of pieces of the message.
func (s *Suite) Fuzz(f *testing.F) {
	f.Add(uint8(1), uint8(3), false, false, 5, []byte("A message, and a Stream of it."))
	f.Add(uint8(2), uint8(4), true, true, 8, EveryByte(500))
	f.Fuzz(func(t *testing.T, c, d uint8, wide, fold bool, at int, p []byte) {
		v := Variant{c%8 + 1, d%8 + 1, wide, fold}
		h := s.subject(t, v)
		want := s.Want(v, p)
		at = int(uint(at) % uint(len(p)+1))
		if got := h.hash(p); got != want {
			t.Fatalf("%+v: Hash is %x, want %x", v, got, want)
		}
		if got := h.stream(t, p[:at], p[at:]); got != want {
			t.Fatalf("%+v: a stream in two pieces is %x, want %x", v, got, want)
		}
		// The bytes of the message determine the lengths of the pieces.
		var pieces [][]byte
		for rest := p; len(rest) > 0; {
			n := min(int(rest[0])*3/4, len(rest)-1)
			pieces = append(pieces, rest[1:1+n])
			rest = rest[1+n:]
		}
		u32s, u64s := make([]uint32, len(p)/4), make([]uint64, len(p)/8)
		for i := range u32s {
			u32s[i] = binary.LittleEndian.Uint32(p[4*i:])
		}
		for i := range u64s {
			u64s[i] = binary.LittleEndian.Uint64(p[8*i:])
		}
		width := at % s.tooWide()
		rows := min(len(p)/max(width, 1), 200)
		for _, k := range s.Kernels {
			if !k.Here {
				continue
			}
			k.With(func() {
				tags, n := h.slices(len(pieces), pieces)
				s.Check(t, k.Name, v, tags, n, s.WantAll(v, len(pieces), func(i int) []byte { return pieces[i] }))
				tags, n = h.uint32s(len(u32s), u32s)
				s.Check(t, k.Name, v, tags, n, s.WantAll(v, len(u32s), func(i int) []byte { return p[4*i : 4*i+4] }))
				tags, n = h.uint64s(len(u64s), u64s)
				s.Check(t, k.Name, v, tags, n, s.WantAll(v, len(u64s), func(i int) []byte { return p[8*i : 8*i+8] }))
				tags, n = h.rows(rows, p, width)
				s.Check(t, k.Name, v, tags, n, s.WantAll(v, rows, func(i int) []byte { return p[i*width : (i+1)*width] }))
			})
		}
	})
}
