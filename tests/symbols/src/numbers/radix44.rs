//! Lanes of numbers for the kernels in base 2^44: poly1305_p4_avx512ifma, poly1305_p8_avx512ifma and the turns of
//! poly1305_x8_avx512ifma.

use super::handles::{joined, leave, load, message_word, store, taken};
use super::{Number, Value, blocks, handles, scalar};
use keylane::arch::x86_64::blocks44::{Blocks, absorb};
use keylane::arch::x86_64::messages44::{self, Fours, Pairs, Turn, four_powers};
use keylane::arch::x86_64::radix44::{CARRIED, Limbs, Vectors44, from_base_64};
use keylane::job::poly1305::Powers;
use std::array::from_fn;

/// Vectors of N lanes.
#[derive(Clone, Copy)]
pub struct Lanes<const N: usize>;

/// A lane: bytes from memory, or a number. Code that took one for the other would fail.
#[derive(Clone, Copy, Debug)]
pub enum Lane {
    /// Eight bytes.
    Bytes(u64),
    /// A number.
    Number(Number),
}

impl Lane {
    fn number(self) -> Number {
        let Lane::Number(number) = self else { panic!("bytes are used as a number") };
        number
    }

    fn bytes(self) -> u64 {
        let Lane::Bytes(bytes) = self else { panic!("a number is used as bytes") };
        bytes
    }
}

type V<const N: usize> = [Lane; N];

fn each<const N: usize>(lane: impl Fn(usize) -> Number) -> V<N> {
    from_fn(|i| Lane::Number(lane(i)))
}

fn map<const N: usize>(a: V<N>, lane: impl Fn(Number) -> Number) -> V<N> {
    each(|i| lane(a[i].number()))
}

fn zip<const N: usize>(a: V<N>, b: V<N>, lane: impl Fn(Number, Number) -> Number) -> V<N> {
    each(|i| lane(a[i].number(), b[i].number()))
}

impl<const N: usize> Vectors44 for Lanes<N> {
    type V = V<N>;

    #[inline(never)]
    fn splat(self, x: u64) -> V<N> {
        each(|_| load(x))
    }

    #[inline(never)]
    fn add(self, a: V<N>, b: V<N>) -> V<N> {
        zip(a, b, Number::plus)
    }

    #[inline(never)]
    fn sub(self, a: V<N>, b: V<N>) -> V<N> {
        zip(a, b, Number::minus)
    }

    #[inline(never)]
    fn and(self, a: V<N>, b: V<N>) -> V<N> {
        zip(a, b, |a, b| a.and(b, 64))
    }

    #[inline(never)]
    fn shl(self, a: V<N>, bits: u32) -> V<N> {
        map(a, |a| a.left(bits, 64))
    }

    #[inline(never)]
    fn shr(self, a: V<N>, bits: u32) -> V<N> {
        map(a, |a| a.right(bits, 64))
    }

    #[inline(never)]
    fn shr_both(self, low: V<N>, high: V<N>, bits: u32) -> V<N> {
        zip(low, high, |low, high| low.right(bits, 64).or(high.left(64 - bits, 64), 64))
    }

    #[inline(never)]
    fn low(self, sum: V<N>, a: V<N>, b: V<N>) -> V<N> {
        zip(sum, zip(a, b, |a, b| a.halves(b)[0]), Number::plus)
    }

    #[inline(never)]
    fn high(self, sum: V<N>, a: V<N>, b: V<N>) -> V<N> {
        zip(sum, zip(a, b, |a, b| a.halves(b)[1]), Number::plus)
    }

    /// After a carry, plus a block.
    #[inline(never)]
    fn carried(self, a: Limbs<V<N>>) -> Limbs<V<N>> {
        let mut new = a;
        for lane in 0..N {
            let limbs = handles::forgotten(a.map(|limb| limb[lane].number()), 44, (1 << 45) + (1 << 24));
            new.iter_mut().zip(limbs).for_each(|(limb, number)| limb[lane] = Lane::Number(number));
        }
        new
    }

    #[inline(never)]
    fn cross(self, e: V<N>, d: V<N>, f: V<N>) -> V<N> {
        each(|i| e[i].number().cross(d[i].number(), f[i].number()))
    }
}

