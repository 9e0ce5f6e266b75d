package maps

import (
	"unsafe"

	"keylane.example/go/internal/prefetch"
)

// All unsafe code of this package. It reads keys as the type that their kind names, which the compiler cannot infer
// for a K. Key admits only integers of 1, 2, 4 or 8 bytes, strings, and arrays of bytes. kindOf tells them apart.

// word is the size in bytes of the integers that are hashed.
const word = 8

func sizeOf[T any]() int { return int(unsafe.Sizeof(*new(T))) }

// widen returns an integer key as an integer of 8 bytes.
func widen[K Key](key *K) uint64 {
	switch p := unsafe.Pointer(key); sizeOf[K]() {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	default:
		return *(*uint64)(p)
	}
}

// textOf returns a string key.
func textOf[K Key](key *K) string { return *(*string)(unsafe.Pointer(key)) }

// arrayOf returns the bytes of an array key, without a copy.
func arrayOf[K Key](key *K) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(key)), sizeOf[K]()) }

// wordsOf returns integer keys of 8 bytes, without a copy.
func wordsOf[K Key](keys []K) []uint64 { return castSlice[uint64](keys, len(keys)) }

// textsOf returns string keys, without a copy.
func textsOf[K Key](keys []K) []string { return castSlice[string](keys, len(keys)) }

// arraysOf returns the bytes of array keys, without a copy.
func arraysOf[K Key](keys []K) []byte { return castSlice[byte](keys, len(keys)*sizeOf[K]()) }

// castSlice returns keys as n values of type T. The total size must be the same.
func castSlice[T any, K Key](keys []K, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(keys))), n)
}

// fetchGroups prefetches the groups where the searches for these hashes begin.
func (t *table[K, V]) fetchGroups(hashes []uint64) {
	var lines [chunk]unsafe.Pointer
	last := uint64(len(t.groups) - 1)
	for i, hash := range hashes {
		lines[i] = unsafe.Pointer(&t.groups[hash&last])
	}
	prefetch.Lines(lines[:len(hashes)])
}

// fetchEntries prefetches entries, which rarely share a cache line with the word of their group.
func (t *table[K, V]) fetchEntries(entries []place) {
	var lines [chunk]unsafe.Pointer
	for i, p := range entries {
		_, e := t.look(p)
		lines[i] = unsafe.Pointer(e)
	}
	prefetch.Lines(lines[:len(entries)])
}

// fetchTexts prefetches the bytes of string keys. It reads the entries, and these reads do not depend on each
// other.
func (t *table[K, V]) fetchTexts(entries []place) {
	var lines [chunk]unsafe.Pointer
	for i, p := range entries {
		_, e := t.look(p)
		lines[i] = unsafe.Pointer(unsafe.StringData(textOf(&e.key)))
	}
	prefetch.Lines(lines[:len(entries)])
}
