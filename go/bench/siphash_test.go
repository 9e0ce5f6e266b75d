package bench

import (
	"encoding/binary"
	"fmt"
	"testing"

	aead "github.com/aead/siphash"
	dchest "github.com/dchest/siphash"
	"keylane.example/go/siphash"
)

var (
	sipKey  = [siphash.KeySize]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	sipSink uint64
)

// BenchmarkSipHash is one message at a time. The messages do not wait for each other, and begin at all of 64 places.
func BenchmarkSipHash(b *testing.B) {
	k0, k1 := binary.LittleEndian.Uint64(sipKey[:8]), binary.LittleEndian.Uint64(sipKey[8:])
	h13, h24 := siphash.New13(&sipKey), siphash.New24(&sipKey)
	peers := []struct {
		name string
		hash func(p []byte) uint64
	}{
		{"2-4/keylane", func(p []byte) uint64 { return h24.Hash(p) }},
		{"2-4/dchest", func(p []byte) uint64 { return dchest.Hash(k0, k1, p) }},
		{"2-4/aead", func(p []byte) uint64 { return aead.Sum64(p, &sipKey) }},
		{"1-3/keylane", func(p []byte) uint64 { return h13.Hash(p) }},
	}
	lengths := []int{0, 1, 4, 7, 8, 12, 16, 20, 24, 32, 64, 100, 256, 1024, 16384}
	if testing.Short() {
		lengths = []int{8, 20, 1024}
	}
	for _, n := range lengths {
		message := make([]byte, n+64*64)
		for _, peer := range peers {
			b.Run(fmt.Sprintf("%s/bytes=%d", peer.name, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				var sum uint64
				for i := range b.N {
					at := i & 63 * 64
					sum ^= peer.hash(message[at : at+n])
				}
				sipSink = sum
			})
		}
	}
}
