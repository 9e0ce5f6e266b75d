package poly1305

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"keylane.example/go/internal/hashtest"
)

var random, spread = hashtest.Random, hashtest.Spread

// filled returns n equal bytes.
func filled(value byte, n int) []byte { return bytes.Repeat([]byte{value}, n) }

// sum returns the tag of m by Sum. It checks that sumLong returns the same, even if m is short.
func sum(t *testing.T, m []byte, key *[KeySize]byte) (tag [TagSize]byte) {
	t.Helper()
	var long [TagSize]byte
	Sum(&tag, m, key)
	sumLong(&long, m, key)
	if long != tag {
		t.Fatalf("%d bytes: Sum %x, sumLong %x", len(m), tag, long)
	}
	return tag
}

// inPieces returns the tag of a message in pieces.
func inPieces(key *[KeySize]byte, pieces ...[]byte) (tag [TagSize]byte) {
	var m MAC
	m.Init(key)
	for _, p := range pieces {
		m.Write(p)
	}
	m.Sum(tag[:0])
	return tag
}

// TestLengths tests every length until each kernel has made several turns, at various offsets in a cache line.
func TestLengths(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		for _, n := range spread(1025) {
			for i, b := range [][]byte{random(uint64(n), n+64), filled(0xff, n+64)} {
				key := [KeySize]byte(append(random(uint64(n)+5000, 16), filled(0xff, 16)...))
				if i == 1 {
					key = [KeySize]byte(filled(0xff, KeySize))
				}
				m := b[n%64:][:n]
				if got, want := sum(t, m, &key), reference(zero, m, &key); got != want {
					t.Fatalf("%d bytes: %x, not %x", n, got, want)
				}
			}
		}
	})
}

func TestLongMessages(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		for _, n := range []int{1100, 1420, 1503, 2047, 2048, 2049, 4095, 4096, 4112, 8191, 10000, 65537} {
			for _, m := range [][]byte{random(uint64(n), n), filled(0xff, n)} {
				key := [KeySize]byte(random(uint64(n)+1, KeySize))
				want := reference(zero, m, &key)
				if got := sum(t, m, &key); got != want {
					t.Fatalf("%d bytes: %x, not %x", n, got, want)
				}
				for _, piece := range []int{n/2 + 1, 1000, 640, 129} {
					if got := inPieces(&key, slices.Collect(slices.Chunk(m, piece))...); got != want {
						t.Fatalf("%d bytes in pieces of %d: %x, not %x", n, piece, got, want)
					}
				}
			}
		}
	})
}

// TestAlignment puts a message at all offsets in a cache line.
func TestAlignment(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		key := [KeySize]byte(random(1, KeySize))
		for _, n := range []int{15, 130, 257, 700, 1337} {
			m := random(uint64(n), n)
			want := reference(zero, m, &key)
			b := make([]byte, n+64)
			for at := range 64 {
				if got := sum(t, b[at:at+copy(b[at:], m)], &key); got != want {
					t.Fatalf("%d bytes at %d: %x, not %x", n, at, got, want)
				}
			}
		}
	})
}

// TestSplits splits a message in two at every point, and into many pieces of random lengths.
func TestSplits(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		key := [KeySize]byte(random(1, KeySize))
		for _, n := range []int{0, 1, 16, 31, 300, 1500} {
			m := random(uint64(n), n)
			want := reference(zero, m, &key)
			for _, at := range spread(n + 1) {
				if got := inPieces(&key, m[:at], m[at:]); got != want {
					t.Fatalf("%d bytes, cut at %d: %x, not %x", n, at, got, want)
				}
			}
		}
		r := rand.New(rand.NewPCG(2, 2))
		for range 300 {
			m := random(r.Uint64(), r.IntN(5000))
			var pieces [][]byte
			for rest := m; len(rest) > 0; {
				k := min(len(rest), 1+r.IntN(1+r.IntN(3000)))
				pieces, rest = append(pieces, rest[:k]), rest[k:]
			}
			if got, want := inPieces(&key, pieces...), reference(zero, m, &key); got != want {
				t.Fatalf("%d bytes in %d pieces: %x, not %x", len(m), len(pieces), got, want)
			}
		}
	})
}

