//! Vectors of 64-bit lanes for Poly1305 in base 2^26.

#![forbid(unsafe_code)]

use super::{Random, bits_of_bytes, count_of_pairs, each, edges, number, pair, words};
use crate::arch::generic::radix26::school::{School, Table};
use crate::arch::generic::radix26::vectors::Vectors26;

/// Compares [`Vectors26`] of an instruction set with arrays.
#[inline(always)]
pub fn vectors26<L: Vectors26<N>, const N: usize>(cpu: L) {
    let (edges, mut random) = (edges(64), Random::new());
    for k in 0..count_of_pairs(64) {
        let [a, b] = pair::<N>(&edges, &mut random, k);
        let [c, _] = pair::<N>(&edges, &mut random, k * 7 % (edges.len() * edges.len()));
        let (x, y, z) = (cpu.load(&a), cpu.load(&b), cpu.load(&c));
        let product = |i: usize| (a[i] & 0xffff_ffff) * (b[i] & 0xffff_ffff);
        assert_eq!(cpu.store(x), a, "load, store");
        assert_eq!(cpu.store(cpu.splat(a[0])), [a[0]; N], "splat: {:x}", a[0]);
        assert_eq!(cpu.store(cpu.add(x, y)), each(|i| a[i].wrapping_add(b[i])), "add: {a:x?} {b:x?}");
        assert_eq!(cpu.store(cpu.sub(x, y)), each(|i| a[i].wrapping_sub(b[i])), "sub: {a:x?} {b:x?}");
        assert_eq!(cpu.store(cpu.and(x, y)), each(|i| a[i] & b[i]), "and: {a:x?} {b:x?}");
        assert_eq!(cpu.store(cpu.or(x, y)), each(|i| a[i] | b[i]), "or: {a:x?} {b:x?}");
        assert_eq!(cpu.store(cpu.mul(x, y)), each(product), "mul: {a:x?} {b:x?}");
        let sums = each(|i| c[i].wrapping_add(product(i)));
        assert_eq!(cpu.store(cpu.mul_add(z, x, y)), sums, "mul_add: {c:x?} {a:x?} {b:x?}");
        assert_eq!(cpu.sum(x), a.iter().fold(0, |sum: u64, &x| sum.wrapping_add(x)), "sum: {a:x?}");
        assert_eq!(cpu.in_memory(&a), &a, "in_memory");
        let limbs = [x, y, z, x, y];
        assert_eq!(cpu.carried(limbs).map(|limb| cpu.store(limb)), [a, b, c, a, b], "carried");
        let mut secret = [x, y, z];
        cpu.wipe(&mut secret);
        assert_eq!([cpu.store(secret[0]), cpu.store(secret[1]), cpu.store(secret[2])], [[0; N]; 3], "wipe");
    }
    for a in words::<N>(64) {
        let x = cpu.load(&a);
        for bits in 0..64 {
            assert_eq!(cpu.store(cpu.shl(x, bits)), a.map(|a| a << bits), "shl by {bits}: {a:x?}");
            assert_eq!(cpu.store(cpu.shr(x, bits)), a.map(|a| a >> bits), "shr by {bits}: {a:x?}");
        }
    }
    for bytes in bits_of_bytes(16 * N) {
        let blocks: [[u8; 16]; N] = each(|i| each(|j| bytes[16 * i + j]));
        let [low, high] = cpu.words(&blocks);
        // Block i in lane 2 i, block i + N / 2 in lane 2 i + 1.
        let block = |lane: usize| &blocks[lane / 2 + lane % 2 * (N / 2)];
        assert_eq!(cpu.store(low), each(|lane| number(&block(lane)[..8])), "words: {blocks:x?}");
        assert_eq!(cpu.store(high), each(|lane| number(&block(lane)[8..])), "words: {blocks:x?}");
    }
}

/// Compares [`School`] likewise.
#[inline(always)]
pub fn school<L: School>(cpu: L) {
    let (edges, mut random) = (edges(64), Random::new());
    for k in 0..count_of_pairs(64) {
        let [a, b] = pair::<4>(&edges, &mut random, k);
        let (x, y) = (cpu.load(&a), cpu.load(&b));
        assert_eq!(cpu.store(cpu.odd_lanes(x, y)), [a[0], b[1], a[2], b[3]], "odd_lanes: {a:x?} {b:x?}");
        assert_eq!(cpu.store(cpu.upper_lanes(x, y)), [a[0], a[1], b[2], b[3]], "upper_lanes: {a:x?} {b:x?}");
    }
    for _ in 0..super::RANDOM {
        let numbers: [[u64; 4]; 5] = [(); 5].map(|()| random.array());
        let [a, b, c, d, e] = &numbers;
        let vectors = [cpu.load(a), cpu.load(b), cpu.load(c), cpu.load(d), cpu.load(e)];
        let [f, g, h, i, j] = cpu.hidden(vectors);
        let hidden = [cpu.store(f), cpu.store(g), cpu.store(h), cpu.store(i), cpu.store(j)];
        assert_eq!(hidden, numbers, "hidden");
        let sums = numbers.map(|lanes| lanes.iter().fold(0, |sum: u64, &x| sum.wrapping_add(x)));
        assert_eq!(cpu.sums(vectors), sums, "sums: {numbers:x?}");
    }
    let table: Table = each(|row| each(|column| (row as u64) << 32 ^ column as u64 ^ random.word() << 40));
    for column in 0..4 {
        let rows = [
            cpu.broadcast::<0>(&table, column),
            cpu.broadcast::<1>(&table, column),
            cpu.broadcast::<2>(&table, column),
            cpu.broadcast::<3>(&table, column),
            cpu.broadcast::<4>(&table, column),
            cpu.broadcast::<5>(&table, column),
            cpu.broadcast::<6>(&table, column),
            cpu.broadcast::<7>(&table, column),
            cpu.broadcast::<8>(&table, column),
        ];
        for (row, found) in rows.into_iter().enumerate() {
            assert_eq!(cpu.store(found), [table[row][column]; 4], "broadcast: row {row}, column {column}");
        }
    }
    for bytes in bits_of_bytes(64) {
        let blocks: [[u8; 16]; 4] = each(|i| each(|j| bytes[16 * i + j]));
        let [low, high] = cpu.words_with_last(&each(|i| blocks[i]), u128::from_le_bytes(blocks[3]));
        let lanes = [0, 2, 1, 3].map(|block: usize| blocks[block]);
        assert_eq!(cpu.store(low), lanes.map(|block| number(&block[..8])), "words_with_last: {blocks:x?}");
        assert_eq!(cpu.store(high), lanes.map(|block| number(&block[8..])), "words_with_last: {blocks:x?}");
    }
}
