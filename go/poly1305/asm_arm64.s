//go:build !purego

#include "textflag.h"

// Poly1305, four blocks of one message at a time, base 2^26.
//
// x = x0 + 2^26 x1 + ... + 2^104 x4, and 2^130 = 5 (mod p). UMLAL multiplies the two lower lanes of a vector, UMLAL2 the
// two upper ones, and both add the products to two lanes of 64 bits. A group is 4 blocks: a vector holds one limb of each,
// of blocks 0 and 1 in its lower half and of blocks 2 and 3 in its upper half. Let A be the accumulator, a number in each
// of two lanes, where lane 1 of h is 0:
//
//	A <- h
//	A <- (A + M1) r^4k + M1' r^(4k-2) + ... + Mk r^4 + Mk' r^2     a turn: k <= depth groups, one carry
//	sum over the lanes of (A + M) (r^4, r^3) + M' (r^2, r)         the last group
//
// A turn has 15 products instead of 25 for two blocks, by Karatsuba's identity
//
//	xi yj + xj yi = (xi + xj) (yi + yj) - xi yi - xj yj
//
// It is linear in the products, so a turn applies it to its sums. They are d0, ..., d4 of the squares xi yi, and e0, ...,
// e4 of the crosses (xi + xj) (yi + yj), by column. The crosses of the pairs (1, 4), (2, 3), (2, 4) and (3, 4) stand at
// 2^130 or above, so the table has their factors times 5. The columns are
//
//	c0 = e0 + d0 - 5 (d1 + d2 + d3 + d4)
//	c1 = e1 - d0 - d1 - 5 (d2 - d3 + d4)
//	c2 = e2 - d0 + d1 - d2 - 5 (d3 + d4)
//	c3 = e3 - d0 - d1 - d2 - d3 + 5 d4
//	c4 = e4 - d0 - d1 + d2 - d3 - d4
//
// A column is a sum of products, so it is not negative, and differences are exact modulo 2^64.
//
// Bounds, checked by the package's tests:
//
//	limb after a carry              below 2^26 + 2^13
//	limb of a block or of a power   below 2^27
//	factor                          below 2^31
//	column of a turn                below 2^61
//	column of the last group        below 2^62, summed over the lanes
//
// V0-V4    d0 to d4; the limbs of A, as 64-bit numbers; the columns of the last group
// V5-V9    e0 to e4; the columns of a turn
// V10-V14  the limbs of a group
// V15-V16  temporaries
// V17-V18  2^26 - 1 in lanes of 32 and of 64 bits
// V19      2^24 in lanes of 32 bits, which is 2^128 in limb 4
// V20-V31  the words of a group, then the factors
//
// R0 h   R1 powers   R2 depth - 1   R3 p   R4 groups that are left   R5 groups that are left in the turn
// R6 factors of the next group   R7 is temporary

// The assembler does not know these instructions. Registers are numbers: d += n m, of the lower or upper lanes of n. In
// a PAIR, m is lane 0 or 2 for the lower lanes of n, and lane 1 or 3 for the upper ones.
#define UMULLOP 0x2f80a000
#define UMLALOP 0x2f802000
#define PAIR(op, m, half, n, d) \
	WORD	$(op | m<<16 | half<<11 | n<<5 | d) \
	WORD	$(0x6fa02000 | m<<16 | half<<11 | n<<5 | d) // umlal2 d.2d, n.4s, m.s[2*half+1]
#define UMULL(m, n, d) WORD $(0x2ea0c000 | m<<16 | n<<5 | d) // umull d.2d, n.2s, m.2s
#define UMLAL(m, n, d) WORD $(0x2ea08000 | m<<16 | n<<5 | d) // umlal d.2d, n.2s, m.2s
#define UMLAL2(m, n, d) WORD $(0x6ea08000 | m<<16 | n<<5 | d) // umlal2 d.2d, n.4s, m.4s

