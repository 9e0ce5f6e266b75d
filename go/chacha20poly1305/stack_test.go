package chacha20poly1305_test

import (
	"crypto/cipher"
	"testing"

	"keylane.example/go/chacha20poly1305"
)

// TestManyAllocatesNothing has buffers with room, and more packets than are done together.
func TestManyAllocatesNothing(t *testing.T) {
	for _, f := range []func([]byte) (cipher.AEAD, error){chacha20poly1305.New, chacha20poly1305.NewX} {
		c, err := f(make([]byte, chacha20poly1305.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		nonce := make([]byte, c.NonceSize())
		var packets [40]chacha20poly1305.Packet
		buffers := make([][]byte, len(packets))
		for i := range buffers {
			buffers[i] = make([]byte, 50*i, 50*i+chacha20poly1305.Overhead)
		}
		allocations := testing.AllocsPerRun(10, func() {
			for i, b := range buffers {
				packets[i] = chacha20poly1305.Packet{Dst: b[:0], Nonce: nonce, Src: b}
			}
			chacha20poly1305.SealMany(c, packets[:])
			for i := range packets {
				p := &packets[i]
				p.Src, p.Dst = p.Dst, p.Dst[:0]
			}
			if err := chacha20poly1305.OpenMany(c, packets[:]); err != nil {
				t.Fatal(err)
			}
		})
		if allocations != 0 {
			t.Errorf("%v allocations", allocations)
		}
	}
}
