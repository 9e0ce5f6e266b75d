//! The operations on vectors of 128 bits.

use super::{Random, count_of_pairs, each, edges, pair, words};
use crate::arch::generic::lanes::Work;
use crate::arch::generic::lanes128::Simd128;
use crate::job::plain::cast;

/// Compares [`Simd128`] of an instruction set with arrays.
pub fn simd128<C: Simd128>(cpu: C) {
    cpu.call(Check(cpu));
}

struct Check<C>(C);

impl<C: Simd128> Work for Check<C> {
    #[inline(always)]
    fn run(self) {
        bytes(self.0);
        words32(self.0);
        words64(self.0);
        moves(self.0);
    }
}

/// Every pair of bytes, in every place.
#[inline(always)]
fn bytes<C: Simd128>(cpu: C) {
    for pair in 0..=u16::MAX {
        let [low, high] = pair.to_le_bytes();
        let a: [u8; 16] = each(|i| low.wrapping_add((17 * i) as u8));
        let b: [u8; 16] = each(|i| high.wrapping_add((29 * i) as u8));
        let (x, y): (C::V, C::V) = (cast(&a), cast(&b));
        let (sum, greater): ([u8; 16], [u8; 16]) = (cast(&cpu.add8(x, y)), cast(&cpu.greater8(x, y)));
        assert_eq!(sum, each(|i| a[i].wrapping_add(b[i])), "add8: {a:x?} {b:x?}");
        let expected = each(|i| if (a[i] as i8) > b[i] as i8 { 0xff } else { 0 });
        assert_eq!(greater, expected, "greater8: {a:x?} {b:x?}");
        // Beside every other byte.
        let mixed: [u8; 16] = each(|i| if i % 2 == 0 { a[i] } else { b[i] });
        let folded: [u8; 16] = cast(&cpu.fold8(cast(&mixed)));
        assert_eq!(folded, mixed.map(|byte| byte.to_ascii_lowercase()), "fold8: {mixed:x?}");
    }
}

#[inline(always)]
fn words32<C: Simd128>(cpu: C) {
    let (edges, mut random) = (edges(32), Random::new());
    for k in 0..count_of_pairs(32) {
        let [a, b] = pair::<4>(&edges, &mut random, k).map(|words| words.map(|word| word as u32));
        let (x, y): (C::V, C::V) = (cast(&a), cast(&b));
        let bits = |is: bool| if is { u32::MAX } else { 0 };
        let (add, sub): ([u32; 4], [u32; 4]) = (cast(&cpu.add32(x, y)), cast(&cpu.sub32(x, y)));
        assert_eq!(add, each(|i| a[i].wrapping_add(b[i])), "add32: {a:x?} {b:x?}");
        assert_eq!(sub, each(|i| a[i].wrapping_sub(b[i])), "sub32: {a:x?} {b:x?}");
        let (equal, greater): ([u32; 4], [u32; 4]) = (cast(&cpu.equal32(x, y)), cast(&cpu.greater32(x, y)));
        assert_eq!(equal, each(|i| bits(a[i] == b[i])), "equal32: {a:x?} {b:x?}");
        assert_eq!(greater, each(|i| bits(a[i] as i32 > b[i] as i32)), "greater32: {a:x?} {b:x?}");
        assert_eq!(cast::<_, [u32; 4]>(&cpu.splat32(a[0])), [a[0]; 4], "splat32: {:x}", a[0]);
        // Numbers of 32 bits with a sign, in words of 64.
        let [c, d]: [[i64; 2]; 2] = [&a, &b].map(|words| each(|i| i64::from(words[i] as i32)));
        let greater: [u64; 2] = cast(&cpu.greater64(cast(&c), cast(&d)));
        assert_eq!(greater, each(|i| if c[i] > d[i] { u64::MAX } else { 0 }), "greater64: {c:x?} {d:x?}");
    }
    for a in words::<4>(32) {
        let a = a.map(|word| word as u32);
        for bits in 1..32 {
            let found: [u32; 4] = cast(&cpu.rotl32(cast(&a), bits));
            assert_eq!(found, a.map(|word| word.rotate_left(bits)), "rotl32 by {bits}: {a:x?}");
        }
    }
}

