package chacha20poly1305

import (
	"bytes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// newWith returns the AEAD of a key and of nonces of this size.
func newWith(t testing.TB, key, nonce []byte) cipher.AEAD {
	t.Helper()
	make := New
	if len(nonce) == NonceSizeX {
		make = NewX
	}
	c, err := make(key)
	if err != nil {
		t.Fatal(err)
	}
	if c.NonceSize() != len(nonce) || c.Overhead() != Overhead {
		t.Fatal(c.NonceSize(), c.Overhead())
	}
	return c
}

// panics checks that a call panics with this package's name and a text.
func panics(t *testing.T, want string, call func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != "chacha20poly1305: "+want {
			t.Errorf("it panics with %v, not with %s", got, want)
		}
	}()
	call()
}

// TestLengths seals and opens every length until each kernel has made several turns, at various offsets.
func TestLengths(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		lengths := append(spread(2049), 2049, 4096, 4097, 9001, pieceSize-1, pieceSize, pieceSize+1, 50001, 65536)
		for _, n := range lengths {
			b := random(uint64(n), n+64)
			nonce := random(uint64(n)+1, []int{NonceSize, NonceSizeX}[n%2])
			key, additionalData := random(uint64(n)+2, KeySize), random(uint64(n)+3, n*7%100)
			text := b[n%64:][:n]
			check(t, key, nonce, text, additionalData, definedSeal(key, nonce, text, additionalData))
		}
	})
}

// TestAdditionalData has additional data of many lengths.
func TestAdditionalData(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		key, nonce, all := random(1, KeySize), random(2, NonceSize), random(3, 2000)
		for _, n := range spread(1500) {
			text := all[:n%70]
			check(t, key, nonce, text, all[n%16:][:n], definedSeal(key, nonce, text, all[n%16:][:n]))
		}
	})
}

// TestXorBlocks compares a kernel with the definition: numbers of blocks, alignments, counters at their end, in place.
func TestXorBlocks(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		key, nonce := random(1, KeySize), random(2, NonceSize)
		for blocks := range 50 {
			for i, counter := range []uint32{0, 1, 0x7ffffff9, 0xffffffff - 15, 0xfffffff0 + uint32(blocks)%16} {
				n := blocks * blockSize
				src := random(uint64(blocks), n+64)[(blocks+i)%64:][:n]
				want := definedStream(key, nonce, counter, n)
				for j := range want {
					want[j] ^= src[j]
				}
				s := newState(key, nonce, counter)
				out := bytes.Repeat([]byte{0xa5}, n+128)
				at := (7*blocks + i) % 64
				active().xor(out[at:], src, s)
				if !bytes.Equal(out[at:at+n], want) {
					t.Fatalf("%d blocks from %#x", blocks, counter)
				}
				if bytes.Count(out[:at], []byte{0xa5}) != at || bytes.Count(out[at+n:], []byte{0xa5}) != 128-at {
					t.Fatalf("%d blocks from %#x: bytes beside them", blocks, counter)
				}
				if next := newState(key, nonce, counter+uint32(blocks)); *s != *next {
					t.Fatalf("%d blocks from %#x: the next is %#x", blocks, counter, s.counter())
				}
				active().xor(src, src, newState(key, nonce, counter))
				if !bytes.Equal(src, want) {
					t.Fatalf("%d blocks from %#x, in place", blocks, counter)
				}
			}
		}
	})
}

// TestLanes compares the blocks of many messages with the definition. All words of their inputs differ.
func TestLanes(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		var in table
		var out [lanes * blockSize]byte
		for n := 1; n <= lanes; n++ {
			for i := range in {
				in[i] += uint32(i+n) * 0x9e3779b1
			}
			many().stream(&out, &in, n)
			for lane := range n {
				var input []byte
				for i := range 12 {
					input = binary.LittleEndian.AppendUint32(input, in[lanes*i+lane])
				}
				want := definedStream(input[:32], input[36:], binary.LittleEndian.Uint32(input[32:]), blockSize)
				if got := out[blockSize*lane:][:blockSize]; !bytes.Equal(got, want) {
					t.Fatalf("lane %d of %d: %x, not %x", lane, n, got, want)
				}
			}
		}
	})
}

// newState returns the state of a block.
func newState(key, nonce []byte, counter uint32) *state {
	var s state
	c := sealer{}
	load(c.key[:], key)
	c.start(nil, &s, nonce)
	s.skip(int(counter))
	return &s
}

