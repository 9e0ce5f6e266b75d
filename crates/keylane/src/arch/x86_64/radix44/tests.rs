//! The bounds of base 2^44: first over ranges of numbers, then with extreme limbs on the instructions.

use super::*;
use crate::arch::x86_64::blocks44::Blocks;
use crate::arch::x86_64::ifma::{Ifma, Ymm, Zmm};
use std::cell::Cell;

/// The numbers from `min` to `max`. A lane holds one of them, modulo 2^64 if it is negative.
#[derive(Clone, Copy, Debug)]
struct Range {
    min: i128,
    max: i128,
    /// Whether this is a sum of high halves of products.
    is_high: bool,
}

impl Range {
    fn new(min: i128, max: i128) -> Self {
        assert!(min <= max && -(1 << 63) <= min && max < 1 << 64, "outside 64 bits: {min}..={max}");
        assert!(min >= 0 || max < 1 << 63, "of either sign and not in 63 bits: {min}..={max}");
        Range { min, max, is_high: false }
    }

    fn up_to(max: u64) -> Self {
        Range::new(0, max.into())
    }

    fn is_constant(self) -> bool {
        self.min == self.max
    }

    /// The range itself, after a check that it has no negative number, which would be taken for a large one.
    fn unsigned(self) -> Self {
        assert!(self.min >= 0, "may be negative: {self:?}");
        self
    }

    /// The range itself, after a check that it is a valid operand: only 52 bits count.
    fn operand(self) -> Self {
        assert!(self.unsigned().max < 1 << 52, "an operand that reaches 2^52: {self:?}");
        self
    }
}

/// Vectors that hold ranges of numbers. An operation panics if its bounds do not hold.
#[derive(Clone, Copy)]
struct Ranges<'a> {
    /// The lowest difference of low halves so far.
    lowest_cross: &'a Cell<i128>,
    /// The lowest number so far.
    lowest: &'a Cell<i128>,
}

impl Ranges<'_> {
    fn range(self, min: i128, max: i128) -> Range {
        self.lowest.set(self.lowest.get().min(min));
        Range::new(min, max)
    }
}

impl Vectors44 for Ranges<'_> {
    type V = Range;

    fn splat(self, x: u64) -> Range {
        Range::new(x.into(), x.into())
    }

    fn add(self, a: Range, b: Range) -> Range {
        let sum = self.range(a.min + b.min, a.max + b.max);
        Range { is_high: a.is_high && b.is_high, ..sum }
    }

    fn sub(self, a: Range, b: Range) -> Range {
        self.range(a.min - b.max, a.max - b.min)
    }

    fn and(self, a: Range, b: Range) -> Range {
        self.range(0, a.unsigned().max.min(b.unsigned().max))
    }

    fn shl(self, a: Range, bits: u32) -> Range {
        self.range(a.min << bits, a.max << bits)
    }

    fn shr(self, a: Range, bits: u32) -> Range {
        self.range(a.unsigned().min >> bits, a.max >> bits)
    }

    fn shr_both(self, low: Range, high: Range, bits: u32) -> Range {
        let both = |low: i128, high: i128| low >> bits | high << (64 - bits);
        let (min, max) = (both(low.unsigned().min, high.unsigned().min), both(low.max, high.max));
        if max < 1 << 64 { self.range(min, max) } else { Range::up_to(u64::MAX) }
    }

    /// If one factor is a constant, the whole product is meant: no bit of it may be lost.
    fn low(self, sum: Range, a: Range, b: Range) -> Range {
        let (min, max) = (a.operand().min * b.operand().min, a.max * b.max);
        if max < 1 << 52 {
            return self.range(sum.min + min, sum.max + max);
        }
        assert!(!a.is_constant() && !b.is_constant(), "a multiple that reaches 2^52: {a:?} times {b:?}");
        self.range(sum.min, sum.max + (1 << 52) - 1)
    }

    fn high(self, sum: Range, a: Range, b: Range) -> Range {
        let (min, max) = (a.operand().min * b.operand().min, a.max * b.max);
        assert!(sum.is_high || sum.max == 0, "high halves are added to something else");
        let sum = self.range(sum.min + (min >> 52), sum.max + (max >> 52));
        Range { is_high: true, ..sum }
    }

    /// With a, b, x, y at least 0, ax + by is at most (a + b)(x + y). Two numbers rounded down add up to at most their
    /// sum rounded down. So for high halves, d + f is at most e, product by product. A range does not know what e, d
    /// and f have in common, so this method adds that fact. Low halves may have any order.
    fn cross(self, e: Range, d: Range, f: Range) -> Range {
        if e.is_high || d.is_high || f.is_high {
            assert!(e.is_high && d.is_high && f.is_high, "halves of both kinds");
            return Range { is_high: true, ..self.range(0, e.max - d.min - f.min) };
        }
        let difference = self.sub(e, self.add(d, f));
        self.lowest_cross.set(self.lowest_cross.get().min(difference.min));
        difference
    }
}

