//go:build keylane_siphash11

package runtime

const (
	compressionRounds = 1 // of a word
	finalRounds       = 1
)
