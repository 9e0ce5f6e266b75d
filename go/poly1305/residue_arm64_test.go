//go:build !purego

package poly1305

// tabled is the kernel whose table of powers is on the stack.
var tabled = &pn.Rows[0]

func (w *powers) fill(k key) { w.makeNEON(k, neonDepth) }
