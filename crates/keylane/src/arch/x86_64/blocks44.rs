//! Poly1305 of one message, a vector of blocks at a time, in base 2^44 ([`radix44`](super::radix44)).
//!
//! A *group* is N consecutive blocks, one in each lane. The message is cut into groups from its end. So blocks may be
//! missing at the front of the first group, where they count as zeros. They are never missing at the end of the last:
//! no tail is left over. With the accumulator A, a number in each lane,
//!
//! ```text
//! A <- first group
//! A <- A r^kN + M1 r^(k-1)N + ... + M(k-1) r^N + Mk         a turn: k more groups, one carry
//! tag = the sum over the lanes of A (r^N, ..., r^2, r)
//! ```
//!
//! Many products are added before a carry. The set-up depends on the length. Turns of one and of two groups need r^N
//! and r^2N. Turns of up to 16 groups use Karatsuba's method and need a table up to r^16N. Powers are computed in
//! lanes, too: a product gives up to N of them.
//!
//! At both ends of a message, a plain load inside the message is moved into place. A masked load that skips bytes of an
//! unmapped page costs 1300 cycles.

use super::radix44::{KARATSUBA_PRODUCTS, Limbs, Vectors44, from_base_64, to_base_64};
use crate::arch::portable::{poly1305_inline, scalar};
use crate::job::barrier::in_memory;
use crate::job::poly1305::{Key, Pair, Powers, State, Table, tag};
use crate::job::prefetch::prefetch;
use crate::job::wipe::wipe_table;

/// r^N, r^2N, ..., r^16N, as limbs and sums of two limbs.
type Steps = [[u64; KARATSUBA_PRODUCTS]; 6];

/// Vectors of blocks.
pub trait Blocks: Vectors44 {
    /// Blocks in a group.
    const N: usize;
    /// Bytes in a vector: half a group.
    const WIDTH: usize = 8 * Self::N;
    /// For each number of missing blocks: the lanes that have a block.
    const PRESENT: [u8; 9];
    /// A group's bytes.
    type Group: Copy + 'static;

    /// Cuts bytes into groups and a rest shorter than a group.
    fn groups(bytes: &[u8]) -> (&[Self::Group], &[u8]);
    /// The two vectors of a group.
    fn load(self, group: &Self::Group) -> [Self::V; 2];
    /// The first `WIDTH` bytes.
    fn load_first(self, bytes: &[u8]) -> Self::V;
    /// The last `WIDTH` bytes.
    fn load_last(self, bytes: &[u8]) -> Self::V;
    /// The bytes moved up by `words` words, at most a vector, with zeros below.
    fn move_up(self, a: Self::V, words: usize) -> Self::V;
    /// The bytes moved down by `missing` bytes, at least 1, with a byte 1 after them.
    fn close(self, a: Self::V, missing: usize) -> Self::V;
    /// The low and the high words of a group's blocks.
    fn words(self, group: [Self::V; 2]) -> [Self::V; 2];
    /// x in these lanes, 0 in the others.
    fn splat_in(self, lanes: u8, x: u64) -> Self::V;
    /// b in these lanes, a in the others.
    fn blend(self, lanes: u8, a: Self::V, b: Self::V) -> Self::V;
    /// The even lanes of a, with those of b between them.
    fn even(self, a: Self::V, b: Self::V) -> Self::V;
    /// The odd lanes, each also in place of the even lane below it.
    fn odd(self, a: Self::V) -> Self::V;
    /// Lane `lane` in all lanes.
    fn lane(self, a: Self::V, lane: usize) -> Self::V;
    /// The first lanes of 8.
    fn with_lanes(self, words: &[u64; 8]) -> Self::V;
    /// The lanes, with zeros up to 8.
    fn lanes(self, a: Self::V) -> [u64; 8];
    /// The sum over the lanes.
    fn sum_lanes(self, a: Limbs<Self::V>) -> [u64; 3];
}

