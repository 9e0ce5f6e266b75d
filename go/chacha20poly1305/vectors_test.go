package chacha20poly1305

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// text is a byte string, written in hexadecimal digits.
type text []byte

func (x *text) UnmarshalText(digits []byte) (err error) {
	*x, err = hex.DecodeString(string(digits))
	return err
}

func digits(t *testing.T, s string) text {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const sunscreen = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."

// TestRFC8439 seals the example of section 2.8.2.
func TestRFC8439(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		check(t, digits(t, "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"),
			digits(t, "070000004041424344454647"), []byte(sunscreen), digits(t, "50515253c0c1c2c3c4c5c6c7"),
			digits(t, "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"+
				"3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"+
				"92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"+
				"3ff4def08e4b7a9de576d26586cec64b6116"+
				"1ae10b594f09e26a7e902ecbd0600691"))
	})
}

// TestDraftXChaCha seals the example of section A.3.1.
func TestDraftXChaCha(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		check(t, digits(t, "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"),
			digits(t, "404142434445464748494a4b4c4d4e4f5051525354555657"), []byte(sunscreen),
			digits(t, "50515253c0c1c2c3c4c5c6c7"),
			digits(t, "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb"+
				"731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b452"+
				"2f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"+
				"21f9664c97637da9768812f615c68b13b52e"+
				"c0875924c1c7987947deafd8780acf49"))
	})
}

// TestDraftHChaCha20 makes the subkey of section 2.2.1.
func TestDraftHChaCha20(t *testing.T) {
	key := digits(t, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
	nonce := digits(t, "000000090000004a0000000031415927")
	want := digits(t, "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc")
	if got := definedSubkey(key, nonce); !bytes.Equal(got, want) {
		t.Fatalf("the definition: %x", got)
	}
	withKernels(t, func(t *testing.T) {
		var s state
		var words [8]uint32
		load(s.key[:], key)
		load(words[:], want)
		if active().extend(&s, nonce); s.key != words {
			t.Errorf("%x", s.key)
		}
	})
}

// check seals and opens one message in several ways.
func check(t *testing.T, key, nonce, text, additionalData, want []byte) {
	t.Helper()
	c := newWith(t, key, nonce)
	if got := c.Seal(nil, nonce, text, additionalData); !bytes.Equal(got, want) {
		t.Fatalf("%d bytes, %d bytes of additional data: %x, not %x", len(text), len(additionalData), got, want)
	}
	opened, err := c.Open(nil, nonce, want, additionalData)
	if err != nil || !bytes.Equal(opened, text) {
		t.Fatalf("%d bytes, %d bytes of additional data: opened to %x, %v", len(text), len(additionalData), opened, err)
	}
}

// TestWycheproof runs both files of Wycheproof.
func TestWycheproof(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		for _, name := range []string{"chacha20_poly1305_test.json", "xchacha20_poly1305_test.json"} {
			b, err := os.ReadFile(filepath.Join("..", "..", "tests", "testdata", "wycheproof", name))
			if err != nil {
				t.Fatal(err)
			}
			var file struct {
				NumberOfTests int
				TestGroups    []struct {
					IvSize int
					Tests  []struct {
						ID                         int `json:"tcId"`
						Key, IV, AAD, Msg, CT, Tag text
						Result, Comment            string
					}
				}
			}
			if err := json.Unmarshal(b, &file); err != nil {
				t.Fatal(err)
			}
			count, valid := 0, 0
			for _, group := range file.TestGroups {
				for _, v := range group.Tests {
					count++
					sealed := append(bytes.Clone(v.CT), v.Tag...)
					if n := len(v.IV); n != NonceSize && n != NonceSizeX || (n == NonceSizeX) != (name[0] == 'x') {
						// A nonce of another size, which a file has to be refused. Here it is a panic.
						if v.Result != "invalid" {
							t.Errorf("%s %d: a nonce of %d bytes is %s", name, v.ID, n, v.Result)
						}
						size := NonceSize
						if name[0] == 'x' {
							size = NonceSizeX
						}
						c := newWith(t, v.Key, make([]byte, size))
						panics(t, "bad nonce length passed to Open", func() { c.Open(nil, v.IV, sealed, v.AAD) })
						panics(t, "bad nonce length passed to Seal", func() { c.Seal(nil, v.IV, v.Msg, v.AAD) })
						continue
					}
					if v.Result == "valid" {
						valid++
						check(t, v.Key, v.IV, v.Msg, v.AAD, sealed)
						continue
					}
					if opened, err := newWith(t, v.Key, v.IV).Open(nil, v.IV, sealed, v.AAD); opened != nil || err != ErrOpen {
						t.Errorf("%s %d (%s): opened", name, v.ID, v.Comment)
					}
				}
			}
			if count != file.NumberOfTests || valid < 200 {
				t.Errorf("%s: %d tests of %d, %d valid ones", name, count, file.NumberOfTests, valid)
			}
			t.Logf("%s: %d tests, %d of them valid", name, count, valid)
		}
	})
}
