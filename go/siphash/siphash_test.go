package siphash

import (
	"testing"

	"keylane.example/go/internal/hashtest"
)

// Variants and integers that HalfSipHash does not have.

func TestOtherNamedVariants(t *testing.T) {
	hashtest.Named(t, &testKey, New, map[[2]uint8]Hasher{
		{1, 1}: New11(&testKey), {1, 2}: New12(&testKey), {4, 8}: New48(&testKey),
	})
	hashtest.Named(t, &testKey, NewX, map[[2]uint8]HasherX{{4, 8}: NewX48(&testKey)})
}

func TestUint32NoAllocation(t *testing.T) {
	src, tags, wides := make([]uint32, 100), make([]uint64, 100), make([]Uint128, 100)
	suite.NoAllocation(t, map[string]func(){
		"narrow": func() {
			h := New24(&testKey)
			h.HashUint32(1)
			h.HashUint32s(tags, src)
		},
		"wide": func() {
			h := NewX24(&testKey)
			h.HashUint32(1)
			h.HashUint32s(wides, src)
		},
	})
}
