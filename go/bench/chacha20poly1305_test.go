package bench

import (
	"bytes"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"
	"keylane.example/go/siphash"
)

// splitMix64 gives the numbers of the Rust tests.
type splitMix64 uint64

func (r *splitMix64) word() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (r *splitMix64) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.word())
	}
	return b
}

// TestPacketsOfKeylane seals and opens random packets with x/crypto. keylane's crate seals the same ones in
// tests/conformance/tests/aead.rs, where the hash of all ciphertexts and tags must be this one.
func TestPacketsOfKeylane(t *testing.T) {
	const want = 0x4341e0b053695600
	random, sealed := splitMix64(59), []byte(nil)
	for i := range 300 {
		key, nonce := random.bytes(chacha20poly1305.KeySize), random.bytes(chacha20poly1305.NonceSize)
		aad := random.bytes(int(random.word() % 100))
		text := random.bytes(int(random.word() % 3000))
		cipher, err := chacha20poly1305.New(key)
		if err != nil {
			t.Fatal(err)
		}
		packet := cipher.Seal(nil, nonce, text, aad)
		if opened, err := cipher.Open(nil, nonce, packet, aad); err != nil || !bytes.Equal(opened, text) {
			t.Fatalf("packet %d does not open: %v", i, err)
		}
		sealed = append(sealed, packet...)
	}
	hash := siphash.New24(&[siphash.KeySize]byte{})
	if got := hash.Hash(sealed); got != want {
		t.Errorf("the hash of all packets is %#x, not %#x", got, uint64(want))
	}
}
