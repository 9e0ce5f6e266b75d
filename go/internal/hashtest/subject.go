package hashtest

import (
	"bytes"
	"encoding/binary"
	"hash"
	"io"
	"testing"
)

// A Tag has the bytes of a tag as the reference implementation writes them, then zeros.
type Tag [16]byte

// TagOf converts an integer, or a struct of integers with the lowest first.
func TagOf[T any](x T) (tag Tag) {
	if _, err := binary.Encode(tag[:], binary.LittleEndian, x); err != nil {
		panic(err)
	}
	return tag
}

func valueOf[T any](tag Tag) (x T) {
	if _, err := binary.Decode(tag[:], binary.LittleEndian, &x); err != nil {
		panic(err)
	}
	return x
}

// A Hasher is a Hasher or a HasherX of either package, with tags of type T.
type Hasher[T any] interface {
	Hash(p []byte) T
	HashString(s string) T
	HashUint32(x uint32) T
	HashUint64(x uint64) T
	Verify(p []byte, tag T) bool
	HashUint32s(dst []T, src []uint32) int
	HashUint64s(dst []T, src []uint64) int
	HashStrings(dst []T, src []string) int
	HashSlices(dst []T, src [][]byte) int
	HashRows(dst []T, data []byte, width int) int
	HashOffsets32(dst []T, data []byte, offsets []int32) (int, error)
	HashOffsets64(dst []T, data []byte, offsets []int64) (int, error)
	HashViews(dst []T, views [][16]byte, buffers [][]byte) (int, error)
}

// A Subject is a [Hasher] whose tags are bytes. A batch takes the number of tags to fill. It returns these tags and
// some after them, and the number that the batch reports.
type Subject interface {
	hash(p []byte) Tag
	hashString(s string) Tag
	hashUint32(x uint32) Tag
	hashUint64(x uint64) Tag
	verify(p []byte, tag Tag) bool
	stream(t testing.TB, pieces ...[]byte) Tag
	uint32s(n int, src []uint32) ([]Tag, int)
	uint64s(n int, src []uint64) ([]Tag, int)
	strings(n int, src []string) ([]Tag, int)
	slices(n int, src [][]byte) ([]Tag, int)
	rows(n int, data []byte, width int) ([]Tag, int)
	offsets32(n int, data []byte, offsets []int32) ([]Tag, int, error)
	offsets64(n int, data []byte, offsets []int64) ([]Tag, int, error)
	views(n int, views [][16]byte, buffers [][]byte) ([]Tag, int, error)
}

// Of makes a subject. begin starts a stream, and returns it together with a function that returns its tag.
func Of[T any](h Hasher[T], begin func() (hash.Hash, func() T)) Subject { return subject[T]{h, begin} }

type subject[T any] struct {
	h     Hasher[T]
	begin func() (hash.Hash, func() T)
}

func (s subject[T]) hash(p []byte) Tag             { return TagOf(s.h.Hash(p)) }
func (s subject[T]) hashString(text string) Tag    { return TagOf(s.h.HashString(text)) }
func (s subject[T]) hashUint32(x uint32) Tag       { return TagOf(s.h.HashUint32(x)) }
func (s subject[T]) hashUint64(x uint64) Tag       { return TagOf(s.h.HashUint64(x)) }
func (s subject[T]) verify(p []byte, tag Tag) bool { return s.h.Verify(p, valueOf[T](tag)) }

// stream returns the tag of the pieces. It writes every other piece as a string.
func (s subject[T]) stream(t testing.TB, pieces ...[]byte) Tag {
	t.Helper()
	d, sum := s.begin()
	for i, p := range pieces {
		n, err := 0, error(nil)
		if i%2 == 0 {
			n, err = d.Write(p)
		} else {
			n, err = d.(io.StringWriter).WriteString(string(p))
		}
		if n != len(p) || err != nil {
			t.Fatalf("%d of %d bytes written, error %v", n, len(p), err)
		}
	}
	tag := TagOf(sum())
	if printed := d.Sum([]byte{1}); !bytes.Equal(printed[1:], tag[:d.Size()]) || printed[0] != 1 {
		t.Fatalf("Sum appends %x, the tag is %x", printed[1:], tag)
	}
	return tag
}

// extra is the number of tags after those to fill. A batch must leave them at the value of canary.
const extra = 40

var canary = Tag{0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01}

// Fill returns the tags that a batch fills, and the extra tags after them.
func Fill[T any](n int, fill func(dst []T) int) ([]Tag, int) {
	dst := make([]T, n+extra)
	for i := range dst {
		dst[i] = valueOf[T](canary)
	}
	k := fill(dst[:n])
	tags := make([]Tag, len(dst))
	for i, x := range dst {
		tags[i] = TagOf(x)
	}
	return tags, k
}

func (s subject[T]) uint32s(n int, src []uint32) ([]Tag, int) {
	return Fill(n, func(dst []T) int { return s.h.HashUint32s(dst, src) })
}

func (s subject[T]) uint64s(n int, src []uint64) ([]Tag, int) {
	return Fill(n, func(dst []T) int { return s.h.HashUint64s(dst, src) })
}

func (s subject[T]) strings(n int, src []string) ([]Tag, int) {
	return Fill(n, func(dst []T) int { return s.h.HashStrings(dst, src) })
}

func (s subject[T]) slices(n int, src [][]byte) ([]Tag, int) {
	return Fill(n, func(dst []T) int { return s.h.HashSlices(dst, src) })
}

func (s subject[T]) rows(n int, data []byte, width int) ([]Tag, int) {
	return Fill(n, func(dst []T) int { return s.h.HashRows(dst, data, width) })
}

func (s subject[T]) offsets32(n int, data []byte, offsets []int32) (tags []Tag, k int, err error) {
	tags, k = Fill(n, func(dst []T) int {
		k, err = s.h.HashOffsets32(dst, data, offsets)
		return k
	})
	return tags, k, err
}

func (s subject[T]) offsets64(n int, data []byte, offsets []int64) (tags []Tag, k int, err error) {
	tags, k = Fill(n, func(dst []T) int {
		k, err = s.h.HashOffsets64(dst, data, offsets)
		return k
	})
	return tags, k, err
}

func (s subject[T]) views(n int, views [][16]byte, buffers [][]byte) (tags []Tag, k int, err error) {
	tags, k = Fill(n, func(dst []T) int {
		k, err = s.h.HashViews(dst, views, buffers)
		return k
	})
	return tags, k, err
}
