//go:build !purego && keylane_planted

package poly1305

import (
	"fmt"
	"slices"
	"testing"

	"keylane.example/go/kernels"
)

// TestPlantedLanes is TestPlanted for the kernel for many messages.
func TestPlantedLanes(t *testing.T) {
	row := &xn.Rows[0]
	if !row.Here {
		t.Skipf("%s: not run, this CPU lacks the instructions", row.Name)
	}
	defer func() { plantedLanes = nil }()
	defer xn.Set(xn.Set(nil))
	faults := map[string]func(lane, blocks int) bool{"always": func(int, int) bool { return true }}
	for at := range 8 {
		faults[fmt.Sprintf("lane %d", at)] = func(lane, _ int) bool { return lane == at }
		for n := 4; n <= 40; n += 2 {
			faults[fmt.Sprintf("lane %d, %d blocks", at, n)] = func(lane, blocks int) bool {
				return lane == at && blocks == n
			}
		}
	}
	for name, f := range faults {
		plantedLanes = f
		xn.Set(nil)
		if xn.Choose() != &xn.Rows[1].Kernel {
			t.Fatalf("wrong in %s, and not passed over", name)
		}
		want := []kernels.Status{kernels.FailedSelfTest, kernels.Active}
		if got := statuses("poly1305-xn"); !slices.Equal(got, want) {
			t.Fatalf("wrong in %s: %s, not %s", name, got, want)
		}
	}
	t.Logf("%s: %d faults found", row.Name, len(faults))
	answersAreRight(t)
	plantedLanes = nil
	xn.Set(nil)
	if got := statuses("poly1305-xn"); !slices.Equal(got, []kernels.Status{kernels.Active, kernels.Ready}) {
		t.Errorf("without a fault: %s", got)
	}
}
