//! Vectors of 64-bit lanes for Poly1305 in base 2^44.

#![forbid(unsafe_code)]

use crate::arch::models::{Random, bits_of_bytes, count_of_pairs, each, edges, number, pair, words};
use crate::arch::x86_64::blocks44::Blocks;
use crate::arch::x86_64::messages44::Tags44;

/// What the multiplications read.
const LOW: u64 = (1 << 52) - 1;

/// The lanes that a vector has, with zeros in the others of 8.
fn lanes<B: Blocks>(of: impl Fn(usize) -> u64) -> [u64; 8] {
    each(|lane| if lane < B::N { of(lane) } else { 0 })
}

/// Compares the operations of an instruction set with arrays.
#[inline(always)]
pub fn vectors44<B: Blocks>(cpu: B) {
    let (edges, mut random) = (edges(64), Random::new());
    for k in 0..count_of_pairs(64) {
        let [a, b] = pair::<8>(&edges, &mut random, k);
        let [c, _] = pair::<8>(&edges, &mut random, k * 7 % edges.len().pow(2));
        let (x, y, z) = (cpu.with_lanes(&a), cpu.with_lanes(&b), cpu.with_lanes(&c));
        let sum = lanes::<B>(|i| a[i].wrapping_add(b[i]));
        assert_eq!(cpu.lanes(cpu.add(x, y)), sum, "add: {a:x?} {b:x?}");
        let difference = lanes::<B>(|i| a[i].wrapping_sub(b[i]));
        assert_eq!(cpu.lanes(cpu.sub(x, y)), difference, "sub: {a:x?} {b:x?}");
        assert_eq!(cpu.lanes(cpu.and(x, y)), lanes::<B>(|i| a[i] & b[i]), "and: {a:x?} {b:x?}");
        assert_eq!(cpu.lanes(cpu.splat(a[0])), lanes::<B>(|_| a[0]), "splat: {:x}", a[0]);
        let product = |i: usize| u128::from(a[i] & LOW) * u128::from(b[i] & LOW);
        let low = lanes::<B>(|i| c[i].wrapping_add(product(i) as u64 & LOW));
        assert_eq!(cpu.lanes(cpu.low(z, x, y)), low, "low: {c:x?} {a:x?} {b:x?}");
        let high = lanes::<B>(|i| c[i].wrapping_add((product(i) >> 52) as u64));
        assert_eq!(cpu.lanes(cpu.high(z, x, y)), high, "high: {c:x?} {a:x?} {b:x?}");
        // Every count, each for some pairs.
        let bits = (k % 64) as u32;
        let both = |i: usize| ((u128::from(b[i]) << 64 | u128::from(a[i])) >> bits) as u64;
        let found = cpu.lanes(cpu.shr_both(x, y, bits));
        assert_eq!(found, lanes::<B>(both), "shr_both by {bits}: {a:x?} {b:x?}");
    }
    for a in words::<8>(64) {
        let x = cpu.with_lanes(&a);
        for bits in 0..64 {
            assert_eq!(cpu.lanes(cpu.shl(x, bits)), lanes::<B>(|i| a[i] << bits), "shl by {bits}: {a:x?}");
            assert_eq!(cpu.lanes(cpu.shr(x, bits)), lanes::<B>(|i| a[i] >> bits), "shr by {bits}: {a:x?}");
            let found = cpu.lanes(cpu.shr_both(x, cpu.splat(0), bits));
            assert_eq!(found, lanes::<B>(|i| a[i] >> bits), "shr_both by {bits}: {a:x?}");
            let found = cpu.lanes(cpu.shr_both(cpu.splat(0), x, bits));
            let expected = lanes::<B>(|i| a[i].checked_shl(64 - bits).unwrap_or(0));
            assert_eq!(found, expected, "shr_both by {bits}, the upper word: {a:x?}");
        }
    }
}

