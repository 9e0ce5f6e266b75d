//go:build linux

package siphash

import (
	"syscall"
	"testing"
)

// guarded is a page of memory between two that nobody may touch: who reads outside of it does not survive.
func guarded(t *testing.T) []byte {
	size := syscall.Getpagesize()
	access, kind := syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE
	memory, err := syscall.Mmap(-1, 0, 3*size, access, kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(memory) })
	for _, guard := range [][]byte{memory[:size], memory[2*size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	page := memory[size : 2*size]
	copy(page, everyByte(size))
	return page
}

// Messages that begin or end with the page, one by one.
func TestOneReadsNothingOutside(t *testing.T) {
	page := guarded(t)
	for _, v := range variants {
		s := v.subject(t)
		for n := range v.lengths() + 1 {
			for _, p := range [][]byte{page[:n:n], page[len(page)-n:]} {
				if got, want := s.hash(p), v.want(p); got != want {
					t.Fatalf("%+v: Hash of %d bytes: %x, want %x", v, n, got, want)
				}
			}
		}
	}
}

// Messages that begin or end with the page, together.
func TestBatchReadsNothingOutside(t *testing.T) {
	page := guarded(t)
	size := len(page)
	eachKernel(t, func(t *testing.T) {
		v := variant{c: 1, d: 3}
		s := v.subject(t)
		for n := range 140 {
			var messages [][]byte
			for i := range 65 {
				if i%2 == 0 {
					messages = append(messages, page[:n])
				} else {
					messages = append(messages, page[size-n:])
				}
			}
			tags, k := s.hashSlices(len(messages), messages)
			check(t, "HashSlices", v, tags, k, len(messages), func(i int) []byte { return messages[i] })
			// Rows that end with the page, and rows that begin with it.
			count := min(size/max(n, 1), 70)
			for _, rows := range [][]byte{page[size-count*n:], page[:count*n]} {
				tags, k := s.hashRows(count, rows, n)
				check(t, "HashRows", v, tags, k, count, func(i int) []byte { return rows[i*n : (i+1)*n] })
			}
		}
	})
}
