// Package lives has the benchmarks of the proposal for Go's maps [Go-maps] on the built-in map: maps from creation until
// they are empty again. The hash is that of the toolchain.
package lives

import (
	"fmt"
	"testing"
)

// The benchmarks: for integers the number of keys, for strings the number and the bytes of a key.
var (
	lifeInts    = []int{10, 100, 10_000, 1_000_000}
	lifeStrings = [][2]int{{10, 2}, {100, 4}, {10_000, 6}, {1_000_000, 8}, {10, 20}, {100, 20}, {10, 100}, {100, 100}}
)

// A key is made where it is used, so that the time of a string includes its allocation. The loop in the proposal counts
// in the first byte and never carries, so it has at most 255 keys. The mended loop carries into the next byte.

func printed(key []byte) {
	key[0]++
	if key[0] == 0 {
		key[0] = 1
	}
}

func mended(key []byte) {
	for i := range key {
		key[i]++
		if key[i] != 0 {
			return
		}
	}
}

// BenchmarkLives gives the time of one map.
func BenchmarkLives(b *testing.B) {
	for _, count := range lifeInts {
		b.Run(fmt.Sprintf("keys=int/count=%d", count), func(b *testing.B) {
			for range b.N {
				if found, left := ints(count); found != count || left != 0 {
					b.Fatalf("found %d, left %d", found, left)
				}
			}
		})
	}
	for _, cell := range lifeStrings {
		count, size := cell[0], cell[1]
		b.Run(fmt.Sprintf("keys=printed/bytes=%d/count=%d", size, count), func(b *testing.B) {
			for range b.N {
				if found, left := printedStrings(count, size); found != count || left != 0 {
					b.Fatalf("found %d, left %d", found, left)
				}
			}
		})
		b.Run(fmt.Sprintf("keys=mended/bytes=%d/count=%d", size, count), func(b *testing.B) {
			for range b.N {
				if found, left := mendedStrings(count, size); found != count || left != 0 {
					b.Fatalf("found %d, left %d", found, left)
				}
			}
		})
	}
}

func ints(count int) (found, left int) {
	m := make(map[int]bool)
	for i := range count {
		m[i] = true
	}
	for i := range count {
		if m[i] {
			found++
		}
	}
	for i := range count {
		delete(m, i)
	}
	return found, len(m)
}

// The two loops are written out, so that the compiler sees which one advances the key.

func printedStrings(count, size int) (found, left int) {
	m := make(map[string]bool)
	key := make([]byte, size)
	for range count {
		printed(key)
		m[string(key)] = true
	}
	clear(key)
	for range count {
		printed(key)
		if m[string(key)] {
			found++
		}
	}
	clear(key)
	for range count {
		printed(key)
		delete(m, string(key))
	}
	return found, len(m)
}

func mendedStrings(count, size int) (found, left int) {
	m := make(map[string]bool)
	key := make([]byte, size)
	for range count {
		mended(key)
		m[string(key)] = true
	}
	clear(key)
	for range count {
		mended(key)
		if m[string(key)] {
			found++
		}
	}
	clear(key)
	for range count {
		mended(key)
		delete(m, string(key))
	}
	return found, len(m)
}
