package halfsiphash

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
	for _, cd := range [][2]uint8{{1, 1}, {1, 3}, {2, 4}, {1, 4}, {2, 1}, {3, 3}, {2, 2}, {255, 255}} {
		for i := range 4 {
			list = append(list, variant{cd[0], cd[1], i&1 != 0, i&2 != 0})
		}
	}
	return list
}()

var testKey = [KeySize]byte{0xf0, 1, 2, 3, 0x84, 5, 6, 0xff}

// want is the tag of p by the reference.
func (v variant) want(p []byte) uint64 {
	if v.fold {
		p = referenceFold(p)
	}
	tag := reference(testKey[:], int(v.c), int(v.d), v.wide, p)
	x := uint64(referenceWord(tag[:4]))
	if v.wide {
		x |= uint64(referenceWord(tag[4:])) << 32
	}
	return x
}

// A subject is a Hasher or a HasherX, with tags in 64 bits.
type subject struct {
	hash         func(p []byte) uint64
	hashString   func(s string) uint64
	uint32       func(x uint32) uint64
	uint64       func(x uint64) uint64
	stream       func(pieces ...[]byte) uint64
	uint32s      func(n int, src []uint32) ([]uint64, int)
	uint64s      func(n int, src []uint64) ([]uint64, int)
	hashStrings  func(n int, src []string) ([]uint64, int)
	hashSlices   func(n int, src [][]byte) ([]uint64, int)
	hashRows     func(n int, data []byte, width int) ([]uint64, int)
	hashOffsets  func(n int, data []byte, offsets []int32) ([]uint64, int, error)
	hashOffset64 func(n int, data []byte, offsets []int64) ([]uint64, int, error)
}

// canary is behind the tags that a batch may write.
const canary = 0x01234567

func narrowTags(n int, fill func(dst []uint32) (int, error)) ([]uint64, int, error) {
	dst := make([]uint32, n+40)
	for i := range dst {
		dst[i] = canary
	}
	k, err := fill(dst[:n])
	tags := make([]uint64, len(dst))
	for i, x := range dst {
		tags[i] = uint64(x)
	}
	return tags, k, err
}

func wideTags(n int, fill func(dst []uint64) (int, error)) ([]uint64, int, error) {
	dst := make([]uint64, n+40)
	for i := range dst {
		dst[i] = canary
	}
	k, err := fill(dst[:n])
	return dst, k, err
}

func first(tags []uint64, n int, _ error) ([]uint64, int) { return tags, n }

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
			h.Hash, h.HashString, h.HashUint32, h.HashUint64,
			func(pieces ...[]byte) uint64 {
				d := h.Stream()
				for _, p := range pieces {
					d.Write(p)
				}
				return d.Sum64()
			},
			func(n int, src []uint32) ([]uint64, int) {
				return first(wideTags(n, func(dst []uint64) (int, error) { return h.HashUint32s(dst, src), nil }))
			},
			func(n int, src []uint64) ([]uint64, int) {
				return first(wideTags(n, func(dst []uint64) (int, error) { return h.HashUint64s(dst, src), nil }))
			},
			func(n int, src []string) ([]uint64, int) {
				return first(wideTags(n, func(dst []uint64) (int, error) { return h.HashStrings(dst, src), nil }))
			},
			func(n int, src [][]byte) ([]uint64, int) {
				return first(wideTags(n, func(dst []uint64) (int, error) { return h.HashSlices(dst, src), nil }))
			},
			func(n int, data []byte, width int) ([]uint64, int) {
				return first(wideTags(n, func(dst []uint64) (int, error) { return h.HashRows(dst, data, width), nil }))
			},
			func(n int, data []byte, offsets []int32) ([]uint64, int, error) {
				return wideTags(n, func(dst []uint64) (int, error) { return h.HashOffsets32(dst, data, offsets) })
			},
			func(n int, data []byte, offsets []int64) ([]uint64, int, error) {
				return wideTags(n, func(dst []uint64) (int, error) { return h.HashOffsets64(dst, data, offsets) })
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
		func(p []byte) uint64 { return uint64(h.Hash(p)) },
		func(s string) uint64 { return uint64(h.HashString(s)) },
		func(x uint32) uint64 { return uint64(h.HashUint32(x)) },
		func(x uint64) uint64 { return uint64(h.HashUint64(x)) },
		func(pieces ...[]byte) uint64 {
			d := h.Stream()
			for _, p := range pieces {
				d.Write(p)
			}
			return uint64(d.Sum32())
		},
		func(n int, src []uint32) ([]uint64, int) {
			return first(narrowTags(n, func(dst []uint32) (int, error) { return h.HashUint32s(dst, src), nil }))
		},
		func(n int, src []uint64) ([]uint64, int) {
			return first(narrowTags(n, func(dst []uint32) (int, error) { return h.HashUint64s(dst, src), nil }))
		},
		func(n int, src []string) ([]uint64, int) {
			return first(narrowTags(n, func(dst []uint32) (int, error) { return h.HashStrings(dst, src), nil }))
		},
		func(n int, src [][]byte) ([]uint64, int) {
			return first(narrowTags(n, func(dst []uint32) (int, error) { return h.HashSlices(dst, src), nil }))
		},
		func(n int, data []byte, width int) ([]uint64, int) {
			return first(narrowTags(n, func(dst []uint32) (int, error) { return h.HashRows(dst, data, width), nil }))
		},
		func(n int, data []byte, offsets []int32) ([]uint64, int, error) {
			return narrowTags(n, func(dst []uint32) (int, error) { return h.HashOffsets32(dst, data, offsets) })
		},
		func(n int, data []byte, offsets []int64) ([]uint64, int, error) {
			return narrowTags(n, func(dst []uint32) (int, error) { return h.HashOffsets64(dst, data, offsets) })
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
			p := data[n%9 : n%9+n]
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

func TestIntegers(t *testing.T) {
	data := everyByte(8 * 50)
	for _, v := range variants {
		s := v.subject(t)
		for ; len(data) >= 8; data = data[8:] {
			lo := binary.LittleEndian.Uint64(data)
			if got, want := s.uint32(uint32(lo)), v.want(data[:4]); got != want {
				t.Fatalf("%+v: HashUint32(%#x) is %x, want %x", v, uint32(lo), got, want)
			}
			if got, want := s.uint64(lo), v.want(data[:8]); got != want {
				t.Fatalf("%+v: HashUint64(%#x) is %x, want %x", v, lo, got, want)
			}
		}
		data = everyByte(8 * 50)
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
	if d.Sum32() != e.Sum32() {
		t.Error("a length of 2^40 is not one of 0")
	}
}
