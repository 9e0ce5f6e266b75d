//go:build (!darwin || !arm64) && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x)

package runtime

// By how many bits the first half of a round of SipHash rotates v1 and v3, and the second half.
const (
	sipFirstV1  = 13
	sipFirstV3  = 16
	sipSecondV1 = 17
	sipSecondV3 = 21
)