/// The largest numbers that each part of the kernels may meet.
struct Largest {
    /// Blocks.
    block: Limbs<Range>,
    /// Limbs after a carry.
    carried: Limbs<Range>,
    /// Carried limbs plus blocks: the accumulator.
    sum: Limbs<Range>,
}

impl Largest {
    fn new(b: Ranges<'_>) -> Self {
        let word = Range::up_to(u64::MAX);
        let block = b.split(word, word, Range::up_to(1));
        let carried = [Range::up_to(CARRIED); 3];
        Largest { block, carried, sum: b.sum(carried, block) }
    }
}

/// Runs a check over ranges.
fn with_ranges(ask: impl FnOnce(Ranges<'_>, Largest)) {
    let (lowest_cross, lowest) = (Cell::new(0), Cell::new(0));
    let b = Ranges { lowest_cross: &lowest_cross, lowest: &lowest };
    ask(b, Largest::new(b));
}

/// Checks that the numbers reach half of 2^bits but not 2^bits: the bound in a comment is true and not too loose.
fn is_below(bits: f64, limbs: &[Range]) {
    let max = limbs.iter().map(|limb| limb.unsigned().max).max().unwrap_or(0) as f64;
    assert!(max < bits.exp2(), "not below 2^{bits}: 2^{}", max.log2());
    assert!(max >= (bits - 1.0).exp2(), "far below 2^{bits}: 2^{}", max.log2());
}

fn is_carried(limbs: Limbs<Range>) {
    for limb in limbs {
        assert!(limb.unsigned().max <= CARRIED.into(), "not carried: {limb:?}");
    }
}

/// The accumulator and the blocks after it, times powers of r.
fn schoolbook(b: Ranges<'_>, largest: &Largest, groups: usize) -> Sums<Range> {
    let m = b.multiplier(largest.carried);
    let blocks = (1..groups).fold(b.nothing(), |sums, _| b.multiply_add(sums, largest.block, &m));
    b.multiply_add_soon(blocks, largest.sum, &m)
}

/// The same by Karatsuba's method.
fn karatsuba(b: Ranges<'_>, from: Karatsuba<Range>, largest: &Largest, groups: usize) -> Limbs<Range> {
    let m = b.with_sums(largest.carried);
    let sums = b.multiply_add_karatsuba(from, largest.sum, m);
    b.fold_karatsuba((1..groups).fold(sums, |sums, _| b.multiply_add_karatsuba(sums, largest.block, m)))
}

#[test]
fn blocks_and_accumulators() {
    with_ranges(|b, Largest { block, carried, sum }| {
        is_below(44.0, &[block[0]]);
        is_below(44.0, &[block[1]]);
        is_below(41.0, &[block[2]]);
        // A multiplicand (an accumulator, or any sum of two numbers), and 20 times a limb.
        is_below(46.0, &sum);
        is_below(46.0, &b.sum(carried, carried));
        is_below(49.0, &b.multiplier(carried).twenty);
        // An accumulator in base 2^64 joins the first blocks.
        let all = u64::MAX;
        let limbs = [[all, all, 7], [all, 0, 0], [0, all, 0], [0, all, 7]].map(from_base_64);
        let limb = |i: usize| Range::up_to(limbs.iter().map(|limbs| limbs[i]).max().unwrap_or(0));
        is_below(44.0, &[limb(0)]);
        is_below(44.0, &[limb(1)]);
        is_below(43.0, &[limb(2)]);
        for (joined, sum) in b.sum([limb(0), limb(1), limb(2)], block).into_iter().zip(sum) {
            assert!(joined.max <= sum.max);
        }
    });
}

#[test]
fn carries() {
    with_ranges(|b, Largest { block, sum, .. }| {
        let largest = [Range::up_to((1 << 63) - 1); 3];
        let carried = b.carry(largest);
        is_carried(carried);
        assert_eq!(carried[0].max + 20, CARRIED.into(), "the largest carry is 2^19 - 1");
        for (limb, bound) in b.carry_add(largest, block).into_iter().zip(sum) {
            assert!(limb.max <= bound.max, "not the sum of a carried number and a block: {limb:?}");
        }
    });
}

#[test]
fn sums_of_products() {
    for groups in 1..=SCHOOLBOOK_PRODUCTS {
        with_ranges(|b, largest| {
            let sums = schoolbook(b, &largest, groups);
            let limbs = b.fold(sums);
            is_carried(b.carry(limbs));
            if groups == SCHOOLBOOK_PRODUCTS {
                is_below(44.0, &sums.high[..2]);
                is_below(39.7, &sums.high[2..]);
                is_below(56.0, &limbs);
            }
        });
    }
    // The powers of r are computed like this.
    with_ranges(|b, Largest { carried, .. }| {
        let m = b.multiplier(carried);
        is_carried(b.product(carried, &m));
        is_carried(b.carry(b.fold(b.square(&m))));
    });
}

#[test]
fn karatsubas_products() {
    for groups in 1..=KARATSUBA_PRODUCTS {
        with_ranges(|b, largest| {
            let limbs = karatsuba(b, b.nothing_karatsuba(), &largest, groups);
            is_carried(b.carry(limbs));
            if groups == KARATSUBA_PRODUCTS {
                is_below(63.0, &limbs);
                is_below(57.0, &[Range::new(0, -b.lowest_cross.get())]);
                is_below(62.0, &[Range::new(0, -b.lowest.get())]);
            }
        });
    }
}

/// The bias is 2^20 p: with its limbs 2^18 (2^44 - 20), 2^18 (2^44 - 1) and the same, 2^132 - 20 = 4 p times 2^18.
#[test]
fn bias() {
    let [low, upper] = BIAS.map(u128::from);
    let numbers = [low & ((1 << 44) - 1), (low >> 44) + upper, upper];
    let (carry, middle) = (numbers[1] >> 44, numbers[1] & ((1 << 44) - 1));
    let p_2_20 = [(1 << 44) - (5 << 20), (1 << 44) - 1, (1 << 62) - 1];
    assert_eq!([numbers[0], middle, numbers[2] + carry], p_2_20);
    is_below(62.0, &BIAS.map(Range::up_to));
}

#[test]
fn sums_over_lanes() {
    with_ranges(|b, largest| {
        let product = b.fold(schoolbook(b, &largest, 1));
        let across = (1..8).fold(product, |sum, _| b.sum(sum, product));
        assert!(across.into_iter().all(|limb| limb.unsigned().max < 1 << 63));
        // The largest possible highest word.
        let [_, _, highest] = to_base_64([(1 << 63) - 1; 3]);
        is_below(24.0, &[Range::up_to(highest)]);
    });
}

/// With the accumulator in each product, the ranges panic: high halves exceed 52 bits.
#[test]
#[should_panic(expected = "a multiple that reaches 2^52")]
fn too_many_accumulators() {
    with_ranges(|b, largest| {
        let m = b.multiplier(largest.carried);
        let sums =
            (0..SCHOOLBOOK_PRODUCTS).fold(b.nothing(), |sums, _| b.multiply_add(sums, largest.sum, &m));
        b.fold(sums);
    });
}

/// One group too many.
#[test]
#[should_panic(expected = "a multiple that reaches 2^52")]
fn too_many_groups() {
    with_ranges(|b, largest| {
        b.fold(schoolbook(b, &largest, SCHOOLBOOK_PRODUCTS + 1));
    });
}

/// Twice as many groups: the bias does not lift all limbs above 0.
#[test]
#[should_panic(expected = "may be negative")]
fn too_many_groups_of_karatsuba() {
    with_ranges(|b, largest| {
        b.carry(karatsuba(b, b.nothing_karatsuba(), &largest, 2 * KARATSUBA_PRODUCTS));
    });
}

/// Without the bias.
#[test]
#[should_panic(expected = "may be negative")]
fn no_bias() {
    with_ranges(|b, largest| {
        let zero = b.splat(0);
        b.carry(karatsuba(b, Karatsuba { low: [zero; 6], high: [zero; 6] }, &largest, 1));
    });
}

/// Without a carry after a product.
#[test]
#[should_panic(expected = "an operand that reaches 2^52")]
fn no_carry() {
    with_ranges(|b, largest| {
        let m = b.multiplier(largest.carried);
        b.multiply(b.fold(b.multiply(largest.carried, &m)), &m);
    });
}

/// Two carries one after the other, without a bound on the input: limb 2 carries 20 bits.
#[test]
#[should_panic(expected = "not carried")]
fn limbs_of_64_bits() {
    with_ranges(|b, _| is_carried(b.carry([Range::up_to(u64::MAX); 3])));
}

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
