//! Poly1305, one block at a time, base 2^64, for every CPU with a 64-bit multiplier.
//!
//! id        poly1305_x1_u64        slots  poly1305-x1, poly1305-pn, poly1305-xn        requires  nothing
//! does      h <- (h + m) r  (mod 2^130 - 5), partly reduced
//! bounds    h2 <= 7 on entry, h2 <= 4 on exit; a comment at each sum below bounds it
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [RFC8439, 2.5] and [Poly1305]
//!
//! Write h + m = h0 + 2^64 h1 + 2^128 h2 and r = r0 + 2^64 r1. The key has r1 = 0 mod 4, so
//! s1 = 5 r1 / 4 is an integer, and 2^128 r1 = 2^130 (r1 / 4) = s1 (mod p). The product is then
//!
//! ```text
//! d0 = h0 r0 + h1 s1           at 1
//! d1 = h0 r1 + h1 r0 + h2 s1   at 2^64
//! d2 = h2 r0                   at 2^128
//! ```
//!
//! and everything at 2^130 and above returns times 5. A block is one chain: a multiplication, three additions and a
//! multiplication by 5. That takes about 14 cycles, and no order of the same operations is shorter. The high half of d0
//! is ready last and is added last.

use super::scalar;
use crate::job::barrier::{in_memory, value_barrier};
use crate::job::kernel::kernel;
use crate::job::poly1305::{Batch, Blocks, Key, Message, Pn, State, X1, Xn, last_block};
use crate::job::wipe::wipe;

kernel! {
    /// One message.
    pub ONE: X1 = "poly1305_x1_u64", lanes 1, requires [], |job: Blocks<'_>| one(job)
}

kernel! {
    /// One long message, like a short one.
    pub LONG: Pn = "poly1305_x1_u64", lanes 1, requires [], from usize::MAX, |job: Message<'_>| long(job)
}

kernel! {
    /// Many messages, one after the other.
    pub MANY: Xn = "poly1305_x1_u64", lanes 1, requires [], from usize::MAX, |job: Batch<'_>| many(job)
}

/// The multiplier r and s1 = 5 r1 / 4.
#[derive(Clone, Copy)]
pub struct Multiplier {
    r0: u64,
    r1: u64,
    s1: u64,
}

/// The multipliers of two messages in memory, which is wiped when they are dropped. Each block loads them from there: two
/// chains have no registers for them, and the compiler would put them elsewhere on the stack.
pub struct Pair([Multiplier; 2]);

impl Pair {
    /// Makes the multipliers of two keys.
    #[inline(always)]
    pub fn new(keys: [&Key; 2]) -> Self {
        Pair(keys.map(Multiplier::new))
    }

    /// The multipliers, for one block of each message.
    #[inline(always)]
    pub fn both(&self) -> &[Multiplier; 2] {
        in_memory(&self.0)
    }
}

impl Drop for Pair {
    #[inline(always)]
    fn drop(&mut self) {
        for Multiplier { r0, r1, s1 } in &mut self.0 {
            [r0, r1, s1].into_iter().for_each(wipe);
        }
    }
}

impl Multiplier {
    /// Makes a multiplier of a key, whose r1 is a multiple of 4.
    #[inline(always)]
    pub fn new(key: &Key) -> Self {
        // Where the compiler has both words of r in one vector, it would compute parts of the product there.
        Multiplier::in_registers(key.r.map(value_barrier))
    }

    /// The same, from r in base 2^64 in general registers.
    #[inline(always)]
    pub fn in_registers([r0, r1]: [u64; 2]) -> Self {
        Multiplier { r0, r1, s1: r1 + (r1 >> 2) }
    }

    /// (h + block) r. If `whole` is 1, `block` counts 2^128 more.
    #[inline(always)]
    pub fn absorb(&self, [h0, h1, h2]: [u64; 3], block: u128, whole: u64) -> [u64; 3] {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        // h2 <= 7 + 1 + 1.
        let (h0, carry0) = h0.overflowing_add(block as u64);
        let (h1, carry1) = h1.overflowing_add((block >> 64) as u64);
        let (h1, carry2) = h1.overflowing_add(u64::from(carry0));
        let h2 = h2 + whole + u64::from(carry1 | carry2);

        // r0, r1 < 2^60 and s1 < 2^60.4. d0 < 2^64 (2^60 + 2^60.4) and d1 < 2^64 (2^60 + 2^60) + 9 s1,
        // both below 2^126; d2 <= 9 r0 + 2^61 + 1 < 11 * 2^60.
        let d0 = product(h0, self.r0) + product(h1, self.s1);
        let middle = product(h0, self.r1) + product(h1, self.r0) + u128::from(h2 * self.s1);
        let (d1, carry) = (middle as u64).overflowing_add((d0 >> 64) as u64);
        let d2 = (middle >> 64) as u64 + h2 * self.r0 + u64::from(carry);

        // 5 (d2 / 4) = 4 (d2 / 4) + d2 / 4 < 13.75 * 2^60, no carry. h2 <= 3 + 1 on exit.
        let folded = (d2 & !3) + (d2 >> 2);
        let low = u128::from(d0 as u64) | u128::from(d1) << 64;
        let (low, carry) = low.overflowing_add(u128::from(folded));
        [low as u64, (low >> 64) as u64, (d2 & 3) + u64::from(carry)]
    }
}

/// Absorbs whole blocks, and `tail` as the last block unless it is empty.
#[inline(always)]
pub fn absorb(state: &mut State, blocks: &[[u8; 16]], tail: &[u8]) {
    let r = Multiplier::new(&state.key);
    let mut h = state.h;
    for &block in blocks {
        h = r.absorb(h, u128::from_le_bytes(block), 1);
    }
    state.h = h;
    if !tail.is_empty() {
        absorb_last(state, last_block(tail));
    }
}

/// Absorbs the last block of a message, which contains the byte 1 after the message's bytes.
#[inline(always)]
pub fn absorb_last(state: &mut State, block: u128) {
    state.h = Multiplier::new(&state.key).absorb(state.h, block, 0);
}

fn one(job: Blocks<'_>) {
    absorb(job.state, job.blocks, job.tail);
}

fn long(job: Message<'_>) {
    scalar::block_by_block(job, absorb);
}

fn many(job: Batch<'_>) {
    scalar::one_by_one(job, absorb);
}
