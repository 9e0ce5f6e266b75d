//go:build !purego

package poly1305

import (
	"bytes"
	"encoding/binary"
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

// TestStackKeepsNoPowers looks at the frames of calls that hold powers of r, or the r of many messages, in tables.
func TestStackKeepsNoPowers(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	grow()
	var keys [8][KeySize]byte
	for i := range keys {
		keys[i] = [KeySize]byte(random(uint64(i), KeySize))
	}
	k, m := load(&keys[0]), random(100, 4000)

	t.Run("one message", func(t *testing.T) {
		if !pn.Rows[1].Here {
			t.Skip("no AVX2")
		}
		var w powers
		w.makeAVX2(k)
		table := unsafe.Slice((*byte)(unsafe.Pointer(&w.table)), unsafe.Sizeof(w.table))[:36]
		if !left(func() { unwiped(k) }, table) {
			t.Fatal("a table that is left is not seen")
		}
		kernel := (&kernel{avx2, 0})
		if left(func() { element{}.whole(kernel, k, m) }, table) {
			t.Error("powers of r")
		}
	})
	t.Run("many messages", func(t *testing.T) {
		if !xn.Rows[0].Here {
			t.Skip("no AVX-512 IFMA")
		}
		var r []byte
		var messages [8][]byte
		for i := range keys {
			r = binary.LittleEndian.AppendUint64(r, load(&keys[i]).r0)
			messages[i] = m[:200+16*i]
		}
		if !left(func() { unwipedLanes(&keys) }, r) {
			t.Fatal("a table that is left is not seen")
		}
		var tags [8][TagSize]byte
		if left(func() { sumLanes(&tags, &keys, nil, &messages, 12) }, r) {
			t.Error("r")
		}
	})
}

// unwiped leaves powers on the stack.
//
//go:noinline
func unwiped(k key) bool {
	var w powers
	w.makeAVX2(k)
	return w.table[5] == w.table[6]
}

// unwipedLanes leaves the r of messages on the stack.
//
//go:noinline
func unwipedLanes(keys *[8][KeySize]byte) bool {
	var r [16]uint64
	for i := range keys {
		k := load(&keys[i])
		r[i], r[8+i] = k.r0, k.r1
	}
	return r[keys[0][0]%16] == r[keys[1][0]%16]
}