/// Functions of a limb, for all three limbs.
macro_rules! each_limb {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),*; $($limbs:ident),*);)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $name<B: Blocks>(b: B, $($arg: $type,)* $($limbs: Limbs<B::V>),*) -> Limbs<B::V> {
            [b.$name($($arg,)* $($limbs[0]),*), b.$name($($arg,)* $($limbs[1]),*), b.$name($($arg,)* $($limbs[2]),*)]
        }
    )*};
}
each_limb! {
    /// The even lanes of x, with those of y between them.
    fn even(; x, y);
    /// The odd lanes, each also in place of the even lane below it.
    fn odd(; x);
    /// y in these lanes, x in the others.
    fn blend(lanes: u8; x, y);
}

/// Lane `lane` in all lanes.
#[inline(always)]
fn lane<B: Blocks>(b: B, x: Limbs<B::V>, lane: usize) -> Limbs<B::V> {
    [b.lane(x[0], lane), b.lane(x[1], lane), b.lane(x[2], lane)]
}

/// r in all lanes. Each word is loaded separately: a load that spans the recent stores of a fresh key cannot be
/// forwarded, so it stalls.
#[inline(always)]
fn splat_r<B: Blocks>(b: B, [r0, r1]: &[u64; 2]) -> Limbs<B::V> {
    b.split(b.splat(*in_memory(r0)), b.splat(*in_memory(r1)), b.splat(0))
}

/// r^N, ..., r in the lanes of their blocks; and r^N in all lanes.
///
/// The odd lanes have the highest power so far, which is broadcast next. The next product takes the even lanes down to
/// r.
#[inline(always)]
fn powers<B: Blocks>(b: B, r: &[u64; 2]) -> (Limbs<B::V>, Limbs<B::V>) {
    let r = splat_r(b, r);
    let r2 = b.carry(b.fold(b.square(&b.multiplier(r))));
    // Each four lanes: r2 r2 r r2, and r2 times that.
    let two = blend(b, 0b0100_0100, r2, r);
    let four = b.product(two, &b.multiplier(r2));
    let r4 = odd(b, four);
    if B::N == 4 {
        return (even(b, four, two), r4);
    }
    // r4 r4 r3 r4 r2 r4 r r4, and r4 times that.
    let low = blend(b, 0b0101_0000, four, two);
    let eight = b.product(low, &b.multiplier(r4));
    (even(b, eight, low), odd(b, eight))
}

/// Computes the table of Karatsuba's method from r^N and r^2N.
#[inline(always)]
fn steps<B: Blocks>(b: B, one: Limbs<B::V>, two: Limbs<B::V>, steps: &mut Steps) {
    let pair = even(b, one, two);
    let next = b.product(pair, &b.multiplier(two));
    let mut powers = blend(b, 0b1100_1100, pair, next);
    let four = lane(b, next, 1);
    if B::N == 8 {
        powers = blend(b, 0b1111_0000, powers, b.product(powers, &b.multiplier(four)));
    }
    let up = b.multiplier(lane(b, powers, B::N - 1));
    keep(b, powers, steps, 0);
    powers = b.product(powers, &up);
    keep(b, powers, steps, B::N);
    if B::N == 4 {
        powers = b.product(powers, &up);
        keep(b, powers, steps, 8);
        powers = b.product(powers, &up);
        keep(b, powers, steps, 12);
    }
}

/// Stores the powers in the lanes of a vector in the table.
#[inline(always)]
fn keep<B: Blocks>(b: B, powers: Limbs<B::V>, steps: &mut Steps, at: usize) {
    for (power, row) in b.with_sums(powers).into_iter().zip(steps) {
        let words = b.lanes(power);
        for (place, &word) in row.iter_mut().skip(at).take(B::N).zip(&words) {
            *place = word;
        }
    }
}

/// The groups of a message after the first: at least one.
struct Groups<'a, B: Blocks> {
    /// All groups except the last.
    middle: core::slice::Iter<'a, B::Group>,
    /// The last group, whose last block may be incomplete.
    last: Limbs<B::V>,
}

