// One word of SipHash-2-4 a turn: the specification's loop, as GCC 12.2 compiles it at -O3.
ldr x2, [x0], #8
add x4, x20, x22
eor x22, x4, x22, ror #51
eor x5, x2, x21
ror x4, x4, #32
add x3, x5, x19
eor x5, x3, x5, ror #48
add x3, x22, x3
eor x22, x3, x22, ror #47
add x4, x4, x5
eor x5, x4, x5, ror #43
ror x3, x3, #32
add x4, x4, x22
add x3, x5, x3
eor x22, x4, x22, ror #51
eor x5, x3, x5, ror #48
add x3, x22, x3
ror x4, x4, #32
add x4, x4, x5
eor x22, x3, x22, ror #47
eor x21, x4, x5, ror #43
eor x20, x2, x4
ror x19, x3, #32
cmp x1, x0
b.ne 0 <turn>
