package siphash

// The same numbers as in turns.go, but the compiler must not know them. It would join each rotation with the xor after
// it into one instruction. That takes two cycles on Apple's CPUs, where a rotation and a xor take one each and a rotation
// runs beside an addition. So a round would take 6 cycles instead of 4.
//
// HalfSipHash needs no such file: the compiler joins no rotation of 32 bits.
var (
	firstV1  = 13
	firstV3  = 16
	secondV1 = 17
	secondV3 = 21
)
