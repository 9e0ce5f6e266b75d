//go:build !purego

#include "textflag.h"

// ChaCha20, four blocks at a time: sixteen vectors hold their sixteen words, a block in each lane. One or two blocks of a
// message are done in rows instead, a row of four words in each vector.
//
// A rotation is one operation by 16 and by 8, and two by 12 and by 7.
//
// V0-V15   the words, or two blocks in rows
// V16-V19  temporaries
// V20      the indices that rotate words by 8
// V21      0, 1, 2, 3
// V24-V31  in rows: the input of two blocks
//
// R0 dst or out   R1 src or table   R2 blocks that are left   R3 key   R4 words 12 to 15 of the input   R5 block number
// R6 counts rounds   R7-R10 are temporary

DATA sigma<>+0(SB)/8, $0x3320646e61707865
DATA sigma<>+8(SB)/8, $0x6b20657479622d32
GLOBL sigma<>(SB), NOPTR|RODATA, $16

DATA numbers<>+0(SB)/8, $0x0000000100000000
DATA numbers<>+8(SB)/8, $0x0000000300000002
GLOBL numbers<>(SB), NOPTR|RODATA, $16

DATA by8<>+0(SB)/8, $0x0605040702010003
DATA by8<>+8(SB)/8, $0x0e0d0c0f0a09080b
GLOBL by8<>(SB), NOPTR|RODATA, $16

// CONSTANTS loads V20 and V21.
#define CONSTANTS \
	MOVD	$by8<>(SB), R7 \
	VLD1	(R7), [V20.B16] \
	MOVD	$numbers<>(SB), R7 \
	VLD1	(R7), [V21.S4]

// FOUR copies four words at p to all lanes of four vectors, and moves p.
#define FOUR(p, a, b, c, d) \
	VLD1R.P	4(p), [a.S4] \
	VLD1R.P	4(p), [b.S4] \
	VLD1R.P	4(p), [c.S4] \
	VLD1R.P	4(p), [d.S4]

// ROWS loads the next four rows of a table.
#define ROWS(a, b, c, d) \
	VLD1.P	(R8)(R9), [a.S4] \
	VLD1.P	(R8)(R9), [b.S4] \
	VLD1.P	(R8)(R9), [c.S4] \
	VLD1.P	(R8)(R9), [d.S4]

// ADD4 adds V16 to V19 to four vectors.
#define ADD4(a, b, c, d) \
	VADD	V16.S4, a.S4, a.S4 \
	VADD	V17.S4, b.S4, b.S4 \
	VADD	V18.S4, c.S4, c.S4 \
	VADD	V19.S4, d.S4, d.S4

// ADDXOR is a0 += b0, d0 ^= a0, and so on.
#define ADDXOR(a0, b0, d0, a1, b1, d1, a2, b2, d2, a3, b3, d3) \
	VADD	b0.S4, a0.S4, a0.S4 \
	VADD	b1.S4, a1.S4, a1.S4 \
	VADD	b2.S4, a2.S4, a2.S4 \
	VADD	b3.S4, a3.S4, a3.S4 \
	VEOR	a0.B16, d0.B16, d0.B16 \
	VEOR	a1.B16, d1.B16, d1.B16 \
	VEOR	a2.B16, d2.B16, d2.B16 \
	VEOR	a3.B16, d3.B16, d3.B16

// ADDXORSHIFT is c0 += d0, b0 = (b0 ^ c0) <<< n, and so on.
#define ADDXORSHIFT(c0, d0, b0, c1, d1, b1, c2, d2, b2, c3, d3, b3, n) \
	VADD	d0.S4, c0.S4, c0.S4 \
	VADD	d1.S4, c1.S4, c1.S4 \
	VADD	d2.S4, c2.S4, c2.S4 \
	VADD	d3.S4, c3.S4, c3.S4 \
	VEOR	c0.B16, b0.B16, V16.B16 \
	VEOR	c1.B16, b1.B16, V17.B16 \
	VEOR	c2.B16, b2.B16, V18.B16 \
	VEOR	c3.B16, b3.B16, V19.B16 \
	VSHL	$(n), V16.S4, b0.S4 \
	VSHL	$(n), V17.S4, b1.S4 \
	VSHL	$(n), V18.S4, b2.S4 \
	VSHL	$(n), V19.S4, b3.S4 \
	VSRI	$(32-n), V16.S4, b0.S4 \
	VSRI	$(32-n), V17.S4, b1.S4 \
	VSRI	$(32-n), V18.S4, b2.S4 \
	VSRI	$(32-n), V19.S4, b3.S4

