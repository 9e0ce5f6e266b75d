//go:build amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x

package runtime

import (
	"math/bits"
	"unsafe"
)

// SipHash for maps of 64-bit targets, in place of the runtime's own hash64.go. The program next to this folder says how.
//
// A seed is xored into the first half of the key: every map draws one, and the hash of a struct's first field is the seed
// of its next one. All functions give the tag of the bytes in memory, so an integer's hash depends on the byte order.
//
// Every function is written out, because Go's compiler makes no tail calls and a call would cost a frame.

// sipKey is the state at the start of a message for the seed 0, and v1 as the first round rotates it.
var sipKey struct{ v0, v1, v2, v3, rotated1 uint64 }

// sipInit draws the key. The runtime calls it before the first map is made.
func sipInit() { sipSetKey(uintptr(bootstrapRand()), uintptr(bootstrapRand())) }

func sipSetKey(first, second uintptr) {
	k0, k1 := uint64(first), uint64(second)
	sipKey.v0 = k0 ^ 0x736f6d6570736575
	sipKey.v1 = k1 ^ 0x646f72616e646f6d
	sipKey.v2 = k0 ^ 0x6c7967656e657261
	sipKey.v3 = k1 ^ 0x7465646279746573
	sipKey.rotated1 = bits.RotateLeft64(sipKey.v1, sipFirstV1)
}

// sipFirst is the first round of the first word. Half of it depends on the key and the seed alone, so the CPU does that
// half while the word is on its way.
func sipFirst(seed uintptr, m uint64) (v0, v1, v2, v3 uint64) {
	v0 = (sipKey.v0 ^ uint64(seed)) + sipKey.v1
	v1 = sipKey.rotated1 ^ v0
	v3 = sipKey.v3 ^ m
	v2 = (sipKey.v2 ^ uint64(seed)) + v3
	v3 = bits.RotateLeft64(v3, sipFirstV3) ^ v2
	v2 += v1
	v0 = bits.RotateLeft64(v0, 32) + v3
	v1 = bits.RotateLeft64(v1, sipSecondV1) ^ v2
	v3 = bits.RotateLeft64(v3, sipSecondV3) ^ v0
	v2 = bits.RotateLeft64(v2, 32)
	return v0, v1, v2, v3
}

func sipRound(v0, v1, v2, v3 uint64) (uint64, uint64, uint64, uint64) {
	v0 += v1
	v1 = bits.RotateLeft64(v1, sipFirstV1)
	v2 += v3
	v3 = bits.RotateLeft64(v3, sipFirstV3)
	v1 ^= v0
	v3 ^= v2
	v0 = bits.RotateLeft64(v0, 32)
	v2 += v1
	v1 = bits.RotateLeft64(v1, sipSecondV1)
	v0 += v3
	v3 = bits.RotateLeft64(v3, sipSecondV3)
	v1 ^= v2
	v3 ^= v0
	v2 = bits.RotateLeft64(v2, 32)
	return v0, v1, v2, v3
}

// sipLast does a round and returns the xor of its words. The last v0 cancels out.
func sipLast(v0, v1, v2, v3 uint64) uintptr {
	v0 += v1
	v2 += v3
	v1 = bits.RotateLeft64(v1, sipFirstV1) ^ v0
	v3 = bits.RotateLeft64(v3, sipFirstV3) ^ v2
	v2 += v1
	return uintptr(bits.RotateLeft64(v1, sipSecondV1) ^ bits.RotateLeft64(v3, sipSecondV3) ^ v2 ^ bits.RotateLeft64(v2, 32))
}

// sipShort returns the last word of a message of n < 4 bytes: two loads, which may overlap.
func sipShort(p unsafe.Pointer, n uintptr) uint64 {
	switch {
	case n == 0:
		return 0
	case n == 1:
		return uint64(*(*byte)(p)) | 1<<56
	}
	return sipLoad16(p) | sipLoad16(unsafe.Add(p, n-2))<<((8*n-16)&63) | uint64(n)<<56
}

// sipHalf returns the last word of a message of 4 to 7 bytes, of which start are the first 4 and end the last 4.
func sipHalf(start, end uint64, n uintptr) uint64 { return start | end<<((8*n-32)&63) | uint64(n)<<56 }

