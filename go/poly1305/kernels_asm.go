//go:build !purego && (amd64 || arm64)

package poly1305

// A kernel absorbs blocks of one message.
type kernel struct {
	method method
	from   int // least number of bytes for which it pays off if it computes powers for one whole message; at least 128
}

// active returns the kernel for one message, and chooses it at the first call. It is inlined.
func active() (m *kernel) {
	if m = pn.Chosen.Load(); m == nil {
		m = choose()
	}
	return
}

//go:noinline
func choose() *kernel { return pn.Choose() }

// eager returns a kernel that takes every message, which must have at least again bytes.
func (m *kernel) eager() *kernel { return &kernel{m.method, 0} }

// least is the least number of bytes for which a kernel is chosen. Only tests change it.
var least = long

// again is the least number of bytes of a piece for which existing powers pay off. Kernels read that many at once.
const again = 128

// keeping is how many bytes more than from a piece needs if its powers are to be kept.
var keeping = 96

// powers holds powers of r between the pieces of a message, in the form of the kernel. Every MAC has a table, and
// Go zeroes it, so the table is as small as possible.
type powers struct {
	table table
	depth int // number of powers for the turns
	of    method
}

// mayPay reports whether powers may pay off for a piece of n bytes. No kernel is chosen for shorter ones.
func (w *powers) mayPay(n int) bool { return n >= again && (w.depth > 0 || n-keeping >= least) }

// wipe overwrites the powers, if there are any.
func (w *powers) wipe() {
	if w.depth > 0 {
		w.overwrite()
	}
}

// overwrite is not inlined, because the compiler could then remove the stores as dead.
//
//go:noinline
func (w *powers) overwrite() { *w = powers{} }
