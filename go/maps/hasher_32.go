//go:build 386 || arm || mips || mipsle

package maps

import (
	"crypto/rand"

	"keylane.example/go/halfsiphash"
	"keylane.example/go/siphash"
)

// A hasher hashes the keys of a map. That is HalfSipHash if the map drew the key: such a CPU has no additions and
// rotations of 64 bits. A hasher that a program gave to NewWith is SipHash on every target.
type hasher struct {
	siphash.Hasher
	half  halfsiphash.Hasher
	drawn bool // half hashes
	small bool // integers have at most 4 bytes, and are hashed as 4
}

// draw makes h HalfSipHash-1-3 under a random key. The size is that of a key of the map.
func (h *hasher) draw(size int) {
	var key [halfsiphash.KeySize]byte
	rand.Read(key[:]) // never fails
	h.half, h.drawn, h.small = halfsiphash.New13(&key), true, size <= 4
	clear(key[:])
}

// spread returns a hash whose highest bits and lowest bits are those of a tag. A table takes its control bytes from the
// former and its groups from the latter. They would overlap from 2^25 groups on, which no such target has memory for.
func spread(tag uint32) uint64 { return uint64(tag)<<32 | uint64(tag) }

func (h *hasher) HashUint64(x uint64) uint64 {
	switch {
	case !h.drawn:
		return h.Hasher.HashUint64(x)
	case h.small:
		return spread(h.half.HashUint32(uint32(x)))
	default:
		return spread(h.half.HashUint64(x))
	}
}

func (h *hasher) HashString(s string) uint64 {
	if !h.drawn {
		return h.Hasher.HashString(s)
	}
	return spread(h.half.HashString(s))
}

func (h *hasher) Hash(p []byte) uint64 {
	if !h.drawn {
		return h.Hasher.Hash(p)
	}
	return spread(h.half.Hash(p))
}

// The calls for many keys take at most chunk of them. dst and src may be the same memory.

func (h *hasher) HashUint64s(dst, src []uint64) {
	if !h.drawn {
		h.Hasher.HashUint64s(dst, src)
		return
	}
	var tags [chunk]uint32
	if h.small {
		var words [chunk]uint32
		for i, x := range src {
			words[i] = uint32(x)
		}
		h.half.HashUint32s(tags[:], words[:len(src)])
	} else {
		h.half.HashUint64s(tags[:], src)
	}
	spreadAll(dst, tags[:len(src)])
}

func (h *hasher) HashStrings(dst []uint64, src []string) {
	if !h.drawn {
		h.Hasher.HashStrings(dst, src)
		return
	}
	var tags [chunk]uint32
	h.half.HashStrings(tags[:], src)
	spreadAll(dst, tags[:len(src)])
}

func (h *hasher) HashRows(dst []uint64, data []byte, width int) {
	if !h.drawn {
		h.Hasher.HashRows(dst, data, width)
		return
	}
	var tags [chunk]uint32
	h.half.HashRows(tags[:len(dst)], data, width)
	spreadAll(dst, tags[:len(dst)])
}

func spreadAll(dst []uint64, tags []uint32) {
	for i, tag := range tags {
		dst[i] = spread(tag)
	}
}
