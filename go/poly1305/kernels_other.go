//go:build purego || !(amd64 || arm64)

package poly1305

import (
	"math"

	"keylane.example/go/internal/dispatch"
)

// long is the least number of bytes for which powers of r may pay off, again is that for powers which are there, and
// least is that for which a kernel is chosen. Without a kernel they never do.
const long, again, least = math.MaxInt, math.MaxInt, math.MaxInt

type kernel struct{}

var pn = dispatch.Slot[kernel]{
	Name:   "poly1305-pn",
	Rows:   []dispatch.Row[kernel]{{Name: "poly1305_x1_u64", Here: true}},
	Passes: (*kernel).passes,
}

// powers is empty without a kernel.
type powers struct{}

func (*powers) mayPay(int) bool { return false }

func (*powers) absorb(_ *kernel, h element, k key, p []byte) element { return h.blocks(k.r0, k.r1, p) }

func (*powers) wipe() {}

func (h element) whole(_ *kernel, k key, p []byte) element { return h.blocks(k.r0, k.r1, p) }

func active() *kernel { return nil }

func (m *kernel) eager() *kernel { return m }
