//! Powers of r, and the factors that a turn multiplies with.

use super::limbs::{carry, product, split, times_5};
use super::order::{KEPT_STEPS, Order, STEPS};
use super::vectors::Vectors26;
use crate::arch::portable::Multiplier;
use crate::job::poly1305::{Key, Powers, Table};

/// The powers of r that are kept between pieces.
type Table26 = Table<5, 15, KEPT_STEPS>;

/// The factors of powers: their limbs, then the sums of two limbs that the crosses are multiplied with.
#[inline(always)]
pub fn factors<L: Vectors26<N>, const N: usize>(
    cpu: L,
    [r0, r1, r2, r3, r4]: [L::Vector; 5],
) -> [L::Vector; 15] {
    [
        r0,
        r1,
        r2,
        r3,
        r4,
        cpu.add(r0, r1),
        cpu.add(r0, r2),
        cpu.add(r0, r3),
        cpu.add(r0, r4),
        cpu.add(r1, r2),
        cpu.add(r1, r3),
        times_5(cpu, cpu.add(r1, r4)),
        times_5(cpu, cpu.add(r2, r3)),
        times_5(cpu, cpu.add(r2, r4)),
        times_5(cpu, cpu.add(r3, r4)),
    ]
}

/// The factors of r^N, r^2N, r^3N, r^4N.
pub type KeptSteps = [[u64; KEPT_STEPS]; 15];

/// The factors of the steps of a long message, each factor in every lane.
pub type Vectors<V> = [[V; 15]; STEPS];

/// Loads kept powers, each into its lane.
#[inline(always)]
pub fn load<L: Vectors26<N>, const N: usize>(cpu: L, known: &Table26) -> [L::Vector; 5] {
    let mut lane = [cpu.splat(0); 5];
    for (vector, row) in lane.iter_mut().zip(&known.lane) {
        *vector = cpu.load(row.first_chunk().unwrap_or(&[0; N]));
    }
    lane
}

/// Keeps powers for the next piece.
#[inline(always)]
pub fn store<L: Vectors26<N>, const N: usize>(
    cpu: L,
    lane: [L::Vector; 5],
    kept_steps: &KeptSteps,
    kept: &mut Powers,
) {
    kept.wipe();
    // Filled in place: a moved table would leave a copy behind.
    *kept = Powers::Base26(Table { lanes: N, lane: [[0; 8]; 5], step: [[0; KEPT_STEPS]; 15] });
    let Powers::Base26(table) = kept else { return };
    table.step = *kept_steps;
    for (row, vector) in table.lane.iter_mut().zip(lane) {
        for (place, limb) in row.iter_mut().zip(cpu.store(vector)) {
            *place = limb;
        }
    }
}

/// Computes the powers of a key: r^N, ..., r in their lanes, and the factors of a few steps.
#[inline(always)]
pub fn compute<L: Vectors26<N>, const N: usize>(
    cpu: L,
    key: &Key,
    steps: usize,
    kept_steps: &mut KeptSteps,
) -> [L::Vector; 5] {
    // r^2, r^3 and r^4 are scalar products, as for blocks: no vector is as fast.
    let r = Multiplier::new(key);
    let first = [key.r[0], key.r[1], 0];
    let second = r.absorb(first, 0, 0);
    let third = r.absorb(second, 0, 0);
    let all = [first, second, third, r.absorb(third, 0, 0)];
    let (mut low, mut high, mut top) = ([0; N], [0; N], [0; N]);
    for (lane, ((low, high), top)) in low.iter_mut().zip(&mut high).zip(&mut top).enumerate() {
        let power = all.get((N - 1 - Order::<N>::block_of(lane)) % 4);
        [*low, *high, *top] = power.copied().unwrap_or([0; 3]);
    }
    let words = [cpu.load(&low), cpu.load(&high)];
    let mut lane = split(cpu, words, cpu.shl(cpu.load(&top), 24));
    if N > 4 {
        lane = powers(cpu, lane, pick(cpu, lane, 0), &Order::<N>::BY_BLOCK[2..], 0);
    }
    let mut power = pick(cpu, lane, 0);
    if steps > 1 {
        let rounds = if N < KEPT_STEPS { 1 } else { 2 };
        power = powers(cpu, power, power, &Order::<N>::BY_STEP[..rounds], N.min(KEPT_STEPS) - 1);
    }
    put(cpu, factors(cpu, power), kept_steps, 0);
    let mut done = N;
    while done < KEPT_STEPS {
        // N = 2: the next two steps.
        power = multiply(cpu, power, pick(cpu, power, N - 1));
        put(cpu, factors(cpu, power), kept_steps, done);
        done += N;
    }
    lane
}

/// One lane's number, in every lane.
#[inline(always)]
fn pick<L: Vectors26<N>, const N: usize>(cpu: L, x: [L::Vector; 5], lane: usize) -> [L::Vector; 5] {
    let mut picked = x;
    for x in &mut picked {
        *x = cpu.splat(cpu.store(*x).get(lane).copied().unwrap_or(0));
    }
    picked
}

/// Product in each lane, as limbs.
#[inline(always)]
pub fn multiply<L: Vectors26<N>, const N: usize>(
    cpu: L,
    a: [L::Vector; 5],
    b: [L::Vector; 5],
) -> [L::Vector; 5] {
    carry(cpu, product(cpu, a, b))
}

/// For each bit of `bits`, multiplies x, x^2, x^4, ... into the lanes where the bit is set. The lane with all bits set,
/// `highest`, has the next of these powers.
#[inline(always)]
fn powers<L: Vectors26<N>, const N: usize>(
    cpu: L,
    mut lanes: [L::Vector; 5],
    mut power: [L::Vector; 5],
    bits: &[[[u64; N]; 2]],
    highest: usize,
) -> [L::Vector; 5] {
    for [set, clear] in bits {
        let (set, clear) = (cpu.load(set), cpu.load(clear));
        let product = multiply(cpu, lanes, power);
        for (lane, product) in lanes.iter_mut().zip(product) {
            *lane = cpu.or(cpu.and(*lane, clear), cpu.and(product, set));
        }
        power = pick(cpu, lanes, highest);
    }
    lanes
}

/// The factors of four more steps: the first four times r^4N.
#[inline(always)]
pub fn further_steps<L: Vectors26<N>, const N: usize>(cpu: L, kept_steps: &KeptSteps) -> KeptSteps {
    let mut more = [[0; KEPT_STEPS]; 15];
    let mut last = [cpu.splat(0); 5];
    for (vector, &[.., power]) in last.iter_mut().zip(kept_steps) {
        *vector = cpu.splat(power);
    }
    for i in (0..KEPT_STEPS).step_by(N) {
        let mut powers = [cpu.splat(0); 5];
        for (vector, row) in powers.iter_mut().zip(kept_steps) {
            let mut lanes = [0; N];
            for (lane, &limb) in lanes.iter_mut().zip(row.iter().skip(i)) {
                *lane = limb;
            }
            *vector = cpu.load(&lanes);
        }
        put(cpu, factors(cpu, multiply(cpu, powers, last)), &mut more, i);
    }
    more
}

/// Stores the factors of up to N steps, from step `start` on.
#[inline(always)]
fn put<L: Vectors26<N>, const N: usize>(
    cpu: L,
    factors: [L::Vector; 15],
    steps: &mut KeptSteps,
    start: usize,
) {
    for (row, vector) in steps.iter_mut().zip(factors) {
        for (place, factor) in row.iter_mut().skip(start).zip(cpu.store(vector)) {
            *place = factor;
        }
    }
}
