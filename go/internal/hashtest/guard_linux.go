package hashtest

import (
	"syscall"
	"testing"
)

// guarded returns a page of memory between two pages whose access faults.
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
	copy(page, EveryByte(size))
	return page
}
