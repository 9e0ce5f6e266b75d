// The parts of lanes_arm64.s that differ between SipHash and HalfSipHash.

#define LANES S4 // words of a vector
#define BITS 32  // of a word

// LOAD loads the argument length, and the four words of the initial state.
#define LOAD \
	MOVWU	length+56(FP), R7 \
	LDPW	(R0), (R8, R9) \
	LDPW	8(R0), (R10, R11)

// ROUND is a round of all states.
#define ROUND \
	HALF(V0, V1, V2, V3, V4, V5, V6, V7, 5, 8) \
	HALF(V8, V9, V10, V11, V12, V13, V14, V15, 5, 8) \
	HALF(V2, V1, V0, V3, V6, V5, V4, V7, 13, 7) \
	HALF(V10, V9, V8, V11, V14, V13, V12, V15, 13, 7)

// SWAP rotates the words of a by half a word.
#define SWAP(a) VREV32 a.H8, a.H8

// TAG puts the xor of two words of a state into t.
#define TAG(a, b, c, d, t, u) \
	VEOR	b.B16, d.B16, t.B16
