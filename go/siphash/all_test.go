package siphash

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// A variant is one of the hashers under test.
type variant struct {
	c, d uint8
	wide bool
	fold bool
}

// variants are the usual ones, and others that reach the counted loops.
var variants = func() (list []variant) {
	for _, cd := range [][2]uint8{{1, 1}, {1, 2}, {1, 3}, {2, 4}, {4, 8}, {1, 4}, {2, 1}, {3, 3}, {2, 2}, {255, 255}} {
		for i := range 4 {
			list = append(list, variant{cd[0], cd[1], i&1 != 0, i&2 != 0})
		}
	}
	return list
}()

var testKey = [KeySize]byte{0xf0, 1, 2, 3, 0x84, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xff}

// want is the tag of p by the reference.
func (v variant) want(p []byte) Uint128 {
	if v.fold {
		p = referenceFold(p)
	}
	tag := reference(testKey[:], int(v.c), int(v.d), v.wide, p)
	x := Uint128{Lo: referenceWord(tag[:8])}
	if v.wide {
		x.Hi = referenceWord(tag[8:])
	}
	return x
}

// A subject is a Hasher or a HasherX, with tags in 128 bits.
type subject struct {
	hash         func(p []byte) Uint128
	hashString   func(s string) Uint128
	uint32       func(x uint32) Uint128
	uint64       func(x uint64) Uint128
	uint128      func(x Uint128) Uint128
	stream       func(pieces ...[]byte) Uint128
	uint32s      func(n int, src []uint32) ([]Uint128, int)
	uint64s      func(n int, src []uint64) ([]Uint128, int)
	uint128s     func(n int, src []Uint128) ([]Uint128, int)
	hashStrings  func(n int, src []string) ([]Uint128, int)
	hashSlices   func(n int, src [][]byte) ([]Uint128, int)
	hashRows     func(n int, data []byte, width int) ([]Uint128, int)
	hashOffsets  func(n int, data []byte, offsets []int32) ([]Uint128, int, error)
	hashOffset64 func(n int, data []byte, offsets []int64) ([]Uint128, int, error)
}

// canary is behind the tags that a batch may write.
const canary = 0x0123456789abcdef

func narrowTags(n int, fill func(dst []uint64) (int, error)) ([]Uint128, int, error) {
	dst := make([]uint64, n+40)
	for i := range dst {
		dst[i] = canary
	}
	k, err := fill(dst[:n])
	tags := make([]Uint128, len(dst))
	for i, x := range dst {
		tags[i].Lo = x
	}
	return tags, k, err
}

func wideTags(n int, fill func(dst []Uint128) (int, error)) ([]Uint128, int, error) {
	dst := make([]Uint128, n+40)
	for i := range dst {
		dst[i] = Uint128{Lo: canary}
	}
	k, err := fill(dst[:n])
	return dst, k, err
}

func first(tags []Uint128, n int, _ error) ([]Uint128, int) { return tags, n }

func (v variant) subject(t testing.TB) subject {
	if v.wide {
		h, err := NewX(&testKey, v.c, v.d)
		if err != nil {
			t.Fatal(err)
		}
		if v.fold {
			h = h.Fold()
		}
		return subject{
			h.Hash, h.HashString, h.HashUint32, h.HashUint64, h.HashUint128,
			func(pieces ...[]byte) Uint128 {
				d := h.Stream()
				for _, p := range pieces {
					d.Write(p)
				}
				return d.Sum128()
			},
			func(n int, src []uint32) ([]Uint128, int) {
				return first(wideTags(n, func(dst []Uint128) (int, error) { return h.HashUint32s(dst, src), nil }))
			},
			func(n int, src []uint64) ([]Uint128, int) {
				return first(wideTags(n, func(dst []Uint128) (int, error) { return h.HashUint64s(dst, src), nil }))
			},
			func(n int, src []Uint128) ([]Uint128, int) {
				return first(wideTags(n, func(dst []Uint128) (int, error) { return h.HashUint128s(dst, src), nil }))
			},
			func(n int, src []string) ([]Uint128, int) {
				return first(wideTags(n, func(dst []Uint128) (int, error) { return h.HashStrings(dst, src), nil }))
			},
			func(n int, src [][]byte) ([]Uint128, int) {
				return first(wideTags(n, func(dst []Uint128) (int, error) { return h.HashSlices(dst, src), nil }))
			},
			func(n int, data []byte, width int) ([]Uint128, int) {
				return first(wideTags(n, func(dst []Uint128) (int, error) { return h.HashRows(dst, data, width), nil }))
			},
			func(n int, data []byte, offsets []int32) ([]Uint128, int, error) {
				return wideTags(n, func(dst []Uint128) (int, error) { return h.HashOffsets32(dst, data, offsets) })
			},
			func(n int, data []byte, offsets []int64) ([]Uint128, int, error) {
				return wideTags(n, func(dst []Uint128) (int, error) { return h.HashOffsets64(dst, data, offsets) })
			},
		}
	}
	h, err := New(&testKey, v.c, v.d)
	if err != nil {
		t.Fatal(err)
	}
	if v.fold {
		h = h.Fold()
	}
	return subject{
		func(p []byte) Uint128 { return Uint128{Lo: h.Hash(p)} },
		func(s string) Uint128 { return Uint128{Lo: h.HashString(s)} },
		func(x uint32) Uint128 { return Uint128{Lo: h.HashUint32(x)} },
		func(x uint64) Uint128 { return Uint128{Lo: h.HashUint64(x)} },
		func(x Uint128) Uint128 { return Uint128{Lo: h.HashUint128(x)} },
		func(pieces ...[]byte) Uint128 {
			d := h.Stream()
			for _, p := range pieces {
				d.Write(p)
			}
			return Uint128{Lo: d.Sum64()}
		},
		func(n int, src []uint32) ([]Uint128, int) {
			return first(narrowTags(n, func(dst []uint64) (int, error) { return h.HashUint32s(dst, src), nil }))
		},
		func(n int, src []uint64) ([]Uint128, int) {
			return first(narrowTags(n, func(dst []uint64) (int, error) { return h.HashUint64s(dst, src), nil }))
		},
		func(n int, src []Uint128) ([]Uint128, int) {
			return first(narrowTags(n, func(dst []uint64) (int, error) { return h.HashUint128s(dst, src), nil }))
		},
		func(n int, src []string) ([]Uint128, int) {
			return first(narrowTags(n, func(dst []uint64) (int, error) { return h.HashStrings(dst, src), nil }))
		},
		func(n int, src [][]byte) ([]Uint128, int) {
			return first(narrowTags(n, func(dst []uint64) (int, error) { return h.HashSlices(dst, src), nil }))
		},
		func(n int, data []byte, width int) ([]Uint128, int) {
			return first(narrowTags(n, func(dst []uint64) (int, error) { return h.HashRows(dst, data, width), nil }))
		},
		func(n int, data []byte, offsets []int32) ([]Uint128, int, error) {
			return narrowTags(n, func(dst []uint64) (int, error) { return h.HashOffsets32(dst, data, offsets) })
		},
		func(n int, data []byte, offsets []int64) ([]Uint128, int, error) {
			return narrowTags(n, func(dst []uint64) (int, error) { return h.HashOffsets64(dst, data, offsets) })
		},
	}
}