// TestForged changes each bit of the tag, and one of everything else. Nothing may be written.
func TestForged(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 64, 192, 193, 960, 1420, 5000} {
			for _, size := range []int{NonceSize, NonceSizeX} {
				key, nonce, text, additionalData := random(1, KeySize), random(2, size), random(3, n), random(4, 20)
				c := newWith(t, key, nonce)
				sealed := c.Seal(nil, nonce, text, additionalData)
				refuses := func(what string, nonce, sealed, additionalData []byte) {
					t.Helper()
					out := bytes.Repeat([]byte{0xa5}, n+10)
					opened, err := c.Open(out[:0], nonce, sealed, additionalData)
					if opened != nil || !errors.Is(err, ErrOpen) {
						t.Fatalf("%d bytes: opened with another %s", n, what)
					}
					if bytes.Count(out, []byte{0xa5}) != len(out) {
						t.Fatalf("%d bytes: a forged message was written", n)
					}
					in := bytes.Clone(sealed)
					if _, err := c.Open(in[:0], nonce, in, additionalData); err == nil || !bytes.Equal(in, sealed) {
						t.Fatalf("%d bytes: a forged message was written in place", n)
					}
				}
				for bit := range 8 * Overhead {
					refuses("tag", nonce, flip(sealed, 8*n+bit), additionalData)
				}
				for bit := range min(8*n, 1) {
					refuses("ciphertext", nonce, flip(sealed, 8*n-1-bit), additionalData)
				}
				refuses("nonce", flip(nonce, 8*size-1), sealed, additionalData)
				refuses("nonce", flip(nonce, 0), sealed, additionalData)
				refuses("additional data", nonce, sealed, flip(additionalData, 3))
				refuses("additional data", nonce, sealed, additionalData[1:])
				refuses("length", nonce, sealed[1:], additionalData)
				for n := range Overhead {
					if opened, err := c.Open(nil, nonce, sealed[:n], nil); opened != nil || err != ErrOpen {
						t.Fatalf("%d bytes opened", n)
					}
				}
			}
		}
	})
}

// flip returns b with one bit changed.
func flip(b []byte, bit int) []byte {
	b = bytes.Clone(b)
	b[bit/8] ^= 1 << (bit % 8)
	return b
}

// TestInPlace seals and opens where the text is, behind other bytes, and with too small a capacity.
func TestInPlace(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		key, nonce, additionalData := random(1, KeySize), random(2, NonceSize), random(3, 13)
		c := newWith(t, key, nonce)
		for _, n := range spread(1100) {
			text := random(uint64(n), n)
			want := definedSeal(key, nonce, text, additionalData)
			b := append(make([]byte, 0, n+Overhead), text...)
			sealed := c.Seal(b[:0], nonce, b, additionalData)
			if !bytes.Equal(sealed, want) || n > 0 && &sealed[0] != &b[0] {
				t.Fatalf("%d bytes, sealed in place", n)
			}
			opened, err := c.Open(sealed[:0], nonce, sealed, additionalData)
			if err != nil || !bytes.Equal(opened, text) || n > 0 && &opened[0] != &b[0] {
				t.Fatalf("%d bytes, opened in place", n)
			}
			for _, room := range []int{3, 3 + n, 3 + n + Overhead, 4000} {
				head := append(make([]byte, 0, max(room, 3)), "abc"...)
				if got := c.Seal(head, nonce, text, additionalData); string(got) != "abc"+string(want) {
					t.Fatalf("%d bytes, sealed behind others", n)
				}
				head = append(make([]byte, 0, max(room, 3)), "abc"...)
				if got, err := c.Open(head, nonce, want, additionalData); err != nil || string(got) != "abc"+string(text) {
					t.Fatalf("%d bytes, opened behind others", n)
				}
			}
		}
	})
}

