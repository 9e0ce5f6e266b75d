//! Poly1305 in base 2^26 with NEON.
//!
//! A multiplication takes two lanes of 32 bits and makes two of 64. `umlal` multiplies the low half of a register,
//! `umlal2` the high half, and each adds the products to a register. So a turn takes its steps in pairs
//! (arch/generic/radix26/pairs.rs). The two numbers of a factor are elements of one register. All bounds of
//! arch/generic/radix26/ hold.

#![allow(unsafe_code)]

use super::{Neon, cast, instructions};
use crate::arch::generic::radix26::limbs::WHOLE;
use crate::arch::generic::radix26::pairs::{self, Group, PairVectors};
use crate::arch::generic::radix26::powers::KeptSteps;
use crate::arch::generic::radix26::turns::{Rest, Sums, Turns};
use crate::arch::generic::radix26::vectors::Vectors26;
use crate::job::barrier::in_memory;
use crate::job::limits::Method;
use crate::job::wipe::wipe;
use core::arch::aarch64::*;
use core::arch::asm;

/// 2^26 - 1 in each half.
const MASKS: u64 = 0x03ff_ffff_03ff_ffff;

impl Neon {
    instructions! {
        fn repeat(x: u64) -> uint64x2_t = vdupq_n_u64;
        fn counts(bits: i64) -> int64x2_t = vdupq_n_s64;
        fn shift(a: uint64x2_t, bits: int64x2_t) -> uint64x2_t = vshlq_u64;
        fn narrow(a: uint64x2_t) -> uint32x2_t = vmovn_u64;
        fn widening_mul(a: uint32x2_t, b: uint32x2_t) -> uint64x2_t = vmull_u32;
        fn first_words(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vtrn1q_u64;
        fn second_words(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vtrn2q_u64;
        fn sum_lanes(a: uint64x2_t) -> u64 = vaddvq_u64;
        fn repeat32(x: u32) -> uint32x4_t = vdupq_n_u32;
        fn as32(a: uint64x2_t) -> uint32x4_t = vreinterpretq_u32_u64;
        fn even32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vuzp1q_u32;
        fn add32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vaddq_u32;
        fn and32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vandq_u32;
        fn or32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vorrq_u32;
        fn shr8(a: uint32x4_t) -> uint32x4_t = vshrq_n_u32::<8>;
        fn shr14(a: uint32x4_t) -> uint32x4_t = vshrq_n_u32::<14>;
        fn shr20(a: uint32x4_t) -> uint32x4_t = vshrq_n_u32::<20>;
        fn shr26(a: uint32x4_t) -> uint32x4_t = vshrq_n_u32::<26>;
        fn above6(low: uint32x4_t, high: uint32x4_t) -> uint32x4_t = vsliq_n_u32::<6>;
        fn above12(low: uint32x4_t, high: uint32x4_t) -> uint32x4_t = vsliq_n_u32::<12>;
        fn above18(low: uint32x4_t, high: uint32x4_t) -> uint32x4_t = vsliq_n_u32::<18>;
    }

    /// `x`, opaque to the compiler. Otherwise it would clear bits with an instruction that overwrites its input, and
    /// copy the input first. It would also turn x + 4 x into a multiplication by 5, for which 64-bit numbers leave the
    /// vector registers.
    #[inline(always)]
    fn opaque(self, mut x: uint64x2_t) -> uint64x2_t {
        // SAFETY: there is no instruction; `x` leaves the register unchanged.
        unsafe {
            asm!("/* {0:v} */", inout(vreg) x, options(pure, nomem, nostack, preserves_flags));
        }
        x
    }
}

impl Vectors26<2> for Neon {
    type Vector = uint64x2_t;
    const BY_8: Method = Method::P4NeonBy8;

    instructions! {
        fn add(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vaddq_u64;
        fn sub(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vsubq_u64;
        fn and(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vandq_u64;
        fn or(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vorrq_u64;
    }

    #[inline(always)]
    fn splat(self, x: u64) -> uint64x2_t {
        self.repeat(x)
    }

    #[inline(always)]
    fn load(self, x: &[u64; 2]) -> uint64x2_t {
        cast(x)
    }

    #[inline(always)]
    fn store(self, a: uint64x2_t) -> [u64; 2] {
        cast(&a)
    }

    #[inline(always)]
    fn words(self, blocks: &[[u8; 16]; 2]) -> [uint64x2_t; 2] {
        let [a, b]: [uint64x2_t; 2] = cast(blocks);
        [self.first_words(a, b), self.second_words(a, b)]
    }

    #[inline(always)]
    fn mul(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        self.widening_mul(self.narrow(a), self.narrow(b))
    }

    #[inline(always)]
    fn shl(self, a: uint64x2_t, bits: u32) -> uint64x2_t {
        self.opaque(self.shift(a, self.counts(bits.into())))
    }

    #[inline(always)]
    fn shr(self, a: uint64x2_t, bits: u32) -> uint64x2_t {
        self.shift(a, self.counts(-i64::from(bits)))
    }

    #[inline(always)]
    fn sum(self, a: uint64x2_t) -> u64 {
        self.sum_lanes(a)
    }

    #[inline(always)]
    fn in_memory<T>(self, x: &T) -> &T {
        in_memory(x)
    }

    #[inline(always)]
    fn wipe<const M: usize>(self, secret: &mut [uint64x2_t; M]) {
        wipe(secret);
    }
}

impl Turns<2> for Neon {
    #[inline(always)]
    fn turns_of_4(
        self,
        a: [uint64x2_t; 5],
        rest: &mut Rest<'_, 2>,
        kept_steps: &KeptSteps,
    ) -> [uint64x2_t; 5] {
        pairs::turns_of_4(self, a, rest, kept_steps)
    }

    #[inline(always)]
    fn turns_of_8(
        self,
        a: [uint64x2_t; 5],
        rest: &mut Rest<'_, 2>,
        kept_steps: &KeptSteps,
    ) -> [uint64x2_t; 5] {
        pairs::turns_of_8(self, a, rest, kept_steps)
    }
}

impl PairVectors for Neon {
    type Limb = uint32x4_t;

    #[inline(always)]
    fn limbs(self, blocks: &Group) -> [uint32x4_t; 5] {
        // SAFETY: a reference to 64 bytes, which are read without a need for alignment.
        let uint32x4x4_t(w0, w1, w2, w3) = unsafe { vld4q_u32((&raw const *blocks).cast()) };
        let mask = self.as32(self.opaque(self.repeat(MASKS)));
        [
            self.and32(w0, mask),
            self.and32(self.above6(self.shr26(w0), w1), mask),
            self.and32(self.above12(self.shr20(w1), w2), mask),
            self.and32(self.above18(self.shr14(w2), w3), mask),
            self.or32(self.shr8(w3), self.repeat32(WHOLE as u32)),
        ]
    }

    #[inline(always)]
    fn pair(self, low: [uint64x2_t; 5], high: [uint64x2_t; 5]) -> [uint32x4_t; 5] {
        let mut pair = [self.repeat32(0); 5];
        for (limb, (low, high)) in pair.iter_mut().zip(low.into_iter().zip(high)) {
            *limb = self.even32(self.as32(low), self.as32(high));
        }
        pair
    }

    #[inline(always)]
    fn plus(self, a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        self.add32(a, b)
    }

    /// In assembly: the compiler would regroup the intrinsics, a product and a sum, into other sums.
    #[inline(always)]
    fn mul_add_pair(self, mut sum: uint64x2_t, x: uint32x4_t, factors: &[u64; 2]) -> uint64x2_t {
        let factors: uint32x4_t = cast(factors);
        // SAFETY: two NEON instructions, which `self` proves. They write only the register named as output.
        unsafe {
            asm!(
                "umlal {sum:v}.2d, {x:v}.2s, {f:v}.s[2]",
                "umlal2 {sum:v}.2d, {x:v}.4s, {f:v}.s[0]",
                sum = inout(vreg) sum, x = in(vreg) x, f = in(vreg) factors,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sum
    }

    #[inline(always)]
    fn hidden_until<'a, T>(self, sums: &mut Sums<uint64x2_t>, x: &'a T) -> &'a T {
        let mut address = &raw const *x;
        // SAFETY: there is no instruction; the two registers keep their values.
        unsafe {
            let [.., last] = &mut sums.squares;
            asm!("/* {0:v} {1} */", inout(vreg) *last, inout(reg) address, options(pure, nomem, nostack, preserves_flags));
        }
        // SAFETY: the address is that of `x`, which is borrowed for the same lifetime.
        unsafe { &*address }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::aarch64::messages26::Twice;
    use crate::arch::generic::radix26::limbs::{factor, join_columns, multiply_add, split_blocks};
    use crate::arch::generic::radix26::order::KEPT_STEPS;
    use crate::arch::generic::radix26::pairs::Turn;
    use crate::arch::generic::radix26::powers::factors;
    use crate::job::poly1305::tag;

    /// Limbs after a carry, and those of an accumulator plus a block.
    const CARRIED: u64 = (1 << 26) + (1 << 13);
    const JOINED: u64 = (1 << 27) + (1 << 26);

    fn neon() -> Neon {
        // SAFETY: every CPU of the targets that compile this file has NEON.
        unsafe { Neon::here() }
    }

    /// Limbs that are 0, 1 or the highest, by the digits of i.
    fn limbs(mut i: usize, most: u64) -> [u64; 5] {
        [(); 5].map(|()| {
            let limb = [0, 1, most][i % 3];
            i /= 3;
            limb
        })
    }

    /// The columns of a product.
    fn columns(a: [u64; 5], b: [u64; 5]) -> [u64; 5] {
        let mut columns = [0; 5];
        for (i, a) in a.into_iter().enumerate() {
            for (j, b) in b.into_iter().enumerate() {
                columns[(i + j) % 5] += if i + j < 5 { a * b } else { 5 * a * b };
            }
        }
        columns
    }

    fn sums(a: [u64; 5], b: [u64; 5]) -> [u64; 5] {
        core::array::from_fn(|i| a[i] + b[i])
    }

    /// Pairs of steps give the columns of their products, and a carry keeps the number and its bounds. Limbs and powers
    /// are extreme in every combination.
    #[test]
    fn pairs_at_the_edges() {
        let cpu = neon();
        let lanes = |x: [u64; 5]| x.map(|limb| cpu.load(&[limb; 2]));
        for i in 0..243 {
            for j in (0..243).step_by(11).chain([242, i]) {
                let (low, high) = (limbs(i, JOINED), limbs(j, MASKS >> 32));
                let powers = [0, 1, 2, 3].map(|step| limbs((i * 7 + j + step * 50) % 243, CARRIED));
                let mut kept_steps = [[0; KEPT_STEPS]; 15];
                for (step, power) in powers.into_iter().enumerate() {
                    for (row, factor) in kept_steps.iter_mut().zip(factors(cpu, lanes(power))) {
                        row[step] = cpu.store(factor)[0];
                    }
                }
                let mut turn = Turn::new(cpu, [&kept_steps, &kept_steps]);
                let mut expected = [0; 5];
                for pair in 0..4 {
                    turn.add(cpu.pair(lanes(low), lanes(high)), pair);
                    let [of_high, of_low] = [powers[pair % 2 * 2], powers[pair % 2 * 2 + 1]];
                    expected = sums(expected, sums(columns(low, of_low), columns(high, of_high)));
                }
                let found = turn.sums.columns(cpu).map(|column| cpu.store(column));
                assert_eq!(found, expected.map(|column| [column; 2]), "{low:x?} {high:x?} {powers:x?}");
                let carried = turn.carried().map(|limb| cpu.store(limb));
                assert!(carried.iter().flatten().all(|&limb| limb <= CARRIED), "{carried:x?}");
                let value = |limbs: [u64; 5]| tag(join_columns(limbs), [0; 2]);
                assert_eq!(value(carried.map(|limb| limb[1])), value(expected), "{low:x?} {high:x?}");
            }
        }
    }

    /// The limbs of 4 blocks at once are those of each block.
    #[test]
    fn blocks_in_limbs() {
        let cpu = neon();
        let group: Group = core::array::from_fn(|i| {
            core::array::from_fn(|j| core::array::from_fn(|k| (i * 101 + j * 57 + k * 31 + 7) as u8))
        });
        let pair = cpu.pair(split_blocks(cpu, &group[0]), split_blocks(cpu, &group[1]));
        let numbers = |limbs: [uint32x4_t; 5]| limbs.map(|limb| cast::<_, [u32; 4]>(&limb));
        assert_eq!(numbers(cpu.limbs(&group)), numbers(pair));
    }

    /// A product in each lane of two registers.
    #[test]
    fn lanes_at_the_edges() {
        let cpu = Twice(neon());
        for i in 0..243 {
            for j in 0..243 {
                let of_lanes = |lane: usize, most| {
                    [limbs(i, most), limbs(j, most), limbs((i + j) % 243, most), limbs(242 - i, most)][lane]
                };
                let load = |most: u64, by: usize| {
                    core::array::from_fn(|limb| {
                        cpu.load(&core::array::from_fn(|lane| of_lanes(lane ^ by, most)[limb]))
                    })
                };
                let (a, b) = (load(JOINED, 0), load(CARRIED, 1));
                let found = multiply_add(cpu, [cpu.splat(3); 5], a, &factor(cpu, b)).map(|x| cpu.store(x));
                for lane in 0..4 {
                    let product = columns(of_lanes(lane, JOINED), of_lanes(lane ^ 1, CARRIED));
                    assert_eq!(found.map(|column| column[lane]), sums(product, [3; 5]), "{i} {j}");
                }
            }
        }
    }
}
