package poly1305

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"keylane.example/go/internal/hashtest"
	"keylane.example/go/internal/selftest"
	"keylane.example/go/kernels"
)

// differing returns n bytes whose blocks all differ.
func differing(n int) []byte {
	p := make([]byte, n)
	selftest.Differ(p)
	return p
}

// TestAnswers computes the known answers by the definition.
func TestAnswers(t *testing.T) {
	sum := func(sum selftest.Sum, m []byte, key [KeySize]byte) selftest.Sum {
		tag := reference(zero, m, &key)
		return plus(sum, &tag)
	}
	both := [texts][]byte{filled(0xff, longest), differing(longest)}
	for i, n := range lengths {
		var want selftest.Sum
		for _, text := range both {
			want = sum(want, text[:n], testKey(i%selftest.Keys))
		}
		if want != lengthAnswers[i] {
			t.Errorf("%d bytes: %#x, not %#x", n, lengthAnswers[i], want)
		}
	}
	for i, batch := range batches {
		var want selftest.Sum
		for _, text := range both {
			for j := range fewest + 1 {
				want = sum(want, text[j:][:batch[0]+j*batch[1]], testKey(j%selftest.Keys))
			}
		}
		if want != batchAnswers[i] {
			t.Errorf("batch %d: %#x, not %#x", batch, batchAnswers[i], want)
		}
	}
	text := both[1]
	var whole, pieces, lanes selftest.Sum
	for n := fewestBlocks; n <= mostBlocks; n++ {
		key, tail := [KeySize]byte(text[n:]), text[:n%blockSize]
		whole = sum(whole, slices.Concat(text[n:n+n*blockSize], tail), key)
		var m []byte
		for _, n := range []int{n, fewestBlocks, 2*n + 1, fewestBlocks + n%13} {
			m = append(m, text[:n*blockSize]...)
		}
		pieces = sum(pieces, append(m, tail...), key)
	}
	for blocks := range 42 {
		for j := range fewest + 1 {
			m := text[j*(j+blocks):][:blocks*blockSize+(blocks+j)%blockSize]
			lanes = sum(lanes, m, [KeySize]byte(text[100*j:]))
		}
	}
	for _, c := range []struct {
		name      string
		got, want selftest.Sum
	}{{"whole", wholeAnswer, whole}, {"pieces", piecesAnswer, pieces}, {"lanes", lanesAnswer, lanes}} {
		if c.got != c.want {
			t.Errorf("%s: %#x, not %#x", c.name, c.got, c.want)
		}
	}
}

// TestRustAnswers compares the known answers with the Rust library's.
func TestRustAnswers(t *testing.T) {
	if want := hashtest.RustAnswers(t, "POLY1305_PN"); !slices.Equal(lengthAnswers[:], want) {
		t.Errorf("one message: %x, not %x", lengthAnswers, want)
	}
	if want := hashtest.RustAnswers(t, "POLY1305_XN"); !slices.Equal(batchAnswers[:], want) {
		t.Errorf("many messages: %x, not %x", batchAnswers, want)
	}
}

func TestSelfTest(t *testing.T) {
	check := func(name string, here bool, passes func() bool) {
		if !here {
			t.Logf("%s: not run, this CPU lacks the instructions", name)
			return
		}
		if !passes() {
			t.Errorf("%s fails", name)
		}
		if n := testing.AllocsPerRun(3, func() { passes() }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	for i := range pn.Rows {
		row := &pn.Rows[i]
		check(row.Name, row.Here, func() bool { return row.Kernel.passes() })
	}
	for i := range xn.Rows {
		row := &xn.Rows[i]
		check(row.Name, row.Here, func() bool { return row.Kernel.passes() })
	}
}

func TestKernels(t *testing.T) {
	list := Kernels()
	if len(list) != len(pn.Rows)+len(xn.Rows) {
		t.Fatal(list)
	}
	active := map[string]int{}
	for _, k := range list {
		if k.Status == kernels.Active {
			active[k.Slot]++
		}
		t.Log(k)
	}
	if active["poly1305-pn"] != 1 || active["poly1305-xn"] != 1 {
		t.Error(list)
	}
}

// TestFirstUse makes the first use of the kernels in many goroutines, for the race detector. The first use allocates
// nothing either.
func TestFirstUse(t *testing.T) {
	defer pn.Set(pn.Set(nil))
	defer xn.Set(xn.Set(nil))
	key, m := [KeySize]byte(random(1, KeySize)), random(2, 2000)
	want := reference(zero, m, &key)
	keys, messages := slices.Repeat([][KeySize]byte{key}, 9), slices.Repeat([][]byte{m}, 9)
	for range 10 {
		pn.Set(nil)
		xn.Set(nil)
		var group sync.WaitGroup
		for range 8 {
			first := rand.IntN(3)
			group.Go(func() {
				for i := range 3 {
					switch (first + i) % 3 {
					case 0:
						if !Verify(&want, m, &key) {
							t.Error("Verify")
						}
					case 1:
						if inPieces(&key, m[:1400], m[1400:]) != want {
							t.Error("MAC")
						}
					case 2:
						tags := make([][TagSize]byte, 9)
						if SumMany(tags, keys, messages) != nil || tags[8] != want || tags[0] != want {
							t.Error("SumMany")
						}
					}
				}
			})
		}
		group.Wait()
	}
	tags := make([][TagSize]byte, 9)
	if n := testing.AllocsPerRun(5, func() { pn.Set(nil); xn.Set(nil); SumMany(tags, keys, messages) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestShortMessagesChooseNothing: whoever has short messages only does not pay for the self-test.
func TestShortMessagesChooseNothing(t *testing.T) {
	defer pn.Set(pn.Set(nil))
	defer xn.Set(xn.Set(nil))
	key := [KeySize]byte(random(1, KeySize))
	for n := range 256 {
		m := random(2, n)
		var tag [TagSize]byte
		Sum(&tag, m, &key)
		if inPieces(&key, m, m) == inPieces(&key, m, m[:n/2]) && n > 0 {
			t.Errorf("%d bytes and half of them have one tag", n)
		}
	}
	tags, keys := make([][TagSize]byte, 7), slices.Repeat([][KeySize]byte{key}, 7)
	if err := SumMany(tags, keys, slices.Repeat([][]byte{random(2, 100)}, 7)); err != nil {
		t.Error(err)
	}
	if pn.Set(nil) != nil || xn.Set(nil) != nil {
		t.Error("a kernel was chosen")
	}
}