// everyByte is input with bytes of all values, capitals among them, in an order that repeats nowhere soon.
func everyByte(n int) []byte {
	p := make([]byte, n)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range p {
		p[i] = byte(random.Uint32())
	}
	return p
}

// lengths are all up to 1024, or fewer where a variant has so many rounds that all would take long.
func (v variant) lengths() int {
	if v.c == 255 {
		return 40
	}
	return 1024
}

func TestLengths(t *testing.T) {
	data := everyByte(2048)
	for _, v := range variants {
		s := v.subject(t)
		for n := range v.lengths() + 1 {
			for at := range 8 {
				if n > 64 && at != n%8 {
					continue // Longer ones begin at one place each.
				}
				p := data[at : at+n]
				want := v.want(p)
				if got := s.hash(p); got != want {
					t.Fatalf("%+v: Hash of %d bytes: %x, want %x", v, n, got, want)
				}
				if got := s.hashString(string(p)); got != want {
					t.Fatalf("%+v: HashString of %d bytes: %x, want %x", v, n, got, want)
				}
			}
		}
	}
}

func TestIntegers(t *testing.T) {
	data := everyByte(16 * 50)
	for _, v := range variants {
		s := v.subject(t)
		for ; len(data) >= 16; data = data[16:] {
			lo, hi := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
			if got, want := s.uint32(uint32(lo)), v.want(data[:4]); got != want {
				t.Fatalf("%+v: HashUint32(%#x) is %x, want %x", v, uint32(lo), got, want)
			}
			if got, want := s.uint64(lo), v.want(data[:8]); got != want {
				t.Fatalf("%+v: HashUint64(%#x) is %x, want %x", v, lo, got, want)
			}
			if got, want := s.uint128(Uint128{lo, hi}), v.want(data[:16]); got != want {
				t.Fatalf("%+v: HashUint128(%#x, %#x) is %x, want %x", v, lo, hi, got, want)
			}
		}
		data = everyByte(16 * 50)
	}
}

func TestStreams(t *testing.T) {
	data := everyByte(300)
	for _, v := range variants {
		s := v.subject(t)
		for n := range min(v.lengths(), 60) {
			p := data[:n]
			want := v.want(p)
			for i := range n + 1 {
				for j := i; j <= n; j += 1 + n/9 {
					if got := s.stream(p[:i], p[i:j], p[j:]); got != want {
						t.Fatalf("%+v: %d bytes in pieces that end at %d and %d: %x, want %x", v, n, i, j, got, want)
					}
				}
			}
			if got := s.stream(bytes.SplitAfter(p, nil)...); got != want {
				t.Fatalf("%+v: %d bytes, each by itself: %x, want %x", v, n, got, want)
			}
		}
	}
}

// The length is counted mod 256, beyond what an int of 32 bits has too.
func TestStreamCountsLengths(t *testing.T) {
	h := New13(&testKey)
	d := h.Stream()
	d.d.n = 1<<40 - 8
	d.Write(make([]byte, 8))
	e := h.Stream()
	e.Write(make([]byte, 8))
	e.d.n = 0
	if d.Sum64() != e.Sum64() {
		t.Error("a length of 2^40 is not one of 0")
	}
}
