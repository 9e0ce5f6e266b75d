package hashtest

import (
	"syscall"
	"testing"
)

// Guarded returns at least size bytes of memory, in whole pages, between two pages whose access faults.
func Guarded(t *testing.T, size int) []byte {
	page := syscall.Getpagesize()
	size = (size + page - 1) / page * page
	const access, kind = syscall.PROT_READ | syscall.PROT_WRITE, syscall.MAP_ANON | syscall.MAP_PRIVATE
	memory, err := syscall.Mmap(-1, 0, size+2*page, access, kind)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(memory) })
	for _, guard := range [][]byte{memory[:page], memory[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return memory[page : page+size]
}
