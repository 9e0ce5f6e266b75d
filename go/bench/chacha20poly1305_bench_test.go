package bench

import (
	"bytes"
	"crypto/cipher"
	"fmt"
	"testing"

	peer "golang.org/x/crypto/chacha20poly1305"
	"keylane.example/go/chacha20poly1305"
)

// ciphers returns an AEAD of keylane and one of x/crypto under the same key.
func ciphers(t testing.TB, key []byte, isExtended bool) (ours, theirs cipher.AEAD) {
	t.Helper()
	makeOurs, makeTheirs := chacha20poly1305.New, peer.New
	if isExtended {
		makeOurs, makeTheirs = chacha20poly1305.NewX, peer.NewX
	}
	ours, err := makeOurs(key)
	if err != nil {
		t.Fatal(err)
	}
	if theirs, err = makeTheirs(key); err != nil {
		t.Fatal(err)
	}
	return ours, theirs
}

// TestChaCha20Poly1305Peer seals every length with both, opens what the other has sealed, and refuses what is forged.
func TestChaCha20Poly1305Peer(t *testing.T) {
	random := splitMix64(61)
	for n := range 2049 {
		isExtended := n%2 == 1
		key := random.bytes(peer.KeySize)
		ours, theirs := ciphers(t, key, isExtended)
		nonce, aad, text := random.bytes(ours.NonceSize()), random.bytes(n%41), random.bytes(n)
		sealed, want := ours.Seal(nil, nonce, text, aad), theirs.Seal(nil, nonce, text, aad)
		if !bytes.Equal(sealed, want) {
			t.Fatalf("%d bytes: %x, not %x", n, sealed, want)
		}
		opened, err := ours.Open(nil, nonce, want, aad)
		if err != nil || !bytes.Equal(opened, text) {
			t.Fatalf("%d bytes: opened to %x, %v", n, opened, err)
		}
		sealed[int(random.word()%uint64(len(sealed)))] ^= 1
		_, err = ours.Open(nil, nonce, sealed, aad)
		_, wantErr := theirs.Open(nil, nonce, sealed, aad)
		if err == nil || err.Error() != wantErr.Error() {
			t.Fatalf("%d bytes, forged: %v, not %v", n, err, wantErr)
		}
	}
}

// TestChaCha20Poly1305PeerMany compares batches of all lengths, under keys of both kinds.
func TestChaCha20Poly1305PeerMany(t *testing.T) {
	random := splitMix64(62)
	for count := range 70 {
		ours, theirs := ciphers(t, random.bytes(peer.KeySize), count%2 == 1)
		packets, want := make([]chacha20poly1305.Packet, count), make([][]byte, count)
		for i := range packets {
			p := &packets[i]
			p.Nonce, p.AdditionalData = random.bytes(ours.NonceSize()), random.bytes(i%20)
			p.Src = random.bytes(int(random.word() % 2100))
			want[i] = theirs.Seal(nil, p.Nonce, p.Src, p.AdditionalData)
		}
		chacha20poly1305.SealMany(ours, packets)
		for i, p := range packets {
			if !bytes.Equal(p.Dst, want[i]) {
				t.Fatalf("packet %d of %d: %x, not %x", i, count, p.Dst, want[i])
			}
		}
	}
}

// panicOf returns what a call panics with.
func panicOf(call func()) (value any) {
	defer func() { value = recover() }()
	call()
	return nil
}

// TestChaCha20Poly1305PeerPanics makes the same mistakes with both.
func TestChaCha20Poly1305PeerPanics(t *testing.T) {
	for _, isExtended := range []bool{false, true} {
		ours, theirs := ciphers(t, make([]byte, peer.KeySize), isExtended)
		nonce := make([]byte, ours.NonceSize())
		for name, call := range map[string]func(c cipher.AEAD){
			"nonce, seal": func(c cipher.AEAD) { c.Seal(nil, nonce[1:], nil, nil) },
			"nonce, open": func(c cipher.AEAD) { c.Open(nil, nonce[1:], nil, nil) },
			"nothing":     func(c cipher.AEAD) { c.Seal(nil, nonce, nil, nil) },
		} {
			if got, want := panicOf(func() { call(ours) }), panicOf(func() { call(theirs) }); got != want {
				t.Errorf("%s: %v, not %v", name, got, want)
			}
		}
		// Every place of the output, the input and the additional data.
		const n = 5
		for from := range 60 {
			for to := range 60 {
				for _, at := range []int{0, 30, 50} {
					try := func(c cipher.AEAD) any {
						b := make([]byte, 100)
						return panicOf(func() { c.Seal(b[to:to], nonce, b[from:from+n], b[at:at+2]) })
					}
					if got, want := try(ours), try(theirs); got != want {
						t.Fatalf("seal %d to %d, additional data at %d: %v, not %v", from, to, at, got, want)
					}
					try = func(c cipher.AEAD) any {
						b := make([]byte, 100)
						copy(b[from:], theirs.Seal(nil, nonce, make([]byte, n), b[at:at+2]))
						return panicOf(func() { c.Open(b[to:to], nonce, b[from:from+n+16], b[at:at+2]) })
					}
					if got, want := try(ours), try(theirs); got != want {
						t.Fatalf("open %d to %d, additional data at %d: %v, not %v", from, to, at, got, want)
					}
				}
			}
		}
	}
}

