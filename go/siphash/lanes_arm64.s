//go:build !purego

#include "textflag.h"
#include "word_arm64.h"

// SipHash of messages of equally many words, one in each lane of four vectors. The four are stepped together, so
// the latency of one hides behind the others.
//
// A rotation is a left shift and an inserting right shift, or SWAP if it is by half a word. A round of one vector
// takes 18 operations.
//
// V0-V15   the states, four registers each
// V16-V19  words of the messages
// V20-V23  temporaries of rotations
// V24-V27  the initial state

// HALF is a half round of two states: add b to a and d to c, rotate b by r and d by s, xor, and rotate a by half
// a word.
#define HALF(a, b, c, d, e, f, g, h, r, s) \
	VADD	b.LANES, a.LANES, a.LANES \
	VADD	f.LANES, e.LANES, e.LANES \
	VADD	d.LANES, c.LANES, c.LANES \
	VADD	h.LANES, g.LANES, g.LANES \
	VSHL	$(r), b.LANES, V20.LANES \
	VSHL	$(r), f.LANES, V21.LANES \
	VSHL	$(s), d.LANES, V22.LANES \
	VSHL	$(s), h.LANES, V23.LANES \
	VSRI	$(BITS-r), b.LANES, V20.LANES \
	VSRI	$(BITS-r), f.LANES, V21.LANES \
	VSRI	$(BITS-s), d.LANES, V22.LANES \
	VSRI	$(BITS-s), h.LANES, V23.LANES \
	VEOR	V20.B16, a.B16, b.B16 \
	VEOR	V21.B16, e.B16, f.B16 \
	VEOR	V22.B16, c.B16, d.B16 \
	VEOR	V23.B16, g.B16, h.B16 \
	SWAP(a) \
	SWAP(e)

// XOR xors V16 to V19 into one word of each state.
#define XOR(a, b, c, d) \
	VEOR	V16.B16, a.B16, a.B16 \
	VEOR	V17.B16, b.B16, b.B16 \
	VEOR	V18.B16, c.B16, c.B16 \
	VEOR	V19.B16, d.B16, d.B16

// FILL copies a general register to all lanes of V16 to V19.
#define FILL(r) \
	VDUP	r, V16.LANES \
	VMOV	V16.B16, V17.B16 \
	VMOV	V16.B16, V18.B16 \
	VMOV	V16.B16, V19.B16

// START loads the arguments and the initial state.
#define START \
	MOVD	v+0(FP), R0 \
	MOVD	dst+8(FP), R1 \
	MOVD	src+16(FP), R2 \
	MOVD	groups+24(FP), R3 \
	MOVD	n+32(FP), R4 \
	MOVD	c+40(FP), R5 \
	MOVD	d+48(FP), R6 \
	LOAD \
	VDUP	R8, V24.LANES \
	VDUP	R9, V25.LANES \
	VDUP	R10, V26.LANES \
	VDUP	R11, V27.LANES

// COPY sets a state to the initial state.
#define COPY(a, b, c, d) \
	VMOV	V24.B16, a.B16 \
	VMOV	V25.B16, b.B16 \
	VMOV	V26.B16, c.B16 \
	VMOV	V27.B16, d.B16

// GROUP absorbs the words of a group, and length if it is not 0.
#define GROUP \
	COPY(V0, V1, V2, V3) \
	COPY(V4, V5, V6, V7) \
	COPY(V8, V9, V10, V11) \
	COPY(V12, V13, V14, V15) \
	MOVD	R4, R12 \
word: \
	VLD1.P	64(R2), [V16.B16, V17.B16, V18.B16, V19.B16] \
	XOR(V3, V7, V11, V15) \
	MOVD	R5, R13 \
round: \
	ROUND \
	SUBS	$1, R13 \
	BNE	round \
	XOR(V0, V4, V8, V12) \
	SUBS	$1, R12 \
	BNE	word \
	CBZ	R7, end \
	FILL(R7) \
	XOR(V3, V7, V11, V15) \
	MOVD	R5, R13 \
last: \
	ROUND \
	SUBS	$1, R13 \
	BNE	last \
	XOR(V0, V4, V8, V12) \
end:

// TAGS stores the tags of all states and does not change the states.
#define TAGS \
	TAG(V0, V1, V2, V3, V16, V20) \
	TAG(V4, V5, V6, V7, V17, V21) \
	TAG(V8, V9, V10, V11, V18, V22) \
	TAG(V12, V13, V14, V15, V19, V23) \
	VST1.P	[V16.B16, V17.B16, V18.B16, V19.B16], 64(R1)

// func lanesNEON(v, dst, src *uint64, groups, n, c, d int, length uint64)
TEXT ·lanesNEON(SB), NOSPLIT, $0-64
	START
group:
	GROUP
	MOVD	$0xff, R14
	FILL(R14)
	XOR(V2, V6, V10, V14)
	MOVD	R6, R13
finish:
	ROUND
	SUBS	$1, R13
	BNE	finish
	TAGS
	SUBS	$1, R3
	BNE	group
	RET

// func lanesXNEON(v, dst, src *uint64, groups, n, c, d int, length uint64)
TEXT ·lanesXNEON(SB), NOSPLIT, $0-64
	START
group:
	GROUP
	MOVD	$0xee, R14
	FILL(R14)
	XOR(V2, V6, V10, V14)
	MOVD	R6, R13
low:
	ROUND
	SUBS	$1, R13
	BNE	low
	TAGS
	MOVD	$0xdd, R14
	FILL(R14)
	XOR(V1, V5, V9, V13)
	MOVD	R6, R13
high:
	ROUND
	SUBS	$1, R13
	BNE	high
	TAGS
	SUBS	$1, R3
	BNE	group
	RET
