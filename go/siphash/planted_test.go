//go:build keylane_planted

package siphash

import (
	"fmt"
	"testing"

	"keylane.example/go/internal/hashtest"
	"keylane.example/go/internal/selftest"
	"keylane.example/go/kernels"
)

// faults are wrong in one lane, for one length, for one number of words, for one kind of integers, and so on.
func faults(lanes int) map[string]func(result) bool {
	list := map[string]func(result) bool{
		"every tag":                func(result) bool { return true },
		"a second group":           func(r result) bool { return r.group == 1 },
		"a high half":              func(r result) bool { return r.half == 1 },
		"a length after the words": func(r result) bool { return r.length != 0 },
	}
	for lane := range lanes {
		list[fmt.Sprintf("lane %d", lane)] = func(r result) bool { return r.lane == lane }
		list[fmt.Sprintf("high half of lane %d", lane)] = func(r result) bool { return r.lane == lane && r.half == 1 }
	}
	for words := 1; words <= maxWords; words++ {
		list[fmt.Sprintf("%d words", words)] = func(r result) bool { return r.n == words }
	}
	for size := range maxWords * wordSize {
		of := func(r result) bool {
			return r.length == 0 && r.n == size/wordSize+1 && int(r.last>>lengthShift) == size
		}
		list[fmt.Sprintf("%d bytes", size)] = of
		for i := range 3 {
			lane := (size*(i+1) + 5*i) % lanes
			list[fmt.Sprintf("%d bytes in lane %d", size, lane)] = func(r result) bool { return of(r) && r.lane == lane }
		}
	}
	// Integers of whole words have their length apart.
	for words := 1; words <= 2; words++ {
		list[fmt.Sprintf("integers of %d words", words)] = func(r result) bool {
			return r.n == words && r.length == word(words*wordSize)<<lengthShift
		}
	}
	for _, rounds := range selftest.Rounds {
		m, _ := newMode(rounds[0], rounds[1])
		list[fmt.Sprintf("rounds %d", rounds)] = func(r result) bool { return r.mode == m }
	}
	return list
}

// answersAreRight compares batches with the definition, in all layouts.
func answersAreRight(t *testing.T) {
	t.Helper()
	suite.Kernels = []hashtest.Kernel{{Name: "chosen", Here: true, With: func(action func()) { action() }}}
	suite.TestBatches(t)
}

// TestPlanted plants each fault into each kernel. The kernel must be passed over and named, and the next one must take
// its place.
func TestPlanted(t *testing.T) {
	defer func(k []hashtest.Kernel) { planted, suite.Kernels = nil, k }(suite.Kernels)
	defer slot.Set(slot.Set(nil))
	last := len(slot.Rows) - 1
	for i := range last {
		row := &slot.Rows[i]
		if !row.Here {
			t.Logf("%s: not run, this CPU does not have its instructions", row.Name)
			continue
		}
		next := i + 1
		for !slot.Rows[next].Here {
			next++
		}
		list := faults(row.Kernel.lanes)
		for name, f := range list {
			// Those before are wrong too, so that this one is tried.
			planted = func(r result) bool {
				for j := range i {
					if r.k == &slot.Rows[j].Kernel {
						return true
					}
				}
				return r.k == &row.Kernel && f(r)
			}
			slot.Set(nil)
			if active() != &slot.Rows[next].Kernel {
				t.Fatalf("%s, wrong in %s: it is not passed over, or not for the next", row.Name, name)
			}
			for j, k := range Kernels() {
				want := kernels.Ready
				switch {
				case !slot.Rows[j].Here:
					want = kernels.NotOnThisCPU
				case j <= i:
					want = kernels.FailedSelfTest
				case j == next:
					want = kernels.Active
				}
				if k != (kernels.Kernel{Slot: slot.Name, Name: slot.Rows[j].Name, Status: want}) {
					t.Fatalf("%s, wrong in %s: it says %v, not %v", row.Name, name, k, want)
				}
			}
		}
		t.Logf("%s: %d faults found", row.Name, len(list))
		answersAreRight(t)
	}
	planted = nil
	slot.Set(nil)
	for i, k := range Kernels() {
		if slot.Rows[i].Here != (k.Status == kernels.Active || k.Status == kernels.Ready) {
			t.Errorf("without a fault: %v", k)
		}
	}
}
