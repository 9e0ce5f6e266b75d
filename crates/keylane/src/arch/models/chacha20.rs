//! Vectors of 32-bit words for ChaCha20.

#![forbid(unsafe_code)]

use super::{Random, count_of_pairs, each, edges, pair, words};
use crate::arch::generic::chacha20::{Rows32, Vectors32};
use crate::job::plain::cast;

/// A vector of these words.
#[inline(always)]
fn vector<C: Vectors32<N>, const N: usize>(words: [u64; N]) -> C::V {
    cast(&words.map(|word| word as u32))
}

/// Compares [`Vectors32`] of an instruction set with arrays.
#[inline(always)]
pub fn vectors32<C: Vectors32<N>, const N: usize>(cpu: C) {
    let (edges, mut random) = (edges(32), Random::new());
    for k in 0..count_of_pairs(32) {
        let [a, b] = pair::<N>(&edges, &mut random, k).map(|words| words.map(|word| word as u32));
        let (x, y): (C::V, C::V) = (cast(&a), cast(&b));
        let (sum, xor): ([u32; N], [u32; N]) = (cast(&cpu.add(x, y)), cast(&cpu.xor(x, y)));
        assert_eq!(sum, each(|i| a[i].wrapping_add(b[i])), "add: {a:x?} {b:x?}");
        assert_eq!(xor, each(|i| a[i] ^ b[i]), "xor: {a:x?} {b:x?}");
        assert_eq!(cast::<_, [u32; N]>(&cpu.splat(a[0])), [a[0]; N], "splat: {:x}", a[0]);
    }
    for a in words::<N>(32) {
        for bits in [16, 12, 8, 7] {
            let found: [u32; N] = cast(&cpu.rotl(vector::<C, N>(a), bits));
            assert_eq!(found, a.map(|word| (word as u32).rotate_left(bits)), "rotl by {bits}: {a:x?}");
        }
    }
    // Each bit of each of the sixteen words of N blocks.
    let check = |all: &[[u64; N]; 16], found: [[[u32; N]; 4]; 4]| {
        let found = found.as_flattened().as_flattened();
        let right = found.iter().enumerate().all(|(i, &word)| word == all[i % 16][i / 16] as u32);
        assert!(right, "transpose: {all:x?} gave {found:x?}");
    };
    for row in 0..16 {
        for one in words::<N>(32) {
            let mut all = [[0; N]; 16];
            all[row] = one;
            let blocks = cpu.transpose(all.map(vector::<C, N>));
            check(&all, blocks.map(|vectors| vectors.map(|vector| cast(&vector))));
        }
    }
}

/// Compares [`Rows32`] likewise.
#[inline(always)]
pub fn rows32<C: Rows32<N>, const N: usize>(cpu: C) {
    for a in words::<N>(32) {
        let words = a.map(|word| word as u32);
        let turned = |first: usize| -> [u32; N] { each(|i| words[i / 4 * 4 + (i + first) % 4]) };
        let a = vector::<C, N>(a);
        assert_eq!(cast::<_, [u32; N]>(&cpu.word1_first(a)), turned(1), "word1_first: {words:x?}");
        assert_eq!(cast::<_, [u32; N]>(&cpu.word2_first(a)), turned(2), "word2_first: {words:x?}");
        assert_eq!(cast::<_, [u32; N]>(&cpu.word3_first(a)), turned(3), "word3_first: {words:x?}");
        let row = each(|i| words[i]);
        assert_eq!(cast::<_, [u32; N]>(&cpu.row(row)), each(|i| row[i % 4]), "row: {row:x?}");
        for place in 0..4 {
            let mut rows = [cpu.splat(0); 4];
            rows[place] = a;
            let found: [[u32; N]; 4] = cpu.join(rows).map(|vector| cast(&vector));
            let found = found.as_flattened();
            let right = |(i, &word): (usize, &u32)| {
                word == if i % 16 / 4 == place { words[i / 16 * 4 + i % 4] } else { 0 }
            };
            assert!(found.iter().enumerate().all(right), "join, row {place}: {words:x?} gave {found:x?}");
        }
    }
}
