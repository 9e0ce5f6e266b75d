//go:build !keylane_siphash11 && !keylane_siphash24

package runtime

const (
	compressionRounds = 1 // of a word
	finalRounds       = 3
)
