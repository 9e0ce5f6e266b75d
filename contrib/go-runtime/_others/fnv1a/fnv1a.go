package runtime

import "unsafe"

// FNV-1a of 64 bits, or of 32 on 32-bit targets, with a key as its start.

const (
	wide     = unsafe.Sizeof(uintptr(0)) / 8 // 1 for 64 bits, else 0
	fnvPrime = 1<<(24+16*wide) | 0x193 + 0x20*wide
)

var fnvKey uintptr

func sipInit() { fnvKey = uintptr(bootstrapRand()) }

func memhash(p unsafe.Pointer, seed, n uintptr) uintptr {
	h := fnvKey ^ seed
	for _, b := range unsafe.Slice((*byte)(p), n) {
		h ^= uintptr(b)
		h *= fnvPrime
	}
	return h
}

func strhash(a unsafe.Pointer, seed uintptr) uintptr {
	s := *(*string)(a)
	return memhash(unsafe.Pointer(unsafe.StringData(s)), seed, uintptr(len(s)))
}

func memhash32(p unsafe.Pointer, seed uintptr) uintptr { return memhash(p, seed, 4) }

func memhash64(p unsafe.Pointer, seed uintptr) uintptr { return memhash(p, seed, 8) }