// TestOverlap has every overlap that must panic, and some that need not.
func TestOverlap(t *testing.T) {
	const input, additional = "invalid buffer overlap of output and input", "invalid buffer overlap of output and additional data"
	key, nonce := random(1, KeySize), random(2, NonceSize)
	c := newWith(t, key, nonce)
	for _, n := range []int{1, 16, 100} {
		b := make([]byte, 4*n+4*Overhead)
		text := b[n+Overhead : 2*n+Overhead : 2*n+Overhead]
		for at := range 2*n + 2*Overhead {
			dst := b[at:at]
			switch overlaps := at < 2*n+Overhead && at+n+Overhead > n+Overhead; {
			case overlaps && at != n+Overhead:
				panics(t, input, func() { c.Seal(dst, nonce, text, nil) })
			default:
				c.Seal(dst, nonce, text, nil)
			}
			if at < 2*n+Overhead && at+n+Overhead > n+Overhead {
				panics(t, additional, func() { c.Seal(dst, nonce, make([]byte, n), text) })
			} else {
				c.Seal(dst, nonce, make([]byte, n), text)
			}
		}
		sealed := c.Seal(nil, nonce, make([]byte, n), nil)
		copy(b[n:], sealed)
		in := b[n:][:len(sealed)]
		for at := range 2 * n {
			if at == n || at == 0 {
				continue
			}
			panics(t, input, func() { c.Open(b[at:at], nonce, in, nil) })
		}
		panics(t, additional, func() { c.Open(b[:0], nonce, sealed, b[n-1:n]) })
		if _, err := c.Open(b[:0], nonce, sealed, b[n:n]); err != nil {
			t.Error(err)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for n := range 70 {
		if n == KeySize {
			continue
		}
		for _, f := range []func([]byte) (cipher.AEAD, error){New, NewX} {
			if c, err := f(make([]byte, n)); c != nil || err == nil || err.Error() != "chacha20poly1305: bad key length" {
				t.Fatalf("a key of %d bytes: %v", n, err)
			}
		}
	}
	for _, size := range []int{NonceSize, NonceSizeX} {
		c := newWith(t, make([]byte, KeySize), make([]byte, size))
		for n := range 40 {
			if n == size {
				continue
			}
			panics(t, "bad nonce length passed to Seal", func() { c.Seal(nil, make([]byte, n), nil, nil) })
			panics(t, "bad nonce length passed to Open", func() { c.Open(nil, make([]byte, n), make([]byte, 16), nil) })
			panics(t, "bad nonce length passed to Open", func() { c.Open(nil, make([]byte, n), nil, nil) })
		}
	}
}

func TestFormatShowsNothing(t *testing.T) {
	c := newWith(t, random(1, KeySize), make([]byte, NonceSize))
	for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%s", "%d", "%q"} {
		if got := fmt.Sprintf(verb, c); got != "chacha20poly1305.AEAD" {
			t.Errorf("%s: %s", verb, got)
		}
		if got := fmt.Sprintf(verb, []cipher.AEAD{c}); strings.Count(got, "chacha20poly1305.AEAD") != 1 || len(got) > 60 {
			t.Errorf("%s: %s", verb, got)
		}
	}
}

// TestAllocations seals and opens into capacity that is there.
func TestAllocations(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		for _, size := range []int{NonceSize, NonceSizeX} {
			nonce, b := make([]byte, size), make([]byte, 3000, 3000+Overhead)
			c := newWith(t, make([]byte, KeySize), nonce)
			for _, n := range []int{64, 1420, 3000} {
				allocations := testing.AllocsPerRun(10, func() {
					sealed := c.Seal(b[:0], nonce, b[:n], nonce)
					if _, err := c.Open(sealed[:0], nonce, sealed, nonce); err != nil {
						t.Fatal(err)
					}
				})
				if allocations != 0 {
					t.Errorf("%d bytes: %v allocations", n, allocations)
				}
			}
		}
	})
}