/// Compares what moves blocks and lanes likewise.
#[inline(always)]
pub fn blocks<B: Blocks>(cpu: B) {
    // Lanes, masks and sums.
    let (edges, mut random) = (edges(64), Random::new());
    for a in words::<8>(64) {
        let x = cpu.with_lanes(&a);
        assert_eq!(cpu.lanes(x), lanes::<B>(|i| a[i]), "with_lanes, lanes: {a:x?}");
        assert_eq!(cpu.lanes(cpu.odd(x)), lanes::<B>(|i| a[i | 1]), "odd: {a:x?}");
        for count in 0..=B::N {
            let moved = lanes::<B>(|i| i.checked_sub(count).map_or(0, |i| a[i]));
            assert_eq!(cpu.lanes(cpu.move_up(x, count)), moved, "move_up by {count}: {a:x?}");
        }
        for lane in 0..B::N {
            assert_eq!(cpu.lanes(cpu.lane(x, lane)), lanes::<B>(|_| a[lane]), "lane {lane}: {a:x?}");
        }
        let sum = |limb: [u64; 8]| limb[..B::N].iter().fold(0, |sum: u64, &x| sum.wrapping_add(x));
        let limbs = [a, a.map(|word| word.rotate_left(9)), a.map(|word| !word)];
        let vectors = [x, cpu.with_lanes(&limbs[1]), cpu.with_lanes(&limbs[2])];
        assert_eq!(cpu.sum_lanes(vectors), limbs.map(sum), "sum_lanes: {limbs:x?}");
    }
    for k in 0..count_of_pairs(64) {
        let [a, b] = pair::<8>(&edges, &mut random, k);
        let (x, y, mask) = (cpu.with_lanes(&a), cpu.with_lanes(&b), k as u8);
        let is_set = |i: usize| mask >> i & 1 == 1;
        let chosen = lanes::<B>(|i| if is_set(i) { b[i] } else { a[i] });
        assert_eq!(cpu.lanes(cpu.blend(mask, x, y)), chosen, "blend {mask:b}: {a:x?} {b:x?}");
        let some = lanes::<B>(|i| if is_set(i) { a[0] } else { 0 });
        assert_eq!(cpu.lanes(cpu.splat_in(mask, a[0])), some, "splat_in {mask:b}: {:x}", a[0]);
        let even = lanes::<B>(|i| if i % 2 == 0 { a[i] } else { b[i - 1] });
        assert_eq!(cpu.lanes(cpu.even(x, y)), even, "even: {a:x?} {b:x?}");
    }
    // Bytes in memory, and a message's last block.
    let byte = |bytes: &[u8], i: usize| bytes.get(i).copied().unwrap_or(0);
    let word = |bytes: &[u8], at: usize| number(&each::<u8, 8>(|i| byte(bytes, at + i)));
    for bytes in bits_of_bytes(16 * B::N) {
        let long: Vec<u8> = bytes.iter().chain(&bytes[..5]).copied().collect();
        let (groups, rest) = B::groups(&long);
        assert_eq!((groups.len(), rest), (1, &bytes[..5]), "groups");
        let group = cpu.load(&groups[0]);
        for (half, vector) in group.into_iter().enumerate() {
            let expected = lanes::<B>(|i| word(&bytes, half * B::WIDTH + 8 * i));
            assert_eq!(cpu.lanes(vector), expected, "load: {bytes:x?}");
        }
        let [low, high] = cpu.words(group);
        let block = |lane: usize| 16 * (lane / 2 + lane % 2 * (B::N / 2));
        assert_eq!(cpu.lanes(low), lanes::<B>(|i| word(&bytes, block(i))), "words: {bytes:x?}");
        assert_eq!(cpu.lanes(high), lanes::<B>(|i| word(&bytes, block(i) + 8)), "words: {bytes:x?}");
        let first = lanes::<B>(|i| word(&long, 8 * i));
        assert_eq!(cpu.lanes(cpu.load_first(&long)), first, "load_first: {bytes:x?}");
        let last = lanes::<B>(|i| word(&long, long.len() - B::WIDTH + 8 * i));
        assert_eq!(cpu.lanes(cpu.load_last(&long)), last, "load_last: {bytes:x?}");
        for missing in 1..16 {
            let mut moved = bytes[missing..B::WIDTH].to_vec();
            moved.push(1);
            let closed = cpu.close(group[0], missing);
            assert_eq!(cpu.lanes(closed), lanes::<B>(|i| word(&moved, 8 * i)), "close {missing}: {bytes:x?}");
        }
    }
    for absent in 0..B::N {
        let lane = |block: usize| 2 * (block % (B::N / 2)) + block / (B::N / 2);
        let present = (absent..B::N).fold(0, |lanes, block| lanes | 1 << lane(block));
        assert_eq!(B::PRESENT[absent], present, "PRESENT, {absent} missing");
    }
}

/// Compares the operations of a tag likewise.
#[inline(always)]
pub fn tags44<B: Tags44 + Blocks>(cpu: B) {
    let (edges, mut random) = (edges(64), Random::new());
    for k in 0..count_of_pairs(64) {
        let [a, b] = pair::<8>(&edges, &mut random, k);
        let [c, _] = pair::<8>(&edges, &mut random, k * 7 % (edges.len() * edges.len()));
        let (x, y, z) = (cpu.with_lanes(&a), cpu.with_lanes(&b), cpu.with_lanes(&c));
        assert_eq!(cpu.lanes(cpu.or(x, y)), lanes::<B>(|i| a[i] | b[i]), "or: {a:x?} {b:x?}");
        let more = lanes::<B>(|i| c[i].wrapping_add(u64::from(a[i] < b[i])));
        assert_eq!(cpu.lanes(cpu.plus_below(z, x, y)), more, "plus_below: {c:x?} {a:x?} {b:x?}");
    }
}
