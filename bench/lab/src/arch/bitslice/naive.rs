//! The rounds of a bitsliced group one addition after the other, as [Bitslice] describes them, for every instruction set.
//!
//! All four words of the state are planes in memory. A half round takes two passes over the 64 bits, one for each
//! addition. Both read four arrays and write four others, where the words lie rotated. Nothing is known beforehand: the
//! constants of the key are planes too, and each addition has five operations.

use super::isa::Isa;
use crate::bitslice::{Plan, Planes, State};

/// The words of the state.
type Words<P> = [Planes<P>; 4];

/// Computes the planes of the tags from those of the first words.
#[inline(always)]
pub fn compute<I: Isa>(isa: I, plan: &Plan, state: &mut State<I::Plane>) {
    let Plan { c, d, eight_bytes, double, initial, .. } = *plan;
    let [k0, k1, k2, k3] = initial;
    let zero = [I::Plane::default(); 64];
    // The transpose has xored v3 into the words.
    let mut v = [fill(isa, k0), fill(isa, k1), fill(isa, k2), state.x];
    let mut between = [zero; 4];
    let mut word = fill(isa, k3);
    xor(isa, &mut word, &state.x);
    rounds(isa, &mut v, &mut between, c);
    xor(isa, &mut v[0], &word);
    if eight_bytes {
        let length = fill(isa, 8 << 56);
        xor(isa, &mut v[3], &length);
        rounds(isa, &mut v, &mut between, c);
        xor(isa, &mut v[0], &length);
    }
    flip(isa, &mut v[2], if double { 0xee } else { 0xff });
    rounds(isa, &mut v, &mut between, d);
    all_four(isa, &mut state.x, &v);
    if double {
        flip(isa, &mut v[1], 0xdd);
        rounds(isa, &mut v, &mut between, d);
        all_four(isa, &mut state.high, &v);
    }
}

/// The planes of a word that is the same in all lanes.
#[inline(always)]
fn fill<I: Isa>(isa: I, word: u64) -> Planes<I::Plane> {
    let mut planes = [I::Plane::default(); 64];
    for (o, plane) in planes.iter_mut().enumerate() {
        isa.store(plane, isa.splat(0u64.wrapping_sub(word >> o & 1)));
    }
    planes
}

#[inline(always)]
fn xor<I: Isa>(isa: I, to: &mut Planes<I::Plane>, from: &Planes<I::Plane>) {
    for (to, from) in to.iter_mut().zip(from) {
        let sum = isa.xor(isa.load(to), isa.load(from));
        isa.store(to, sum);
    }
}

/// Complements the planes of the bits that are set in `byte`.
#[inline(always)]
fn flip<I: Isa>(isa: I, planes: &mut Planes<I::Plane>, byte: u8) {
    for (bit, plane) in planes.iter_mut().take(8).enumerate() {
        if byte >> bit & 1 == 1 {
            let flipped = isa.xor(isa.load(plane), isa.splat(!0));
            isa.store(plane, flipped);
        }
    }
}

#[inline(always)]
fn all_four<I: Isa>(isa: I, tags: &mut Planes<I::Plane>, [v0, v1, v2, v3]: &Words<I::Plane>) {
    for (o, tag) in tags.iter_mut().enumerate() {
        let v0_v1 = isa.xor(isa.load(&v0[o]), isa.load(&v1[o]));
        let v2_v3 = isa.xor(isa.load(&v2[o]), isa.load(&v3[o]));
        isa.store(tag, isa.xor(v0_v1, v2_v3));
    }
}

#[inline(always)]
fn rounds<I: Isa>(isa: I, v: &mut Words<I::Plane>, between: &mut Words<I::Plane>, n: usize) {
    let ([v0, v1, v2, v3], [w0, w1, w2, w3]) = (v, between);
    for _ in 0..n {
        half::<I, 13, 16>(isa, [&*v0, v1, v2, v3], [&mut *w0, w1, w2, w3]);
        half::<I, 17, 21>(isa, [&*w2, w1, w0, w3], [&mut *v2, v1, v0, v3]);
    }
}

/// A half round: `a += b; b = rotl(b, S) ^ a; a = rotl(a, 32)` and `c += d; d = rotl(d, T) ^ c`.
#[inline(always)]
fn half<I: Isa, const S: usize, const T: usize>(
    isa: I,
    [a, b, c, d]: [&Planes<I::Plane>; 4],
    [a_next, b_next, c_next, d_next]: [&mut Planes<I::Plane>; 4],
) {
    let mut carry = isa.splat(0);
    for o in 0..64 {
        let sum;
        (sum, carry) = isa.add(isa.load(&a[o]), isa.load(&b[o]), carry);
        isa.store(&mut a_next[(o + 32) & 63], sum);
        isa.store(&mut b_next[o], isa.xor(isa.load(&b[(o + 64 - S) & 63]), sum));
    }
    let mut carry = isa.splat(0);
    for o in 0..64 {
        let sum;
        (sum, carry) = isa.add(isa.load(&c[o]), isa.load(&d[o]), carry);
        isa.store(&mut c_next[o], sum);
        isa.store(&mut d_next[o], isa.xor(isa.load(&d[(o + 64 - T) & 63]), sum));
    }
}