// packetLengths are the lengths that are measured.
func packetLengths() []int {
	if testing.Short() {
		return []int{64, 1420}
	}
	return []int{16, 64, 128, 256, 512, 1024, 1420, 4096, 16384}
}

// BenchmarkChaCha20Poly1305 measures one packet in place, with 16 bytes of additional data.
func BenchmarkChaCha20Poly1305(b *testing.B) {
	for _, isExtended := range []bool{false, true} {
		ours, theirs := ciphers(b, make([]byte, peer.KeySize), isExtended)
		prefix := ""
		if isExtended {
			prefix = "X"
		}
		nonce, aad := make([]byte, ours.NonceSize()), make([]byte, 16)
		for _, n := range packetLengths() {
			packet := make([]byte, n, n+ours.Overhead())
			sealed := theirs.Seal(nil, nonce, packet, aad)
			out := make([]byte, 0, n)
			for _, c := range []struct {
				by string
				cipher.AEAD
			}{{"keylane", ours}, {"x-crypto", theirs}} {
				b.Run(fmt.Sprintf("%sSeal/bytes=%d/by=%s", prefix, n, c.by), func(b *testing.B) {
					b.SetBytes(int64(n))
					for range b.N {
						c.Seal(packet[:0], nonce, packet, aad)
					}
					reportCycles(b, n)
				})
				b.Run(fmt.Sprintf("%sOpen/bytes=%d/by=%s", prefix, n, c.by), func(b *testing.B) {
					b.SetBytes(int64(n))
					for range b.N {
						if _, err := c.Open(out, nonce, sealed, aad); err != nil {
							b.Fatal(err)
						}
					}
					reportCycles(b, n)
				})
			}
		}
	}
}

// BenchmarkChaCha20Poly1305Many measures 64 packets in place, beside a loop over x/crypto.
func BenchmarkChaCha20Poly1305Many(b *testing.B) {
	const count = 64
	ours, theirs := ciphers(b, make([]byte, peer.KeySize), false)
	for _, n := range packetLengths() {
		packets, buffers, opened := make([]chacha20poly1305.Packet, count), make([][]byte, count), make([][]byte, count)
		sealed := make([][]byte, count)
		for i := range packets {
			packets[i].Nonce = make([]byte, peer.NonceSize)
			packets[i].Nonce[4], packets[i].AdditionalData = byte(i), make([]byte, 16)
			buffers[i], opened[i] = make([]byte, n, n+peer.Overhead), make([]byte, 0, n)
			sealed[i] = theirs.Seal(nil, packets[i].Nonce, buffers[i], packets[i].AdditionalData)
		}
		bench := func(name, by string, call func()) {
			b.Run(fmt.Sprintf("%s/bytes=%d/by=%s", name, n, by), func(b *testing.B) {
				b.SetBytes(int64(count * n))
				for range b.N {
					call()
				}
				reportCycles(b, count*n)
			})
		}
		bench("Seal", "keylane", func() {
			for i := range packets {
				packets[i].Dst, packets[i].Src = buffers[i][:0], buffers[i]
			}
			chacha20poly1305.SealMany(ours, packets)
		})
		bench("Seal", "x-crypto", func() {
			for i := range packets {
				p := &packets[i]
				theirs.Seal(buffers[i][:0], p.Nonce, buffers[i], p.AdditionalData)
			}
		})
		bench("Open", "keylane", func() {
			for i := range packets {
				packets[i].Dst, packets[i].Src = opened[i], sealed[i]
			}
			if err := chacha20poly1305.OpenMany(ours, packets); err != nil {
				b.Fatal(err)
			}
		})
		bench("Open", "x-crypto", func() {
			for i := range packets {
				p := &packets[i]
				if _, err := theirs.Open(opened[i], p.Nonce, sealed[i], p.AdditionalData); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
