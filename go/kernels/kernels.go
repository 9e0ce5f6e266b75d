// Package kernels tells which kernels the other packages have, and which of them run.
//
// A kernel computes many tags at a time, or one tag of many blocks at a time, with certain instructions of the CPU. A
// slot is what kernels compute, and for which shape of input. Each package lists the kernels of its slots:
//
//	for _, k := range slices.Concat(
//		siphash.Kernels(), halfsiphash.Kernels(), poly1305.Kernels(), chacha20poly1305.Kernels(),
//	) {
//		fmt.Println(k)
//	}
//
// The first call that could use a kernel of a slot chooses one: the best that the CPU can run and that passes its
// self-test. The self-test compares known answers, in less than a millisecond. A kernel that gives a wrong answer is
// passed over. Every later call reads the choice, and nothing changes it.
//
// The last kernel of a slot is plain Go. It runs wherever no other does, and needs no self-test: nothing could take its
// place. Code for a single short message is plain Go too, and no kernel.
package kernels

import "fmt"

// A Kernel is one kernel of one slot.
type Kernel struct {
	Slot   string // such as siphash-xn: many messages, by SipHash
	Name   string // such as siphash_x8_avx512
	Status Status
}

// String returns all of it, such as "siphash-xn siphash_x8_avx512: active".
func (k Kernel) String() string { return fmt.Sprintf("%s %s: %s", k.Slot, k.Name, k.Status) }

// A Status tells whether a kernel can run, and whether its slot uses it.
type Status uint8

const (
	// Active is the status of the kernel that its slot uses.
	Active Status = 1 + iota
	// Ready is the status of a kernel that passed its self-test. Its slot uses a better one.
	Ready
	// FailedSelfTest is the status of a kernel that gave a wrong answer. Its slot passes over it. If all kernels of a
	// slot fail, it uses the last one all the same, since a call cannot fail, and none is Active.
	FailedSelfTest
	// NotOnThisCPU is the status of a kernel that needs instructions that the CPU, or the operating system, lacks.
	NotOnThisCPU
)

// String returns the status as keylane's command prints it.
func (s Status) String() string {
	switch s {
	case Active:
		return "active"
	case Ready:
		return "ready"
	case FailedSelfTest:
		return "failed self-test"
	case NotOnThisCPU:
		return "not on this cpu"
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}
