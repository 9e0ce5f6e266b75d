//go:build !keylane_planted

package siphash

// spoil plants faults for tests of the self-test, with the build tag keylane_planted.
func (k *kernel) spoil(*state, bool, []word, []word, int, int, word) {}
