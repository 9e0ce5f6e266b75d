//! Poly1305, one block at a time, base 2^32, for CPUs without a 64-bit multiplier.
//!
//! id        poly1305_x1_u32        slots  poly1305-x1, poly1305-pn, poly1305-xn        requires  nothing
//! does      h <- (h + m) r  (mod 2^130 - 5), partly reduced
//! bounds    h4 <= 7 on entry, h4 <= 4 on exit; a comment at each sum below bounds it
//! timing    no secret-dependent branch, index or variable-latency instruction. On some CPUs of the smallest
//!           kind (Cortex-M3) the time of a 32 x 32 -> 64 bit multiplication depends on its operands
//! origin    written here after [RFC8439, 2.5] and [Poly1305]
//!
//! Like poly1305_x1_u64, with four limbs of 32 bits and a small fifth limb. r1, r2 and r3 are multiples of 4, so s1 = 5
//! r1 / 4 is an integer, and so are s2 and s3. 2^128 r1 = s1 (mod p), and
//!
//! ```text
//! d0 = h0 r0 + h1 s3 + h2 s2 + h3 s1
//! d1 = h0 r1 + h1 r0 + h2 s3 + h3 s2 + h4 s1
//! d2 = h0 r2 + h1 r1 + h2 r0 + h3 s3 + h4 s2
//! d3 = h0 r3 + h1 r2 + h2 r1 + h3 r0 + h4 s3
//! d4 = h4 r0
//! ```

use super::scalar;
use crate::job::kernel::kernel;
use crate::job::poly1305::{Batch, Blocks, Key, Message, Pn, State, X1, Xn, last_block};

kernel! {
    /// One message.
    pub ONE: X1 = "poly1305_x1_u32", lanes 1, requires [], |job: Blocks<'_>| one(job)
}

kernel! {
    /// One long message, like a short one.
    pub LONG: Pn = "poly1305_x1_u32", lanes 1, requires [], from usize::MAX, |job: Message<'_>| long(job)
}

kernel! {
    /// Many messages, one after the other.
    pub MANY: Xn = "poly1305_x1_u32", lanes 1, requires [], from usize::MAX, |job: Batch<'_>| many(job)
}

/// r, s1, s2 and s3: 32-bit limbs held in 64 bits, ready to multiply.
pub struct Multiplier {
    r: [u64; 4],
    s: [u64; 3],
}

/// The low 32 bits.
#[inline(always)]
fn low(x: u64) -> u64 {
    x & 0xffff_ffff
}

impl Multiplier {
    /// Makes a multiplier of a key, whose r1, r2 and r3 are multiples of 4.
    #[inline(always)]
    pub fn new(key: &Key) -> Self {
        let r = [low(key.r[0]), key.r[0] >> 32, low(key.r[1]), key.r[1] >> 32];
        let [_, r1, r2, r3] = r;
        // Below 2^28.4. `low` says so to the compiler, which else multiplies by 64 bits where registers have 32.
        Multiplier { r, s: [r1, r2, r3].map(|x| low(x + (x >> 2))) }
    }

    /// (h + block) r. If `whole` is 1, `block` counts 2^128 more.
    #[inline(always)]
    pub fn absorb(&self, h: [u64; 3], block: u128, whole: u64) -> [u64; 3] {
        words(self.absorb_limbs(limbs(h), block, whole))
    }

    /// The same, with the accumulator in limbs.
    #[inline(always)]
    fn absorb_limbs(&self, h: [u64; 5], block: u128, whole: u64) -> [u64; 5] {
        // Limbs below 2^32, h4 <= 7 + 1 + 1.
        let [h0, h1, h2, h3, h4] = h;
        let m = |i: u32| low((block >> (32 * i)) as u64);
        let t0 = h0 + m(0);
        let t1 = h1 + m(1) + (t0 >> 32);
        let t2 = h2 + m(2) + (t1 >> 32);
        let t3 = h3 + m(3) + (t2 >> 32);
        let h4 = low(h4 + whole + (t3 >> 32));
        let [h0, h1, h2, h3] = [t0, t1, t2, t3].map(low);

        // r0..r3 < 2^28 and s1..s3 < 2^28.4, so a product is below 2^60.4. The longest sum (four products, 9 s1 and a
        // carry) is below 2^62.5.
        let [r0, r1, r2, r3] = self.r;
        let [s1, s2, s3] = self.s;
        let d0 = h0 * r0 + h1 * s3 + h2 * s2 + h3 * s1;
        let d1 = h0 * r1 + h1 * r0 + h2 * s3 + h3 * s2 + h4 * s1 + (d0 >> 32);
        let d2 = h0 * r2 + h1 * r1 + h2 * r0 + h3 * s3 + h4 * s2 + (d1 >> 32);
        let d3 = h0 * r3 + h1 * r2 + h2 * r1 + h3 * r0 + h4 * s3 + (d2 >> 32);
        let d4 = h4 * r0 + (d3 >> 32);

        // 5 (d4 / 4) < 2^34 returns at 1; the carry ends in h4 <= 3 + 1.
        let t0 = low(d0) + (d4 & !3) + (d4 >> 2);
        let t1 = low(d1) + (t0 >> 32);
        let t2 = low(d2) + (t1 >> 32);
        let t3 = low(d3) + (t2 >> 32);
        [low(t0), low(t1), low(t2), low(t3), (d4 & 3) + (t3 >> 32)]
    }
}

/// The accumulator in 32-bit limbs.
#[inline(always)]
fn limbs([h0, h1, h2]: [u64; 3]) -> [u64; 5] {
    [low(h0), h0 >> 32, low(h1), h1 >> 32, h2]
}

/// The accumulator in base 2^64.
#[inline(always)]
fn words([h0, h1, h2, h3, h4]: [u64; 5]) -> [u64; 3] {
    [h0 | h1 << 32, h2 | h3 << 32, h4]
}

/// Absorbs whole blocks, and `tail` as the last block unless it is empty.
#[inline(always)]
pub fn absorb(state: &mut State, blocks: &[[u8; 16]], tail: &[u8]) {
    let r = Multiplier::new(&state.key);
    let mut h = limbs(state.h);
    for &block in blocks {
        h = r.absorb_limbs(h, u128::from_le_bytes(block), 1);
    }
    state.h = words(h);
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
