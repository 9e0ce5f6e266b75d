//go:build !purego

package poly1305

import (
	"encoding/binary"
	"runtime/debug"
	"testing"
)

// tabled is the kernel whose table of powers is on the stack.
var tabled = &pn.Rows[1]

func (w *powers) fill(k key) { w.makeAVX2(k) }

// TestStackKeepsNoKeys is TestStackKeepsNoPowers for the r of many messages.
func TestStackKeepsNoKeys(t *testing.T) {
	if !xn.Rows[0].Here {
		t.Skip("not run: this CPU lacks AVX-512 IFMA")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	grow()
	var keys [8][KeySize]byte
	var r []byte
	var messages [8][]byte
	m := random(100, 4000)
	for i := range keys {
		keys[i] = [KeySize]byte(random(uint64(i), KeySize))
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
