//! Base 2^44 with limbs at their bounds, on the instructions. tests/symbols checks the bounds themselves.

use super::*;
use crate::arch::x86_64::blocks44::Blocks;
use crate::arch::x86_64::ifma::{Ifma, Ymm, Zmm};

/// A number of three limbs modulo p, in digits of 26 bits. The part at 2^130 returns times 5.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Number([u128; 10]);

impl Number {
    fn new([x0, x1, x2]: [u64; 3]) -> Self {
        let [x0, x1, x2] = [x0, x1, x2].map(u128::from);
        let mut digits = [0; 10];
        digits[..4].copy_from_slice(&[x0, x1 << 18, 0, x2 << 10]);
        Number(digits).modulo()
    }

    fn modulo(self) -> Self {
        let Number(mut digits) = self;
        loop {
            for i in 0..9 {
                digits[i + 1] += digits[i] >> 26;
                digits[i] &= (1 << 26) - 1;
            }
            if digits[5..].iter().all(|&digit| digit == 0) {
                break;
            }
            for i in 0..5 {
                digits[i] += 5 * digits[i + 5];
                digits[i + 5] = 0;
            }
        }
        let from_p = digits[0] >= (1 << 26) - 5 && digits[1..5].iter().all(|&digit| digit == (1 << 26) - 1);
        if from_p { Number::default().plus_digit(digits[0] - ((1 << 26) - 5)) } else { Number(digits) }
    }

    fn plus_digit(mut self, digit: u128) -> Self {
        self.0[0] += digit;
        self
    }

    /// self + a b, not reduced modulo p yet.
    fn plus_product(mut self, a: Self, b: Self) -> Self {
        for (i, x) in a.0[..5].iter().enumerate() {
            for (j, y) in b.0[..5].iter().enumerate() {
                self.0[i + j] += x * y;
            }
        }
        self
    }
}

#[test]
fn plain_numbers() {
    let p = [(1 << 44) - 5, (1 << 44) - 1, (1 << 42) - 1];
    assert_eq!(Number::new(p), Number::default());
    assert_eq!(
        Number::new([p[0] - 1, p[1], p[2]]).0[..5],
        [67_108_858, 67_108_863, 67_108_863, 67_108_863, 67_108_863]
    );
    assert_eq!(Number::new([0, 0, 1 << 44]), Number::new([20, 0, 0]));
    let product = Number::default().plus_product(Number::new([0, 1, 0]), Number::new([3, 0, 1]));
    assert_eq!(product.modulo(), Number::new([20, 3, 0]));
}

/// Limbs in each lane.
type Words = Limbs<[u64; 8]>;

/// One lane of the limbs.
fn lane(words: &Words, lane: usize) -> [u64; 3] {
    words.map(|limb| limb[lane])
}

/// An accumulator, the blocks after it, and a multiplier for each; the last multiplier is for the accumulator.
struct Extremes {
    sum: Words,
    blocks: Vec<Words>,
    multipliers: Vec<Words>,
}

/// Pseudorandom numbers.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// 0, 1, `max` or any number up to it.
    fn extreme(&mut self, max: u64) -> u64 {
        match self.word() >> 62 {
            0 => 0,
            1 => 1,
            2 => max,
            _ => (self.word() >> 3) % (max + 1),
        }
    }

    /// Numbers up to `max`. In a lane whose bit of `full` is set, every limb is `max`; elsewhere each limb is
    /// `extreme`.
    fn words(&mut self, max: [u64; 3], full: u8) -> Words {
        max.map(|max| std::array::from_fn(|i| if full >> i & 1 == 1 { max } else { self.extreme(max) }))
    }
}

