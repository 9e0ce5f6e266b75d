package halfsiphash_test

import (
	"fmt"

	"keylane.example/go/halfsiphash"
)

func ExampleNew24() {
	key := [halfsiphash.KeySize]byte{0, 1, 2, 3, 4, 5, 6, 7} // from the published test vectors; a real key is random
	h := halfsiphash.New24(&key)
	fmt.Printf("%08x %v\n", h.Hash(nil), h)
	// Output: 5b9f35a9 halfsiphash.Hasher(2-4)
}

func ExampleHasher_HashUint32s() {
	h := halfsiphash.New13(new([halfsiphash.KeySize]byte))
	numbers := []uint32{1, 2, 3}
	tags := make([]uint32, len(numbers))
	fmt.Println(h.HashUint32s(tags, numbers), tags[2] == h.HashUint32(3))
	// Output: 3 true
}
