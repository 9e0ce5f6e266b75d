package hashtest

import (
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

const testdata = "../../tests/testdata/"

// A Vector is a published tag, in the schema of tests/testdata/PROVENANCE.md or of Wycheproof.
type Vector struct {
	Algorithm string
	C, D      uint8
	TagBits   int `json:"tag_bits"`
	Key       string
	Msg       string
	MsgRepeat struct {
		Byte  string
		Count int
	} `json:"msg_repeat"`
	Tag       string
	TagNocase string `json:"tag_nocase"`
	Result    string
	Comment   string
}

// ReadJSON reads a file of testdata.
func ReadJSON(t *testing.T, name string, into any) {
	t.Helper()
	file, err := os.ReadFile(testdata + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file, into); err != nil {
		t.Fatal(err)
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	p, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// answer returns the bytes of the tag of p, by Hash and by a stream.
func (s *Suite) answer(t *testing.T, key []byte, v Variant, p []byte) []byte {
	t.Helper()
	h, err := s.New(key, v)
	if err != nil {
		t.Fatal(err)
	}
	tag := h.hash(p)
	if h.stream(t, p) != tag {
		t.Errorf("%+v: stream and Hash differ, %d bytes", v, len(p))
	}
	return tag[:s.bytes(v.Wide)]
}

// wide reports whether tags of this many bits are wide.
func (s *Suite) wide(t *testing.T, bits int) bool {
	t.Helper()
	if bits != 8*s.bytes(false) && bits != 8*s.bytes(true) {
		t.Fatalf("there are no tags of %d bits", bits)
	}
	return bits == 8*s.bytes(true)
}

// CheckVector checks a published tag.
func (s *Suite) CheckVector(t *testing.T, x Vector) {
	t.Helper()
	p := unhex(t, x.Msg)
	if x.MsgRepeat.Count > 0 {
		p = []byte(strings.Repeat(string(unhex(t, x.MsgRepeat.Byte)), x.MsgRepeat.Count))
	}
	key := unhex(t, x.Key)
	v := Variant{x.C, x.D, s.wide(t, x.TagBits), false}
	right := hex.EncodeToString(s.answer(t, key, v, p)) == x.Tag
	if valid := x.Result == "valid"; right != valid {
		t.Errorf("%s %+v of %s: tag %s is %s", s.Algorithm, v, x.Msg, x.Tag, x.Result)
	}
	v.Fold = true
	if x.TagNocase != "" && hex.EncodeToString(s.answer(t, key, v, p)) != x.TagNocase {
		t.Errorf("%s %+v of %s is not %s", s.Algorithm, v, x.Msg, x.TagNocase)
	}
}

func (s *Suite) vectors(t *testing.T) {
	for name, want := range s.Vectors {
		var file struct{ Cases []Vector }
		ReadJSON(t, name, &file)
		n := 0
		for _, x := range file.Cases {
			if x.Algorithm == s.Algorithm {
				s.CheckVector(t, x)
				n++
			}
		}
		if n != want {
			t.Errorf("%s: %d cases, want %d", name, n, want)
		}
	}
}

// corpus compares with the Rust library. Its test tests/conformance/tests/corpus.rs defines the messages.
func (s *Suite) corpus(t *testing.T) {
	file, err := os.Open(testdata + "corpus.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	// SplitMix64.
	seed, data := uint64(50), make([]byte, 1024)
	for i := range data {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		data[i] = byte(z ^ z>>31)
	}
	n := 0
	for _, line := range lines {
		var v Variant
		var bits int
		format := strings.ToLower(s.Algorithm) + "-%d-%d-%d"
		if _, err := fmt.Sscanf(line[0], format, &v.C, &v.D, &bits); err != nil {
			continue
		}
		n++
		v.Wide = s.wide(t, bits)
		var tags []byte
		for length := range 600 {
			p := data[length%7:][:length]
			for _, v.Fold = range []bool{false, true} {
				tags = append(tags, s.answer(t, data[:len(s.Key)], v, p)...)
			}
		}
		got := SipHash.Tag(make([]byte, 16), 2, 4, true, tags)
		if hex.EncodeToString(got) != line[1] {
			t.Errorf("%s: digest %x, want %s", line[0], got, line[1])
		}
	}
	if n != s.Corpus {
		t.Errorf("%d variants in the corpus, want %d", n, s.Corpus)
	}
}
