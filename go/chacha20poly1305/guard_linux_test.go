package chacha20poly1305

import (
	"bytes"
	"os"
	"syscall"
	"testing"
)

// guarded returns memory between two pages whose access faults.
func guarded(t *testing.T, size int) []byte {
	page := os.Getpagesize()
	size = (size + page - 1) / page * page
	const access, kind = syscall.PROT_READ | syscall.PROT_WRITE, syscall.MAP_ANON | syscall.MAP_PRIVATE
	all, err := syscall.Mmap(-1, 0, size+2*page, access, kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(all) })
	for _, guard := range [][]byte{all[:page], all[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return all[page : page+size]
}

// TestGuards puts texts and ciphertexts at the first and at the last bytes between such pages.
func TestGuards(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		key, nonce := random(1, KeySize), random(2, NonceSize)
		c := newWith(t, key, nonce)
		in, out := guarded(t, 4096), guarded(t, 4096)
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
