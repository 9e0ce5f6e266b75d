package siphash_test

import (
	"crypto/rand"
	"fmt"
	"io"

	"keylane.example/go/siphash"
)

// The key of the published test vectors. A real key is random, as in the example of New13.
var key = [siphash.KeySize]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

func ExampleNew13() {
	var key [siphash.KeySize]byte
	rand.Read(key[:])
	h := siphash.New13(&key)
	fmt.Println(h.HashString("message") == h.Hash([]byte("message")))
	fmt.Println(h)
	// Output:
	// true
	// siphash.Hasher(1-3)
}

func ExampleNew() {
	h, err := siphash.New(&key, 3, 5)
	fmt.Println(h, err)
	_, err = siphash.New(&key, 3, 0)
	fmt.Println(err)
	// Output:
	// siphash.Hasher(3-5) <nil>
	// siphash: the numbers of rounds must be at least 1
}

func ExampleHasher_Hash() {
	h := siphash.New24(&key)
	fmt.Printf("%016x\n", h.Hash([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}))
	// Output: a129ca6149be45e5
}

func ExampleHasher_Fold() {
	h := siphash.New13(&key)
	f := h.Fold()
	fmt.Println(f.HashString("Content-Type") == h.HashString("content-type"))
	// Output: true
}

func ExampleHasher_Stream() {
	h := siphash.New24(&key)
	s := h.Stream()
	io.WriteString(&s, "mes")
	io.WriteString(&s, "sage")
	fmt.Println(s.Sum64() == h.HashString("message"))
	// Output: true
}

func ExampleHasher_HashUint64s() {
	h := siphash.New13(&key)
	numbers := []uint64{1, 2, 3}
	tags := make([]uint64, len(numbers))
	fmt.Println(h.HashUint64s(tags, numbers), tags[2] == h.HashUint64(3))
	// Output: 3 true
}

func ExampleHasher_HashOffsets32() {
	h := siphash.New13(&key)
	tags := make([]uint64, 2)
	n, err := h.HashOffsets32(tags, []byte("onetwo"), []int32{0, 3, 6})
	fmt.Println(n, err, tags[1] == h.HashString("two"))
	_, err = h.HashOffsets32(tags, []byte("onetwo"), []int32{0, 3, 7})
	fmt.Println(err)
	// Output:
	// 2 <nil> true
	// siphash: an offset is negative, below the one before, or behind the end of the data
}

func ExampleHasher_HashViews() {
	h := siphash.New13(&key)
	views := [][16]byte{
		{0: 3, 4: 'o', 'n', 'e'},
		{0: 14, 4: 't', 'h', 'r', 'e', 8: 0, 12: 5}, // 14 bytes of buffer 0 from byte 5 on
	}
	buffers := [][]byte{[]byte("here three and four")}
	tags := make([]uint64, 2)
	n, err := h.HashViews(tags, views, buffers)
	fmt.Println(n, err, tags[0] == h.HashString("one"), tags[1] == h.HashString("three and four"))
	_, err = h.HashViews(tags, views, nil)
	fmt.Println(err)
	// Output:
	// 2 <nil> true true
	// siphash: a view has a negative length, no buffer, or reaches behind the end of its buffer
}

func ExampleNewX24() {
	h := siphash.NewX24(&key)
	tag := h.HashString("message")
	fmt.Println(len(tag.Bytes()), h.Verify([]byte("message"), tag))
	// Output: 16 true
}