/// The limbs of a group of whole blocks.
#[inline(always)]
fn limbs<B: Blocks>(b: B, group: &B::Group) -> Limbs<B::V> {
    let [low, high] = b.words(b.load(group));
    b.split(low, high, b.splat(1))
}

impl<'a, B: Blocks> Groups<'a, B> {
    /// Cuts `rest`, the end of the message, into groups.
    #[inline(always)]
    fn new(b: B, message: &[u8], rest: &'a [u8], missing: usize) -> Self {
        let (whole, partial) = B::groups(rest);
        match whole.split_last() {
            Some((last, middle)) if missing == 0 => Groups { middle: middle.iter(), last: limbs(b, last) },
            _ => {
                let [low, high] = b.words([b.load_first(partial), close(b, message, missing)]);
                let last = b.split(low, high, b.splat_in(whole_lanes::<B>(missing), 1));
                Groups { middle: whole.iter(), last }
            }
        }
    }

    /// All groups after the accumulator `a`, in turns of one and of two.
    #[inline(always)]
    fn by_two(
        &mut self,
        b: B,
        mut a: Limbs<B::V>,
        one: Limbs<B::V>,
        two: Option<Limbs<B::V>>,
    ) -> Limbs<B::V> {
        let one = b.multiplier(one);
        if self.middle.len().is_multiple_of(2) {
            let sums = b.fold(b.multiply_add_soon(b.nothing(), a, &one));
            let Some(next) = self.middle.next() else { return b.carry_add(sums, self.last) };
            a = b.carried(b.carry_add(sums, limbs(b, next)));
        }
        let two = b.multiplier(match two {
            Some(two) => two,
            None => b.carry(b.fold(b.square(&one))),
        });
        while let Some(first) = self.middle.next() {
            let sums = b.multiply_add(b.nothing(), limbs(b, first), &one);
            let sums = b.fold(b.multiply_add_soon(sums, a, &two));
            let Some(next) = self.middle.next() else { return b.carry_add(sums, self.last) };
            a = b.carried(b.carry_add(sums, limbs(b, next)));
        }
        // Unreachable: an odd number of groups was left for the loop.
        a
    }

    /// All groups after the accumulator `a`, in turns of up to 16.
    #[inline(always)]
    fn by_sixteen(&mut self, b: B, mut a: Limbs<B::V>, steps: &Steps) -> Limbs<B::V> {
        loop {
            let turn = self.middle.len() % KARATSUBA_PRODUCTS;
            let mut sums = b.multiply_add_karatsuba(b.nothing_karatsuba(), a, step(b, steps, turn));
            for (i, group) in (0..turn).rev().zip(self.middle.by_ref()) {
                prefetch((&raw const *group).addr().wrapping_add(AHEAD));
                sums = b.multiply_add_karatsuba(sums, limbs(b, group), step(b, steps, i));
            }
            let sums = b.fold_karatsuba(sums);
            let Some(next) = self.middle.next() else { return b.carry_add(sums, self.last) };
            a = b.carried(b.carry_add(sums, limbs(b, next)));
        }
    }
}

/// How many bytes ahead of a long message's groups memory is prefetched.
const AHEAD: usize = 4096;

/// r^(i + 1)N in all lanes. The table stays in memory. Otherwise the compiler would take it all apart before the loop,
/// and spill what the registers do not hold.
#[inline(always)]
fn step<B: Blocks>(b: B, steps: &Steps, i: usize) -> [B::V; 6] {
    let [m0, m1, m2, m01, m02, m12] = in_memory(steps);
    let i = i % KARATSUBA_PRODUCTS;
    [b.splat(m0[i]), b.splat(m1[i]), b.splat(m2[i]), b.splat(m01[i]), b.splat(m02[i]), b.splat(m12[i])]
}

