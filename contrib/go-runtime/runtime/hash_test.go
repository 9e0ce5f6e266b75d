package runtime

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"

	"keylane.example/contrib/go-runtime/internal/reference"
)

// hashes calls every function that takes a message of this length.
func hashes(p []byte, seed uintptr) map[string]uintptr {
	s := string(p)
	all := map[string]uintptr{
		"memhash": memhash(unsafe.Pointer(unsafe.SliceData(p)), seed, uintptr(len(p))),
		"strhash": strhash(unsafe.Pointer(&s), seed),
	}
	switch len(p) {
	case 4:
		all["memhash32"] = memhash32(unsafe.Pointer(&p[0]), seed)
	case 8:
		all["memhash64"] = memhash64(unsafe.Pointer(&p[0]), seed)
	}
	return all
}

// TestPublished compares with published answers. None are known for one round at the end.
func TestPublished(t *testing.T) {
	file, read := "siphash.json", func(b []byte) uintptr { return uintptr(binary.LittleEndian.Uint64(b)) }
	if bits.UintSize == 32 {
		file, read = "halfsiphash.json", func(b []byte) uintptr { return uintptr(binary.LittleEndian.Uint32(b)) }
	}
	text, err := os.ReadFile("../../../tests/testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var data struct {
		Cases []struct {
			C        int    `json:"c"`
			D        int    `json:"d"`
			TagBits  int    `json:"tag_bits"`
			Key      string `json:"key"`
			Message  string `json:"msg"`
			Tag      string `json:"tag"`
			Validity string `json:"result"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(text, &data); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, c := range data.Cases {
		if c.C != compressionRounds || c.D != finalRounds || c.TagBits != bits.UintSize || c.Validity != "valid" {
			continue
		}
		count++
		key, message, tag := unhex(t, c.Key), unhex(t, c.Message), unhex(t, c.Tag)
		half := len(key) / 2
		// The seed is xored into the first half of the key.
		const seed = 0x5eed
		sipSetKey(read(key[:half])^seed, read(key[half:]))
		for name, got := range hashes(message, seed) {
			if want := read(tag); got != want {
				t.Errorf("%s of %d bytes: %#x, not %#x", name, len(message), got, want)
			}
		}
	}
	if count == 0 && finalRounds > 1 {
		t.Error("no answers")
	}
	t.Logf("%d published answers for %d-%d", count, compressionRounds, finalRounds)
}

func unhex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestModule compares with the Go module: every length, every alignment, and bytes around the message that differ.
func TestModule(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	for length := range 130 {
		for start := range 9 {
			memory := make([]byte, start+length+8)
			random.Read(memory)
			p := memory[start : start+length : start+length]
			k0, k1, seed := uintptr(random.Uint64()), uintptr(random.Uint64()), uintptr(random.Uint64())
			sipSetKey(k0, k1)
			want := reference.Hash(compressionRounds, finalRounds, k0^seed, k1, bytes.Clone(p))
			for name, got := range hashes(p, seed) {
				if got != want {
					t.Fatalf("%s of %d bytes at %d: %#x, not %#x", name, length, start, got, want)
				}
			}
		}
	}
}

// TestInit draws keys that differ.
func TestInit(t *testing.T) {
	sipInit()
	first := sipKey
	sipInit()
	if sipKey.v0 == first.v0 || sipKey.v1 == first.v1 {
		t.Error("two keys are equal in part")
	}
}
