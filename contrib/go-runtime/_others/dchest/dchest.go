package runtime

import "unsafe"

// SipHash-2-4 by the portable code of github.com/dchest/siphash, which try.sh puts beside this file as dchestHash. A seed is
// xored into the key as in keylane's.

var dchestKey struct{ k0, k1 uint64 }

func sipInit() { dchestKey.k0, dchestKey.k1 = bootstrapRand(), bootstrapRand() }

func memhash(p unsafe.Pointer, seed, n uintptr) uintptr {
	return uintptr(dchestHash(dchestKey.k0^uint64(seed), dchestKey.k1, unsafe.Slice((*byte)(p), n)))
}

func strhash(a unsafe.Pointer, seed uintptr) uintptr {
	s := *(*string)(a)
	return memhash(unsafe.Pointer(unsafe.StringData(s)), seed, uintptr(len(s)))
}

func memhash32(p unsafe.Pointer, seed uintptr) uintptr { return memhash(p, seed, 4) }

func memhash64(p unsafe.Pointer, seed uintptr) uintptr { return memhash(p, seed, 8) }