// LIMBS loads the next group and adds 2^128 to each block.
#define LIMBS \
	VLD4.P	64(R3), [V20.S4, V21.S4, V22.S4, V23.S4] \
	VAND	V17.B16, V20.B16, V10.B16 \
	VUSHR	$26, V20.S4, V11.S4 \
	VUSHR	$20, V21.S4, V12.S4 \
	VUSHR	$14, V22.S4, V13.S4 \
	VUSHR	$8, V23.S4, V14.S4 \
	VSLI	$6, V21.S4, V11.S4 \
	VSLI	$12, V22.S4, V12.S4 \
	VSLI	$18, V23.S4, V13.S4 \
	VORR	V19.B16, V14.B16, V14.B16 \
	VAND	V17.B16, V11.B16, V11.B16 \
	VAND	V17.B16, V12.B16, V12.B16 \
	VAND	V17.B16, V13.B16, V13.B16

// JOIN adds A to the lower halves of the limbs.
#define JOIN \
	VEOR	V16.B16, V16.B16, V16.B16 \
	JOINLIMB(V0, V10) \
	JOINLIMB(V1, V11) \
	JOINLIMB(V2, V12) \
	JOINLIMB(V3, V13) \
	JOINLIMB(V4, V14)
#define JOINLIMB(a, x) \
	VUZP1	V16.S4, a.S4, V15.S4 \
	VADD	V15.S4, x.S4, x.S4

// CROSS is PAIR for the sum of two limbs.
#define CROSS(op, m, half, x, y, d) \
	VADD	x.S4, y.S4, V15.S4 \
	PAIR(op, m, half, 15, d)

// PRODUCTS loads the factors of a group, and adds its products to the sums. With UMULLOP they replace the sums.
#define PRODUCTS(op) \
	VLD1.P	64(R6), [V24.S4, V25.S4, V26.S4, V27.S4] \
	VLD1	(R6), [V28.S4, V29.S4, V30.S4, V31.S4] \
	SUB	$192, R6, R6 \
	PAIR(op, 24, 0, 10, 0) \
	CROSS(op, 26, 1, V10, V11, 6) \
	CROSS(op, 27, 0, V10, V12, 7) \
	CROSS(op, 27, 1, V10, V13, 8) \
	CROSS(op, 28, 0, V10, V14, 9) \
	PAIR(op, 24, 1, 11, 1) \
	CROSS(UMLALOP, 28, 1, V11, V12, 8) \
	CROSS(UMLALOP, 29, 0, V11, V13, 9) \
	CROSS(op, 29, 1, V11, V14, 5) \
	PAIR(op, 25, 0, 12, 2) \
	CROSS(UMLALOP, 30, 0, V12, V13, 5) \
	CROSS(UMLALOP, 30, 1, V12, V14, 6) \
	PAIR(op, 25, 1, 13, 3) \
	CROSS(UMLALOP, 31, 0, V13, V14, 7) \
	PAIR(op, 26, 0, 14, 4)

// LESS is c -= x, and LESS5 is c -= 5 x, which changes x.
#define LESS(x, c) VSUB x.D2, c.D2, c.D2
#define LESS5(x, c) \
	LESS(x, c) \
	VSHL	$2, x.D2, x.D2 \
	LESS(x, c)

// COLUMNS puts the columns c0 to c4 into V5 to V9.
#define COLUMNS \
	VADD	V0.D2, V1.D2, V10.D2 \
	VADD	V3.D2, V4.D2, V11.D2 \
	VADD	V2.D2, V10.D2, V12.D2 \
	VADD	V2.D2, V4.D2, V13.D2 \
	VADD	V1.D2, V2.D2, V14.D2 \
	VADD	V0.D2, V5.D2, V5.D2 \
	VADD	V11.D2, V14.D2, V14.D2 \
	LESS(V3, V13) \
	LESS5(V14, V5) \
	LESS(V10, V6) \
	LESS5(V13, V6) \
	LESS(V12, V7) \
	VADD	V1.D2, V7.D2, V7.D2 \
	VADD	V1.D2, V7.D2, V7.D2 \
	LESS5(V11, V7) \
	LESS(V12, V8) \
	LESS(V3, V8) \
	VADD	V4.D2, V8.D2, V8.D2 \
	VSHL	$2, V4.D2, V15.D2 \
	VADD	V15.D2, V8.D2, V8.D2 \
	LESS(V10, V9) \
	VADD	V2.D2, V9.D2, V9.D2 \
	LESS(V3, V9) \
	LESS(V4, V9)

