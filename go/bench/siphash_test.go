package bench

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	aead "github.com/aead/siphash"
	dchest "github.com/dchest/siphash"
	"keylane.example/go/halfsiphash"
	"keylane.example/go/siphash"
)

var (
	sipKey  = [siphash.KeySize]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	sipSink uint64
)

// BenchmarkSipHash measures one message at a time. The messages do not depend on each other, and start at 64
// offsets.
func BenchmarkSipHash(b *testing.B) {
	k0, k1 := binary.LittleEndian.Uint64(sipKey[:8]), binary.LittleEndian.Uint64(sipKey[8:])
	h13, h24, x24 := siphash.New13(&sipKey), siphash.New24(&sipKey), siphash.NewX24(&sipKey)
	peers := []struct {
		variant, by string
		hash        func(p []byte) uint64
	}{
		{"2-4", "keylane", func(p []byte) uint64 { return h24.Hash(p) }},
		{"2-4", "dchest", func(p []byte) uint64 { return dchest.Hash(k0, k1, p) }},
		{"2-4", "aead", func(p []byte) uint64 { return aead.Sum64(p, &sipKey) }},
		{"1-3", "keylane", func(p []byte) uint64 { return h13.Hash(p) }},
		{"2-4-128", "keylane", func(p []byte) uint64 { return x24.Hash(p).Lo }},
		{"2-4-128", "dchest", func(p []byte) uint64 { lo, _ := dchest.Hash128(k0, k1, p); return lo }},
	}
	lengths := []int{0, 1, 4, 7, 8, 12, 16, 20, 24, 32, 64, 100, 256, 1024, 16384}
	if testing.Short() {
		lengths = []int{8, 20, 1024}
	}
	for _, n := range lengths {
		message := make([]byte, n+64*64)
		for _, peer := range peers {
			b.Run(fmt.Sprintf("variant=%s/bytes=%d/by=%s", peer.variant, n, peer.by), func(b *testing.B) {
				b.SetBytes(int64(n))
				var sum uint64
				for i := range b.N {
					at := i & 63 * 64
					sum ^= peer.hash(message[at : at+n])
				}
				sipSink = sum
				reportCycles(b, n)
			})
		}
	}
}

// rounds returns the rounds of a variant, as c-d.
func rounds(h *siphash.Hasher) string {
	return strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(h), "siphash.Hasher("), ")")
}

// BenchmarkSipHashLatency measures a chain of calls: each one hashes the tag of the previous one.
func BenchmarkSipHashLatency(b *testing.B) {
	h13, h24 := siphash.New13(&sipKey), siphash.New24(&sipKey)
	for _, h := range []*siphash.Hasher{&h13, &h24} {
		b.Run("variant="+rounds(h)+"/uint64/by=keylane", func(b *testing.B) {
			x := sipSink
			for range b.N {
				x = h.HashUint64(x)
			}
			sipSink = x
			reportCycles(b, 8)
		})
	}
}

// BenchmarkSipHashBatch measures many messages in one call, and in a loop. A time is for one message.
func BenchmarkSipHashBatch(b *testing.B) {
	const n = 4096
	tags, integers := make([]uint64, n), make([]uint64, n)
	h13, h24 := siphash.New13(&sipKey), siphash.New24(&sipKey)
	batch := func(name, by string, call func(h *siphash.Hasher)) {
		for _, h := range []*siphash.Hasher{&h13, &h24} {
			b.Run(fmt.Sprintf("variant=%s/%s/by=%s", rounds(h), name, by), func(b *testing.B) {
				for range b.N/n + 1 {
					call(h)
				}
				reportCycles(b, 0)
			})
		}
	}
	batch("uint64s", "keylane", func(h *siphash.Hasher) { h.HashUint64s(tags, integers) })
	batch("uint64s", "loop", func(h *siphash.Hasher) {
		for i, x := range integers {
			tags[i] = h.HashUint64(x)
		}
	})
	for _, width := range []int{8, 20, 64, 100} {
		rows := make([]byte, n*width)
		batch(fmt.Sprintf("rows/bytes=%d", width), "keylane", func(h *siphash.Hasher) { h.HashRows(tags, rows, width) })
	}
	for _, spread := range [][2]int{{4, 20}, {1, 199}} {
		random := rand.New(rand.NewPCG(1, 2))
		texts := make([]string, n)
		for i := range texts {
			texts[i] = strings.Repeat("x", spread[0]+random.IntN(spread[1]-spread[0]+1))
		}
		name := fmt.Sprintf("strings/bytes=%d-to-%d", spread[0], spread[1])
		batch(name, "keylane", func(h *siphash.Hasher) { h.HashStrings(tags, texts) })
		batch(name, "loop", func(h *siphash.Hasher) {
			for i, s := range texts {
				tags[i] = h.HashString(s)
			}
		})
	}
}

// BenchmarkHalfSipHashBatch is BenchmarkSipHashBatch for HalfSipHash.
func BenchmarkHalfSipHashBatch(b *testing.B) {
	const n = 4096
	tags, integers := make([]uint32, n), make([]uint32, n)
	h := halfsiphash.New13((*[halfsiphash.KeySize]byte)(sipKey[:]))
	b.Run("variant=1-3/uint32s/by=keylane", func(b *testing.B) {
		for range b.N/n + 1 {
			h.HashUint32s(tags, integers)
		}
	})
	b.Run("variant=1-3/uint32s/by=loop", func(b *testing.B) {
		for range b.N/n + 1 {
			for i, x := range integers {
				tags[i] = h.HashUint32(x)
			}
		}
	})
}
