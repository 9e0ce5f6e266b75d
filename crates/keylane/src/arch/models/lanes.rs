//! Vectors of SipHash's and HalfSipHash's words, and the loads of messages.

#![allow(unsafe_code)]

use super::{RANDOM, Random, bits_of_bytes, count_of_pairs, each, edges, number, pair, words};
use crate::arch::generic::lanes::{Lanes, Work};
use crate::arch::generic::tile::{StartTable, Tile, WINDOW};
use crate::job::siphash::{Tag, Word};
use core::marker::PhantomData;

/// Compares [`Lanes`] of an instruction set with arrays.
pub fn lanes<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L) {
    cpu.call(Check(cpu, PhantomData));
}

struct Check<L, W, const N: usize>(L, PhantomData<W>);

impl<L: Lanes<W, N>, W: Word, const N: usize> Work for Check<L, W, N> {
    #[inline(always)]
    fn run(self) {
        let cpu = self.0;
        arithmetic(cpu);
        shifts(cpu);
        stores(cpu);
        bytes(cpu);
        integers::<_, _, N, 4>(cpu);
        integers::<_, _, N, 8>(cpu);
        integers::<_, _, N, 16>(cpu);
        lengths(cpu);
        extremes::<_, _, N, 1>(cpu);
        extremes::<_, _, N, 2>(cpu);
        extremes::<_, _, N, 3>(cpu);
        late_lanes(cpu);
        starts::<_, _, N, 1>(cpu);
        starts::<_, _, N, 2>(cpu);
        quads(cpu);
        quads_within(cpu);
        short_messages(cpu);
    }
}

/// The bits of a word.
#[inline(always)]
fn bits<W: Word>() -> u32 {
    8 * W::SIZE as u32
}

/// A vector of these words.
#[inline(always)]
fn load<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L, words: [u64; N]) -> L::Vector {
    cpu.load(&words.map(W::truncated64))
}

/// The words of a vector.
#[inline(always)]
fn out<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L, vector: L::Vector) -> [u64; N] {
    cpu.to_array(vector).map(W::to_u64)
}

#[inline(always)]
fn arithmetic<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L) {
    let (edges, mut random) = (edges(bits::<W>()), Random::new());
    let most = u64::MAX >> (64 - bits::<W>());
    for k in 0..count_of_pairs(bits::<W>()) {
        let [a, b] = pair::<N>(&edges, &mut random, k).map(|words| words.map(|word| word & most));
        let (x, y) = (load(cpu, a), load(cpu, b));
        assert_eq!(out(cpu, x), a, "load, to_array");
        assert_eq!(out(cpu, cpu.splat(W::truncated64(a[0]))), [a[0]; N], "splat: {:x}", a[0]);
        assert_eq!(out(cpu, cpu.add(x, y)), each(|i| a[i].wrapping_add(b[i]) & most), "add: {a:x?} {b:x?}");
        assert_eq!(out(cpu, cpu.sub(x, y)), each(|i| a[i].wrapping_sub(b[i]) & most), "sub: {a:x?} {b:x?}");
        assert_eq!(out(cpu, cpu.xor(x, y)), each(|i| a[i] ^ b[i]), "xor: {a:x?} {b:x?}");
        assert_eq!(out(cpu, cpu.and(x, y)), each(|i| a[i] & b[i]), "and: {a:x?} {b:x?}");
        assert_eq!(out(cpu, cpu.and_not(x, y)), each(|i| !a[i] & b[i]), "and_not: {a:x?} {b:x?}");
        assert_eq!(out(cpu, cpu.or(x, y)), each(|i| a[i] | b[i]), "or: {a:x?} {b:x?}");
        let numbers = a.map(|word| word as u32);
        assert_eq!(out(cpu, cpu.numbers(&numbers)), numbers.map(u64::from), "numbers: {numbers:x?}");
    }
}

