//go:build !purego && (amd64 || arm64) && keylane_planted

package chacha20poly1305

import (
	"bytes"
	"fmt"
	"testing"

	"keylane.example/go/kernels"
)

// statuses returns the statuses of a slot's kernels.
func statuses(slot string) (list []kernels.Status) {
	for _, k := range Kernels() {
		if k.Slot == slot {
			list = append(list, k.Status)
		}
	}
	return list
}

// answersAreRight compares with the definition, whatever kernels are chosen.
func answersAreRight(t *testing.T) {
	t.Helper()
	key, nonce := random(1, KeySize), random(2, NonceSize)
	c := newWith(t, key, nonce)
	for n := range 1100 {
		text := random(uint64(n), n)
		packets := make([]Packet, 5)
		for i := range packets {
			packets[i] = Packet{Nonce: nonce, Src: text}
		}
		SealMany(c, packets)
		want := definedSeal(key, nonce, text, nil)
		if !bytes.Equal(packets[4].Dst, want) || !bytes.Equal(c.Seal(nil, nonce, text, nil), want) {
			t.Fatalf("%d bytes are sealed wrongly", n)
		}
	}
}

// TestPlanted plants faults into each kernel for one message. The kernel must be passed over and named, and the next one
// must take its place.
func TestPlanted(t *testing.T) {
	defer func() { planted = nil }()
	defer pn.Set(pn.Set(nil))
	// A fault is the index of the wrong byte, or -1.
	faults := map[string]func(n int, s *state) int{
		"first byte": func(int, *state) int { return 0 },
		"last byte":  func(n int, _ *state) int { return n - 1 },
		"large numbers": func(_ int, s *state) int {
			if s.counter() > 1<<30 {
				return 0
			}
			return -1
		},
	}
	for blocks := 1; blocks <= 16; blocks++ {
		faults[fmt.Sprintf("%d blocks", blocks)] = func(n int, _ *state) int {
			if n == blocks*blockSize {
				return n - blockSize // not n - 1: the last bytes of such a call may be behind the text
			}
			return -1
		}
		faults[fmt.Sprintf("block %d", blocks)] = func(n int, _ *state) int {
			if n >= blocks*blockSize {
				return blocks*blockSize - 1
			}
			return -1
		}
	}
	last := len(pn.Rows) - 1
	for i := range last {
		row := &pn.Rows[i]
		if !row.Here {
			t.Logf("%s: not run, this CPU lacks the instructions", row.Name)
			continue
		}
		for name, f := range faults {
			// Those before are wrong too, so that this one is tried.
			planted = func(k *kernel, n int, s *state) int {
				for j := range i {
					if k.method == pn.Rows[j].Kernel.method {
						return 0
					}
				}
				if k.method != row.Kernel.method {
					return -1
				}
				return f(n, s)
			}
			pn.Set(nil)
			next := i + 1
			for !pn.Rows[next].Here {
				next++
			}
			if active() != &pn.Rows[next].Kernel {
				t.Fatalf("%s, wrong in %s: it is not passed over, or not for the next", row.Name, name)
			}
			if status := statuses("chacha20-pn")[i]; status != kernels.FailedSelfTest {
				t.Fatalf("%s, wrong in %s, is %s", row.Name, name, status)
			}
		}
		t.Logf("%s: %d faults found", row.Name, len(faults))
		answersAreRight(t)
	}
}

// TestPlantedLanes is TestPlanted for the kernels for many messages.
func TestPlantedLanes(t *testing.T) {
	defer func() { plantedLanes = nil }()
	defer xn.Set(xn.Set(nil))
	for i := range len(xn.Rows) - 1 {
		row := &xn.Rows[i]
		if !row.Here {
			t.Logf("%s: not run, this CPU lacks the instructions", row.Name)
			continue
		}
		for lane := range lanes {
			for at := range blockSize {
				plantedLanes = func(m *together, n int) int {
					for j := range i {
						if m.method == xn.Rows[j].Kernel.method {
							return 0
						}
					}
					if m.method == row.Kernel.method && n > lane {
						return lane*blockSize + at
					}
					return -1
				}
				xn.Set(nil)
				next := i + 1
				for !xn.Rows[next].Here {
					next++
				}
				if many() != &xn.Rows[next].Kernel {
					t.Fatalf("%s, wrong in lane %d, byte %d: not passed over", row.Name, lane, at)
				}
			}
			if status := statuses("chacha20-xn")[i]; status != kernels.FailedSelfTest {
				t.Fatalf("%s, wrong in lane %d, is %s", row.Name, lane, status)
			}
		}
		t.Logf("%s: %d faults found", row.Name, lanes*blockSize)
		answersAreRight(t)
	}
	plantedLanes = nil
	xn.Set(nil)
	if many() != &xn.Rows[0].Kernel && xn.Rows[0].Here {
		t.Error("without a fault, the first is not chosen")
	}
}
