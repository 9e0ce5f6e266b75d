package maps

import "reflect"

// Key is the constraint of keys: types whose values are equal exactly if their bytes are. These are the integers,
// strings, and arrays of 1 to 64 bytes. Floating-point numbers are not (0 equals -0, and NaN does not equal
// itself), nor are interfaces, pointers, and structs, which may have padding. Write a small struct as an array of
// bytes.
type Key interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr |
		~string |
		~[1]byte | ~[2]byte | ~[3]byte | ~[4]byte | ~[5]byte | ~[6]byte | ~[7]byte | ~[8]byte |
		~[9]byte | ~[10]byte | ~[11]byte | ~[12]byte | ~[13]byte | ~[14]byte | ~[15]byte | ~[16]byte |
		~[17]byte | ~[18]byte | ~[19]byte | ~[20]byte | ~[21]byte | ~[22]byte | ~[23]byte | ~[24]byte |
		~[25]byte | ~[26]byte | ~[27]byte | ~[28]byte | ~[29]byte | ~[30]byte | ~[31]byte | ~[32]byte |
		~[33]byte | ~[34]byte | ~[35]byte | ~[36]byte | ~[37]byte | ~[38]byte | ~[39]byte | ~[40]byte |
		~[41]byte | ~[42]byte | ~[43]byte | ~[44]byte | ~[45]byte | ~[46]byte | ~[47]byte | ~[48]byte |
		~[49]byte | ~[50]byte | ~[51]byte | ~[52]byte | ~[53]byte | ~[54]byte | ~[55]byte | ~[56]byte |
		~[57]byte | ~[58]byte | ~[59]byte | ~[60]byte | ~[61]byte | ~[62]byte | ~[63]byte | ~[64]byte
}

// A kind tells which message a key is for the hash.
type kind uint8

const (
	unknown kind = iota // a map without a hasher
	integer             // its bits, extended to 8 bytes
	text                // the bytes of a string
	array               // the bytes themselves
)

func kindOf[K Key]() kind {
	switch reflect.TypeFor[K]().Kind() {
	case reflect.String:
		return text
	case reflect.Array:
		return array
	default:
		return integer
	}
}

// hash returns the hash of key.
func (m *Map[K, V]) hash(key K) uint64 {
	switch m.kind {
	case integer:
		return m.hasher.HashUint64(widen(&key))
	case text:
		return m.hasher.HashString(textOf(&key))
	default:
		return m.hasher.Hash(arrayOf(&key))
	}
}

// hashMany puts the hashes of at most chunk keys into hashes, which must have the same length.
func (m *Map[K, V]) hashMany(hashes []uint64, keys []K) {
	switch size := sizeOf[K](); {
	case m.kind == integer && size == word:
		m.hasher.HashUint64s(hashes, wordsOf(keys))
	case m.kind == integer:
		for i := range keys {
			hashes[i] = widen(&keys[i])
		}
		m.hasher.HashUint64s(hashes, hashes)
	case m.kind == text:
		m.hasher.HashStrings(hashes, textsOf(keys))
	default:
		m.hasher.HashRows(hashes, arraysOf(keys), size)
	}
}
