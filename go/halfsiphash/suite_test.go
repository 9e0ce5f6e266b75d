package halfsiphash

import (
	"hash"
	"testing"

	"keylane.example/go/internal/hashtest"
)

var testKey = [KeySize]byte{0xf0, 1, 2, 3, 0x84, 5, 6, 0xff}

var suite = hashtest.Suite{
	Algorithm:  "HalfSipHash",
	Word:       4,
	Definition: hashtest.HalfSipHash,
	// The usual ones, and others that reach the counted loops.
	Rounds: [][2]uint8{{1, 1}, {1, 3}, {2, 4}, {1, 4}, {2, 1}, {3, 3}, {2, 2}, {255, 255}},
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
	Vectors:    map[string]int{"halfsiphash.json": 192, "siphash_generated.json": 64},
	Corpus:     5,
}

func narrow(h Hasher) hashtest.Subject {
	return hashtest.Of(&h, func() (hash.Hash, func() uint32) { d := h.Stream(); return &d, d.Sum32 })
}

func wide(h HasherX) hashtest.Subject {
	return hashtest.Of(&h, func() (hash.Hash, func() uint64) { d := h.Stream(); return &d, d.Sum64 })
}

func Test(t *testing.T) { suite.Test(t) }

func FuzzHash(f *testing.F) { suite.Fuzz(f) }

func TestBatchInPlace(t *testing.T) {
	h := New13(&testKey)
	hashtest.InPlace(t, &suite, h.HashUint32, h.HashUint32s)
}

// The length is counted mod 256, beyond what an int of 32 bits has too.
func TestStreamCountsLengths(t *testing.T) {
	h := New13(&testKey)
	d, e := h.Stream(), h.Stream()
	d.d.n = 1<<40 - 8
	d.Write(make([]byte, 8))
	e.Write(make([]byte, 8))
	e.d.n = 0
	if d.Sum32() != e.Sum32() {
		t.Error("a length of 2^40 is not one of 0")
	}
}
