package maps

import (
	"unsafe"

	"keylane.example/go/internal/prefetch"
)

// All of this package's unsafe code. It looks at keys as what their kind says that they are, which the compiler
// cannot know of a K. That a key is an integer of 1, 2, 4 or 8 bytes, a string, or an array of bytes is what [Key]
// demands; kindOf says which.

// word is the size of the integers that are hashed, in bytes.
const word = 8

func sizeOf[T any]() int { return int(unsafe.Sizeof(*new(T))) }

// widen returns an integer as one of 8 bytes.
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

// textOf returns a string.
func textOf[K Key](key *K) string { return *(*string)(unsafe.Pointer(key)) }

// arrayOf returns the bytes of an array.
func arrayOf[K Key](key *K) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(key)), sizeOf[K]()) }

// wordsOf returns integers of 8 bytes, in place.
func wordsOf[K Key](keys []K) []uint64 { return castSlice[uint64](keys, len(keys)) }

// textsOf returns strings, in place.
func textsOf[K Key](keys []K) []string { return castSlice[string](keys, len(keys)) }

// arraysOf returns the bytes of arrays, in place.
func arraysOf[K Key](keys []K) []byte { return castSlice[byte](keys, len(keys)*sizeOf[K]()) }

// castSlice returns keys as n values of another type, which together have the size of the keys.
func castSlice[T any, K Key](keys []K, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(keys))), n)
}

// fetchGroups asks for the memory of the groups where the searches for keys begin.
func (t *table[K, V]) fetchGroups(hashes []uint64) {
	var lines [chunk]unsafe.Pointer
	last := uint64(len(t.groups) - 1)
	for i, hash := range hashes {
		lines[i] = unsafe.Pointer(&t.groups[hash&last])
	}
	prefetch.Lines(lines[:len(hashes)])
}

// fetchEntries asks for entries, which are seldom in the line of their group's word.
func (t *table[K, V]) fetchEntries(entries []place) {
	var lines [chunk]unsafe.Pointer
	for i, p := range entries {
		_, e := t.look(p)
		lines[i] = unsafe.Pointer(e)
	}
	prefetch.Lines(lines[:len(entries)])
}

// fetchTexts asks for the bytes of the strings that are keys of entries. It reads the entries, and no read waits for
// another.
func (t *table[K, V]) fetchTexts(entries []place) {
	var lines [chunk]unsafe.Pointer
	for i, p := range entries {
		_, e := t.look(p)
		lines[i] = unsafe.Pointer(unsafe.StringData(textOf(&e.key)))
	}
	prefetch.Lines(lines[:len(entries)])
}