/// Every count below 128 in every lane, and each rotation of a round.
#[inline(always)]
fn shifts<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L) {
    let most = u64::MAX >> (64 - bits::<W>());
    for a in words::<N>(bits::<W>()) {
        let x = load(cpu, a);
        for by in W::ROTATIONS {
            let expected = a.map(|word| (word << by | word >> (bits::<W>() - by)) & most);
            assert_eq!(out(cpu, cpu.rotl(x, by)), expected, "rotl by {by}: {a:x?}");
        }
        for count in 0..128 {
            let counts: [u64; N] = each(|lane| (count + 5 * lane as u64) % 128);
            let y = load(cpu, counts);
            let left = each(|i| a[i].checked_shl(counts[i] as u32).unwrap_or(0) & most);
            let right = each(|i| a[i].checked_shr(counts[i] as u32).unwrap_or(0));
            assert_eq!(out(cpu, cpu.shl(x, y)), left, "shl by {counts:?}: {a:x?}");
            assert_eq!(out(cpu, cpu.shr(x, y)), right, "shr by {counts:?}: {a:x?}");
        }
    }
}

/// Each bit of one and of two vectors, and every number of words.
#[inline(always)]
fn stores<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L) {
    let zero = load(cpu, [0; N]);
    for a in words::<N>(bits::<W>()) {
        let x = load(cpu, a);
        let mut whole = [W::truncated64(!0); N];
        cpu.store(x, &mut whole);
        assert_eq!(whole.map(W::to_u64), a, "store");
        for (low, high) in [(x, zero), (zero, x), (x, x)] {
            let mut integers = [W::Double::default(); N];
            cpu.store_double(low, high, &mut integers);
            let (low, high) = (cpu.to_array(low), cpu.to_array(high));
            let right = |(i, integer): (usize, W::Double)| {
                Tag::<W>::eq_constant_time(integer, W::double(low[i], high[i]))
            };
            assert!(integers.into_iter().enumerate().all(right), "store_double: {a:x?}");
        }
        for count in 0..=N {
            let mut some = [W::truncated64(!0); N];
            cpu.masked_store(x, &mut some[..count]);
            let expected = each(|i| if i < count { a[i] } else { W::truncated64(!0).to_u64() });
            assert_eq!(some.map(W::to_u64), expected, "masked_store of {count}: {a:x?}");
        }
    }
}

/// Every byte in every place, beside every other byte.
#[inline(always)]
fn bytes<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L) {
    for pair in 0..=u16::MAX {
        let pair = pair.to_le_bytes();
        let word = |turn: u8| number(&each::<u8, 8>(|i| pair[i % 2].wrapping_add(turn)));
        let a: [u64; N] = each(|lane| W::truncated64(word(lane as u8)).to_u64());
        let folded = a.map(|word| number(&word.to_le_bytes().map(|byte| byte.to_ascii_lowercase())));
        assert_eq!(out(cpu, cpu.fold(load(cpu, a))), folded, "fold: {a:x?}");
    }
}

/// The words of messages of SIZE bytes: each bit alone, and every number of messages.
#[inline(always)]
fn integers<L: Lanes<W, N>, W: Word, const N: usize, const SIZE: usize>(cpu: L) {
    for bytes in bits_of_bytes(SIZE * N) {
        let messages: [[u8; SIZE]; N] = each(|i| each(|j| bytes[SIZE * i + j]));
        let word = |lane: usize, i: usize| number(messages[lane].chunks(W::SIZE).nth(i).unwrap_or_default());
        let found = cpu.integers(&messages);
        for (i, vector) in found.into_iter().take(SIZE.div_ceil(W::SIZE)).enumerate() {
            assert_eq!(out(cpu, vector), each(|lane| word(lane, i)), "integers: {messages:x?}");
        }
        for count in 0..=N {
            let found = cpu.masked_integers(&messages[..count]);
            for (i, vector) in found.into_iter().take(SIZE.div_ceil(W::SIZE)).enumerate() {
                let found = out(cpu, vector);
                let right = (0..count).all(|lane| found[lane] == word(lane, i));
                assert!(right, "masked_integers of {count}: {messages:x?} gave {found:x?}");
            }
        }
    }
}

