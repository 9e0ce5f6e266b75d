//! Poly1305, one block at a time, in double precision: the accumulator in base 2^32, r in base 2^16.
//!
//! id        poly1305_x1_f64_mixed        slot  poly1305-x1        requires  nothing
//! does      h <- (h + m) r  (mod 2^130 - 5), h in base 2^32 and r in halves of 16 bits, partly reduced
//! bounds    after a block |h0|, |h1|, |h2| < 2^33.2 and |h3| < 2^34.4 at their places; no sum reaches 2^53 (the test
//!           below checks this). 33 multiplications, 28 additions, 8 cuts of three operations and 12 additions
//! timing    no secret-dependent branch or index. SSE2 additions and multiplications have a fixed time on x86-64 CPUs
//!           of Intel and AMD, except for subnormal numbers; here a number is 0 or at least 2^-96
//! origin    written here after [OpenSSL-survey] and [OpenSSL-poly1305]
//!
//! As poly1305_x1_f64, with two differences.
//!
//! * A limb of r is cut at 2^16. A product of 32 by 16 bits has 48 bits, so a sum of four has room in 53.
//! * A block is added to the sums of products of the block before it, ahead of their cuts. So the limbs that are
//!   multiplied have just been cut, and the addition does not wait for them.
//!
//! The prior work sets the CPU to round towards zero, so its limbs are positive. Here cuts round to the nearest
//! multiple, limbs have either sign, and no mode changes.

use super::poly1305_x1_f64::{Half, Multiplier, joined};
use super::real::{Real, canonical, number};
use keylane::job::poly1305::{Blocks, State, X1, last_block};
use keylane::kernel;

kernel! {
    /// One message.
    pub ONE: X1 = "poly1305_x1_f64_mixed", lanes 1, requires [], |job: Blocks<'_>| one(job)
}

/// The number of low bits of a limb of r in its first half.
const HALF: u32 = 16;

/// x1 times a half of r, at the place of each limb.
#[inline(always)]
fn first<R: Real>(half: &Half<R>, [_, x1, _, _]: [R; 4]) -> [R; 4] {
    let ([r0, r1, r2, _], [_, _, s3]) = (half.r, half.s);
    [x1 * s3, x1 * r0, x1 * r1, x1 * r2]
}

/// The other limbs of x times a half of r, plus `first`; each sum is cut at the place of the next limb. Returns the
/// rests, and the parts taken away.
#[inline(always)]
fn sums<R: Real>(half: &Half<R>, [x0, _, x2, x3]: [R; 4], first: [R; 4]) -> [(R, R); 4] {
    let ([r0, r1, r2, r3], [s1, s2, s3]) = (half.r, half.s);
    let [f0, f1, f2, f3] = first;
    // |x0|, |x1|, |x2| <= 2^33 and |x3| < 2^35.4 at the start of a job. A half of ri or si has 16 bits. So the largest
    // sum, d0, is below 3 * 2^49 + 2^51.4 + 2^33 < 2^52.2.
    let d0 = (f0 + x2 * s2) + (x3 * s1 + x0 * r0);
    let d1 = (f1 + x2 * s3) + (x3 * s2 + x0 * r1);
    let d2 = (f2 + x2 * r0) + (x3 * s3 + x0 * r2);
    let d3 = (f3 + x2 * r1) + (x3 * r0 + x0 * r3);
    [d0.cut(32), d1.cut(64), d2.cut(96), d3.cut(130)]
}

/// x r, plus `m` if there is one.
#[inline(always)]
fn step<R: Real>(r: &Multiplier<R>, x: [R; 4], m: Option<[R; 4]>) -> [R; 4] {
    let [low, high] = &r.halves;
    let mut sum = first(low, x);
    if let Some(m) = m {
        sum = core::array::from_fn(|i| m[i] + sum[i]);
    }
    joined(sums(low, x, sum), sums(high, x, first(high, x)))
}

/// Absorbs whole blocks, then `tail` as the last block unless it is empty.
fn one(job: Blocks<'_>) {
    let State { h: [h0, h1, h2], key } = *job.state;
    let r = Multiplier::new(&key, HALF);
    let block = |&block: &[u8; 16]| number(u128::from_le_bytes(block), 1);
    let tail = || number(last_block(job.tail), 0);
    let (m, blocks, is_tail_left) = match job.blocks.split_first() {
        Some((first, blocks)) => (block(first), blocks, !job.tail.is_empty()),
        None if job.tail.is_empty() => return,
        None => (tail(), job.blocks, false),
    };
    let h = number(u128::from(h0) | u128::from(h1) << 64, h2);
    let mut x = core::array::from_fn(|i| h[i] + m[i]);
    for next in blocks {
        x = step(&r, x, Some(block(next)));
    }
    if is_tail_left {
        x = step(&r, x, Some(tail()));
    }
    job.state.h = canonical(step(&r, x, None));
}

#[cfg(test)]
mod tests {
    use super::super::poly1305_x1_f64::tests::{BLOCK, ENTRY, grids, largest};
    use super::*;

    /// The largest limbs after a block, with the next one added.
    const AFTER: [u64; 4] = [0x2_4000_0000, 0x2_3800_0000, 0x2_3000_0000, 0x5_2800_0000];

    #[test]
    fn no_number_is_rounded() {
        let r = largest(HALF);
        let (h, m) = (grids(ENTRY), grids(BLOCK));
        for x in [core::array::from_fn(|i| h[i] + m[i]), grids(AFTER)] {
            for m in [Some(m), None] {
                let after = step(&r, x, m);
                assert!(after.into_iter().zip(grids(AFTER)).all(|(x, most)| x.within(most)), "{after:x?}");
            }
        }
    }
}
