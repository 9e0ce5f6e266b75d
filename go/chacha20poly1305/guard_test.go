package chacha20poly1305

import (
	"bytes"
	"testing"

	"keylane.example/go/internal/hashtest"
)

// TestGuards puts texts and ciphertexts at the first and at the last bytes between such pages.
func TestGuards(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		key, nonce := random(1, KeySize), random(2, NonceSize)
		c := newWith(t, key, nonce)
		in, out := hashtest.Guarded(t, 4096), hashtest.Guarded(t, 4096)
		for _, n := range spread(1300) {
			text := random(uint64(n), n)
			want := definedSeal(key, nonce, text, nil)
			for _, at := range [][2]int{{0, 0}, {len(in) - n, len(out) - n - Overhead}} {
				src, dst := in[at[0]:at[0]+n], out[at[1]:at[1]]
				copy(src, text)
				sealed := c.Seal(dst, nonce, src, src[:0])
				if !bytes.Equal(sealed, want) {
					t.Fatalf("%d bytes, sealed", n)
				}
				if opened, err := c.Open(src[:0], nonce, sealed, nil); err != nil || !bytes.Equal(opened, text) {
					t.Fatalf("%d bytes, opened: %v", n, err)
				}
				packets := make([]Packet, fewestPackets)
				for i := range packets {
					packets[i] = Packet{Nonce: nonce, Src: src}
				}
				SealMany(c, packets)
				for i := range packets {
					if !bytes.Equal(packets[i].Dst, want) {
						t.Fatalf("%d bytes, sealed together", n)
					}
				}
			}
		}
	})
}
