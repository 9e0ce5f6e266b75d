package siphash

import (
	"hash"
	"testing"

	"keylane.example/go/internal/hashtest"
)

var testKey = [KeySize]byte{0xf0, 1, 2, 3, 0x84, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0xff}

var suite = hashtest.Suite{
	Algorithm:  "SipHash",
	Word:       8,
	Definition: hashtest.SipHash,
	// The usual ones, and others that reach the counted loops.
	Rounds: [][2]uint8{{1, 1}, {1, 2}, {1, 3}, {2, 4}, {4, 8}, {1, 4}, {2, 1}, {3, 3}, {2, 2}, {255, 255}},
	Key:    testKey[:],
	New: func(key []byte, v hashtest.Variant) (hashtest.Subject, error) {
		if v.Wide {
			h, err := NewX((*[KeySize]byte)(key), v.C, v.D)
			if v.Fold {
				h = h.Fold()
			}
			return wide(h), err
		}
		h, err := New((*[KeySize]byte)(key), v.C, v.D)
		if v.Fold {
			h = h.Fold()
		}
		return narrow(h), err
	},
	Zero:       []hashtest.Subject{narrow(Hasher{}), wide(HasherX{})},
	Kernels:    hashtest.Kernels(kernels, &active, func(k kernel) (string, bool) { return k.name, k.here }),
	ErrRounds:  ErrRounds,
	ErrOffsets: ErrOffsets,
	Vectors: map[string]int{
		"siphash.json": 744, "siphash_generated.json": 256, "siphash_long.json": 1, "redis_nocase.json": 162,
	},
	Corpus: 9,
}

func narrow(h Hasher) hashtest.Subject {
	return hashtest.Of(&h, func() (hash.Hash, func() uint64) { d := h.Stream(); return &d, d.Sum64 })
}

func wide(h HasherX) hashtest.Subject {
	return hashtest.Of(&h, func() (hash.Hash, func() Uint128) { d := h.Stream(); return &d, d.Sum128 })
}

func Test(t *testing.T) { suite.Test(t) }

func FuzzHash(f *testing.F) { suite.Fuzz(f) }

func TestBatchInPlace(t *testing.T) {
	h := New13(&testKey)
	hashtest.InPlace(t, &suite, h.HashUint64, h.HashUint64s)
}

// The length is counted mod 256, beyond what an int of 32 bits has too.
func TestStreamCountsLengths(t *testing.T) {
	h := New13(&testKey)
	d, e := h.Stream(), h.Stream()
	d.d.n = 1<<40 - 8
	d.Write(make([]byte, 8))
	e.Write(make([]byte, 8))
	e.d.n = 0
	if d.Sum64() != e.Sum64() {
		t.Error("a length of 2^40 is not one of 0")
	}
}
