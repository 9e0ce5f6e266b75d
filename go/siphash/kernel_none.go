//go:build (!amd64 && !arm64) || purego

package siphash

import "keylane.example/go/internal/dispatch"

var vectorKernels []dispatch.Row[kernel]

// Without a vector kernel there are no groups, so these are never called.

func (k *kernel) run(*state, bool, []word, []word, int, int, word) {}

func transpose([]word, *[maxLanes]*byte, *[maxLanes]uint8, int, int) {}