// ROUND is four quarter rounds.
#define ROUND(a0, b0, c0, d0, a1, b1, c1, d1, a2, b2, c2, d2, a3, b3, c3, d3) \
	ADDXOR(a0, b0, d0, a1, b1, d1, a2, b2, d2, a3, b3, d3) \
	VREV32	d0.H8, d0.H8 \
	VREV32	d1.H8, d1.H8 \
	VREV32	d2.H8, d2.H8 \
	VREV32	d3.H8, d3.H8 \
	ADDXORSHIFT(c0, d0, b0, c1, d1, b1, c2, d2, b2, c3, d3, b3, 12) \
	ADDXOR(a0, b0, d0, a1, b1, d1, a2, b2, d2, a3, b3, d3) \
	VTBL	V20.B16, [d0.B16], d0.B16 \
	VTBL	V20.B16, [d1.B16], d1.B16 \
	VTBL	V20.B16, [d2.B16], d2.B16 \
	VTBL	V20.B16, [d3.B16], d3.B16 \
	ADDXORSHIFT(c0, d0, b0, c1, d1, b1, c2, d2, b2, c3, d3, b3, 7)

// DOUBLEROUND is a round of the columns, and one of the diagonals.
#define DOUBLEROUND \
	ROUND(V0, V4, V8, V12, V1, V5, V9, V13, V2, V6, V10, V14, V3, V7, V11, V15) \
	ROUND(V0, V5, V10, V15, V1, V6, V11, V12, V2, V7, V8, V13, V3, V4, V9, V14)

// TRANSPOSE transposes four words of four blocks.
#define TRANSPOSE(a, b, c, d) \
	VZIP1	b.S4, a.S4, V16.S4 \
	VZIP1	d.S4, c.S4, V17.S4 \
	VZIP2	b.S4, a.S4, V18.S4 \
	VZIP2	d.S4, c.S4, V19.S4 \
	VZIP1	V17.D2, V16.D2, a.D2 \
	VZIP2	V17.D2, V16.D2, b.D2 \
	VZIP1	V19.D2, V18.D2, c.D2 \
	VZIP2	V19.D2, V18.D2, d.D2

// TRANSPOSEALL puts block i into Vi, V(4+i), V(8+i), V(12+i).
#define TRANSPOSEALL \
	TRANSPOSE(V0, V1, V2, V3) \
	TRANSPOSE(V4, V5, V6, V7) \
	TRANSPOSE(V8, V9, V10, V11) \
	TRANSPOSE(V12, V13, V14, V15)

// PUT XORs a block with the next of src into dst.
#define PUT(a, b, c, d) \
	VLD1.P	64(R1), [V16.B16, V17.B16, V18.B16, V19.B16] \
	VEOR	a.B16, V16.B16, V16.B16 \
	VEOR	b.B16, V17.B16, V17.B16 \
	VEOR	c.B16, V18.B16, V18.B16 \
	VEOR	d.B16, V19.B16, V19.B16 \
	VST1.P	[V16.B16, V17.B16, V18.B16, V19.B16], 64(R0)

// COPY writes a block to out.
#define COPY(a, b, c, d) \
	VMOV	a.B16, V16.B16 \
	VMOV	b.B16, V17.B16 \
	VMOV	c.B16, V18.B16 \
	VMOV	d.B16, V19.B16 \
	VST1.P	[V16.B16, V17.B16, V18.B16, V19.B16], 64(R0)

// ROWSTEP is a += b, d ^= a of both blocks, and ROWSHIFT is c += d, b = (b ^ c) <<< n.
#define ROWSTEP \
	VADD	V1.S4, V0.S4, V0.S4 \
	VADD	V5.S4, V4.S4, V4.S4 \
	VEOR	V0.B16, V3.B16, V3.B16 \
	VEOR	V4.B16, V7.B16, V7.B16
#define ROWSHIFT(n) \
	VADD	V3.S4, V2.S4, V2.S4 \
	VADD	V7.S4, V6.S4, V6.S4 \
	VEOR	V2.B16, V1.B16, V16.B16 \
	VEOR	V6.B16, V5.B16, V17.B16 \
	VSHL	$(n), V16.S4, V1.S4 \
	VSHL	$(n), V17.S4, V5.S4 \
	VSRI	$(32-n), V16.S4, V1.S4 \
	VSRI	$(32-n), V17.S4, V5.S4

// ROUNDOFROWS is four quarter rounds of both blocks. Then the rows 0, 3 and 2 move by so many bytes.
#define ROUNDOFROWS(m, n) \
	ROWSTEP \
	VREV32	V3.H8, V3.H8 \
	VREV32	V7.H8, V7.H8 \
	ROWSHIFT(12) \
	ROWSTEP \
	VTBL	V20.B16, [V3.B16], V3.B16 \
	VTBL	V20.B16, [V7.B16], V7.B16 \
	ROWSHIFT(7) \
	VEXT	$(m), V0.B16, V0.B16, V0.B16 \
	VEXT	$(m), V4.B16, V4.B16, V4.B16 \
	VEXT	$8, V3.B16, V3.B16, V3.B16 \
	VEXT	$8, V7.B16, V7.B16, V7.B16 \
	VEXT	$(n), V2.B16, V2.B16, V2.B16 \
	VEXT	$(n), V6.B16, V6.B16, V6.B16

// func xorNEON(dst, src *byte, blocks int, key *[8]uint32, first, last uint64)
TEXT ·xorNEON(SB), NOSPLIT, $0-48
	MOVD	dst+0(FP), R0
	MOVD	src+8(FP), R1
	MOVD	blocks+16(FP), R2
	MOVD	key+24(FP), R3
	MOVD	$first+32(FP), R4
	MOVWU	(R4), R5
	CONSTANTS

