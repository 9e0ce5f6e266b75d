// Package dispatch chooses the kernel that a slot uses.
package dispatch

import (
	"sync"
	"sync/atomic"

	"keylane.example/go/kernels"
)

// A Row is a kernel of a slot.
type Row[K any] struct {
	Name   string
	Here   bool // whether this CPU has the instructions
	Kernel K
}

// A Slot has kernels that compute the same.
type Slot[K any] struct {
	Name     string
	Rows     []Row[K]      // best first; the last one runs on every CPU
	Passes   func(*K) bool // the self-test, which must not use the slot
	Chosen   atomic.Pointer[K]
	choosing sync.Mutex
}

// Choose returns the chosen kernel. The first call chooses it: the first row that this CPU has and that passes its
// self-test, or else the last row. Read Chosen before, which can be inlined.
func (s *Slot[K]) Choose() *K {
	s.choosing.Lock()
	defer s.choosing.Unlock()
	if k := s.Chosen.Load(); k != nil {
		return k
	}
	last := len(s.Rows) - 1
	k := &s.Rows[last].Kernel
	for i := range s.Rows[:last] {
		if row := &s.Rows[i]; row.Here && s.Passes(&row.Kernel) {
			k = &row.Kernel
			break
		}
	}
	s.Chosen.Store(k)
	return k
}

// Set makes k the kernel to use, or has the next call choose one if k is nil. It returns the one before.
// Only tests call it.
func (s *Slot[K]) Set(k *K) (before *K) { return s.Chosen.Swap(k) }

// Kernels describes all rows. It runs their self-tests.
func (s *Slot[K]) Kernels() []kernels.Kernel {
	active := s.Choose()
	list := make([]kernels.Kernel, len(s.Rows))
	for i := range s.Rows {
		row := &s.Rows[i]
		list[i] = kernels.Kernel{Slot: s.Name, Name: row.Name, Status: kernels.Ready}
		switch {
		case !row.Here:
			list[i].Status = kernels.NotOnThisCPU
		case !s.Passes(&row.Kernel):
			list[i].Status = kernels.FailedSelfTest
		case &row.Kernel == active:
			list[i].Status = kernels.Active
		}
	}
	return list
}