impl Extremes {
    fn new(random: &mut Random, groups: usize) -> Self {
        let block = [LIMB, LIMB, (1 << 41) - 1];
        // In a quarter of the lanes, each of the three is full.
        let mut full = || (random.word() & random.word()) as u8;
        let full = [full(), full(), full()];
        Extremes {
            sum: random.words(block.map(|limb| limb + CARRIED), full[0]),
            blocks: (1..groups).map(|_| random.words(block, full[1])).collect(),
            multipliers: (0..groups).map(|_| random.words([CARRIED; 3], full[2])).collect(),
        }
    }

    /// The expected number in a lane.
    fn expected(&self, i: usize) -> Number {
        let factors = self.blocks.iter().chain([&self.sum]).zip(&self.multipliers);
        let sum = factors.fold(Number::default(), |sum, (a, m)| {
            sum.plus_product(Number::new(lane(a, i)), Number::new(lane(m, i)))
        });
        sum.modulo()
    }
}

/// A method of multiplication.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Method {
    Schoolbook,
    Karatsuba,
}

/// Limbs of three results: the sum of the products, the same with a block of ones after it, and the square of a
/// multiplier.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2")]
fn compute<B: Blocks>(b: B, extremes: &Extremes, method: Method) -> [Words; 3] {
    let Extremes { sum, blocks, multipliers } = extremes;
    let load = |words: &Words| [b.with_lanes(&words[0]), b.with_lanes(&words[1]), b.with_lanes(&words[2])];
    let store = |limbs: Limbs<B::V>| [b.lanes(limbs[0]), b.lanes(limbs[1]), b.lanes(limbs[2])];
    let last = load(&multipliers[multipliers.len() - 1]);
    let limbs = match method {
        Method::Schoolbook => {
            let mut sums = b.nothing();
            for (block, m) in blocks.iter().zip(multipliers) {
                sums = b.multiply_add(sums, load(block), &b.multiplier(load(m)));
            }
            b.fold(b.multiply_add_soon(sums, load(sum), &b.multiplier(last)))
        }
        Method::Karatsuba => {
            let mut sums = b.nothing_karatsuba();
            for (block, m) in blocks.iter().zip(multipliers) {
                sums = b.multiply_add_karatsuba(sums, load(block), b.with_sums(load(m)));
            }
            b.fold_karatsuba(b.multiply_add_karatsuba(sums, load(sum), b.with_sums(last)))
        }
    };
    let ones = b.splat(u64::MAX);
    let ones = b.split(ones, ones, b.splat(1));
    let square = b.carry(b.fold(b.square(&b.multiplier(last))));
    [store(b.carry(limbs)), store(b.carry_add(limbs, ones)), store(square)]
}

/// Runs `compute` on vectors of 8 lanes and of 4.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2")]
fn on_both(extremes: &Extremes, method: Method) -> [[Words; 3]; 2] {
    [compute(Zmm(Ifma::here()), extremes, method), compute(Ymm(Ifma::here()), extremes, method)]
}

/// Whether the results are right in every lane.
fn is_right(extremes: &Extremes, lanes: usize, [carried, added, square]: &[Words; 3]) -> bool {
    let ones = Number::new([LIMB, LIMB, (1 << 41) - 1]);
    let one = Number::default().plus_digit(1);
    let last = &extremes.multipliers[extremes.multipliers.len() - 1];
    (0..lanes).all(|i| {
        let expected = extremes.expected(i);
        let m = Number::new(lane(last, i));
        let small = |words: &Words| lane(words, i).iter().all(|&limb| limb <= CARRIED);
        Number::new(lane(carried, i)) == expected
            && Number::new(lane(added, i)) == expected.plus_product(ones, one).modulo()
            && Number::new(lane(square, i)) == Number::default().plus_product(m, m).modulo()
            && small(carried)
            && small(square)
    })
}