// sipTail returns the last word of a message of n >= 8 bytes, of which end are the last 8.
func sipTail(end uint64, n uintptr) uint64 { return end>>8>>((56-8*n)&56) | uint64(n)<<56 }

// The compiler makes one load of each, on targets that have it.

func sipLoad16(p unsafe.Pointer) uint64 {
	b := (*[2]byte)(p)
	return uint64(b[0]) | uint64(b[1])<<8
}

func sipLoad32(p unsafe.Pointer) uint64 {
	b := (*[4]byte)(p)
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
}

func sipLoad64(p unsafe.Pointer) uint64 {
	b := (*[8]byte)(p)
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// memhash hashes n bytes.
func memhash(p unsafe.Pointer, seed, n uintptr) uintptr {
	var v0, v1, v2, v3, last uint64
	if n < 8 {
		if n >= 4 {
			last = sipHalf(sipLoad32(p), sipLoad32(unsafe.Add(p, n-4)), n)
		} else {
			last = sipShort(p, n)
		}
		v0, v1, v2, v3 = sipFirst(seed, last)
	} else {
		last = sipTail(sipLoad64(unsafe.Add(p, n-8)), n)
		m := sipLoad64(p)
		v0, v1, v2, v3 = sipFirst(seed, m)
		for {
			if compressionRounds > 1 {
				v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
			}
			v0 ^= m
			n -= 8
			if n < 8 {
				break
			}
			p = unsafe.Add(p, 8)
			m = sipLoad64(p)
			v0, v1, v2, v3 = sipRound(v0, v1, v2, v3^m)
		}
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3^last)
	}
	if compressionRounds > 1 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	v0, v2 = v0^last, v2^0xff
	if finalRounds > 1 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	if finalRounds > 3 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	return sipLast(v0, v1, v2, v3)
}

// strhash is memhash of a string's bytes. A call of memhash would cost a frame.
func strhash(a unsafe.Pointer, seed uintptr) uintptr {
	s := *(*string)(a)
	p, n := unsafe.Pointer(unsafe.StringData(s)), uintptr(len(s))
	var v0, v1, v2, v3, last uint64
	if n < 8 {
		if n >= 4 {
			last = sipHalf(sipLoad32(p), sipLoad32(unsafe.Add(p, n-4)), n)
		} else {
			last = sipShort(p, n)
		}
		v0, v1, v2, v3 = sipFirst(seed, last)
	} else {
		last = sipTail(sipLoad64(unsafe.Add(p, n-8)), n)
		m := sipLoad64(p)
		v0, v1, v2, v3 = sipFirst(seed, m)
		for {
			if compressionRounds > 1 {
				v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
			}
			v0 ^= m
			n -= 8
			if n < 8 {
				break
			}
			p = unsafe.Add(p, 8)
			m = sipLoad64(p)
			v0, v1, v2, v3 = sipRound(v0, v1, v2, v3^m)
		}
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3^last)
	}
	if compressionRounds > 1 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	v0, v2 = v0^last, v2^0xff
	if finalRounds > 1 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	if finalRounds > 3 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	return sipLast(v0, v1, v2, v3)
}

// memhash32 hashes 4 bytes, which are the last word.
func memhash32(p unsafe.Pointer, seed uintptr) uintptr {
	last := sipLoad32(p) | 4<<56
	v0, v1, v2, v3 := sipFirst(seed, last)
	if compressionRounds > 1 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	v0, v2 = v0^last, v2^0xff
	if finalRounds > 1 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	if finalRounds > 3 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	return sipLast(v0, v1, v2, v3)
}

// sipEight is the last word of a message of 8 bytes. It is a variable because the compiler turns the xor of a constant
// with one bit set into a bit complement, which is slower.
var sipEight uint64 = 8 << 56

// memhash64 hashes 8 bytes.
func memhash64(p unsafe.Pointer, seed uintptr) uintptr {
	m, last := sipLoad64(p), sipEight
	v0, v1, v2, v3 := sipFirst(seed, m)
	if compressionRounds > 1 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	v0, v1, v2, v3 = sipRound(v0^m, v1, v2, v3^last)
	if compressionRounds > 1 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	v0, v2 = v0^last, v2^0xff
	if finalRounds > 1 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	if finalRounds > 3 {
		v0, v1, v2, v3 = sipRound(v0, v1, v2, v3)
	}
	return sipLast(v0, v1, v2, v3)
}
