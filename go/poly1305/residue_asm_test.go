//go:build !purego && (amd64 || arm64)

package poly1305

import (
	"bytes"
	"runtime/debug"
	"testing"
	"unsafe"
)

// deep is more stack than any call here takes.
const deep = 64 << 10

// grow makes the stack deep bytes larger.
//
//go:noinline
func grow() byte {
	var room [deep]byte
	return room[len(bytes.TrimSpace(nil))]
}

// left calls f and reports whether its frames, which have ended, still hold these bytes.
//
//go:noinline
func left(f func(), want []byte) bool {
	const size = deep / 2
	here, frames := byte(0), make([]byte, size)
	f()
	// SAFETY: grow has made the stack larger than this, and nothing makes it smaller before the next collection. The copy
	// comes first, because any other call would overwrite frames.
	copy(frames, unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&here), -size)), size))
	return bytes.Contains(frames, want)
}

// TestStackKeepsNoPowers looks at the frames of a call that holds powers of r in a table.
func TestStackKeepsNoPowers(t *testing.T) {
	if !tabled.Here {
		t.Skipf("not run: this CPU lacks the instructions of %s", tabled.Name)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	grow()
	key := [KeySize]byte(random(0, KeySize))
	k, m := load(&key), random(100, 4000)
	var w powers
	w.fill(k)
	table := unsafe.Slice((*byte)(unsafe.Pointer(&w.table)), unsafe.Sizeof(w.table))[:36]
	if !left(func() { unwiped(k) }, table) {
		t.Fatal("a table that is left is not seen")
	}
	if left(func() { element{}.whole(tabled.Kernel.eager(), k, m) }, table) {
		t.Error("powers of r")
	}
}

// unwiped leaves powers on the stack.
//
//go:noinline
func unwiped(k key) bool {
	var w powers
	w.fill(k)
	return w.table[5] == w.table[6]
}
