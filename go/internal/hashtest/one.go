package hashtest

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// longest returns the length of the longest message of a variant. All lengths up to it are tested.
func (v Variant) longest() int {
	if v.slow() {
		return 40
	}
	return 1024
}

func (s *Suite) lengths(t *testing.T) {
	data := EveryByte(2048)
	for _, v := range s.Variants() {
		h := s.subject(t, v)
		for n := range v.longest() + 1 {
			for at := range 9 {
				if n > 64 && at != n%9 {
					continue // Longer messages start at one offset each.
				}
				p := data[at : at+n]
				want := s.Want(v, p)
				if got := h.hash(p); got != want {
					t.Fatalf("%+v: Hash of %d bytes: %x, want %x", v, n, got, want)
				}
				if got := h.hashString(string(p)); got != want {
					t.Fatalf("%+v: HashString of %d bytes: %x, want %x", v, n, got, want)
				}
			}
		}
	}
}

func (s *Suite) integers(t *testing.T) {
	for _, v := range s.Variants() {
		h := s.subject(t, v)
		for data := EveryByte(8 * 100); len(data) > 0; data = data[8:] {
			x := binary.LittleEndian.Uint64(data)
			if got, want := h.hashUint32(uint32(x)), s.Want(v, data[:4]); got != want {
				t.Fatalf("%+v: HashUint32(%#x) is %x, want %x", v, uint32(x), got, want)
			}
			if got, want := h.hashUint64(x), s.Want(v, data[:8]); got != want {
				t.Fatalf("%+v: HashUint64(%#x) is %x, want %x", v, x, got, want)
			}
		}
	}
}

func (s *Suite) streams(t *testing.T) {
	data := EveryByte(300)
	for _, v := range s.Variants() {
		h := s.subject(t, v)
		for n := range min(v.longest(), 60) {
			p := data[:n]
			want := s.Want(v, p)
			for i := range n + 1 {
				for j := i; j <= n; j += 1 + n/9 {
					if got := h.stream(t, p[:i], p[i:j], p[j:]); got != want {
						t.Fatalf("%+v: %d bytes in pieces that end at %d and %d: %x, want %x", v, n, i, j, got, want)
					}
				}
			}
			if got := h.stream(t, bytes.SplitAfter(p, nil)...); got != want {
				t.Fatalf("%+v: %d bytes, each by itself: %x, want %x", v, n, got, want)
			}
		}
	}
}

func (s *Suite) verify(t *testing.T) {
	p := []byte("message")
	for _, v := range []Variant{{C: 2, D: 4}, {C: 2, D: 4, Wide: true}} {
		h := s.subject(t, v)
		tag := s.Want(v, p)
		if !h.verify(p, tag) {
			t.Errorf("%+v: a right tag is refused", v)
		}
		for bit := range 8 * s.bytes(v.Wide) {
			wrong := tag
			wrong[bit/8] ^= 1 << (bit % 8)
			if h.verify(p, wrong) {
				t.Fatalf("%+v: a tag with bit %d turned is accepted", v, bit)
			}
		}
	}
}

// bytes returns the number of bytes of a tag.
func (s *Suite) bytes(wide bool) int {
	if wide {
		return 2 * s.Word
	}
	return s.Word
}
