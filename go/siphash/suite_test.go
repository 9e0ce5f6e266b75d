package siphash

import (
	"hash"
	"testing"

	"keylane.example/go/internal/hashtest"
)

var suite = hashtest.Suite{
	Algorithm:  "SipHash",
	Word:       wordSize,
	Definition: hashtest.SipHash,
	// The common variants, and others that reach the loops over a number of rounds.
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
	Kernels:    hashtest.Kernels(&slot),
	ErrRounds:  ErrRounds,
	ErrOffsets: ErrOffsets,
	ErrViews:   ErrViews,
	Vectors:    testVectors,
	Corpus:     testCorpus,
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

// A tag uses only the lowest byte of the length, so the stream's count may wrap around.
func TestStreamLengthWraps(t *testing.T) {
	h := New13(&testKey)
	d, e := h.Stream(), h.Stream()
	d.d.n = ^uint(0) - wordSize + 1
	d.Write(make([]byte, wordSize))
	e.Write(make([]byte, wordSize))
	e.d.n = 0
	if d.Sum64() != e.Sum64() {
		t.Error("the length does not wrap around to 0")
	}
}
