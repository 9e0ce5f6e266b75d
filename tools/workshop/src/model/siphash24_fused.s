// One word of SipHash-2-4 a turn, as rustc 1.96 compiles siphash_x1.rs: rotations in the xors where it can.
ldr x15, [x9], #8
add x14, x14, x11
eor x11, x14, x11, ror #51
ror x14, x14, #32
subs x10, x10, #0x8
eor x13, x15, x13
add x12, x13, x12
eor x13, x12, x13, ror #48
add x12, x12, x11
eor x11, x12, x11, ror #47
ror x12, x12, #32
add x14, x13, x14
eor x13, x14, x13, ror #43
add x14, x11, x14
eor x11, x14, x11, ror #51
ror x14, x14, #32
add x12, x13, x12
eor x13, x12, x13, ror #48
add x12, x12, x11
eor x11, x12, x11, ror #47
ror x12, x12, #32
add x14, x13, x14
eor x13, x14, x13, ror #43
eor x14, x14, x15
b.ne 0 <turn>
