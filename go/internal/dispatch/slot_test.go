package dispatch

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"keylane.example/go/kernels"
)

// A fake is a kernel that passes or fails.
type fake struct {
	right bool
	tests atomic.Int32 // how often it was tested
}

func slotOf(rows ...Row[*fake]) *Slot[*fake] {
	return &Slot[*fake]{Name: "slot", Rows: rows, Passes: func(k **fake) bool {
		(*k).tests.Add(1)
		return (*k).right
	}}
}

func row(name string, here, right bool) Row[*fake] {
	return Row[*fake]{Name: name, Here: here, Kernel: &fake{right: right}}
}

func TestActive(t *testing.T) {
	for _, c := range []struct {
		rows   []Row[*fake]
		want   int
		report string
	}{
		{[]Row[*fake]{row("a", true, true)}, 0, "[slot a: active]"},
		{[]Row[*fake]{row("a", true, true), row("b", true, true)}, 0, "[slot a: active slot b: ready]"},
		{
			[]Row[*fake]{row("a", false, true), row("b", true, false), row("c", true, true), row("d", true, true)}, 2,
			"[slot a: not on this cpu slot b: failed self-test slot c: active slot d: ready]",
		},
		{
			[]Row[*fake]{row("a", true, true), row("b", true, false), row("c", true, true)}, 0,
			"[slot a: active slot b: failed self-test slot c: ready]",
		},
		// The last row is used though it fails.
		{
			[]Row[*fake]{row("a", true, false), row("b", false, false), row("c", true, false)}, 2,
			"[slot a: failed self-test slot b: not on this cpu slot c: failed self-test]",
		},
	} {
		s := slotOf(c.rows...)
		if got := s.Choose(); got != &c.rows[c.want].Kernel {
			t.Errorf("%s: another row is chosen", c.report)
		}
		for i, row := range c.rows {
			// The last row needs no test, nor do those after the active one.
			want := int32(0)
			if i <= c.want && i < len(c.rows)-1 && row.Here {
				want = 1
			}
			if got := row.Kernel.tests.Load(); got != want {
				t.Errorf("%s: row %d was tested %d times, not %d", c.report, i, got, want)
			}
		}
		if got := fmt.Sprint(s.Kernels()); got != c.report {
			t.Errorf("%s, not %s", got, c.report)
		}
	}
}

func TestSet(t *testing.T) {
	s := slotOf(row("a", true, true), row("b", true, true))
	a, b := &s.Rows[0].Kernel, &s.Rows[1].Kernel
	if s.Set(b) != nil || s.Choose() != b || s.Set(nil) != b || s.Choose() != a || s.Set(nil) != a {
		t.Error("Set does not set")
	}
	if k := s.Kernels(); k[0].Status != kernels.Active {
		t.Error(k)
	}
}

// TestTogether makes the first use in many goroutines. One of them runs the self-test.
func TestTogether(t *testing.T) {
	for range 100 {
		s := slotOf(row("a", true, false), row("b", true, true), row("c", true, true))
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if s.Choose() != &s.Rows[1].Kernel {
					t.Error("another row is chosen")
				}
			})
		}
		group.Wait()
		if n := s.Rows[0].Kernel.tests.Load(); n != 1 {
			t.Fatalf("%d self-tests", n)
		}
	}
}
