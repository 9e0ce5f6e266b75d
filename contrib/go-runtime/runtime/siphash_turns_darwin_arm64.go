package runtime

// The same numbers as in siphash_turns.go, but the compiler must not know them: it would join each rotation with the xor
// after it. On Apple's CPUs that takes longer than both apart (turns_darwin_arm64.go of the Go module).
var (
	sipFirstV1  = 13
	sipFirstV3  = 16
	sipSecondV1 = 17
	sipSecondV3 = 21
)
