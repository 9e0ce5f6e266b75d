package bench

import (
	"fmt"
	"slices"
	"testing"

	peer "golang.org/x/crypto/poly1305" //lint:ignore SA1019 deprecated, but programs still use it
	"keylane.example/go/poly1305"
)

// BenchmarkPoly1305 measures one message at a time. It prepares the key each time.
func BenchmarkPoly1305(b *testing.B) {
	lengths := []int{0, 16, 64, 128, 256, 512, 1024, 1420, 4096, 16384, 1 << 20}
	if testing.Short() {
		lengths = []int{16, 16384}
	}
	for _, n := range lengths {
		message, key := make([]byte, n), [poly1305.KeySize]byte{3, 1, 4, 1, 5}
		var tag [poly1305.TagSize]byte
		bench := func(name, by string, call func()) {
			b.Run(fmt.Sprintf("%s/bytes=%d/by=%s", name, n, by), func(b *testing.B) {
				b.SetBytes(int64(n))
				for range b.N {
					call()
				}
				reportCycles(b, n)
			})
		}
		bench("Sum", "keylane", func() { poly1305.Sum(&tag, message, &key) })
		bench("Sum", "x-crypto", func() { peer.Sum(&tag, message, &key) })
		bench("MAC", "keylane", func() {
			var mac poly1305.MAC
			mac.Init(&key)
			mac.Write(message)
			mac.Sum(tag[:0])
		})
		bench("MAC", "x-crypto", func() {
			mac := peer.New(&key)
			mac.Write(message)
			mac.Sum(tag[:0])
		})
	}
}

// BenchmarkPoly1305Pieces measures one message in pieces. A piece is one operation.
func BenchmarkPoly1305Pieces(b *testing.B) {
	key := [poly1305.KeySize]byte{3, 1, 4, 1, 5}
	for _, n := range []int{100, 1000, 4096, 32768} {
		piece := make([]byte, n)
		b.Run(fmt.Sprintf("bytes=%d/by=keylane", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			mac := poly1305.New(&key)
			for range b.N {
				mac.Write(piece)
			}
			reportCycles(b, n)
		})
		b.Run(fmt.Sprintf("bytes=%d/by=x-crypto", n), func(b *testing.B) {
			b.SetBytes(int64(n))
			mac := peer.New(&key)
			for range b.N {
				mac.Write(piece)
			}
			reportCycles(b, n)
		})
	}
}

// BenchmarkPoly1305Batch measures 64 messages under 64 keys.
func BenchmarkPoly1305Batch(b *testing.B) {
	for _, n := range []int{16, 64, 256, 1420} {
		keys, tags := make([][poly1305.KeySize]byte, 64), make([][poly1305.TagSize]byte, 64)
		for i := range keys {
			keys[i][0] = byte(i)
		}
		messages := slices.Repeat([][]byte{make([]byte, n)}, 64)
		b.Run(fmt.Sprintf("bytes=%d/by=keylane", n), func(b *testing.B) {
			b.SetBytes(int64(64 * n))
			for range b.N {
				poly1305.SumMany(tags, keys, messages)
			}
			reportCycles(b, 64*n)
		})
		b.Run(fmt.Sprintf("bytes=%d/by=x-crypto", n), func(b *testing.B) {
			b.SetBytes(int64(64 * n))
			for range b.N {
				for i, m := range messages {
					peer.Sum(&tags[i], m, &keys[i])
				}
			}
			reportCycles(b, 64*n)
		})
	}
}

// TestPoly1305Peer checks that both compute the same tags.
func TestPoly1305Peer(t *testing.T) {
	for n := range 3000 {
		message, key := make([]byte, n), [poly1305.KeySize]byte{byte(n), 2, byte(n >> 8), 5, 30: 7}
		for i := range message {
			message[i] = byte(i * n)
		}
		var ours, theirs [poly1305.TagSize]byte
		poly1305.Sum(&ours, message, &key)
		peer.Sum(&theirs, message, &key)
		if ours != theirs {
			t.Fatalf("%d bytes: %x, not %x", n, ours, theirs)
		}
	}
}
