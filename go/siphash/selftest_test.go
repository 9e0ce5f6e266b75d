package siphash

import (
	"slices"
	"sync"
	"testing"

	"keylane.example/go/internal/hashtest"
	"keylane.example/go/internal/selftest"
	"keylane.example/go/kernels"
)

// TestAnswers computes the known answers by the definition.
func TestAnswers(t *testing.T) {
	key := make([]byte, KeySize)
	for i := range key {
		key[i] = byte(i)
	}
	for i, wide := range []bool{false, true} {
		checksum := func(rounds [2]uint8, messages [][]byte) selftest.Sum {
			return hashtest.Checksum(suite.Definition, key, rounds, wide, messages)
		}
		for j, rounds := range selftest.Rounds {
			if want := checksum(rounds, hashtest.SelfTestMessages(j == 0)); want != answers[i].messages[j] {
				t.Errorf("messages, wide %t, rounds %d: %#x, not %#x", wide, rounds, answers[i].messages[j], want)
			}
		}
		lengths := hashtest.SelfTestLengths(maxWords*wordSize, maxLanes)
		if want := checksum([2]uint8{1, 3}, lengths); want != answers[i].lengths {
			t.Errorf("lengths, wide %t: %#x, not %#x", wide, answers[i].lengths, want)
		}
	}
}

// TestRustAnswers compares the known answers with the Rust library's.
func TestRustAnswers(t *testing.T) {
	for i, name := range []string{"SIPHASH", "SIPHASH_WIDE"} {
		if want := hashtest.RustAnswers(t, name); !slices.Equal(answers[i].messages[:], want) {
			t.Errorf("%s: %x, not %x", name, answers[i].messages, want)
		}
	}
}

func TestSelfTest(t *testing.T) {
	for i := range slot.Rows {
		row := &slot.Rows[i]
		if !row.Here {
			t.Logf("%s: not run, this CPU does not have its instructions", row.Name)
			continue
		}
		if !row.Kernel.passes() {
			t.Errorf("%s fails", row.Name)
		}
		if n := testing.AllocsPerRun(3, func() { row.Kernel.passes() }); n != 0 {
			t.Errorf("%s: %v allocations", row.Name, n)
		}
	}
}

func TestKernels(t *testing.T) {
	active := 0
	for i, k := range Kernels() {
		row := &slot.Rows[i]
		if k.Slot != slot.Name || k.Name != row.Name || (k.Status == kernels.NotOnThisCPU) == row.Here {
			t.Errorf("row %d is %v, here %t", i, k, row.Here)
		}
		if k.Status == kernels.Active {
			active++
		}
		t.Log(k)
	}
	if active != 1 {
		t.Errorf("%d kernels are active", active)
	}
}

// TestFirstUse makes the first use of the kernels in many goroutines, for the race detector. Without a race, the first
// use allocates nothing either.
func TestFirstUse(t *testing.T) {
	defer slot.Set(slot.Set(nil))
	h, src := New13(&testKey), make([]uint64, 200)
	for range 20 {
		slot.Set(nil)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				tags := make([]uint64, len(src))
				h.HashUint64s(tags, src)
				for i, tag := range tags {
					if tag != h.HashUint64(src[i]) {
						t.Errorf("tag %d is %x", i, tag)
					}
				}
				if Kernels()[0].Slot != slot.Name {
					t.Error("another slot")
				}
			})
		}
		group.Wait()
	}
	tags := make([]uint64, len(src))
	if n := testing.AllocsPerRun(5, func() { slot.Set(nil); h.HashUint64s(tags, src) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