// TestFirstUse chooses the kernel from many goroutines, and uses one key in all of them.
func TestFirstUse(t *testing.T) {
	defer pn.Set(pn.Set(nil))
	key, nonce, text := random(1, KeySize), random(2, NonceSize), random(3, 500)
	want, c := definedSeal(key, nonce, text, nil), newWith(t, key, nonce)
	for range 20 {
		pn.Set(nil)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if !bytes.Equal(c.Seal(nil, nonce, text, nil), want) {
					t.Error("Seal")
				}
				if _, err := c.Open(nil, nonce, want, nil); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
	if n := testing.AllocsPerRun(5, func() { pn.Set(nil); active() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestMany seals and opens batches of any sizes.
func TestMany(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 5))
		counts := append(spread(40), 64, 100)
		for i, count := range counts {
			nonceSize := []int{NonceSize, NonceSizeX}[i%2]
			key := random(r.Uint64(), KeySize)
			c := newWith(t, key, make([]byte, nonceSize))
			packets, texts, want := make([]Packet, count), make([][]byte, count), make([][]byte, count)
			for j := range packets {
				n := r.IntN([]int{1, 80, 300, 1500, 3000}[i%5])
				if i%7 == 0 {
					n = 64
				}
				p := &packets[j]
				p.Nonce, p.AdditionalData = random(r.Uint64(), nonceSize), random(r.Uint64(), r.IntN(40))
				texts[j] = random(r.Uint64(), n)
				want[j] = definedSeal(key, p.Nonce, texts[j], p.AdditionalData)
				switch j % 3 {
				case 0:
					p.Src = texts[j]
				case 1: // in place
					p.Src = append(make([]byte, 0, n+Overhead), texts[j]...)
					p.Dst = p.Src[:0]
				case 2:
					p.Src, p.Dst = texts[j], []byte("abc")
				}
			}
			SealMany(c, packets)
			for j := range packets {
				p := &packets[j]
				if got, isBehind := bytes.CutPrefix(p.Dst, []byte("abc")); !bytes.Equal(got, want[j]) && !(isBehind && bytes.Equal(p.Dst, want[j])) {
					t.Fatalf("packet %d of %d, of %d bytes, is sealed wrongly", j, count, len(texts[j]))
				}
				p.Src, p.Dst = want[j], nil
				if j%2 == 0 {
					p.Src = bytes.Clone(want[j])
					p.Dst = p.Src[:0]
				}
			}
			forged := make([]bool, count)
			for j := range packets {
				if p := &packets[j]; r.IntN(3) == 0 && i%3 > 0 {
					forged[j] = true
					p.Src = flip(p.Src, r.IntN(8*len(p.Src)))
					if j%2 == 0 {
						p.Dst = p.Src[:0]
					}
					if r.IntN(9) == 0 {
						p.Src, p.Dst = p.Src[:r.IntN(Overhead)], nil
					}
					p.IsGood = true
				}
			}
			before := make([][]byte, count)
			for j := range packets {
				before[j] = bytes.Clone(packets[j].Src)
			}
			err, anyForged := OpenMany(c, packets), false
			for j := range packets {
				p := &packets[j]
				anyForged = anyForged || forged[j]
				switch {
				case p.IsGood == forged[j]:
					t.Fatalf("packet %d of %d: good is %v", j, count, p.IsGood)
				case forged[j] && (p.Dst != nil || !bytes.Equal(p.Src, before[j])):
					t.Fatalf("packet %d of %d: a forged message was written", j, count)
				case !forged[j] && !bytes.Equal(p.Dst, texts[j]):
					t.Fatalf("packet %d of %d, of %d bytes, is opened wrongly", j, count, len(texts[j]))
				}
			}
			if anyForged && err != ErrOpen || !anyForged && err != nil {
				t.Fatalf("%d packets: %v", count, err)
			}
		}
	})
}

// TestManyPanics: a bad packet anywhere leaves all others unsealed.
func TestManyPanics(t *testing.T) {
	c := newWith(t, random(1, KeySize), make([]byte, NonceSize))
	for bad := range 20 {
		packets := make([]Packet, 20)
		for i := range packets {
			b := append(make([]byte, 0, 50), 1, 2, 3)
			packets[i] = Packet{Dst: b[:0], Nonce: make([]byte, NonceSize), Src: b}
		}
		all := func(want string) {
			t.Helper()
			panics(t, want+"Seal", func() { SealMany(c, packets) })
			for i, p := range packets {
				if len(p.Dst) != 0 || !bytes.Equal(p.Src[:3], []byte{1, 2, 3}) {
					t.Fatalf("packet %d was sealed", i)
				}
			}
		}
		packets[bad].Nonce = nil
		all("bad nonce length passed to ")
		panics(t, "bad nonce length passed to Open", func() { OpenMany(c, packets) })
		packets[bad].Nonce = make([]byte, NonceSize)
		packets[bad].AdditionalData = packets[bad].Src
		panics(t, "invalid buffer overlap of output and additional data", func() { SealMany(c, packets) })
		for i, p := range packets {
			if len(p.Dst) != 0 || !bytes.Equal(p.Src, []byte{1, 2, 3}) {
				t.Fatalf("packet %d was sealed", i)
			}
		}
	}
}

// other is an AEAD that SealMany does not know.
type other struct{ cipher.AEAD }

func TestManyOfAnother(t *testing.T) {
	key, nonce := random(1, KeySize), random(2, NonceSize)
	c := other{newWith(t, key, nonce)}
	packets := []Packet{{Nonce: nonce, Src: []byte("text")}, {Nonce: nonce, Src: []byte("more")}}
	SealMany(c, packets)
	for i, text := range []string{"text", "more"} {
		if want := definedSeal(key, nonce, []byte(text), nil); !bytes.Equal(packets[i].Dst, want) {
			t.Errorf("%x", packets[i].Dst)
		}
		packets[i].Src, packets[i].Dst = packets[i].Dst, nil
	}
	packets[1].Src[0]++
	if err := OpenMany(c, packets); err != ErrOpen || string(packets[0].Dst) != "text" || !packets[0].IsGood || packets[1].IsGood {
		t.Error(err, packets)
	}
}
