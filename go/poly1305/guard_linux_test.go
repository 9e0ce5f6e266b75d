package poly1305

import (
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

// TestGuards puts messages, keys and tags at the first and at the last bytes between such pages.
func TestGuards(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		text, keys, tags := guarded(t, 2048), guarded(t, KeySize), guarded(t, TagSize)
		copy(text, random(1, len(text)))
		for _, n := range spread(1300) {
			for _, m := range [][]byte{text[:n], text[len(text)-n:]} {
				for _, at := range [][2]int{{0, 0}, {len(keys) - KeySize, len(tags) - TagSize}} {
					key, tag := (*[KeySize]byte)(keys[at[0]:]), (*[TagSize]byte)(tags[at[1]:])
					copy(key[:], random(uint64(n), KeySize))
					Sum(tag, m, key)
					want := *tag
					sumLong(tag, m, key)
					if *tag != want || inPieces(key, m) != want {
						t.Fatal(n)
					}
					batch := [][]byte{m, m, m, m, m, m, m, m, m[:n/2]}
					var many [9][TagSize]byte
					SumMany(many[:], [][KeySize]byte{*key, *key, *key, *key, *key, *key, *key, *key, *key}, batch)
					if many[0] != want || many[7] != want {
						t.Fatal(n)
					}
				}
			}
		}
	})
}