/// The lanes whose block is whole, in a last group whose last block lacks `missing` bytes.
#[inline(always)]
fn whole_lanes<B: Blocks>(missing: usize) -> u8 {
    if missing == 0 { B::PRESENT[0] } else { B::PRESENT[0] >> 1 }
}

/// The last `WIDTH` bytes of a message, as the second half of a group. Its last block lacks `missing` bytes.
#[inline(always)]
fn close<B: Blocks>(b: B, message: &[u8], missing: usize) -> B::V {
    let last = b.load_last(message);
    if missing == 0 { last } else { b.close(last, missing) }
}

/// Absorbs a message of at least `WIDTH` bytes into the accumulator h, if there is one. h is in base 2^64, its highest
/// word below 2^25. The powers of r are taken from `kept` and stored there.
#[inline(always)]
pub fn absorb<B: Blocks>(
    b: B,
    r: &[u64; 2],
    h: Option<[u64; 3]>,
    message: &[u8],
    kept: Option<&mut Powers>,
    karatsuba_from: usize,
) -> [u64; 3] {
    let blocks = message.len().div_ceil(16);
    let count = blocks.div_ceil(B::N);
    let absent = count * B::N - blocks;
    let missing = 16 * blocks - message.len();
    // The first group, with its blocks moved up past the missing ones.
    let half = B::N / 2;
    let low = b.move_up(b.load_first(message), 2 * absent.min(half));
    let mut present = B::PRESENT[absent % 8];
    let high = if count == 1 {
        present &= whole_lanes::<B>(missing);
        close(b, message, missing)
    } else {
        let taken = 16 * (half - absent.min(half));
        b.move_up(b.load_first(message.get(taken..).unwrap_or(&[])), 2 * absent.saturating_sub(half))
    };
    let [low, high] = b.words([low, high]);
    let mut a = b.split(low, high, b.splat_in(present, 1));
    if let Some(h) = h {
        let lane = B::PRESENT[absent % 8] & !B::PRESENT[(absent + 1) % 9];
        let [h0, h1, h2] = from_base_64(h);
        a = b.sum(a, [b.splat_in(lane, h0), b.splat_in(lane, h1), b.splat_in(lane, h2)]);
    }

    let is_long = message.len() >= karatsuba_from;
    let rest = message.get(16 * (B::N - absent)..).unwrap_or(&[]);
    let lane;
    if let Some(kept) = kept {
        if is_long && count > 1 {
            let steps;
            (lane, steps) = recall(b, r, kept);
            a = Groups::new(b, message, rest, missing).by_sixteen(b, a, steps);
        } else {
            let (one, two);
            [lane, one, two] = recall_pair(b, r, kept);
            if count > 1 {
                a = Groups::new(b, message, rest, missing).by_two(b, a, one, Some(two));
            }
        }
    } else {
        let one;
        (lane, one) = powers(b, r);
        if count > 1 {
            let mut groups = Groups::new(b, message, rest, missing);
            if is_long {
                let mut table = [[0; KARATSUBA_PRODUCTS]; 6];
                steps(b, one, b.carry(b.fold(b.square(&b.multiplier(one)))), &mut table);
                a = groups.by_sixteen(b, a, &table);
                wipe_table(&mut table);
            } else {
                a = groups.by_two(b, a, one, None);
            }
        }
    }
    to_base_64(b.sum_lanes(b.fold(b.multiply(a, &b.multiplier(lane)))))
}

