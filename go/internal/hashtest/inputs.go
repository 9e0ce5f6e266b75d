package hashtest

import (
	"math/rand/v2"
	"testing"
)

// Random returns bytes that are the same in every run.
func Random(seed uint64, n int) []byte {
	r, b := rand.New(rand.NewPCG(seed, 1)), make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// Spread returns 0, 1, ..., n - 1. With -short, for emulators, it returns some of these only.
func Spread(n int) (list []int) {
	step := 1
	if testing.Short() {
		step = 1 + n/150
	}
	for i := 0; i < n; i += step {
		list = append(list, i)
	}
	return list
}
