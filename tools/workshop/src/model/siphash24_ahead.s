// One word of SipHash-2-4 a turn, the rotations apart and the next word injected beside the last round, as in
// siphash_x1_dup.rs, with each rotation in an inline assembly `ror`, as rustc 1.96 compiles it.
add x9, x9, x12
ror x13, x12, #51
add x10, x10, x11
ror x12, x11, #48
eor x11, x13, x9
ror x13, x9, #32
eor x12, x12, x10
add x9, x11, x10
ror x10, x11, #47
add x11, x13, x12
ror x13, x12, #43
eor x10, x10, x9
eor x12, x13, x11
ror x13, x9, #32
mov x9, x1
ldr x1, [x2], #8
add x13, x13, x12
ror x14, x12, #27
ror x15, x12, #48
add x11, x10, x11
eor x12, x15, x13
eor x14, x14, x1
ror x15, x11, #32
add x15, x15, x12
ror x12, x10, #51
eor x10, x12, x11
ror x16, x13, #43
eor x14, x16, x14
add x11, x10, x13
ror x12, x10, #47
eor x9, x15, x9
subs x8, x8, #0x8
eor x12, x12, x11
ror x10, x11, #32
eor x11, x15, x14
b.ne 0 <turn>
