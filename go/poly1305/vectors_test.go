package poly1305

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"keylane.example/go/siphash"
)

// text is a byte string, written in hexadecimal digits.
type text []byte

func (x *text) UnmarshalText(digits []byte) (err error) {
	*x, err = hex.DecodeString(string(digits))
	return err
}

// read reads a file of published tags.
func read[T any](t *testing.T, name string) (cases []T) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "tests", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Count int
		Cases []T
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 || len(file.Cases) != file.Count {
		t.Fatalf("%s: %d cases of %d", name, len(file.Cases), file.Count)
	}
	return file.Cases
}

// answer is a published tag.
type answer struct {
	Key, Msg, Tag text
	Result        string
	Comment       string
	H             text `json:"initial_h_le"`
	R             text `json:"r"`
	AESKey        text `json:"aes_key"`
	Nonce         text `json:"nonce"`
}

func (a *answer) check(t *testing.T, key *[KeySize]byte) {
	t.Helper()
	want := [TagSize]byte(a.Tag)
	if a.Result != "valid" {
		t.Fatalf("%s: %s", a.Comment, a.Result)
	}
	if got := sum(t, a.Msg, key); got != want {
		t.Errorf("%s: %x, not %x", a.Comment, got, want)
	}
	for _, size := range []int{1, 7, 16, 200, 1000} {
		if got := inPieces(key, slices.Collect(slices.Chunk([]byte(a.Msg), size))...); got != want {
			t.Errorf("%s, in pieces of %d: %x, not %x", a.Comment, size, got, want)
		}
	}
	var tags [9][TagSize]byte
	keys, messages := slices.Repeat([][KeySize]byte{*key}, 9), slices.Repeat([][]byte{a.Msg}, 9)
	err := SumMany(tags[:], keys, messages)
	if err != nil || !slices.Equal(tags[:], slices.Repeat([][TagSize]byte{want}, 9)) {
		t.Errorf("%s, many: %x, not %x", a.Comment, tags, want)
	}
}

func TestPublished(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		for _, a := range read[answer](t, "poly1305.json") {
			a.check(t, (*[KeySize]byte)(a.Key))
		}
		for _, a := range read[answer](t, "poly1305_aes.json") {
			cipher, err := aes.NewCipher(a.AESKey)
			if err != nil {
				t.Fatal(err)
			}
			key := [KeySize]byte(append(slices.Clone(a.R), make([]byte, 16)...))
			cipher.Encrypt(key[16:], a.Nonce)
			a.check(t, &key)
		}
	})
}

// TestPublishedStates checks published tags that start from given accumulators.
func TestPublishedStates(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		for _, a := range read[answer](t, "poly1305_state.json") {
			word := func(i int) uint64 { return binary.LittleEndian.Uint64(a.H[8*i:]) }
			mac := MAC{key: load((*[KeySize]byte)(a.Key)), h: element{word(0), word(1), word(2)}, stage: open}
			mac.Write(a.Msg)
			if got := mac.Sum(nil); !bytes.Equal(got, a.Tag) {
				t.Errorf("%s: %x, not %x", a.Comment, got, a.Tag)
			}
		}
	})
}

// TestComposites checks published tags of tags, of messages of 0 to 255 bytes. All bytes of a message equal its
// length; so do the bytes of its key, or of the key's first half.
func TestComposites(t *testing.T) {
	type composite struct {
		Name     string
		Key      text `json:"outer_key"`
		Expected text
	}
	done := 0
	for _, c := range read[composite](t, "poly1305_composite.json") {
		half := map[string]int{"poly1305-donna total": KeySize, "poly1305-opt total": KeySize / 2}[c.Name]
		if half == 0 {
			continue
		}
		done++
		var tags []byte
		for i := range 256 {
			key := [KeySize]byte(append(filled(byte(i), half), filled(0xff, KeySize-half)...))
			tag := sum(t, filled(byte(i), i), &key)
			tags = append(tags, tag[:]...)
		}
		if got := sum(t, tags, (*[KeySize]byte)(c.Key)); !bytes.Equal(got[:], c.Expected) {
			t.Errorf("%s: %x, not %x", c.Name, got, c.Expected)
		}
	}
	if done != 2 {
		t.Fatal(done)
	}
}

// splitMix generates the numbers of tests/conformance/src/input.rs.
type splitMix uint64

func (s *splitMix) word() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (s *splitMix) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(s.word())
	}
	return b
}

// TestFingerprint computes the tags of tests/conformance/src/fingerprint.rs. The Rust library must give the same number.
func TestFingerprint(t *testing.T) {
	const want, size = "36f7a707f95f69f38c010370035fc8b1", 10752
	withKernels(t, func(t *testing.T) {
		seed, random := splitMix(40), splitMix(46)
		text := seed.bytes(16384)
		var lengths []int
		for n := range 161 {
			lengths = append(lengths, n)
		}
		var answers []byte
		for _, n := range append(lengths, 255, 256, 511, 512, 513, 1023, 1024, 1025, 4096, 9000) {
			key, message := [KeySize]byte(random.bytes(KeySize)), text[n%7:][:n]
			one, pieces := sum(t, message, &key), inPieces(&key, slices.Collect(slices.Chunk(message, 1+n/3))...)
			answers = append(append(answers, one[:]...), pieces[:]...)
		}
		for _, count := range []int{0, 1, 3, 8, 31, 67} {
			for _, most := range []int{1, 64, 400} {
				var messages [][]byte
				for i := range count {
					n := most
					if i%2 == 1 {
						n = int(random.word() % uint64(most))
					}
					messages = append(messages, text[i:i+n])
				}
				var keys [][KeySize]byte
				for range count {
					keys = append(keys, [KeySize]byte(random.bytes(KeySize)))
				}
				tags := make([][TagSize]byte, count)
				if err := SumMany(tags, keys, messages); err != nil {
					t.Fatal(err)
				}
				for _, tag := range tags {
					answers = append(answers, tag[:]...)
				}
			}
		}
		hasher := siphash.NewX24(&[siphash.KeySize]byte{})
		tag := hasher.Hash(answers)
		got := hex.EncodeToString(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, tag.Lo), tag.Hi))
		if got != want || len(answers) != size {
			t.Errorf("%s of %d bytes, not %s of %d", got, len(answers), want, size)
		}
	})
}