/// N words at the beginning of memory.
fn read<const N: usize>(memory: &[u8]) -> V<N> {
    from_fn(|i| Lane::Bytes(u64::from_le_bytes(memory.as_chunks().0[i])))
}

impl<const N: usize> Blocks for Lanes<N> {
    const N: usize = N;
    // A vector of words has block i in lane 2 i, and block i + N / 2 in lane 2 i + 1.
    const PRESENT: [u8; 9] = {
        let mut lanes = [0; 9];
        let mut absent = 0;
        while absent < N {
            let mut block = absent;
            while block < N {
                lanes[absent] |= 1 << (2 * (block % (N / 2)) + block / (N / 2));
                block += 1;
            }
            absent += 1;
        }
        lanes
    };
    type Group = [[[u8; 8]; N]; 2];

    #[inline(never)]
    fn groups(bytes: &[u8]) -> (&[Self::Group], &[u8]) {
        let groups = bytes.as_chunks().0.as_chunks().0.as_chunks().0;
        (groups, &bytes[16 * N * groups.len()..])
    }

    #[inline(never)]
    fn load(self, group: &Self::Group) -> [V<N>; 2] {
        group.map(|half| read(half.as_flattened()))
    }

    /// Zeros if there are fewer bytes, as `plain::chunk` has it.
    #[inline(never)]
    fn load_first(self, bytes: &[u8]) -> V<N> {
        if bytes.len() < 8 * N { [Lane::Bytes(0); N] } else { read(bytes) }
    }

    #[inline(never)]
    fn load_last(self, bytes: &[u8]) -> V<N> {
        read(&bytes[bytes.len() - 8 * N..])
    }

    #[inline(never)]
    fn move_up(self, a: V<N>, words: usize) -> V<N> {
        from_fn(|i| if i < words { Lane::Bytes(0) } else { a[i - words] })
    }

    #[inline(never)]
    fn close(self, a: V<N>, missing: usize) -> V<N> {
        let mut bytes: Vec<u8> = a.iter().flat_map(|lane| lane.bytes().to_le_bytes()).skip(missing).collect();
        bytes.push(1);
        bytes.resize(8 * N, 0);
        read(&bytes)
    }

    #[inline(never)]
    fn words(self, [a, b]: [V<N>; 2]) -> [V<N>; 2] {
        [0, 1].map(|word| each(|i| message_word([a, b][i % 2][i / 2 * 2 + word].bytes())))
    }

    #[inline(never)]
    fn splat_in(self, lanes: u8, x: u64) -> V<N> {
        each(|i| if lanes >> i & 1 == 1 { load(x) } else { Number::constant(0u64) })
    }

    #[inline(never)]
    fn blend(self, lanes: u8, a: V<N>, b: V<N>) -> V<N> {
        from_fn(|i| if lanes >> i & 1 == 1 { b[i] } else { a[i] })
    }

    #[inline(never)]
    fn even(self, a: V<N>, b: V<N>) -> V<N> {
        from_fn(|i| if i % 2 == 0 { a[i] } else { b[i - 1] })
    }

    #[inline(never)]
    fn odd(self, a: V<N>) -> V<N> {
        from_fn(|i| a[i | 1])
    }

    #[inline(never)]
    fn lane(self, a: V<N>, lane: usize) -> V<N> {
        [a[lane]; N]
    }

    #[inline(never)]
    fn with_lanes(self, words: &[u64; 8]) -> V<N> {
        each(|i| load(words[i]))
    }

    #[inline(never)]
    fn lanes(self, a: V<N>) -> [u64; 8] {
        from_fn(|i| a.get(i).map_or(0, |lane| store(lane.number())))
    }

    #[inline(never)]
    fn sum_lanes(self, a: Limbs<V<N>>) -> [u64; 3] {
        let sums = a.map(|limb| Number::total(&limb.map(Lane::number)));
        leave(&sums);
        sums.map(store)
    }
}

/// A message, or a piece of one.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Lanes: 4 or 8.
    pub lanes: usize,
    /// By Karatsuba's method.
    pub karatsuba: bool,
    /// Bytes.
    pub len: usize,
}

/// `blocks44::absorb`, for a whole message.
pub fn whole(piece: &Piece) {
    blocks::begin();
    let r = blocks::R::any();
    absorb_piece(piece, &r, None, None);
}

