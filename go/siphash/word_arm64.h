// The parts of lanes_arm64.s that differ between SipHash and HalfSipHash.

#define LANES D2 // words of a vector
#define BITS 64  // of a word

// LOAD loads the argument length, and the four words of the initial state.
#define LOAD \
	MOVD	length+56(FP), R7 \
	LDP	(R0), (R8, R9) \
	LDP	16(R0), (R10, R11)

// ROUND is a round of all states.
#define ROUND \
	HALF(V0, V1, V2, V3, V4, V5, V6, V7, 13, 16) \
	HALF(V8, V9, V10, V11, V12, V13, V14, V15, 13, 16) \
	HALF(V2, V1, V0, V3, V6, V5, V4, V7, 17, 21) \
	HALF(V10, V9, V8, V11, V14, V13, V12, V15, 17, 21)

// SWAP rotates the words of a by half a word.
#define SWAP(a) VREV64 a.S4, a.S4

// TAG puts the xor of all words of a state into t. u is a temporary.
#define TAG(a, b, c, d, t, u) \
	VEOR	a.B16, b.B16, t.B16 \
	VEOR	c.B16, d.B16, u.B16 \
	VEOR	u.B16, t.B16, t.B16
