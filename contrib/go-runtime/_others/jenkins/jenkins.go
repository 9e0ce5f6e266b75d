package runtime

import "unsafe"

// Jenkins' one-at-a-time, with a key as its start. Its 32 bits stand in both halves of a hash of 64 bits: Go's maps take the
// group from the top and the byte of the entry from the bottom.

var jenkinsKey uintptr

func sipInit() { jenkinsKey = uintptr(bootstrapRand()) }

func memhash(p unsafe.Pointer, seed, n uintptr) uintptr {
	h := uint32(jenkinsKey ^ seed)
	for _, b := range unsafe.Slice((*byte)(p), n) {
		h += uint32(b)
		h += h << 10
		h ^= h >> 6
	}
	h += h << 3
	h ^= h >> 11
	h += h << 15
	return uintptr(uint64(h)<<32 | uint64(h))
}

func strhash(a unsafe.Pointer, seed uintptr) uintptr {
	s := *(*string)(a)
	return memhash(unsafe.Pointer(unsafe.StringData(s)), seed, uintptr(len(s)))
}

func memhash32(p unsafe.Pointer, seed uintptr) uintptr { return memhash(p, seed, 4) }

func memhash64(p unsafe.Pointer, seed uintptr) uintptr { return memhash(p, seed, 8) }