// CARRY puts the carried columns into V0 to V4. Two chains run at the same time, from c0 and from c3.
#define CARRY \
	VUSRA	$26, V5.D2, V6.D2 \
	VUSRA	$26, V8.D2, V9.D2 \
	VAND	V18.B16, V5.B16, V0.B16 \
	VAND	V18.B16, V8.B16, V3.B16 \
	VUSHR	$26, V9.D2, V15.D2 \
	VUSRA	$26, V6.D2, V7.D2 \
	VADD	V15.D2, V0.D2, V0.D2 \
	VSHL	$2, V15.D2, V15.D2 \
	VAND	V18.B16, V9.B16, V4.B16 \
	VAND	V18.B16, V6.B16, V1.B16 \
	VADD	V15.D2, V0.D2, V0.D2 \
	VUSRA	$26, V7.D2, V3.D2 \
	VAND	V18.B16, V7.B16, V2.B16 \
	VUSRA	$26, V0.D2, V1.D2 \
	VUSRA	$26, V3.D2, V4.D2 \
	VAND	V18.B16, V0.B16, V0.B16 \
	VAND	V18.B16, V3.B16, V3.B16

// ROW adds the products of a limb to all columns, by five factors.
#define ROW(n, m0, m1, m2, m3, m4) \
	UMLAL(m0, n, 0) \
	UMLAL(m1, n, 1) \
	UMLAL(m2, n, 2) \
	UMLAL(m3, n, 3) \
	UMLAL(m4, n, 4) \
	ROW2(n, m0, m1, m2, m3, m4)
#define ROW2(n, m0, m1, m2, m3, m4) \
	UMLAL2(m0, n, 0) \
	UMLAL2(m1, n, 1) \
	UMLAL2(m2, n, 2) \
	UMLAL2(m3, n, 3) \
	UMLAL2(m4, n, 4)

// func absorbNEON(h *[5]uint64, powers *table, depth int, p *byte, groups int)
TEXT ·absorbNEON(SB), NOSPLIT, $0-40
	MOVD	h+0(FP), R0
	MOVD	powers+8(FP), R1
	MOVD	depth+16(FP), R2
	MOVD	p+24(FP), R3
	MOVD	groups+32(FP), R4
	MOVD	$0x3ffffff, R7
	VDUP	R7, V17.S4
	VDUP	R7, V18.D2
	MOVD	$0x1000000, R7
	VDUP	R7, V19.S4
	FMOVD	(R0), F0
	FMOVD	8(R0), F1
	FMOVD	16(R0), F2
	FMOVD	24(R0), F3
	FMOVD	32(R0), F4
	SUB	$1, R2, R2
	SUBS	$1, R4, R4
	BEQ	last

turn:
	// Take 1 to depth groups, and leave a multiple of depth.
	SUB	$1, R4, R5
	AND	R2, R5, R5
	SUB	R5, R4, R4
	SUB	$1, R4, R4
	ADD	$144, R1, R6
	ADD	R5<<7, R6, R6
	LIMBS
	JOIN
	PRODUCTS(UMULLOP)
	CBZ	R5, carry

step:
	LIMBS
	PRODUCTS(UMLALOP)
	SUB	$1, R5, R5
	CBNZ	R5, step

carry:
	COLUMNS
	CARRY
	CBNZ	R4, turn

last:
	LIMBS
	JOIN
	VLD1.P	64(R1), [V20.S4, V21.S4, V22.S4, V23.S4]
	VLD1.P	64(R1), [V24.S4, V25.S4, V26.S4, V27.S4]
	VLD1	(R1), [V28.S4]
	UMULL(20, 10, 0)
	UMULL(21, 10, 1)
	UMULL(22, 10, 2)
	UMULL(23, 10, 3)
	UMULL(24, 10, 4)
	ROW2(10, 20, 21, 22, 23, 24)
	ROW(11, 28, 20, 21, 22, 23)
	ROW(12, 27, 28, 20, 21, 22)
	ROW(13, 26, 27, 28, 20, 21)
	ROW(14, 25, 26, 27, 28, 20)
	VADDP	V1.D2, V0.D2, V0.D2
	VADDP	V3.D2, V2.D2, V2.D2
	VADDP	V4.D2, V4.D2, V4.D2
	VST1.P	[V0.D2], 16(R0)
	VST1.P	[V2.D2], 16(R0)
	FMOVD	F4, (R0)
	RET
