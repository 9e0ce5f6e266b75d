// Package hashtest has the tests that packages siphash and halfsiphash share. A [Suite] holds what differs.
package hashtest

import (
	"errors"
	"math/rand/v2"
	"testing"

	"keylane.example/go/internal/dispatch"
)

// A Variant is the kind of a hasher under test.
type Variant struct {
	C, D       uint8
	Wide, Fold bool
}

// slow reports whether a variant has so many rounds that all tests would take minutes.
func (v Variant) slow() bool { return v.C == 255 }

// A Kernel is a kernel for batches.
type Kernel struct {
	Name string
	Here bool                // whether this CPU has the instructions
	With func(action func()) // calls action while this kernel is active
}

// Kernels converts the kernels of a slot.
func Kernels[K any](slot *dispatch.Slot[K]) (kernels []Kernel) {
	for i := range slot.Rows {
		row := &slot.Rows[i]
		kernels = append(kernels, Kernel{row.Name, row.Here, func(action func()) {
			defer slot.Set(slot.Set(&row.Kernel))
			action()
		}})
	}
	return kernels
}

// A Suite holds what differs between the packages.
type Suite struct {
	Algorithm  string     // its name in the vectors
	Word       int        // bytes of a word
	Definition Definition // the reference of all tests
	Rounds     [][2]uint8 // c and d of the variants
	Key        []byte
	New        func(key []byte, v Variant) (Subject, error)
	Zero       []Subject // zero values
	Kernels    []Kernel
	ErrRounds  error
	ErrOffsets error
	ErrViews   error
	Vectors    map[string]int // number of the algorithm's vectors in each file
	Corpus     int            // number of its variants in the corpus
}

// Test runs all tests.
func (s *Suite) Test(t *testing.T) {
	t.Run("Vectors", s.vectors)
	t.Run("Corpus", s.corpus)
	t.Run("Lengths", s.lengths)
	t.Run("Integers", s.integers)
	t.Run("Streams", s.streams)
	t.Run("Verify", s.verify)
	t.Run("NoRounds", s.noRounds)
	t.Run("ZeroValue", s.zeroValue)
	s.TestBatches(t)
	t.Run("WrongOffsets", s.wrongOffsets)
	t.Run("WrongViews", s.wrongViews)
	t.Run("OneReadsNothingOutside", s.oneReadsNothingOutside)
	t.Run("BatchReadsNothingOutside", s.batchReadsNothingOutside)
}

// TestBatches compares batches with the definition.
func (s *Suite) TestBatches(t *testing.T) {
	t.Run("BatchesOfIntegers", s.batchesOfIntegers)
	t.Run("BatchesOfRows", s.batchesOfRows)
	t.Run("RaggedBatches", s.raggedBatches)
}

// Variants returns all variants: of all rounds, narrow and wide, with and without folding.
func (s *Suite) Variants() (list []Variant) {
	for _, cd := range s.Rounds {
		for i := range 4 {
			list = append(list, Variant{cd[0], cd[1], i&1 != 0, i&2 != 0})
		}
	}
	return list
}

// BatchVariants returns the variants whose batches are all compared with the definition.
func (s *Suite) BatchVariants() (list []Variant) {
	for _, v := range s.Variants() {
		if !v.slow() {
			list = append(list, v)
		}
	}
	return list
}

func (s *Suite) subject(t testing.TB, v Variant) Subject {
	t.Helper()
	h, err := s.New(s.Key, v)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Want returns the tag of p by the definition.
func (s *Suite) Want(v Variant, p []byte) (tag Tag) {
	if v.Fold {
		p = lower(p)
	}
	copy(tag[:], s.Definition.Tag(s.Key, int(v.C), int(v.D), v.Wide, p))
	return tag
}

// EachKernel runs a test with every kernel that this CPU can run, and logs their names.
func (s *Suite) EachKernel(t *testing.T, test func(t *testing.T)) {
	for _, k := range s.Kernels {
		if !k.Here {
			t.Logf("%s: not run, this CPU does not have its instructions", k.Name)
			continue
		}
		t.Logf("%s: run", k.Name)
		k.With(func() { t.Run(k.Name, test) })
	}
}

// EveryByte returns n random bytes, the same in every run. They have all values, ASCII capitals among them.
func EveryByte(n int) []byte {
	p := make([]byte, n)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range p {
		p[i] = byte(random.Uint32())
	}
	return p
}

func (s *Suite) noRounds(t *testing.T) {
	for _, cd := range [][2]uint8{{0, 0}, {0, 1}, {1, 0}} {
		for _, wide := range []bool{false, true} {
			v := Variant{C: cd[0], D: cd[1], Wide: wide}
			if _, err := s.New(s.Key, v); !errors.Is(err, s.ErrRounds) {
				t.Errorf("%+v: error %v", v, err)
			}
		}
	}
}

// Named compares the variants with constructors of their own, such as New13, with those of New.
func Named[K any, H comparable](t *testing.T, key *K, create func(*K, uint8, uint8) (H, error), list map[[2]uint8]H) {
	t.Helper()
	for cd, named := range list {
		if h, err := create(key, cd[0], cd[1]); h != named || err != nil {
			t.Errorf("%v is not what New makes of %v, error %v", named, cd, err)
		}
	}
}

// The zero value is useless but harmless.
func (s *Suite) zeroValue(t *testing.T) {
	_, u32s, u64s := integers(100)
	s.EachKernel(t, func(t *testing.T) {
		for _, h := range s.Zero {
			if one, stream := h.hash(s.Key), h.stream(t, s.Key); one != stream {
				t.Fatalf("a stream of the zero value is %x, Hash %x", stream, one)
			}
			tags32, n32 := h.uint32s(100, u32s)
			tags64, n64 := h.uint64s(100, u64s)
			if n32 != 100 || n64 != 100 {
				t.Fatalf("batches of %d and %d messages, want 100", n32, n64)
			}
			for i := range 100 {
				if one := h.hashUint32(u32s[i]); tags32[i] != one {
					t.Fatalf("tag %d of the zero value is %x, one by one %x", i, tags32[i], one)
				}
				if one := h.hashUint64(u64s[i]); tags64[i] != one {
					t.Fatalf("tag %d of the zero value is %x, one by one %x", i, tags64[i], one)
				}
			}
		}
	})
}
