//go:build !purego && (amd64 || arm64)

package poly1305

import "testing"

// withKernels runs a test with each kernel. A kernel takes every message that is long enough for it.
func withKernels(t *testing.T, test func(t *testing.T)) {
	defer func(l, k int) { least, keeping = l, k }(least, keeping)
	defer pn.Set(pn.Set(nil))
	defer xn.Set(xn.Set(nil))
	least, keeping = again, 0
	for i := range pn.Rows {
		row := &pn.Rows[i]
		t.Run(row.Name, func(t *testing.T) {
			if !row.Here {
				t.Skip("not run: this CPU lacks the instructions")
			}
			pn.Set(row.Kernel.eager())
			// The kernel for many messages has the instructions of the best one for one message.
			xn.Set(&xn.Rows[min(i, len(xn.Rows)-1)].Kernel)
			test(t)
			t.Log("ran")
		})
	}
}
