// One word of SipHash-2-4 a turn: the loop of `halves` in go/siphash/one.go, as Go 1.26 compiles it for arm64.
ldr x9, [x1, #8]
eor x10, x9, x8
add x11, x5, x6
add x12, x7, x10
eor x13, x11, x6, ror #51
eor x10, x12, x10, ror #48
ror x11, x11, #32
add x12, x12, x13
add x11, x10, x11
eor x13, x12, x13, ror #47
eor x10, x11, x10, ror #43
ror x12, x12, #32
add x11, x13, x11
add x12, x10, x12
eor x13, x11, x13, ror #51
eor x10, x12, x10, ror #48
ror x11, x11, #32
add x12, x13, x12
add x11, x11, x10
nop
nop
eor x5, x9, x11
eor x6, x12, x13, ror #47
eor x8, x11, x10, ror #43
ror x7, x12, #32
add x1, x1, #8
sub x2, x2, #8
cmp x2, #16
b.ge 0 <turn>