/// Lengths between offsets, of slices, and what is made of their lowest bits.
#[inline(always)]
fn lengths<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L) {
    let (edges, mut random) = (edges(64), Random::new());
    let size = W::SIZE as u64;
    for k in 0..count_of_pairs(64) {
        let [starts, stops] = pair::<N>(&edges, &mut random, k);
        let from = (random.word() >> random.below(64)) as usize;
        let length = |i: usize| stops[i].wrapping_sub(starts[i]);
        let end =
            |i: usize| (stops[i] as u32).wrapping_sub(from as u32).wrapping_sub((length(i) % size) as u32);
        let mut ends = [0; N];
        let (low_starts, low_stops) = (starts.map(|x| x as i32), stops.map(|x| x as i32));
        let found = cpu.lengths32(&low_starts, &low_stops, from, &mut ends);
        let low = each(|i| length(i) & u64::from(u32::MAX));
        assert_eq!((out(cpu, found), ends), (low, each(end)), "lengths32: {starts:x?} {stops:x?} {from:x}");
        let (starts64, stops64) = (starts.map(|x| x as i64), stops.map(|x| x as i64));
        let found = cpu.lengths64(&starts64, &stops64, from, &mut ends);
        let all = if L::WHOLE_LENGTHS { each(length) } else { low };
        assert_eq!((out(cpu, found), ends), (all, each(end)), "lengths64: {starts:x?} {stops:x?} {from:x}");
    }
    let bytes = [0; 600];
    for k in 0..300 {
        let lengths: [usize; N] = each(|lane| (k + 37 * lane) % 600);
        let slices: [&[u8]; N] = each(|lane| &bytes[..lengths[lane]]);
        let vector = cpu.lengths(&slices);
        assert_eq!(out(cpu, vector), lengths.map(|length| length as u64), "lengths: {lengths:?}");
        let tail = |lane: usize| 8 * (lengths[lane] % W::SIZE) as u32;
        assert_eq!(out(cpu, cpu.tail_mask(vector)), each(|i| (1 << tail(i)) - 1), "tail_mask: {lengths:?}");
        let words = random.array().map(|word: u64| W::truncated64(word).to_u64());
        let lowered =
            each(|i| words[i].checked_shr(bits::<W>() - tail(i)).unwrap_or(0) & ((1 << tail(i)) - 1));
        let found = out(cpu, cpu.lowered(load(cpu, words), vector));
        assert_eq!(found, lowered, "lowered: {words:x?} {lengths:?}");
    }
}

/// The longest and the shortest of G vectors of lengths, in every place.
#[inline(always)]
fn extremes<L: Lanes<W, N>, W: Word, const N: usize, const G: usize>(cpu: L) {
    let mut random = Random::new();
    for k in 0..G * N * 64 + RANDOM {
        let end = 1 << random.below(31);
        let mut lengths: [[u64; N]; G] = each(|_| each(|_| random.below(end) as u64));
        // One of them differs, by a little or by much.
        let other = if k % 2 == 0 { (k / (G * N)) as u64 } else { random.word() >> 33 };
        lengths[k / N % G][k % N] = other;
        let mut vectors = [cpu.splat(W::ZERO); G];
        for (vector, &lengths) in vectors.iter_mut().zip(&lengths) {
            *vector = load(cpu, lengths);
        }
        let all = lengths.as_flattened();
        let (most, least) = (all.iter().max().copied(), all.iter().min().copied());
        assert_eq!(Some(cpu.shortest(&vectors) as u64), least, "shortest: {lengths:x?}");
        same_longest::<W>(cpu.longest(&vectors), most, all);
        if bits::<W>() == 64 {
            lengths[k / N % G][k % N] = random.word() | 1 << (32 + k % 32);
            vectors[k / N % G] = load(cpu, lengths[k / N % G]);
            same_longest::<W>(cpu.longest(&vectors), Some(u64::MAX), lengths.as_flattened());
        }
    }
}

/// The longest length, or any that is as long as a window if one is.
fn same_longest<W: Word>(found: usize, most: Option<u64>, lengths: &[u64]) {
    let window = (WINDOW * W::SIZE) as u64;
    let right = most == Some(found as u64) || most > Some(window - 1) && found as u64 >= window;
    assert!(right, "longest: {lengths:x?} gave {found:x}");
}

