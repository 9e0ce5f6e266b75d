//go:build linux

package siphash

import (
	"syscall"
	"testing"
)

// Messages that begin or end at a page that nobody may touch: a kernel that reads outside of one does not survive.
func TestNoReadsOutside(t *testing.T) {
	size := syscall.Getpagesize()
	access, kind := syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE
	memory, err := syscall.Mmap(-1, 0, 3*size, access, kind)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(memory)
	for _, guard := range [][]byte{memory[:size], memory[2*size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	page := memory[size : 2*size]
	copy(page, everyByte(size))
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
