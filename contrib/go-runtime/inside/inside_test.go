//go:build keylane_overlay

// Package inside tests a toolchain's own hash functions: whether the overlay is in them, and what they return. It reads
// the runtime's key, which needs a linker that allows that:
//
//	go test -overlay FOLDER/overlay.json -tags keylane_overlay -ldflags=-checklinkname=0 ./inside
package inside

import (
	"bytes"
	"flag"
	"math/bits"
	"math/rand/v2"
	"testing"
	"unsafe"

	"keylane.example/contrib/go-runtime/internal/reference"
)

var (
	compressionRounds = flag.Uint("compression", 1, "rounds of a word")
	finalRounds       = flag.Uint("final", 3, "rounds at the end")
)

//go:linkname sipKey runtime.sipKey
var sipKey [5]uintptr

//go:linkname memhash runtime.memhash
func memhash(p unsafe.Pointer, seed, n uintptr) uintptr

//go:linkname strhash runtime.strhash
func strhash(p unsafe.Pointer, seed uintptr) uintptr

//go:linkname memhash32 runtime.memhash32
func memhash32(p unsafe.Pointer, seed uintptr) uintptr

//go:linkname memhash64 runtime.memhash64
func memhash64(p unsafe.Pointer, seed uintptr) uintptr

// TestInside compares with the Go module, under the key of this process.
func TestInside(t *testing.T) {
	if sipKey == [5]uintptr{} {
		t.Fatal("the overlay is not in this program")
	}
	var init0, init1 uint64 = 0x736f6d6570736575, 0x646f72616e646f6d
	if bits.UintSize == 32 {
		init0, init1 = 0, 0
	}
	k0, k1 := sipKey[0]^uintptr(init0), sipKey[1]^uintptr(init1)
	random := rand.NewChaCha8([32]byte{2})
	for length := range 130 {
		memory := make([]byte, length+16)
		random.Read(memory)
		p := memory[8 : 8+length : 8+length]
		seed := uintptr(random.Uint64())
		want := reference.Hash(uint8(*compressionRounds), uint8(*finalRounds), k0^seed, k1, bytes.Clone(p))
		check := func(name string, got uintptr) {
			if got != want {
				t.Fatalf("%s of %d bytes: %#x, not %#x", name, length, got, want)
			}
		}
		check("memhash", memhash(unsafe.Pointer(unsafe.SliceData(p)), seed, uintptr(length)))
		s := string(p)
		check("strhash", strhash(unsafe.Pointer(&s), seed))
		switch length {
		case 4:
			check("memhash32", memhash32(unsafe.Pointer(&p[0]), seed))
		case 8:
			check("memhash64", memhash64(unsafe.Pointer(&p[0]), seed))
		}
	}
}