// TestEdges tests extreme accumulators, keys and blocks.
func TestEdges(t *testing.T) {
	const most = 1<<64 - 1
	var states []element
	for _, h2 := range []uint64{0, 1, 3, 4, 7} {
		for _, h := range [][2]uint64{
			{0, 0}, {1, 0}, {most - 5, most}, {most - 4, most}, {most - 3, most}, {most, most}, {most, 0}, {0, most},
			{most - 10, most}, {most - 9, most}, {1<<44 - 1, 0}, {1<<64 - 1<<44, 1<<24 - 1}, {1 << 63, 1 << 63},
		} {
			states = append(states, element{h[0], h[1], h2})
		}
	}
	var keys [][KeySize]byte
	for i := range 128 {
		var k [KeySize]byte
		k[i/8] = 1 << (i % 8)
		keys = append(keys, k)
	}
	for _, value := range []byte{0, 1, 0x0f, 0xf0, 0xfc, 0xff} {
		keys = append(keys, [KeySize]byte(filled(value, KeySize)))
	}
	withKernels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 3))
		for i, h := range states {
			start := new(big.Int).SetUint64(h.h2)
			for _, word := range []uint64{h.h1, h.h0} {
				start.Or(start.Lsh(start, 64), new(big.Int).SetUint64(word))
			}
			for _, j := range spread(len(keys)) {
				key := keys[j]
				n := []int{0, 1, 16, 128, 144, 160, 176, 192, 208, 224, 240, 256, 640, 1280}[(i+j)%14]
				m := filled([]byte{0, 0xff, 0xff, 0x80, 1}[r.IntN(5)], n)
				if r.IntN(4) == 0 {
					m = random(uint64(j), n)
				}
				mac := MAC{key: load(&key), h: h, stage: open}
				mac.Write(m)
				got := [TagSize]byte(mac.Sum(nil))
				if want := reference(start, m, &key); got != want {
					t.Fatalf("from %x under %x, %d bytes: %x, not %x", h, key, n, got, want)
				}
			}
		}
	})
}

// TestEveryBlock moves a block that makes the sum wrap around to every position of a group. With r = 1 the
// accumulator is the sum of the blocks.
func TestEveryBlock(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		key := [KeySize]byte{0: 1}
		for _, blocks := range spread(80) {
			for at := range blocks {
				m := make([]byte, 16*blocks)
				copy(m[16*at:], append([]byte{0xfb}, filled(0xff, 15)...))
				if got, want := sum(t, m, &key), reference(zero, m, &key); got != want {
					t.Fatalf("block %d of %d: %x, not %x", at, blocks, got, want)
				}
			}
		}
	})
}

func TestVerify(t *testing.T) {
	for _, n := range []int{0, 5, 16, 100, 1000} {
		key, m := [KeySize]byte(random(1, KeySize)), random(2, n)
		tag := reference(zero, m, &key)
		for i := range 129 {
			bad := tag
			if i < 128 {
				bad[i/8] ^= 1 << (i % 8)
			}
			mac := New(&key)
			mac.Write(m)
			if Verify(&bad, m, &key) != (i == 128) || mac.Verify(bad[:]) != (i == 128) {
				t.Fatalf("%d bytes, bit %d", n, i)
			}
		}
		mac := New(&key)
		mac.Write(m)
		if mac.Verify(tag[:15]) || mac.Verify(append(tag[:], 0)) || mac.Verify(nil) || !mac.Verify(tag[:]) {
			t.Fatal("a tag of another length")
		}
	}
}

// TestStages calls methods out of order.
func TestStages(t *testing.T) {
	key, m := [KeySize]byte(random(1, KeySize)), random(2, 1000)
	tag := reference(zero, m, &key)
	refuses := func(mac *MAC) {
		t.Helper()
		if n, err := mac.Write(m); n != 0 || !errors.Is(err, ErrWrite) {
			t.Fatal(n, err)
		}
	}
	var mac MAC
	refuses(&mac)
	if mac.Size() != TagSize || mac.Verify(make([]byte, TagSize)) || !bytes.Equal(mac.Sum(nil), make([]byte, TagSize)) {
		t.Fatal("without a key")
	}
	for range 2 {
		mac.Init(&key)
		mac.Write(m[:1])
		mac.Init(&key)
		if n, err := mac.Write(m); n != len(m) || err != nil {
			t.Fatal(n, err)
		}
		for range 2 {
			if !bytes.Equal(mac.Sum([]byte("tag")), append([]byte("tag"), tag[:]...)) || !mac.Verify(tag[:]) {
				t.Fatal("with a tag")
			}
			refuses(&mac)
		}
	}
	mac.Wipe()
	refuses(&mac)
	if mac.Verify(tag[:]) || mac != (MAC{}) {
		t.Fatal("wiped")
	}
}

// TestWiped checks that a MAC keeps nothing of the key after its tag.
func TestWiped(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		key := [KeySize]byte(random(1, KeySize))
		var mac MAC
		mac.Init(&key)
		mac.Write(random(2, 5000))
		if open := mac; open.key == (MAC{}).key || open.h == (MAC{}).h {
			t.Fatal("nothing to wipe")
		}
		tag := [TagSize]byte(mac.Sum(nil))
		if mac != (MAC{rest: tag, stage: closed}) {
			t.Fatal("something is left")
		}
	})
}

func TestFormatShowsNothing(t *testing.T) {
	key := [KeySize]byte(random(1, KeySize))
	mac := New(&key)
	for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%s", "%d", "%q"} {
		for _, got := range []string{fmt.Sprintf(verb, *mac), fmt.Sprintf(verb, mac), fmt.Sprintf(verb, []MAC{*mac})} {
			if strings.Trim(got, "[]") != "poly1305.MAC" && got != "[]poly1305.MAC{poly1305.MAC}" {
				t.Fatalf("%s: %s", verb, got)
			}
		}
	}
}

