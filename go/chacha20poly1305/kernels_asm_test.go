//go:build !purego && (amd64 || arm64)

package chacha20poly1305

import "testing"

// withKernels runs a test with each kernel, for one message and for many.
func withKernels(t *testing.T, test func(t *testing.T)) {
	defer pn.Set(pn.Set(nil))
	defer xn.Set(xn.Set(nil))
	for i := range pn.Rows {
		row := &pn.Rows[i]
		t.Run(row.Name, func(t *testing.T) {
			if !row.Here {
				t.Skip("not run: this CPU lacks the instructions")
			}
			pn.Set(&row.Kernel)
			for j := range xn.Rows {
				if many := &xn.Rows[j].Kernel; many.method == row.Kernel.method {
					xn.Set(many)
				}
			}
			test(t)
			t.Log("ran")
		})
	}
}