#[inline(always)]
fn words64<C: Simd128>(cpu: C) {
    let (edges, mut random) = (edges(64), Random::new());
    for k in 0..count_of_pairs(64) {
        let [a, b] = pair::<2>(&edges, &mut random, k);
        let [mask, _] = pair::<2>(&edges, &mut random, k * 5 % edges.len().pow(2));
        let (x, y, m): (C::V, C::V, C::V) = (cast(&a), cast(&b), cast(&mask));
        let out = |vector: C::V| cast::<_, [u64; 2]>(&vector);
        assert_eq!(out(cpu.add64(x, y)), each(|i| a[i].wrapping_add(b[i])), "add64: {a:x?} {b:x?}");
        assert_eq!(out(cpu.sub64(x, y)), each(|i| a[i].wrapping_sub(b[i])), "sub64: {a:x?} {b:x?}");
        assert_eq!(out(cpu.and(x, y)), each(|i| a[i] & b[i]), "and: {a:x?} {b:x?}");
        assert_eq!(out(cpu.and_not(x, y)), each(|i| !a[i] & b[i]), "and_not: {a:x?} {b:x?}");
        assert_eq!(out(cpu.or(x, y)), each(|i| a[i] | b[i]), "or: {a:x?} {b:x?}");
        assert_eq!(out(cpu.xor(x, y)), each(|i| a[i] ^ b[i]), "xor: {a:x?} {b:x?}");
        assert_eq!(out(cpu.splat64(a[0])), [a[0]; 2], "splat64: {:x}", a[0]);
        let chosen = each(|i| mask[i] & a[i] | !mask[i] & b[i]);
        assert_eq!(out(cpu.choose(m, x, y)), chosen, "choose: {mask:x?} {a:x?} {b:x?}");
    }
    for a in words::<2>(64) {
        for bits in 1..64 {
            let found: [u64; 2] = cast(&cpu.rotl64(cast(&a), bits));
            assert_eq!(found, a.map(|word| word.rotate_left(bits)), "rotl64 by {bits}: {a:x?}");
        }
    }
}

/// Each bit of two and of four vectors.
#[inline(always)]
fn moves<C: Simd128>(cpu: C) {
    for words in words::<8>(32) {
        let words = words.map(|word| word as u32);
        let [a, b]: [[u32; 4]; 2] = cast(&words);
        let (x, y): (C::V, C::V) = (cast(&a), cast(&b));
        assert_eq!(cast::<_, [u32; 4]>(&cpu.low32(x, y)), [a[0], b[0], a[1], b[1]], "low32: {a:x?} {b:x?}");
        assert_eq!(cast::<_, [u32; 4]>(&cpu.high32(x, y)), [a[2], b[2], a[3], b[3]], "high32: {a:x?} {b:x?}");
        assert_eq!(cast::<_, [u32; 4]>(&cpu.low64(x, y)), [a[0], a[1], b[0], b[1]], "low64: {a:x?} {b:x?}");
        assert_eq!(cast::<_, [u32; 4]>(&cpu.high64(x, y)), [a[2], a[3], b[2], b[3]], "high64: {a:x?} {b:x?}");
        assert_eq!(cast::<_, [u32; 4]>(&cpu.even32(x)), [a[0], a[0], a[2], a[2]], "even32: {a:x?}");
    }
    for words in words::<16>(32) {
        let words = words.map(|word| word as u32);
        let rows: [[u32; 4]; 4] = cast(&words);
        let found: [[u32; 4]; 4] = cast(&cpu.transpose32(cast(&rows)));
        assert_eq!(found, each(|i| each(|lane| rows[lane][i])), "transpose32: {rows:x?}");
    }
}