/// Late words of every lane, from long before the start to the last of the choices.
#[inline(always)]
fn late_lanes<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L) {
    let mut random = Random::new();
    for k in 0..12 * 40 {
        let (words, choices): ([u64; N], [u64; N]) = (random.array(), random.array());
        let (words, choices) = (words.map(W::truncated64), choices.map(W::truncated64));
        let late: [i64; N] = each(|lane| match (k / 12, (k + 5 * lane) % 12) {
            (0, 0) => i64::from(i32::MIN),
            (_, late) => late as i64 - 8,
        });
        let found = cpu.restart(cpu.load(&words), &choices, load(cpu, late.map(|late| late as u64)));
        let expected = each(|i| usize::try_from(late[i]).map_or(words[i], |late| choices[late]).to_u64());
        assert_eq!(out(cpu, found), expected, "restart: {late:?}");
    }
}

/// States where lanes start, for every first word of the window and every number of whole words.
#[inline(always)]
fn starts<L: Lanes<W, N>, W: Word, const N: usize, const G: usize>(cpu: L) {
    let mut random = Random::new();
    let table: StartTable<W> = each(|_| each(|_| W::truncated64(random.word())));
    for skip in 0..WINDOW {
        for k in 0..WINDOW {
            let whole: [[usize; N]; G] = each(|g| each(|lane| (k + g + 3 * lane) % (WINDOW - skip)));
            let mut vectors = [cpu.splat(W::ZERO); G];
            for (vector, whole) in vectors.iter_mut().zip(&whole) {
                *vector = load(cpu, whole.map(|whole| whole as u64));
            }
            let found = cpu.begin(&table, vectors, skip);
            for (states, whole) in found.into_iter().zip(&whole) {
                for (state, starts) in states.into_iter().zip(&table) {
                    let expected = each(|lane| starts[skip + whole[lane]].to_u64());
                    assert_eq!(out(cpu, state), expected, "begin: {whole:?} from {skip}");
                }
            }
        }
    }
}

/// Whole quads and their transpose, with each number of the first word.
#[inline(always)]
fn quads<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L) {
    let mut random = Random::new();
    let bytes = random.bytes(1024);
    let base = bytes.as_ptr().expose_provenance();
    for k in 0..8 * 40 {
        let rel = k % 2;
        // Where the tails begin: behind whole quads, and before a word.
        let before = 4 * W::SIZE * (rel + 1) - W::SIZE;
        let ends: [u32; N] = each(|_| (before + random.below(bytes.len() - before - W::SIZE + 1)) as u32);
        let first: [i64; N] = each(|lane| match (k / 8 % 10, (k + 3 * lane) % 8) {
            (0, 0) => i64::from(i32::MIN),
            (0, 1) => i64::from(i32::MAX),
            (_, first) => first as i64 - 2,
        });
        let vector = load(cpu, first.map(|first| first as u64));
        let word = |lane: usize, i: usize| {
            let start = ends[lane] as usize - before + W::SIZE * i;
            if first[lane] > i as i64 { 0 } else { number(&bytes[start..start + W::SIZE]) }
        };
        // SAFETY: `before` bytes in front of each tail, and a word from there on, are in `bytes`.
        let rows = unsafe { cpu.quads(&ends.map(|end| base.wrapping_add(end as usize)), rel) };
        for (i, found) in cpu.transpose(rows, vector).into_iter().enumerate() {
            assert_eq!(out(cpu, found), each(|lane| word(lane, i)), "quads, transpose: {first:?}");
        }
        for skip in 0..WINDOW {
            let mut tile = Tile::<W, N, 2>::new();
            // SAFETY: as above.
            unsafe { cpu.read_quads(base, &ends, rel, vector, &mut tile.column(1, skip)) };
            let place = WINDOW - 4 * (rel + 1);
            for i in skip.saturating_sub(place)..4 {
                // SAFETY: a word of this quad from `skip` on, which `read_quads` has written.
                let found = unsafe { tile.get(place + i, 1) }.map(W::to_u64);
                assert_eq!(found, each(|lane| word(lane, i)), "read_quads from {skip}: {first:?}");
            }
        }
    }
}

