package kernels_test

import (
	"testing"

	"keylane.example/go/kernels"
)

func TestString(t *testing.T) {
	for status, want := range []string{
		"Status(0)", "active", "ready", "failed self-test", "not on this cpu", "Status(5)",
	} {
		if got := kernels.Status(status).String(); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
	k := kernels.Kernel{Slot: "siphash-xn", Name: "siphash_x1", Status: kernels.Active}
	if got := k.String(); got != "siphash-xn siphash_x1: active" {
		t.Error(got)
	}
}
