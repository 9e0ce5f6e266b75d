package siphash

import (
	"bytes"
	"encoding/binary"
	"testing"

	"keylane.example/go/internal/hashtest"
)

// Uint128, which HalfSipHash does not have.

func TestBytes(t *testing.T) {
	h := NewX24(&testKey)
	tag := h.Hash(testKey[:])
	if got := tag.Bytes(); !bytes.Equal(got[:], hashtest.SipHash.Tag(testKey[:], 2, 4, true, testKey[:])) {
		t.Errorf("%x has the bytes %x", tag, got)
	}
}

// hash128 returns functions that hash one integer, and a batch, by a variant.
func hash128(v hashtest.Variant) (one func(Uint128) hashtest.Tag, many func(int, []Uint128) ([]hashtest.Tag, int)) {
	if v.Wide {
		h, _ := NewX(&testKey, v.C, v.D)
		if v.Fold {
			h = h.Fold()
		}
		return func(x Uint128) hashtest.Tag { return hashtest.TagOf(h.HashUint128(x)) },
			func(n int, src []Uint128) ([]hashtest.Tag, int) {
				return hashtest.Fill(n, func(dst []Uint128) int { return h.HashUint128s(dst, src) })
			}
	}
	h, _ := New(&testKey, v.C, v.D)
	if v.Fold {
		h = h.Fold()
	}
	return func(x Uint128) hashtest.Tag { return hashtest.TagOf(h.HashUint128(x)) },
		func(n int, src []Uint128) ([]hashtest.Tag, int) {
			return hashtest.Fill(n, func(dst []uint64) int { return h.HashUint128s(dst, src) })
		}
}

func TestUint128(t *testing.T) {
	data, integers := hashtest.EveryByte(16*600), make([]Uint128, 600)
	message := func(i int) []byte { return data[16*i : 16*i+16] }
	for i := range integers {
		p := message(i)
		integers[i] = Uint128{binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:])}
	}
	for _, v := range suite.Variants() {
		one, _ := hash128(v)
		for i, x := range integers[:50] {
			if got, want := one(x), suite.Want(v, message(i)); got != want {
				t.Fatalf("%+v: HashUint128(%#x) is %x, want %x", v, x, got, want)
			}
		}
	}
	suite.EachKernel(t, func(t *testing.T) {
		for _, v := range suite.BatchVariants() {
			_, many := hash128(v)
			want := suite.WantAll(v, len(integers), message)
			for _, n := range hashtest.Counts {
				tags, k := many(n, integers[:n])
				suite.Check(t, "HashUint128s", v, tags, k, want[:n])
			}
		}
	})
}
