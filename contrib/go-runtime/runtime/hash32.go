//go:build 386 || arm || mips || mipsle || wasm

package runtime

import "unsafe"

// HalfSipHash for maps of 32-bit targets, and of wasm, whose maps use hashes of 32 bits. It stands in place of the
// runtime's own hash32.go; hash64.go says what holds for both.
//
// The functions are marked nosplit. Without that, they would first look how much room the stack has, which the compiler
// leaves out of small ones on 64-bit targets only.

// sipKey is the state at the start of a message for the seed 0, and v1 as the first round rotates it.
var sipKey struct{ v0, v1, v2, v3, rotated1 uint32 }

// sipInit draws the key. The runtime calls it before the first map is made.
func sipInit() { sipSetKey(uintptr(bootstrapRand()), uintptr(bootstrapRand())) }

func sipSetKey(first, second uintptr) {
	k0, k1 := uint32(first), uint32(second)
	sipKey.v0 = k0
	sipKey.v1 = k1
	sipKey.v2 = k0 ^ 0x6c796765
	sipKey.v3 = k1 ^ 0x74656462
	sipKey.rotated1 = k1<<5 | k1>>27
}

// sipFirst is the first round of the first word, up to its second half.
func sipFirst(seed uintptr, m uint32) (v0, v1, v2, v3 uint32) {
	v0 = (sipKey.v0 ^ uint32(seed)) + sipKey.v1
	v1 = sipKey.rotated1 ^ v0
	v3 = sipKey.v3 ^ m
	v2 = (sipKey.v2 ^ uint32(seed)) + v3
	return v0<<16 | v0>>16, v1, v2, (v3<<8 | v3>>24) ^ v2
}

// The halves of a round. A whole one would not be inlined on a target whose rotations are no intrinsics.

func sipHalf1(v0, v1, v2, v3 uint32) (uint32, uint32, uint32, uint32) {
	v0 += v1
	v2 += v3
	v1 = (v1<<5 | v1>>27) ^ v0
	v3 = (v3<<8 | v3>>24) ^ v2
	return v0<<16 | v0>>16, v1, v2, v3
}

func sipHalf2(v0, v1, v2, v3 uint32) (uint32, uint32, uint32, uint32) {
	v2 += v1
	v0 += v3
	v1 = (v1<<13 | v1>>19) ^ v2
	v3 = (v3<<7 | v3>>25) ^ v0
	return v0, v1, v2<<16 | v2>>16, v3
}

// sipShort returns the last word of a message of n < 4 bytes: two loads, which may overlap.
func sipShort(p unsafe.Pointer, n uintptr) uint32 {
	switch {
	case n == 0:
		return 0
	case n == 1:
		return uint32(*(*byte)(p)) | 1<<24
	}
	return sipLoad16(p) | sipLoad16(unsafe.Add(p, n-2))<<((8*n-16)&31) | uint32(n)<<24
}

// sipTail returns the last word of a message of n >= 4 bytes, of which end are the last 4.
func sipTail(end uint32, n uintptr) uint32 { return end>>8>>((24-8*n)&24) | uint32(n)<<24 }

// The compiler makes one load of each, on targets that have it.

func sipLoad16(p unsafe.Pointer) uint32 {
	b := (*[2]byte)(p)
	return uint32(b[0]) | uint32(b[1])<<8
}

func sipLoad32(p unsafe.Pointer) uint32 {
	b := (*[4]byte)(p)
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// memhash hashes n bytes.
//
//go:nosplit
func memhash(p unsafe.Pointer, seed, n uintptr) uintptr {
	var v0, v1, v2, v3, last uint32
	if n < 4 {
		last = sipShort(p, n)
		v0, v1, v2, v3 = sipFirst(seed, last)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	} else {
		last = sipTail(sipLoad32(unsafe.Add(p, n-4)), n)
		m := sipLoad32(p)
		v0, v1, v2, v3 = sipFirst(seed, m)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
		for {
			if compressionRounds > 1 {
				v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
				v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
			}
			v0 ^= m
			n -= 4
			if n < 4 {
				break
			}
			p = unsafe.Add(p, 4)
			m = sipLoad32(p)
			v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3^m)
			v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
		}
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3^last)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	}
	if compressionRounds > 1 {
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	}
	v0, v2 = v0^last, v2^0xff
	if finalRounds > 1 {
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	}
	if finalRounds > 3 {
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	}
	v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
	_, v1, _, v3 = sipHalf2(v0, v1, v2, v3)
	return uintptr(v1 ^ v3)
}

// strhash is memhash of a string's bytes.
//
//go:nosplit
func strhash(a unsafe.Pointer, seed uintptr) uintptr {
	s := *(*string)(a)
	return memhash(unsafe.Pointer(unsafe.StringData(s)), seed, uintptr(len(s)))
}

// memhash32 hashes 4 bytes.
//
//go:nosplit
func memhash32(p unsafe.Pointer, seed uintptr) uintptr {
	const last = 4 << 24
	m := sipLoad32(p)
	v0, v1, v2, v3 := sipFirst(seed, m)
	v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	if compressionRounds > 1 {
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	}
	v0, v1, v2, v3 = sipHalf1(v0^m, v1, v2, v3^last)
	v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	if compressionRounds > 1 {
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	}
	v0, v2 = v0^last, v2^0xff
	if finalRounds > 1 {
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	}
	if finalRounds > 3 {
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	}
	v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
	_, v1, _, v3 = sipHalf2(v0, v1, v2, v3)
	return uintptr(v1 ^ v3)
}

// memhash64 hashes 8 bytes.
//
//go:nosplit
func memhash64(p unsafe.Pointer, seed uintptr) uintptr {
	const last = 8 << 24
	m := sipLoad32(p)
	v0, v1, v2, v3 := sipFirst(seed, m)
	v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	if compressionRounds > 1 {
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	}
	v0 ^= m
	m = sipLoad32(unsafe.Add(p, 4))
	v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3^m)
	v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	if compressionRounds > 1 {
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	}
	v0, v1, v2, v3 = sipHalf1(v0^m, v1, v2, v3^last)
	v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	if compressionRounds > 1 {
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	}
	v0, v2 = v0^last, v2^0xff
	if finalRounds > 1 {
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	}
	if finalRounds > 3 {
		v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipHalf2(v0, v1, v2, v3)
	}
	v0, v1, v2, v3 = sipHalf1(v0, v1, v2, v3)
	_, v1, _, v3 = sipHalf2(v0, v1, v2, v3)
	return uintptr(v1 ^ v3)
}
