// The same for Apple's CPUs (go/siphash/turns_darwin_arm64.go).
ldr x10, [x1, #8]
eor x11, x10, x7
add x12, x5, x6
ror x15, x6, x13
add x17, x8, x11
ror x11, x11, x9
eor x15, x12, x15
eor x11, x11, x17
ror x12, x12, #32
add x17, x17, x15
ror x15, x15, x14
add x12, x11, x12
ror x11, x11, x16
eor x15, x17, x15
eor x11, x11, x12
ror x17, x17, #32
add x12, x15, x12
ror x15, x15, x13
add x17, x11, x17
ror x11, x11, x9
eor x15, x15, x12
eor x11, x17, x11
ror x12, x12, #32
add x17, x15, x17
ror x15, x15, x14
add x12, x12, x11
ror x11, x11, x16
nop
nop
eor x5, x10, x12
eor x6, x15, x17
eor x7, x11, x12
ror x8, x17, #32
add x1, x1, #8
sub x2, x2, #8
cmp x2, #16
b.ge 0 <turn>