/// Quads at the edges of messages of every length to three quads.
#[inline(always)]
fn quads_within<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L) {
    let mut random = Random::new();
    let bytes = random.bytes(1024);
    let most = 12 * W::SIZE;
    for k in 0..3 * most {
        let rel = k / most;
        let lengths: [usize; N] = each(|lane| (k + 7 * lane) % most);
        let messages: [&[u8]; N] = each(|lane| {
            let start = random.below(bytes.len() - most);
            &bytes[start..start + lengths[lane]]
        });
        let ends = messages.map(|message| {
            message.as_ptr().expose_provenance().wrapping_add(message.len() / W::SIZE * W::SIZE)
        });
        let first = lengths.map(|length| (4 * rel as u64 + 3).wrapping_sub((length / W::SIZE) as u64));
        let lengths = lengths.map(|length| length as u32);
        // SAFETY: these are the tails of messages of these lengths, and `first` is made of the lengths.
        let rows = unsafe { cpu.quads_within(&ends, &lengths, rel, load(cpu, first)) };
        // The transpose clears nothing here.
        for (i, found) in cpu.transpose(rows, load(cpu, [-1i64 as u64; N])).into_iter().enumerate() {
            let expected = each(|lane| {
                let word = messages[lane].len() / W::SIZE + i;
                let words = messages[lane].chunks(W::SIZE);
                word.checked_sub(4 * rel + 3).and_then(|i| words.into_iter().nth(i)).map_or(0, number)
            });
            assert_eq!(out(cpu, found), expected, "quads_within, quad {rel}: {messages:x?}");
        }
    }
}

/// Messages of every length that a window holds, in every lane.
#[inline(always)]
fn short_messages<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L) {
    for skip in 0..WINDOW {
        // At most as many whole words as the window has from `skip` on, and a tail.
        let most = (WINDOW - skip) * W::SIZE;
        short_messages_of::<L, W, N, true>(cpu, skip, 0, most);
        if most > 4 {
            short_messages_of::<L, W, N, false>(cpu, skip, if L::JUSTIFIED { 4 } else { 0 }, most);
        }
    }
}

/// Those of at least `least` and fewer than `end` bytes.
#[inline(always)]
fn short_messages_of<L: Lanes<W, N>, W: Word, const N: usize, const TINY: bool>(
    cpu: L,
    skip: usize,
    least: usize,
    end: usize,
) {
    let mut random = Random::new();
    let bytes = random.bytes(512);
    for k in 0..end - least {
        let messages: [&[u8]; N] = each(|lane| {
            let (start, length) = (random.below(bytes.len() - end), least + (k + 11 * lane) % (end - least));
            &bytes[start..start + length]
        });
        let mut prepared = L::Prepared::default();
        let lengths = cpu.lengths(&messages);
        cpu.prepare(&messages, lengths, skip, &mut prepared);
        let mut tile = Tile::<W, N, 2>::new();
        // SAFETY: `prepare` had these messages, lengths and first word; they are as long as TINY requires.
        unsafe { cpu.words::<2, TINY>(&messages, &prepared, &mut tile.column(1, skip)) };
        for i in skip..WINDOW - 1 {
            // SAFETY: a word from `skip` on, which `words` has written.
            let found = unsafe { tile.get(i, 1) }.map(W::to_u64);
            let expected = each(|lane| {
                let word = (messages[lane].len() / W::SIZE + i).checked_sub(WINDOW - 1);
                word.and_then(|i| messages[lane].chunks_exact(W::SIZE).nth(i)).map_or(0, number)
            });
            assert_eq!(found, expected, "words, word {i} from {skip}: {messages:x?}");
        }
        // SAFETY: the last word, which `words` has written.
        let last = cpu.load(unsafe { tile.get(WINDOW - 1, 1) });
        let last = if L::JUSTIFIED { cpu.lowered(last, lengths) } else { last };
        let tails = messages.map(|message| number(message.chunks_exact(W::SIZE).remainder()));
        assert_eq!(out(cpu, last), tails, "words, tail from {skip}: {messages:x?}");
    }
}