func TestMany(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(4, 4))
		// The least length, and the number of lengths.
		shapes := [][2]int{
			{0, 1}, {0, 64}, {16, 1}, {64, 1}, {70, 1}, {64, 200}, {250, 9}, {1420, 1}, {2500, 300}, {0, 5000},
		}
		for i, count := range slices.Repeat([]int{0, 1, 2, 7, 8, 9, 15, 16, 17, 25, 40, 63, 64, 65, 130}, 4) {
			keys, messages := make([][KeySize]byte, count), make([][]byte, count)
			want, tags, good := make([][TagSize]byte, count), make([][TagSize]byte, count), make([]bool, count)
			shape := shapes[i%len(shapes)]
			for i := range count {
				n := shape[0] + r.IntN(shape[1])
				keys[i], messages[i] = [KeySize]byte(random(r.Uint64(), KeySize)), random(r.Uint64(), n)
				if i%5 == 0 {
					keys[i], messages[i] = [KeySize]byte(filled(0xff, KeySize)), filled(0xff, n)
				}
				want[i] = reference(zero, messages[i], &keys[i])
			}
			if err := SumMany(tags, keys, messages); err != nil || !slices.Equal(tags, want) {
				t.Fatal(count, err)
			}
			for i := range tags {
				if i%3 == 1 {
					tags[i][i%TagSize] ^= 1
				}
			}
			if err := VerifyMany(good, tags, keys, messages); err != nil {
				t.Fatal(count, err)
			}
			for i := range good {
				if good[i] != (i%3 != 1) {
					t.Fatal(count, i)
				}
			}
		}
	})
}

func TestManyOfUnlikeNumbers(t *testing.T) {
	for i := range 5 {
		n := [4]int{2, 2, 2, 2}
		if i < 4 {
			n[i] = 3
		}
		good, tags := make([]bool, n[0]), make([][TagSize]byte, n[1])
		keys, messages := make([][KeySize]byte, n[2]), make([][]byte, n[3])
		err := VerifyMany(good, tags, keys, messages)
		if (err != nil) != (i < 4) || err != nil && !errors.Is(err, ErrCount) {
			t.Fatal(n, err)
		}
		err = SumMany(tags, keys, messages)
		if (err != nil) != (i > 0 && i < 4) || err != nil && (!errors.Is(err, ErrCount) || tags[0] != [TagSize]byte{}) {
			t.Fatal(n, err)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	withKernels(t, func(t *testing.T) {
		keys, tags, good := make([][KeySize]byte, 20), make([][TagSize]byte, 20), make([]bool, 20)
		for _, n := range []int{0, 5, 64, 300, 1000, 20000} {
			message := random(1, n)
			messages := slices.Repeat([][]byte{message}, 20)
			tag := make([]byte, 0, TagSize)
			for name, call := range map[string]func(){
				"Sum":        func() { Sum(&tags[0], message, &keys[0]) },
				"Verify":     func() { Verify(&tags[0], message, &keys[0]) },
				"SumMany":    func() { SumMany(tags, keys, messages) },
				"VerifyMany": func() { VerifyMany(good, tags, keys, messages) },
				"New": func() {
					mac := New(&keys[0])
					mac.Write(message)
					mac.Sum(tag)
				},
				"MAC": func() {
					var mac MAC
					mac.Init(&keys[0])
					mac.Write(message)
					mac.Verify(tags[0][:])
				},
			} {
				if n := testing.AllocsPerRun(10, call); n != 0 {
					t.Errorf("%s of %d bytes: %v allocations", name, len(message), n)
				}
			}
		}
	})
}

// FuzzSum compares everything with the reference.
func FuzzSum(f *testing.F) {
	f.Add(random(1, KeySize), random(2, 1000), uint16(300))
	f.Add(filled(0xff, KeySize), filled(0xff, 400), uint16(1))
	f.Fuzz(func(t *testing.T, seed, m []byte, cut uint16) {
		var key [KeySize]byte
		copy(key[:], seed)
		want := reference(zero, m, &key)
		at := int(cut) % (len(m) + 1)
		if got := sum(t, m, &key); got != want {
			t.Errorf("Sum: %x, not %x", got, want)
		}
		if got := inPieces(&key, m[:at], m[at:]); got != want {
			t.Errorf("MAC, cut at %d: %x, not %x", at, got, want)
		}
		var tags [3][TagSize]byte
		SumMany(tags[:], [][KeySize]byte{key, key, key}, [][]byte{m, m[:at], m})
		if tags[0] != want || tags[1] != reference(zero, m[:at], &key) || tags[2] != want {
			t.Errorf("SumMany: %x", tags)
		}
	})
}
