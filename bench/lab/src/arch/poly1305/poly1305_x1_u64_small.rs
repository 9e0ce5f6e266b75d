//! Poly1305, one block at a time, base 2^64, in as few bytes of code as its speed allows.
//!
//! id        poly1305_x1_u64_small        slot  poly1305-x1        requires  nothing
//! does      h <- (h + m) r  (mod 2^130 - 5), partly reduced, as poly1305_x1_u64
//! bounds    h2 <= 7 on entry, h2 <= 4 on exit; those of poly1305_x1_u64, whose sums these are
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [RFC8439, 2.5] and [OpenSSL-survey]
//!
//! The code of a block stands once, in a function that is not inlined. It takes the bit 2^128 as an argument. The last
//! block is padded in memory by a loop over its bytes, and is then a slice of one block. poly1305_x1_u64 has that code
//! twice, and puts a last block together in registers, which is faster for short messages.

use core::hint::black_box;
use keylane::job::poly1305::{Blocks, State, X1};
use keylane::kernel;

kernel! {
    /// One message.
    pub ONE: X1 = "poly1305_x1_u64_small", lanes 1, requires [], |job: Blocks<'_>| one(job)
}

/// Absorbs blocks. If `whole` is 1, each counts 2^128 more.
#[inline(never)]
fn absorb(state: &mut State, blocks: &[[u8; 16]], whole: u64) {
    let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
    let [r0, r1] = state.key.r;
    let s1 = r1 + (r1 >> 2);
    let [mut h0, mut h1, mut h2] = state.h;
    for &block in blocks {
        let m = u128::from_le_bytes(block);
        let (sum, carry) = (u128::from(h0) | u128::from(h1) << 64).overflowing_add(m);
        h2 += whole + u64::from(carry);
        // d0 and middle are below 2^126, and d2 < 11 * 2^60.
        let (low, high) = (sum as u64, (sum >> 64) as u64);
        let d0 = product(low, r0) + product(high, s1);
        let middle = product(low, r1) + product(high, r0) + u128::from(h2 * s1);
        // The high half of d0 is ready last, so it is added last.
        let (d1, carry) = (middle as u64).overflowing_add((d0 >> 64) as u64);
        let d2 = (middle >> 64) as u64 + h2 * r0 + u64::from(carry);
        // 5 (d2 / 4) returns at 1.
        let folded = u128::from((d2 & !3) + (d2 >> 2));
        let (sum, carry) = (u128::from(d0 as u64) | u128::from(d1) << 64).overflowing_add(folded);
        (h0, h1, h2) = (sum as u64, (sum >> 64) as u64, (d2 & 3) + u64::from(carry));
    }
    state.h = [h0, h1, h2];
}

/// Absorbs whole blocks, and `tail` as the last block unless it is empty.
fn one(job: Blocks<'_>) {
    absorb(job.state, job.blocks, 1);
    if !job.tail.is_empty() {
        let mut block = [0; 16];
        for (place, &byte) in block.iter_mut().zip(job.tail) {
            // One byte a turn: unrolled, the loop alone has more code than a block.
            *place = black_box(byte);
        }
        if let Some(end) = block.get_mut(job.tail.len()) {
            *end = 1;
        }
        absorb(job.state, &[block], 0);
    }
}
