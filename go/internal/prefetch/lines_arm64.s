//go:build !purego

#include "textflag.h"

// func Lines(addresses []unsafe.Pointer)
TEXT ·Lines(SB), NOSPLIT, $0-24
	MOVD addresses_base+0(FP), R0
	MOVD addresses_len+8(FP), R1
	ADD  R1<<3, R0, R1
	B    more

next:
	MOVD.P 8(R0), R2
	PRFM   (R2), PLDL1KEEP

more:
	CMP R0, R1
	BNE next
	RET
