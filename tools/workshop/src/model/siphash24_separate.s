// One word of SipHash-2-4 a turn, the rotations apart from the xors: `State::absorb` with each rotation in an
// inline assembly `ror`, as rustc 1.96 compiles it.
ldr x10, [x1], #8
add x13, x13, x9
ror x14, x9, #51
subs x8, x8, #0x8
eor x9, x10, x12
eor x12, x14, x13
ror x14, x12, #47
add x11, x9, x11
ror x15, x9, #48
add x9, x11, x12
ror x12, x13, #32
eor x11, x15, x11
eor x13, x14, x9
add x12, x12, x11
ror x14, x11, #43
ror x11, x9, #32
eor x9, x14, x12
add x12, x13, x12
ror x14, x13, #51
add x11, x11, x9
eor x13, x14, x12
ror x14, x9, #48
add x15, x13, x11
ror x9, x13, #47
eor x11, x14, x11
ror x13, x12, #32
ror x12, x11, #43
add x13, x13, x11
eor x9, x9, x15
ror x11, x15, #32
eor x12, x12, x13
eor x13, x13, x10
b.ne 0 <turn>
