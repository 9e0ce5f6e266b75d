package siphash

import (
	"encoding/binary"
	"testing"
)

// FuzzHash compares one message, a stream in two pieces, and a batch of pieces of the message, with the reference.
func FuzzHash(f *testing.F) {
	f.Add(uint8(1), uint8(3), false, false, 5, []byte("A message, and a Stream of it."))
	f.Add(uint8(2), uint8(4), true, true, 8, everyByte(500))
	f.Fuzz(func(t *testing.T, c, d uint8, wide, fold bool, at int, p []byte) {
		v := variant{c%8 + 1, d%8 + 1, wide, fold}
		s := v.subject(t)
		want := v.want(p)
		at = int(uint(at) % uint(len(p)+1))
		if got := s.hash(p); got != want {
			t.Fatalf("%+v: Hash is %x, want %x", v, got, want)
		}
		if got := s.stream(p[:at], p[at:]); got != want {
			t.Fatalf("%+v: a stream in two pieces is %x, want %x", v, got, want)
		}
		// The bytes of the message say how long the pieces are.
		var pieces [][]byte
		for rest := p; len(rest) > 0; {
			n := min(int(rest[0])*3/4, len(rest)-1)
			pieces = append(pieces, rest[1:1+n])
			rest = rest[1+n:]
		}
		integers := make([]uint64, len(p)/8)
		for i := range integers {
			integers[i] = binary.LittleEndian.Uint64(p[8*i:])
		}
		width := at % 140
		rows := min(len(p)/max(width, 1), 200)
		defer func(k kernel) { active = k }(active)
		for _, k := range kernels {
			if active = k; !k.here {
				continue
			}
			tags, n := s.hashSlices(len(pieces), pieces)
			check(t, k.name, v, tags, n, len(pieces), func(i int) []byte { return pieces[i] })
			tags, n = s.uint64s(len(integers), integers)
			check(t, k.name, v, tags, n, len(integers), func(i int) []byte { return p[8*i : 8*i+8] })
			tags, n = s.hashRows(rows, p, width)
			check(t, k.name, v, tags, n, rows, func(i int) []byte { return p[i*width : (i+1)*width] })
		}
	})
}
