package maps_test

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"keylane.example/go/maps"
	"keylane.example/go/siphash"
)

func Example() {
	var visits maps.Map[string, int]
	for _, page := range []string{"/", "/about", "/"} {
		n, _ := visits.Get(page)
		visits.Put(page, n+1)
	}
	for page, n := range visits.All() {
		if n > 1 {
			fmt.Println(page, n)
		}
	}
	// Output: / 2
}

func ExampleMap_GetMany() {
	squares := maps.New[int, int](3)
	squares.PutMany([]int{1, 2, 3}, []int{1, 4, 9})

	keys := []int{3, 4, 2}
	values, found := make([]int, len(keys)), make([]bool, len(keys))
	squares.GetMany(keys, values, found)
	fmt.Println(values, found)
	// Output: [9 0 4] [true false true]
}

// Write a key of several fields as an array of bytes.
func ExampleKey() {
	type flow [6]byte // an IPv4 address and a port
	newFlow := func(address [4]byte, port uint16) (f flow) {
		copy(f[:], address[:])
		binary.BigEndian.PutUint16(f[4:], port)
		return f
	}
	packets := maps.New[flow, int](1000)
	packets.Put(newFlow([4]byte{192, 0, 2, 1}, 443), 17)
	fmt.Println(packets.Get(newFlow([4]byte{192, 0, 2, 1}, 443)))
	// Output: 17 true
}

func ExampleNewWith() {
	var key [siphash.KeySize]byte
	rand.Read(key[:])
	m := maps.NewWith[string, int](siphash.New24(&key), 0)
	m.Put("one", 1)
	fmt.Println(m)
	// Output: maps.Map(1 entries)
}