/// r^N, ..., r, and r^N and r^2N in all lanes: from `kept`, or computed and stored there.
#[inline(always)]
fn recall_pair<B: Blocks>(b: B, r: &[u64; 2], kept: &mut Powers) -> [Limbs<B::V>; 3] {
    let (lane, one, two) = match kept {
        Powers::Pair44(pair) if pair.lanes == B::N => (&pair.lane, pair.one, pair.two),
        Powers::Base44(Table { lanes, lane, step }) if *lanes == B::N => {
            let [[one0, two0, ..], [one1, two1, ..], [one2, two2, ..], ..] = *step;
            (&*lane, [one0, one1, one2], [two0, two1, two2])
        }
        _ => {
            let (lane, one) = powers(b, r);
            let two = b.carry(b.fold(b.square(&b.multiplier(one))));
            kept.wipe();
            *kept = Powers::Pair44(Pair {
                lanes: B::N,
                lane: words(b, lane),
                one: words(b, one).map(|[one, ..]| one),
                two: words(b, two).map(|[two, ..]| two),
            });
            return [lane, one, two];
        }
    };
    [
        [b.with_lanes(&lane[0]), b.with_lanes(&lane[1]), b.with_lanes(&lane[2])],
        [b.splat(one[0]), b.splat(one[1]), b.splat(one[2])],
        [b.splat(two[0]), b.splat(two[1]), b.splat(two[2])],
    ]
}

/// The lanes of each limb.
#[inline(always)]
fn words<B: Blocks>(b: B, x: Limbs<B::V>) -> [[u64; 8]; 3] {
    [b.lanes(x[0]), b.lanes(x[1]), b.lanes(x[2])]
}

/// r^N, ..., r, and the table of Karatsuba's method: from `kept`, or computed and stored there.
#[inline(always)]
fn recall<'a, B: Blocks>(b: B, r: &[u64; 2], kept: &'a mut Powers) -> (Limbs<B::V>, &'a Steps) {
    if !matches!(kept, Powers::Base44(table) if table.lanes == B::N) {
        let [lane, one, two] = recall_pair(b, r, kept);
        let mut made = [[0; KARATSUBA_PRODUCTS]; 6];
        steps(b, one, two, &mut made);
        kept.wipe();
        *kept = Powers::Base44(Table { lanes: B::N, lane: words(b, lane), step: made });
        wipe_table(&mut made);
    }
    match kept {
        Powers::Base44(Table { lane, step, .. }) => {
            ([b.with_lanes(&lane[0]), b.with_lanes(&lane[1]), b.with_lanes(&lane[2])], step)
        }
        // Unreachable: it was computed above.
        _ => ([b.splat(0); 3], &[[0; KARATSUBA_PRODUCTS]; 6]),
    }
}

/// Whether the powers of r are there for vectors of 8 blocks.
pub fn are_for_zmm(powers: &Powers) -> bool {
    match powers {
        Powers::Pair44(pair) => pair.lanes == 8,
        Powers::Base44(table) => table.lanes == 8,
        _ => false,
    }
}

/// The tag of a message.
#[inline(always)]
pub fn mac<B: Blocks>(b: B, key: &Key, message: &[u8], karatsuba_from: usize) -> u128 {
    if message.len() < B::WIDTH {
        return scalar::tag(key, message, poly1305_inline);
    }
    let h = absorb(b, &key.r, None, message, None, karatsuba_from);
    let [s0, s1] = in_memory(key).s.each_ref().map(in_memory);
    tag(h, [*s0, *s1])
}

/// Absorbs a piece of a message.
#[inline(always)]
pub fn piece<B: Blocks>(
    b: B,
    state: &mut State,
    powers: &mut Powers,
    blocks: &[[u8; 16]],
    karatsuba_from: usize,
) {
    if blocks.len() < B::WIDTH / 16 {
        return poly1305_inline(state, blocks, &[]);
    }
    let message = blocks.as_flattened();
    let h = absorb(b, &state.key.r, Some(state.h), message, Some(powers), karatsuba_from);
    state.h = reduce(h);
}

/// The same number modulo p, with a highest word of at most 4. The part above 2^130 returns times 5.
#[inline(always)]
fn reduce([h0, h1, h2]: [u64; 3]) -> [u64; 3] {
    let low = u128::from(h0) | u128::from(h1) << 64;
    let (low, carry) = low.overflowing_add(5 * u128::from(h2 >> 2));
    [low as u64, (low >> 64) as u64, (h2 & 3) + u64::from(carry)]
}
