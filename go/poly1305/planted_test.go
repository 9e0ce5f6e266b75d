//go:build !purego && (amd64 || arm64) && keylane_planted

package poly1305

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"keylane.example/go/kernels"
)

// answersAreRight compares tags with the definition, whatever kernels are chosen.
func answersAreRight(t *testing.T) {
	t.Helper()
	for n := range 1200 {
		key, m := [KeySize]byte(random(uint64(n), KeySize)), random(uint64(n)+1, n)
		want := reference(zero, m, &key)
		tags := make([][TagSize]byte, 9)
		err := SumMany(tags, slices.Repeat([][KeySize]byte{key}, 9), slices.Repeat([][]byte{m}, 9))
		if err != nil || !slices.Equal(tags, slices.Repeat([][TagSize]byte{want}, 9)) {
			t.Fatalf("%d bytes, many: %x, not %x", n, tags, want)
		}
		if got := sum(t, m, &key); got != want || inPieces(&key, m) != want {
			t.Fatalf("%d bytes: %x, not %x", n, got, want)
		}
	}
}

// statuses returns the statuses of a slot's kernels.
func statuses(slot string) (list []kernels.Status) {
	for _, k := range Kernels() {
		if k.Slot == slot {
			list = append(list, k.Status)
		}
	}
	return list
}

// TestPlanted plants faults into each kernel for one message. The kernel must be passed over and named, and the next one
// must take its place.
func TestPlanted(t *testing.T) {
	defer func() { planted = nil }()
	defer pn.Set(pn.Set(nil))
	faults := map[string]func(p []byte) bool{
		"always":           func([]byte) bool { return true },
		"long messages":    func(p []byte) bool { return len(p) >= 8000 },
		"equal blocks":     func(p []byte) bool { return bytes.Equal(p[:blockSize], p[blockSize:2*blockSize]) },
		"differing blocks": func(p []byte) bool { return !bytes.Equal(p[:blockSize], p[blockSize:2*blockSize]) },
	}
	for n := fewestBlocks; n <= mostBlocks; n++ {
		faults[fmt.Sprintf("%d blocks", n)] = func(p []byte) bool { return len(p)/blockSize == n }
	}
	for width := range 8 {
		faults[fmt.Sprintf("%d blocks more than groups of 8", width)] = func(p []byte) bool {
			return len(p)/blockSize%8 == width
		}
	}
	last := len(pn.Rows) - 1
	for i := range last {
		row := &pn.Rows[i]
		if !row.Here {
			t.Logf("%s: not run, this CPU lacks the instructions", row.Name)
			continue
		}
		next := i + 1
		for !pn.Rows[next].Here {
			next++
		}
		for name, f := range faults {
			// Those before are wrong too, so that this one is tried.
			planted = func(m *kernel, p []byte) bool {
				for j := range i {
					if m.method == pn.Rows[j].Kernel.method {
						return true
					}
				}
				return m.method == row.Kernel.method && f(p)
			}
			pn.Set(nil)
			if active() != &pn.Rows[next].Kernel {
				t.Fatalf("%s, wrong for %s: it is not passed over, or not for the next", row.Name, name)
			}
			for j, status := range statuses("poly1305-pn") {
				want := kernels.Ready
				switch {
				case !pn.Rows[j].Here:
					want = kernels.NotOnThisCPU
				case j <= i:
					want = kernels.FailedSelfTest
				case j == next:
					want = kernels.Active
				}
				if status != want {
					t.Fatalf("%s, wrong for %s: %s is %s, not %s", row.Name, name, pn.Rows[j].Name, status, want)
				}
			}
		}
		t.Logf("%s: %d faults found", row.Name, len(faults))
		answersAreRight(t)
	}
}
