//go:build keylane_siphash24

package runtime

const (
	compressionRounds = 2 // of a word
	finalRounds       = 4
)
