//go:build !linux

package hashtest

import "testing"

func guarded(t *testing.T) []byte {
	t.Skip("not run: there are no guarded pages on this operating system")
	return nil
}