next:
	CMP	$2, R2
	BLS	two
	MOVD	$sigma<>(SB), R7
	FOUR(R7, V0, V1, V2, V3)
	MOVD	R3, R8
	FOUR(R8, V4, V5, V6, V7)
	FOUR(R8, V8, V9, V10, V11)
	MOVD	R4, R8
	FOUR(R8, V12, V13, V14, V15)
	VDUP	R5, V12.S4
	VADD	V21.S4, V12.S4, V12.S4
	MOVD	$10, R6

rounds:
	DOUBLEROUND
	SUB	$1, R6, R6
	CBNZ	R6, rounds

	MOVD	$sigma<>(SB), R7
	FOUR(R7, V16, V17, V18, V19)
	ADD4(V0, V1, V2, V3)
	MOVD	R3, R8
	FOUR(R8, V16, V17, V18, V19)
	ADD4(V4, V5, V6, V7)
	FOUR(R8, V16, V17, V18, V19)
	ADD4(V8, V9, V10, V11)
	MOVD	R4, R8
	FOUR(R8, V16, V17, V18, V19)
	VDUP	R5, V16.S4
	VADD	V21.S4, V16.S4, V16.S4
	ADD4(V12, V13, V14, V15)
	TRANSPOSEALL
	PUT(V0, V4, V8, V12)
	PUT(V1, V5, V9, V13)
	PUT(V2, V6, V10, V14)
	CMP	$3, R2
	BLS	done
	PUT(V3, V7, V11, V15)
	ADDW	$4, R5, R5
	SUB	$4, R2, R2
	CBNZ	R2, next

done:
	RET

two:
	// Joined in registers, since a load cannot take several recent stores.
	MOVD	$sigma<>(SB), R7
	VLD1	(R7), [V24.S4]
	VLD1	(R3), [V25.S4, V26.S4]
	MOVWU	4(R4), R8
	MOVD	8(R4), R9
	LSL	$32, R8, R8
	ORR	R5, R8, R10
	VMOV	R10, V27.D[0]
	VMOV	R9, V27.D[1]
	ADDW	$1, R5, R10
	ORR	R10, R8, R10
	VMOV	R10, V28.D[0]
	VMOV	R9, V28.D[1]
	VMOV	V24.B16, V0.B16
	VMOV	V25.B16, V1.B16
	VMOV	V26.B16, V2.B16
	VMOV	V27.B16, V3.B16
	VMOV	V24.B16, V4.B16
	VMOV	V25.B16, V5.B16
	VMOV	V26.B16, V6.B16
	VMOV	V28.B16, V7.B16
	MOVD	$10, R6

roundsOfRows:
	ROUNDOFROWS(12, 4)
	ROUNDOFROWS(4, 12)
	SUB	$1, R6, R6
	CBNZ	R6, roundsOfRows

	VADD	V24.S4, V0.S4, V0.S4
	VADD	V25.S4, V1.S4, V1.S4
	VADD	V26.S4, V2.S4, V2.S4
	VADD	V27.S4, V3.S4, V3.S4
	PUT(V0, V1, V2, V3)
	CMP	$1, R2
	BLS	done
	VADD	V24.S4, V4.S4, V4.S4
	VADD	V25.S4, V5.S4, V5.S4
	VADD	V26.S4, V6.S4, V6.S4
	VADD	V28.S4, V7.S4, V7.S4
	PUT(V4, V5, V6, V7)
	RET

// func lanesNEON(out *[1024]byte, table *[192]uint32, blocks int)
TEXT ·lanesNEON(SB), NOSPLIT, $0-24
	MOVD	out+0(FP), R0
	MOVD	table+8(FP), R1
	MOVD	blocks+16(FP), R2
	MOVD	$64, R9
	CONSTANTS

next:
	MOVD	$sigma<>(SB), R7
	FOUR(R7, V0, V1, V2, V3)
	MOVD	R1, R8
	ROWS(V4, V5, V6, V7)
	ROWS(V8, V9, V10, V11)
	ROWS(V12, V13, V14, V15)
	MOVD	$10, R6

rounds:
	DOUBLEROUND
	SUB	$1, R6, R6
	CBNZ	R6, rounds

	MOVD	$sigma<>(SB), R7
	FOUR(R7, V16, V17, V18, V19)
	ADD4(V0, V1, V2, V3)
	MOVD	R1, R8
	ROWS(V16, V17, V18, V19)
	ADD4(V4, V5, V6, V7)
	ROWS(V16, V17, V18, V19)
	ADD4(V8, V9, V10, V11)
	ROWS(V16, V17, V18, V19)
	ADD4(V12, V13, V14, V15)
	TRANSPOSEALL
	COPY(V0, V4, V8, V12)
	COPY(V1, V5, V9, V13)
	COPY(V2, V6, V10, V14)
	COPY(V3, V7, V11, V15)
	ADD	$16, R1, R1
	SUBS	$4, R2, R2
	BGT	next
	RET