/// Limbs of 0, 1, the largest and others in every lane, up to the most groups of each method, on vectors of both
/// widths.
///
/// Without the bias of Karatsuba's method (0 in its place, nothing added in y0), 67 % of its lanes are wrong. If
/// carries also kept the sign, 18 % would be.
#[test]
fn extreme_limbs() {
    if !has_instructions() {
        println!("extreme_limbs: skipped, this CPU lacks AVX-512 IFMA, VBMI or VBMI2");
        return;
    }
    let (mut random, mut cases, mut wrong) = (Random(0x9e37_79b9_7f4a_7c15), 0, 0);
    for _ in 0..if cfg!(debug_assertions) { 300 } else { 6000 } {
        let extremes: Vec<Extremes> =
            (1..=KARATSUBA_PRODUCTS).map(|n| Extremes::new(&mut random, n)).collect();
        for (method, most) in
            [(Method::Schoolbook, SCHOOLBOOK_PRODUCTS), (Method::Karatsuba, KARATSUBA_PRODUCTS)]
        {
            for extremes in &extremes[..most] {
                // SAFETY: `has_instructions` has detected the features that the function enables.
                let [zmm, ymm] = unsafe { on_both(extremes, method) };
                let right = is_right(extremes, 8, &zmm) && is_right(extremes, 4, &ymm);
                if !right && wrong < 4 {
                    println!("{method:?}, {} groups: {zmm:x?}, {ymm:x?}", extremes.multipliers.len());
                }
                cases += 1;
                wrong += usize::from(!right);
            }
        }
    }
    assert_eq!(wrong, 0, "of {cases}");
}

/// The low 52 bits.
const LOW: u64 = (1 << 52) - 1;

/// A limb of at most `bits` bits and one of 44 bits. The low half of their product is all ones.
fn with_all_ones(random: &mut Random, bits: u32) -> (u64, u64) {
    loop {
        let a = random.word() >> (64 - bits) | 1;
        // Each turn doubles the number of right bits of 1 / a modulo 2^64.
        let inverse = (0..6).fold(a, |x, _| x.wrapping_mul(2u64.wrapping_sub(a.wrapping_mul(x))));
        let m = inverse.wrapping_neg() & LOW;
        if m <= LIMB {
            return (a, m);
        }
    }
}

/// Limbs 1 and 2 that bring x3 of Karatsuba's method near its lowest value in every group. The low half of `(a1 +
/// a2)(m1 + m2)` is small, and the low halves of `a1 m1` and `a2 m2` are all ones. Random extremes do not reach this:
/// they would pass with half the bias.
#[test]
fn lowest_differences() {
    if !has_instructions() {
        println!("lowest_differences: skipped, this CPU lacks AVX-512 IFMA, VBMI or VBMI2");
        return;
    }
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let upper: Vec<_> = (0..16).map(|_| with_all_ones(&mut random, 41)).collect();
    let middle: Vec<_> = (0..16).map(|_| with_all_ones(&mut random, 44)).collect();
    let pairs = middle.into_iter().flat_map(|one| upper.iter().map(move |&two| (one, two)));
    let low = |((a1, m1), (a2, m2)): &_| u64::wrapping_mul(a1 + a2, m1 + m2) & LOW;
    let ((a1, m1), (a2, m2)) = pairs.min_by_key(low).unwrap_or_default();
    assert!(low(&((a1, m1), (a2, m2))) < LOW / 16, "x3 is above -1.9 * 2^52 in each group");
    let block = [0, a1, a2].map(|limb| [limb; 8]);
    let multiplier = [0, m1, m2].map(|limb| [limb; 8]);
    for groups in 1..=KARATSUBA_PRODUCTS {
        let blocks = vec![block; groups - 1];
        let extremes = Extremes { sum: block, blocks, multipliers: vec![multiplier; groups] };
        // SAFETY: `has_instructions` has detected the features that the function enables.
        let [zmm, ymm] = unsafe { on_both(&extremes, Method::Karatsuba) };
        assert!(is_right(&extremes, 8, &zmm) && is_right(&extremes, 4, &ymm), "{groups} groups");
    }
}

/// Whether this CPU has the features that the functions above enable.
fn has_instructions() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512ifma")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("bmi2")
}
