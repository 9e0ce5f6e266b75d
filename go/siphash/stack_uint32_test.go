package siphash_test

import (
	"testing"

	"keylane.example/go/siphash"
)

// Variants and integers that HalfSipHash does not have.

func TestStackUint32(t *testing.T) {
	stays(t, map[string]func(){
		"New": func() {
			var key [siphash.KeySize]byte
			h, x := siphash.New11(&key), siphash.NewX48(&key)
			h.Wipe()
			x.Wipe()
			h = siphash.New12(&key)
			h.Wipe()
			h = siphash.New48(&key)
			h.Wipe()
		},
		"HashUint32": func() {
			h, x := siphash.New24(&zeroKey), siphash.NewX24(&zeroKey)
			h.HashUint32(1)
			x.HashUint32(1)
		},
		"HashUint32s": func() {
			var src [200]uint32
			var tags [200]uint64
			var wides [200]siphash.Uint128
			h, x := siphash.New13(&zeroKey), siphash.NewX13(&zeroKey)
			h.HashUint32s(tags[:], src[:])
			x.HashUint32s(wides[:], src[:])
		},
	})
}
