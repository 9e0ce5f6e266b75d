//go:build !purego

#include "textflag.h"

// SipHash of 8 messages of equally many words, two in each of four vectors, which are stepped together so that the
// chain of one hides behind the others.
//
// A rotation is a shift to the left and one to the right that inserts, or for 32 bits a reversal of halves of words:
// 18 operations a round for two messages.
//
// V0 to V15 are the states, four registers each; V16 to V19 the words of a message; V20 to V23 what is being turned;
// V24 to V27 the state before the first word.

// HALF is a half round of two states: a and c take b and d, which are turned by r and s; then a is turned by 32.
#define HALF(a, b, c, d, e, f, g, h, r, s) \
	VADD	b.D2, a.D2, a.D2 \
	VADD	f.D2, e.D2, e.D2 \
	VADD	d.D2, c.D2, c.D2 \
	VADD	h.D2, g.D2, g.D2 \
	VSHL	$(r), b.D2, V20.D2 \
	VSHL	$(r), f.D2, V21.D2 \
	VSHL	$(s), d.D2, V22.D2 \
	VSHL	$(s), h.D2, V23.D2 \
	VSRI	$(64-r), b.D2, V20.D2 \
	VSRI	$(64-r), f.D2, V21.D2 \
	VSRI	$(64-s), d.D2, V22.D2 \
	VSRI	$(64-s), h.D2, V23.D2 \
	VEOR	V20.B16, a.B16, b.B16 \
	VEOR	V21.B16, e.B16, f.B16 \
	VEOR	V22.B16, c.B16, d.B16 \
	VEOR	V23.B16, g.B16, h.B16 \
	VREV64	a.S4, a.S4 \
	VREV64	e.S4, e.S4

#define ROUND \
	HALF(V0, V1, V2, V3, V4, V5, V6, V7, 13, 16) \
	HALF(V8, V9, V10, V11, V12, V13, V14, V15, 13, 16) \
	HALF(V2, V1, V0, V3, V6, V5, V4, V7, 17, 21) \
	HALF(V10, V9, V8, V11, V14, V13, V12, V15, 17, 21)

// XOR brings V16 to V19 into one word of each state.
#define XOR(a, b, c, d) \
	VEOR	V16.B16, a.B16, a.B16 \
	VEOR	V17.B16, b.B16, b.B16 \
	VEOR	V18.B16, c.B16, c.B16 \
	VEOR	V19.B16, d.B16, d.B16

// FILL puts a general register into all lanes of V16 to V19.
#define FILL(r) \
	VDUP	r, V16.D2 \
	VMOV	V16.B16, V17.B16 \
	VMOV	V16.B16, V18.B16 \
	VMOV	V16.B16, V19.B16

// START loads the arguments and the state, and BEGIN begins a group.
#define START \
	MOVD	v+0(FP), R0 \
	MOVD	dst+8(FP), R1 \
	MOVD	src+16(FP), R2 \
	MOVD	groups+24(FP), R3 \
	MOVD	n+32(FP), R4 \
	MOVD	c+40(FP), R5 \
	MOVD	d+48(FP), R6 \
	MOVD	length+56(FP), R7 \
	LDP	(R0), (R8, R9) \
	LDP	16(R0), (R10, R11) \
	VDUP	R8, V24.D2 \
	VDUP	R9, V25.D2 \
	VDUP	R10, V26.D2 \
	VDUP	R11, V27.D2

#define COPY(a, b, c, d) \
	VMOV	V24.B16, a.B16 \
	VMOV	V25.B16, b.B16 \
	VMOV	V26.B16, c.B16 \
	VMOV	V27.B16, d.B16

#define BEGIN \
	COPY(V0, V1, V2, V3) \
	COPY(V4, V5, V6, V7) \
	COPY(V8, V9, V10, V11) \
	COPY(V12, V13, V14, V15) \
	MOVD	R4, R12

// TAGS stores the xor of all words of each state, and leaves the states as they are.
#define TAG(a, b, c, d, t, u) \
	VEOR	a.B16, b.B16, t.B16 \
	VEOR	c.B16, d.B16, u.B16 \
	VEOR	u.B16, t.B16, t.B16

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
	BEGIN
word:
	VLD1.P	64(R2), [V16.B16, V17.B16, V18.B16, V19.B16]
	XOR(V3, V7, V11, V15)
	MOVD	R5, R13
round:
	ROUND
	SUBS	$1, R13
	BNE	round
	XOR(V0, V4, V8, V12)
	SUBS	$1, R12
	BNE	word
	CBZ	R7, end
	FILL(R7)
	XOR(V3, V7, V11, V15)
	MOVD	R5, R13
last:
	ROUND
	SUBS	$1, R13
	BNE	last
	XOR(V0, V4, V8, V12)
end:
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
	BEGIN
word:
	VLD1.P	64(R2), [V16.B16, V17.B16, V18.B16, V19.B16]
	XOR(V3, V7, V11, V15)
	MOVD	R5, R13
round:
	ROUND
	SUBS	$1, R13
	BNE	round
	XOR(V0, V4, V8, V12)
	SUBS	$1, R12
	BNE	word
	CBZ	R7, end
	FILL(R7)
	XOR(V3, V7, V11, V15)
	MOVD	R5, R13
last:
	ROUND
	SUBS	$1, R13
	BNE	last
	XOR(V0, V4, V8, V12)
end:
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