/// The same for pieces, one after the other. Each begins from any accumulator, and from the powers that the one before has
/// kept.
pub fn pieces(pieces: &[Piece]) {
    blocks::begin();
    let r = blocks::R::any();
    let mut kept = Powers::Unknown;
    for piece in pieces {
        let (words, h) = blocks::any_accumulator();
        for (word, limb) in from_base_64(words).into_iter().zip(scalar::limbs44(h)) {
            handles::name(word, limb);
        }
        absorb_piece(piece, &r, Some((words, joined(&h, 64))), Some(&mut kept));
    }
}

#[track_caller]
fn absorb_piece(piece: &Piece, r: &blocks::R, h: Option<([u64; 3], Value)>, kept: Option<&mut Powers>) {
    let message = blocks::message(piece.len);
    let from = if piece.karatsuba { 0 } else { usize::MAX };
    let (words, value) = h.map_or((None, Value::ZERO), |(words, value)| (Some(words), value));
    taken();
    if piece.lanes == 4 {
        absorb(Lanes::<4>, &r.key.r, words, &message, kept, from);
    } else {
        absorb(Lanes::<8>, &r.key.r, words, &message, kept, from);
    }
    let sums = taken();
    assert_eq!(sums.len(), 3, "the sums of three limbs");
    for limb in &sums {
        // The bound of `radix44::to_base_64`.
        limb.at_most((1 << 63) - 1);
    }
    let expected = blocks::specification(value, r.value(), &message);
    assert!(joined(&sums, 44).is(expected), "another number than the specification's");
}

/// A turn of a message in a lane: four places for blocks, or the last two of them.
#[derive(Clone, Copy, Debug)]
pub struct MessageTurn {
    /// By the powers for products of four blocks.
    pub fours: bool,
    /// Only the last two places.
    pub half: bool,
    /// How many blocks there are; they take the last places.
    pub blocks: usize,
    /// Whether the last block is whole.
    pub whole: bool,
    /// Whether the accumulator is added to the first block, instead of before the turn.
    pub joins: bool,
}

/// A turn of `messages44` from any carried accumulator. Afterwards it is carried, too, so this is every turn of every message.
pub fn message_turn(turn: &MessageTurn) {
    blocks::begin();
    let b = Lanes::<1>;
    let r = blocks::R::any();
    let number = |x: Number| [Lane::Number(x)];
    let constant = |x: u64| number(Number::constant(x));
    let [r0, r1] = r.words.map(number);
    let limbs = b.split(r0, r1, constant(0));
    let pairs = Pairs::new(b, limbs);

    let a: [Number; 3] = from_fn(|_| Number::any(CARRIED.into()));
    let (mut words, mut ones) = ([constant(0); 8], [constant(0); 4]);
    // What the specification computes, from the accumulator or from nothing.
    let mut expected = if turn.joins { Value::ZERO } else { joined(&a, 44) };
    for place in if turn.half { 2 } else { 0 }..4 {
        if place >= 4 - turn.blocks {
            let block: [Number; 2] = from_fn(|_| Number::any(u64::MAX.into()));
            let one = Number::constant(u64::from(place < 3 || turn.whole));
            [words[2 * place], words[2 * place + 1]] = block.map(number);
            ones[place] = number(one);
            let before = if turn.joins && place == 4 - turn.blocks { joined(&a, 44) } else { expected };
            expected = before + joined(&block, 64) + one.value().shifted(128);
        }
        expected = expected * r.value();
    }
    let mut blocks = messages44::blocks(b, words, ones);
    let mut before = a.map(number);
    if turn.joins {
        let first = &mut blocks[4 - turn.blocks];
        *first = b.sum(*first, before);
        before = [constant(0); 3];
    }
    let powers = four_powers(b, limbs);
    let [_, _, b2, b3] = blocks;
    let h = match (turn.fours, turn.half) {
        (true, false) => Fours(&powers).four(b, before, blocks),
        (true, true) => Fours(&powers).two(b, before, [b2, b3]),
        (false, false) => pairs.four(b, before, blocks),
        (false, true) => pairs.two(b, before, [b2, b3]),
    };
    let h = h.map(|limb| limb[0].number().at_most(CARRIED.into()));
    assert!(joined(&h, 44).is(expected), "another number than the specification's");
}
