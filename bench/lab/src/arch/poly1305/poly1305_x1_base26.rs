//! Poly1305, one block at a time, base 2^26, for CPUs that multiply 32-bit words.
//!
//! id        poly1305_x1_base26        slot  poly1305-x1        requires  nothing
//! does      h <- (h + m) r  (mod 2^130 - 5), in five limbs of 26 bits, partly reduced
//! bounds    on entry h0..h3 < 2^26 and h4 < 2^27; after a block h0, h2, h3, h4 < 2^26 and h1 < 2^26 + 2^6 (the test
//!           below checks this). 25 multiplications of 32 bits: 2.5 times the time of poly1305_x1_u64 on Zen 4
//! timing    no secret-dependent branch, index or variable-latency instruction (on some of the smallest CPUs, such as
//!           Cortex-M3, the time of a 32 x 32 -> 64 bit multiplication depends on the data)
//! origin    written here after [RFC8439, 2.5] and [NeonCrypto]
//!
//! Write h + m = h0 + 2^26 h1 + ... + 2^104 h4, and r likewise. Since 5 * 26 = 130, the reduction 2^130 = 5 (mod p)
//! falls on the boundary of a limb. With si = 5 ri the product is
//!
//! ```text
//! d0 = h0 r0 + h1 s4 + h2 s3 + h3 s2 + h4 s1   at 1
//! d1 = h0 r1 + h1 r0 + h2 s4 + h3 s3 + h4 s2   at 2^26
//! d2 = h0 r2 + h1 r1 + h2 r0 + h3 s4 + h4 s3   at 2^52
//! d3 = h0 r3 + h1 r2 + h2 r1 + h3 r0 + h4 s4   at 2^78
//! d4 = h0 r4 + h1 r3 + h2 r2 + h3 r1 + h4 r0   at 2^104
//! ```
//!
//! A product of limbs has 52 bits. Five of them, some times 5, are far below 2^64, so no addition overflows.
//! That is why vectors of 32 x 32 -> 64 bit multipliers work in this base. The carries go around once: from
//! d0 to d4, from bit 130 times 5 to h0, and the rest from there to h1.

use super::integer::Limb;
use super::radix::{canonical, limbs};
use keylane::job::poly1305::{Blocks, Key, State, X1, last_block};
use keylane::kernel;

kernel! {
    /// One message.
    pub ONE: X1 = "poly1305_x1_base26", lanes 1, requires [], |job: Blocks<'_>| one(job)
}

/// The width of a limb.
const WIDTH: u32 = 26;

/// The limbs of low + 2^128 high, where `high` is at most 7.
#[inline(always)]
fn number(low: u128, high: u64) -> [u32; 5] {
    limbs(low, high, WIDTH).map(|limb| limb as u32)
}

/// r, and 5 r1 to 5 r4.
struct Multiplier<L> {
    r: [L; 5],
    s: [L; 4],
}

impl Multiplier<u32> {
    #[inline(always)]
    fn new(key: &Key) -> Self {
        let [low, high] = key.r;
        let r = number(u128::from(low) | u128::from(high) << 64, 0);
        let [_, r1, r2, r3, r4] = r;
        Multiplier { r, s: [r1, r2, r3, r4].map(|limb| 5 * limb) }
    }
}

impl<L: Limb> Multiplier<L> {
    /// (h + m) r.
    #[inline(always)]
    fn absorb(&self, [h0, h1, h2, h3, h4]: [L; 5], [m0, m1, m2, m3, m4]: [L; 5]) -> [L; 5] {
        let ([r0, r1, r2, r3, r4], [s1, s2, s3, s4]) = (self.r, self.s);
        // h0, h2, h3 < 2^27, h1 < 2^27 + 2^6 and h4 < 2^27 + 2^25. r0..r3 < 2^26 and r4 < 2^20, since
        // r < 2^124; so s1, s2, s3 < 2^28.4 and s4 < 2^22.4.
        let (h0, h1, h2, h3, h4) = (h0 + m0, h1 + m1, h2 + m2, h3 + m3, h4 + m4);
        // The largest of the five sums is d0, below 2^53 + 2^49.4 + 2 * 2^55.4 + 2^55.8 < 2^57.3. A carry
        // from below adds less than 2^31.3.
        let d0 = h0.times(r0) + h1.times(s4) + h2.times(s3) + h3.times(s2) + h4.times(s1);
        let d1 = h0.times(r1) + h1.times(r0) + h2.times(s4) + h3.times(s3) + h4.times(s2);
        let d2 = h0.times(r2) + h1.times(r1) + h2.times(r0) + h3.times(s4) + h4.times(s3);
        let d3 = h0.times(r3) + h1.times(r2) + h2.times(r1) + h3.times(r0) + h4.times(s4);
        let d4 = h0.times(r4) + h1.times(r3) + h2.times(r2) + h3.times(r1) + h4.times(r0);
        let (h0, carry) = L::split(d0, WIDTH);
        let (h1, carry) = L::split(d1 + carry, WIDTH);
        let (h2, carry) = L::split(d2 + carry, WIDTH);
        let (h3, carry) = L::split(d3 + carry, WIDTH);
        // d4 < 4 * 2^53.4, since it contains no si. The carry is below 2^29.3, and 5 of it below 2^31.7, so
        // h1 gets less than 2^6.
        let (h4, carry) = L::split(d4 + carry, WIDTH);
        let (h0, carry) = L::split(h0.widen() + carry + carry + carry + carry + carry, WIDTH);
        [h0, h1 + L::narrow(carry), h2, h3, h4]
    }
}

/// Absorbs whole blocks, then `tail` as the last block unless it is empty.
#[inline(always)]
pub fn absorb(state: &mut State, blocks: &[[u8; 16]], tail: &[u8]) {
    let r = Multiplier::new(&state.key);
    let [h0, h1, h2] = state.h;
    let mut h = number(u128::from(h0) | u128::from(h1) << 64, h2);
    for &block in blocks {
        h = r.absorb(h, number(u128::from_le_bytes(block), 1));
    }
    if !tail.is_empty() {
        h = r.absorb(h, number(last_block(tail), 0));
    }
    state.h = canonical(h.map(i64::from), WIDTH);
}

fn one(job: Blocks<'_>) {
    absorb(job.state, job.blocks, job.tail);
}

#[cfg(test)]
mod tests {
    use super::super::integer::most::{Most, within};
    use super::*;

    /// The largest limbs at the start of a job, of a whole block, and of an accumulator after a block.
    const ENTRY: [u32; 5] = [M, M, M, M, (1 << 27) - 1];
    const BLOCK: [u32; 5] = [M, M, M, M, (1 << 25) - 1];
    const AFTER: [u32; 5] = [M, M + (1 << 6), M, M, M];
    const M: u32 = (1 << 26) - 1;

    #[test]
    fn no_limb_passes_its_bound() {
        let most = |limb: u32| Most::<32>(limb.into());
        let r = number((1 << 124) - 1, 0);
        let [_, r1, r2, r3, r4] = r;
        let multiplier = Multiplier { r: r.map(most), s: [r1, r2, r3, r4].map(|limb| most(5 * limb)) };
        for h in [ENTRY, AFTER] {
            let after = multiplier.absorb(h.map(most), BLOCK.map(most));
            assert!(within(after, AFTER.map(u64::from)), "{after:?}");
        }
        assert_eq!((number(u128::MAX, 7), number(u128::MAX, 1)), (ENTRY, BLOCK));
    }
}
