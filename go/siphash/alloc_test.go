package siphash

import (
	"testing"

	"keylane.example/go/internal/hashtest"
)

// The calls are written out, since escape analysis does not see through an interface or a type parameter.
func TestNoAllocation(t *testing.T) {
	m := hashtest.Ragged(100, 40)
	words, doubles := make([]uint64, 100), make([]Uint128, 100)
	tags, wides := make([]uint64, 100), make([]Uint128, 100)
	sum := make([]byte, 0, 16)
	suite.NoAllocation(t, map[string]func(){
		"narrow": func() {
			h := New24(&testKey)
			h.Hash(m.Data)
			h.HashString(m.Strings[1])
			h.HashUint64(1)
			h.HashUint128(doubles[1])
			h.Verify(m.Data, 1)
			f := h.Fold()
			f.Hash(m.Data)
			d := h.Stream()
			d.Write(m.Data)
			d.WriteString(m.Strings[1])
			d.Sum64()
			sum = d.Sum(sum[:0])
			d.Reset()
			h.HashUint64s(tags, words)
			h.HashUint128s(tags, doubles)
			h.HashStrings(tags, m.Strings)
			h.HashSlices(tags, m.Slices)
			h.HashRows(tags, m.Data, 5)
			h.HashOffsets32(tags, m.Data, m.Offsets32)
			h.HashOffsets64(tags, m.Data, m.Offsets64)
			h.HashViews(tags, m.Views, m.Buffers)
			h.Wipe()
		},
		"wide": func() {
			h := NewX24(&testKey)
			h.Hash(m.Data)
			h.HashString(m.Strings[1])
			h.HashUint64(1)
			h.HashUint128(doubles[1])
			h.Verify(m.Data, wides[1])
			f := h.Fold()
			f.Hash(m.Data)
			d := h.Stream()
			d.Write(m.Data)
			d.WriteString(m.Strings[1])
			d.Sum128()
			sum = d.Sum(sum[:0])
			d.Reset()
			h.HashUint64s(wides, words)
			h.HashUint128s(wides, doubles)
			h.HashStrings(wides, m.Strings)
			h.HashSlices(wides, m.Slices)
			h.HashRows(wides, m.Data, 5)
			h.HashOffsets32(wides, m.Data, m.Offsets32)
			h.HashOffsets64(wides, m.Data, m.Offsets64)
			h.HashViews(wides, m.Views, m.Buffers)
			h.Wipe()
		},
	})
}
