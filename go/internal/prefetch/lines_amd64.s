//go:build !purego

#include "textflag.h"

// func Lines(addresses []unsafe.Pointer)
TEXT ·Lines(SB), NOSPLIT, $0-24
	MOVQ addresses_base+0(FP), SI
	MOVQ addresses_len+8(FP), CX
	LEAQ (SI)(CX*8), CX
	JMP  more

next:
	MOVQ       (SI), AX
	PREFETCHT0 (AX)
	ADDQ       $8, SI

more:
	CMPQ SI, CX
	JNE  next
	RET
