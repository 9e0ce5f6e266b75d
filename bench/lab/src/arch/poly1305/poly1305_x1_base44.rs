//! Poly1305, one block at a time, base 2^44, for CPUs with a 64-bit multiplier.
//!
//! id        poly1305_x1_base44        slot  poly1305-x1        requires  nothing
//! does      h <- (h + m) r  (mod 2^130 - 5), in three limbs of 44, 44 and 42 bits, partly reduced
//! bounds    on entry h0, h1 < 2^44 and h2 < 2^43; after a block h0 < 2^44, h1 < 2^44 + 2^6, h2 < 2^42 (the test
//!           below checks this). 9 multiplications, where base 2^64 has 4 full and 2 half ones, and a carry through
//!           four places: twice the time of poly1305_x1_u64 on Zen 4
//! timing    no secret-dependent branch, index or variable-latency instruction, if a 64 x 64 -> 128 bit
//!           multiplication is not one
//! origin    written here after [RFC8439, 2.5] and [poly1305-opt]
//!
//! Write h + m = h0 + 2^44 h1 + 2^88 h2, and r likewise. Since 2^132 = 4 * 2^130 = 20 (mod p), let s1 = 20 r1 and s2 =
//! 20 r2. The product is
//!
//! ```text
//! d0 = h0 r0 + h1 s2 + h2 s1   at 1
//! d1 = h0 r1 + h1 r0 + h2 s2   at 2^44
//! d2 = h0 r2 + h1 r1 + h2 r0   at 2^88
//! ```
//!
//! A product of limbs has 88 bits, and its sum has room for 40 more. So no addition overflows 128 bits, and
//! carries between limbs are shifts. The carries go around once: from d0 to d1 to d2, from bit 130 times 5 to
//! h0, and the rest from there to h1.

use super::integer::Limb;
use super::radix::{canonical, limbs};
use keylane::job::poly1305::{Blocks, Key, State, X1, last_block};
use keylane::kernel;

kernel! {
    /// One message.
    pub ONE: X1 = "poly1305_x1_base44", lanes 1, requires [], |job: Blocks<'_>| one(job)
}

/// The width of a limb.
const WIDTH: u32 = 44;

/// r, and 20 r1 and 20 r2.
struct Multiplier<L> {
    r: [L; 3],
    s: [L; 2],
}

impl Multiplier<u64> {
    #[inline(always)]
    fn new(key: &Key) -> Self {
        let [low, high] = key.r;
        let r = limbs(u128::from(low) | u128::from(high) << 64, 0, WIDTH);
        let [_, r1, r2] = r;
        Multiplier { r, s: [20 * r1, 20 * r2] }
    }
}

impl<L: Limb> Multiplier<L> {
    /// (h + m) r.
    #[inline(always)]
    fn absorb(&self, [h0, h1, h2]: [L; 3], [m0, m1, m2]: [L; 3]) -> [L; 3] {
        let ([r0, r1, r2], [s1, s2]) = (self.r, self.s);
        // h0, h1 < 2^45 + 2^6 and h2 < 2^43 + 2^41. r0, r1 < 2^44 and r2 < 2^36, since r < 2^124; so
        // s1 < 2^48.4 and s2 < 2^40.4.
        let (h0, h1, h2) = (h0 + m0, h1 + m1, h2 + m2);
        // d0 < 2^89 + 2^85.4 + 2^91.8 < 2^92.1, so the carry has 49 bits.
        let d0 = h0.times(r0) + h1.times(s2) + h2.times(s1);
        let (h0_, carry) = L::split(d0, 44);
        // d1 < 2^89 + 2^89 + 2^83.8 + 2^49 < 2^90.1.
        let d1 = h0.times(r1) + h1.times(r0) + h2.times(s2) + carry;
        let (h1_, carry) = L::split(d1, 44);
        // d2 < 2^81 + 2^89 + 2^87.4 + 2^47 < 2^89.5: the carry is below 2^47.5, and 5 of it below 2^49.9.
        let d2 = h0.times(r2) + h1.times(r1) + h2.times(r0) + carry;
        let (h2, carry) = L::split(d2, 42);
        // h0 + 5 carry < 2^50, so h1 gets less than 2^6.
        let (h0, carry) = L::split(h0_.widen() + carry + carry + carry + carry + carry, 44);
        [h0, h1_ + L::narrow(carry), h2]
    }
}

/// Absorbs whole blocks, then `tail` as the last block unless it is empty.
#[inline(always)]
pub fn absorb(state: &mut State, blocks: &[[u8; 16]], tail: &[u8]) {
    let r = Multiplier::new(&state.key);
    let [h0, h1, h2] = state.h;
    let mut h = limbs(u128::from(h0) | u128::from(h1) << 64, h2, WIDTH);
    for &block in blocks {
        h = r.absorb(h, limbs(u128::from_le_bytes(block), 1, WIDTH));
    }
    if !tail.is_empty() {
        h = r.absorb(h, limbs(last_block(tail), 0, WIDTH));
    }
    state.h = canonical(h.map(|limb| limb as i64), WIDTH);
}

fn one(job: Blocks<'_>) {
    absorb(job.state, job.blocks, job.tail);
}

#[cfg(test)]
mod tests {
    use super::super::integer::most::{Most, within};
    use super::*;

    /// The largest limbs at the start of a job, of a whole block, and of an accumulator after a block.
    const ENTRY: [u64; 3] = [(1 << 44) - 1, (1 << 44) - 1, (1 << 43) - 1];
    const BLOCK: [u64; 3] = [(1 << 44) - 1, (1 << 44) - 1, (1 << 41) - 1];
    const AFTER: [u64; 3] = [(1 << 44) - 1, (1 << 44) - 1 + (1 << 6), (1 << 42) - 1];

    #[test]
    fn no_limb_passes_its_bound() {
        let r = limbs::<3>((1 << 124) - 1, 0, WIDTH);
        let multiplier = Multiplier { r: r.map(Most::<64>), s: [20 * r[1], 20 * r[2]].map(Most) };
        for h in [ENTRY, AFTER] {
            let after = multiplier.absorb(h.map(Most), BLOCK.map(Most));
            assert!(within(after, AFTER), "{after:?}");
        }
        let of = |low, high| limbs::<3>(low, high, WIDTH);
        assert_eq!((of(u128::MAX, 7), of(u128::MAX, 1)), (ENTRY, BLOCK));
    }
}
