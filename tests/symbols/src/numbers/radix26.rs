//! Lanes of numbers for the kernels in base 2^26: poly1305_p2_sse2, _p4_avx2, _p4_neon, _p8_avx512f, _x4_avx2 and
//! _x4_neon.

use super::handles::{joined, leave, load, load_array, message_word, store, taken};
use super::{Number, Value, blocks, handles, scalar};
use keylane::arch::generic::groups::{Group, turns};
use keylane::arch::generic::messages26::{MessageVectors, accumulators};
use keylane::arch::generic::parts26;
use keylane::arch::generic::radix26::pairs::{self, PairVectors};
use keylane::arch::generic::radix26::powers::KeptSteps;
use keylane::arch::generic::radix26::school::{School, Table, mac};
use keylane::arch::generic::radix26::turns::{Rest, Sums, Turns};
use keylane::arch::generic::radix26::vectors::Vectors26;
use keylane::arch::generic::radix26::{self, limbs};
use keylane::job::limits::Method;
use keylane::job::poly1305::{Key, Powers, State};
use std::array::from_fn;

/// Vectors whose lanes are numbers. `BY_8`: in turns of eight steps.
#[derive(Clone, Copy)]
pub struct Lanes<const BY_8: bool>;

impl<const N: usize, const BY_8: bool> Vectors26<N> for Lanes<BY_8> {
    type Vector = [Number; N];
    // Two methods whose thresholds `begin` sets to the lowest and to the highest length.
    const BY_8: Method = if BY_8 { Method::P8Avx512FBy8 } else { Method::P4Avx2By8 };

    #[inline(never)]
    fn splat(self, x: u64) -> [Number; N] {
        [load(x); N]
    }

    #[inline(never)]
    fn load(self, x: &[u64; N]) -> [Number; N] {
        load_array(x)
    }

    #[inline(never)]
    fn store(self, a: [Number; N]) -> [u64; N] {
        a.map(store)
    }

    #[inline(never)]
    fn words(self, blocks: &[[u8; 16]; N]) -> [[Number; N]; 2] {
        let block = |lane: usize| u128::from_le_bytes(blocks[lane / 2 + lane % 2 * (N / 2)]);
        [0, 64].map(|at| from_fn(|lane| message_word((block(lane) >> at) as u64)))
    }

    #[inline(never)]
    fn add(self, a: [Number; N], b: [Number; N]) -> [Number; N] {
        from_fn(|i| a[i].plus(b[i]))
    }

    #[inline(never)]
    fn sub(self, a: [Number; N], b: [Number; N]) -> [Number; N] {
        from_fn(|i| a[i].minus(b[i]))
    }

    #[inline(never)]
    fn and(self, a: [Number; N], b: [Number; N]) -> [Number; N] {
        from_fn(|i| a[i].and(b[i], 64))
    }

    #[inline(never)]
    fn or(self, a: [Number; N], b: [Number; N]) -> [Number; N] {
        from_fn(|i| a[i].or(b[i], 64))
    }

    /// The instruction reads 32 bits of each. A number that could have more would be a mistake, so it fails.
    #[inline(never)]
    fn mul(self, a: [Number; N], b: [Number; N]) -> [Number; N] {
        from_fn(|i| a[i].times(b[i], 32))
    }

    #[inline(never)]
    fn shl(self, a: [Number; N], bits: u32) -> [Number; N] {
        a.map(|a| a.left(bits, 64))
    }

    #[inline(never)]
    fn shr(self, a: [Number; N], bits: u32) -> [Number; N] {
        a.map(|a| a.right(bits, 64))
    }

    #[inline(never)]
    fn sum(self, a: [Number; N]) -> u64 {
        let sum = Number::total(&a);
        leave(&[sum]);
        store(sum)
    }

    fn in_memory<T>(self, x: &T) -> &T {
        x
    }

    #[inline(never)]
    fn carried(self, x: [[Number; N]; 5]) -> [[Number; N]; 5] {
        forgotten(x, (1 << 27) + (1 << 26))
    }

    fn wipe<const M: usize>(self, _: &mut [[Number; N]; M]) {}
}

impl<const N: usize, const BY_8: bool> Turns<N> for Lanes<BY_8> {}

impl<const BY_8: bool> School for Lanes<BY_8> {
    /// The accumulator at the head of a loop. Its limbs are at most 2^26 + 2^13 after a carry, plus a block, plus the head's
    /// highest limb of less than 5 * 2^24 in the first turn.
    #[inline(never)]
    fn hidden(self, x: [[Number; 4]; 5]) -> [[Number; 4]; 5] {
        forgotten(x, (1 << 27) + (1 << 26))
    }

    #[inline(never)]
    fn broadcast<const ROW: usize>(self, table: &Table, column: usize) -> [Number; 4] {
        [load(table[ROW][column]); 4]
    }

    #[inline(never)]
    fn words_with_last(self, blocks: &[[u8; 16]; 3], last: u128) -> [[Number; 4]; 2] {
        let [a, b, c] = *blocks;
        self.words(&[a, b, c, last.to_le_bytes()])
    }

    #[inline(never)]
    fn odd_lanes(self, a: [Number; 4], b: [Number; 4]) -> [Number; 4] {
        [a[0], b[1], a[2], b[3]]
    }

    #[inline(never)]
    fn upper_lanes(self, a: [Number; 4], b: [Number; 4]) -> [Number; 4] {
        [a[0], a[1], b[2], b[3]]
    }

    #[inline(never)]
    fn sums(self, columns: [[Number; 4]; 5]) -> [u64; 5] {
        columns.map(|column| Vectors26::<4>::sum(self, column))
    }
}

/// Two lanes that take steps in pairs, as NEON's: poly1305_p4_neon.
#[derive(Clone, Copy)]
pub struct Paired<const BY_8: bool>;

/// The operations of [`Lanes`].
macro_rules! as_lanes {
    ($(fn $name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {$(
        #[inline(never)]
        fn $name(self, $($arg: $type),*) -> $result {
            Vectors26::<2>::$name(Lanes::<BY_8>, $($arg),*)
        }
    )*};
}

impl<const BY_8: bool> Vectors26<2> for Paired<BY_8> {
    type Vector = [Number; 2];
    const BY_8: Method = <Lanes<BY_8> as Vectors26<2>>::BY_8;

    as_lanes! {
        fn splat(x: u64) -> [Number; 2];
        fn load(x: &[u64; 2]) -> [Number; 2];
        fn store(a: [Number; 2]) -> [u64; 2];
        fn words(blocks: &[[u8; 16]; 2]) -> [[Number; 2]; 2];
        fn add(a: [Number; 2], b: [Number; 2]) -> [Number; 2];
        fn sub(a: [Number; 2], b: [Number; 2]) -> [Number; 2];
        fn and(a: [Number; 2], b: [Number; 2]) -> [Number; 2];
        fn or(a: [Number; 2], b: [Number; 2]) -> [Number; 2];
        fn mul(a: [Number; 2], b: [Number; 2]) -> [Number; 2];
        fn shl(a: [Number; 2], bits: u32) -> [Number; 2];
        fn shr(a: [Number; 2], bits: u32) -> [Number; 2];
        fn sum(a: [Number; 2]) -> u64;
        fn carried(x: [[Number; 2]; 5]) -> [[Number; 2]; 5];
    }

    fn in_memory<T>(self, x: &T) -> &T {
        x
    }

    fn wipe<const M: usize>(self, _: &mut [[Number; 2]; M]) {}
}

impl<const BY_8: bool> Turns<2> for Paired<BY_8> {
    #[inline(never)]
    fn turns_of_4(self, a: [[Number; 2]; 5], rest: &mut Rest<'_, 2>, steps: &KeptSteps) -> [[Number; 2]; 5] {
        pairs::turns_of_4(self, a, rest, steps)
    }

    #[inline(never)]
    fn turns_of_8(self, a: [[Number; 2]; 5], rest: &mut Rest<'_, 2>, steps: &KeptSteps) -> [[Number; 2]; 5] {
        pairs::turns_of_8(self, a, rest, steps)
    }
}

impl<const BY_8: bool> PairVectors for Paired<BY_8> {
    /// Each below 2^32.
    type Limb = [Number; 4];

    #[inline(never)]
    fn limbs(self, [low, high]: &pairs::Group) -> [[Number; 4]; 5] {
        self.pair(limbs::split_blocks(self, low), limbs::split_blocks(self, high))
    }

    #[inline(never)]
    fn pair(self, low: [[Number; 2]; 5], high: [[Number; 2]; 5]) -> [[Number; 4]; 5] {
        from_fn(|i| [low[i][0], low[i][1], high[i][0], high[i][1]].map(|limb| limb.at_most(u32::MAX.into())))
    }

    #[inline(never)]
    fn plus(self, a: [Number; 4], b: [Number; 4]) -> [Number; 4] {
        from_fn(|i| a[i].plus(b[i]).at_most(u32::MAX.into()))
    }

    #[inline(never)]
    fn mul_add_pair(self, sum: [Number; 2], x: [Number; 4], factors: &[u64; 2]) -> [Number; 2] {
        let [of_high, of_low] = factors.map(load);
        from_fn(|i| Number::total(&[sum[i], x[i].times(of_low, 32), x[i + 2].times(of_high, 32)]))
    }

    #[inline(never)]
    fn hidden_until<'a, T>(self, _: &mut Sums<[Number; 2]>, x: &'a T) -> &'a T {
        x
    }
}

/// All bits or none.
fn mask(is_set: bool) -> Number {
    Number::constant(if is_set { u64::MAX } else { 0 })
}

/// A number that lengths alone decide.
fn known(x: Number) -> u128 {
    x.as_constant().expect("a condition that depends on a key or on a message")
}

impl<const BY_8: bool> MessageVectors for Lanes<BY_8> {
    const PAIRS: usize = 2;

    #[inline(never)]
    fn of_lanes(self, numbers: [usize; 4]) -> [Number; 4] {
        numbers.map(|x| Number::constant(x as u128))
    }

    /// r and r^2, which are carried, and the accumulator at the head of a loop.
    #[inline(never)]
    fn hidden(self, x: [[Number; 4]; 5]) -> [[Number; 4]; 5] {
        forgotten(x, CARRIED)
    }

    #[inline(never)]
    fn greater(self, a: [Number; 4], b: [Number; 4]) -> [Number; 4] {
        from_fn(|i| mask(known(a[i]) > known(b[i])))
    }

    #[inline(never)]
    fn equal(self, a: [Number; 4], b: [Number; 4]) -> [Number; 4] {
        from_fn(|i| mask(known(a[i]) == known(b[i])))
    }

    #[inline(never)]
    fn choose(self, mask: [Number; 4], a: [Number; 4], b: [Number; 4]) -> [Number; 4] {
        from_fn(|i| if known(mask[i]) != 0 { b[i] } else { a[i] })
    }

    #[inline(never)]
    fn words_of(self, rows: [&[u8; 16]; 4]) -> [[Number; 4]; 2] {
        let rows = rows.map(|row| u128::from_le_bytes(*row));
        [0, 64].map(|at| rows.map(|row| message_word((row >> at) as u64)))
    }

    #[inline(never)]
    fn words_of_keys(self, keys: [&Key; 4]) -> [[[Number; 4]; 2]; 2] {
        [[0, 1].map(|i| keys.map(|key| load(key.r[i]))), [0, 1].map(|i| keys.map(|key| load(key.s[i])))]
    }

    #[inline(never)]
    fn words_of_ends(self, messages: [&[u8]; 4]) -> [[Number; 4]; 2] {
        let ends = messages.map(|message| {
            let mut end = [0; 16];
            if let Some(bytes) = message.chunks(16).last() {
                end[..bytes.len()].copy_from_slice(bytes);
                end.iter_mut().skip(bytes.len()).take(1).for_each(|place| *place = 1);
            }
            end
        });
        self.words_of(ends.each_ref())
    }

    #[inline(never)]
    fn tags_of(self, _: [[Number; 4]; 2]) -> [[u8; 16]; 4] {
        unreachable!("tags are no polynomials")
    }
}

/// The largest limb after a carry.
pub const CARRIED: u128 = (1 << 26) + (1 << 13);

/// Limbs of at most `most`, which may be [forgotten](super::forgetting).
fn forgotten<const N: usize>(x: [[Number; N]; 5], most: u128) -> [[Number; N]; 5] {
    let mut new = x;
    for lane in 0..N {
        let limbs = handles::forgotten(x.map(|limb| limb[lane]), 26, most);
        new.iter_mut().zip(limbs).for_each(|(limb, number)| limb[lane] = number);
    }
    new
}

/// Begins a run, with the thresholds of both kinds of turns at their ends.
fn thresholds() {
    Method::P8Avx512FBy8.assume(1);
    Method::P4Avx2By8.assume(usize::MAX);
}

/// Checks the sums over the lanes: below 2^62, as `limbs::gather` wants them, and the right number.
#[track_caller]
fn is_right(sums: &[Number], expected: Value) {
    assert_eq!(sums.len(), 5, "the sums of five columns");
    for column in sums {
        column.at_most((1 << 62) - 1);
    }
    assert!(joined(sums, 26).is(expected), "another number than the specification's");
}

/// `school::mac`: poly1305_p4_avx2 up to its threshold for eight steps, in turns of `GROUPS` groups.
pub fn school<const GROUPS: usize>(len: usize) {
    let (r, powers) = blocks::R::with_powers();
    // The highest words in the lanes: of r^4, r^2, r^3 and r, or of r^4 in all.
    powers.name_tops([3, 1, 2, 0]);
    powers.name_tops([3; 4]);
    let message = blocks::message(len);
    // Blocks before whole groups go to the scalar kernel. Its accumulator joins in limbs.
    let head = &message[..16 * (len.div_ceil(16) % 4)];
    if !head.is_empty() {
        let mut words = [0; 3];
        let multiplier = keylane::arch::portable::poly1305_x1_u64::Multiplier::in_registers(r.key.r);
        for &block in head.as_chunks().0 {
            words = multiplier.absorb(words, u128::from_le_bytes(block), 1);
        }
        let h = blocks::scalar_words(words, blocks::specification(Value::ZERO, r.value(), head));
        let zero = Number::constant(0u64);
        for (word, limb) in limbs::from_base_64(words).into_iter().zip(scalar::limbs26(h)) {
            handles::name_array(&[word, 0, 0, 0], &[limb, zero, zero, zero]);
        }
    }
    taken();
    let _ = mac::<Lanes<false>, GROUPS>(Lanes, r.key.r, r.key.s, &message);
    is_right(&taken(), blocks::specification(Value::ZERO, r.value(), &message));
}

/// A piece of a message for [`pieces`].
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Lanes: 2, 4 or 8.
    pub lanes: usize,
    /// Two lanes in pairs of steps.
    pub paired: bool,
    /// Turns of eight steps instead of four.
    pub by_8: bool,
    /// Bytes.
    pub len: usize,
}

/// `radix26::absorb`: a whole message, as poly1305_p2_sse2, _p8_avx512f and the longest of _p4_avx2 do it.
pub fn whole(piece: &Piece) {
    thresholds();
    let (r, powers) = blocks::R::with_powers();
    let mut state = State::new(r.key);
    let message = blocks::message(piece.len);
    absorb(piece, &mut state, None, &message, &powers);
    is_right(&taken(), blocks::specification(Value::ZERO, r.value(), &message));
}

/// The same for pieces, one after the other. Each begins from any accumulator, and from the powers that the one before
/// has kept.
pub fn pieces(pieces: &[Piece]) {
    thresholds();
    let (r, powers) = blocks::R::with_powers();
    let mut kept = Powers::Unknown;
    for piece in pieces {
        let mut state = State::new(r.key);
        let (concrete, h) = blocks::any_accumulator();
        state.h = concrete;
        for (word, limb) in limbs::from_base_64(concrete).into_iter().zip(scalar::limbs26(h)) {
            handles::name(word, limb);
        }
        let message = blocks::message(piece.len);
        absorb(piece, &mut state, Some(&mut kept), &message, &powers);
        is_right(&taken(), blocks::specification(joined(&h, 64), r.value(), &message));
    }
}

fn absorb(
    piece: &Piece,
    state: &mut State,
    kept: Option<&mut Powers>,
    message: &[u8],
    powers: &blocks::Powers,
) {
    let (blocks, tail) = message.as_chunks();
    taken();
    match (piece.lanes, piece.paired, piece.by_8) {
        (2, true, false) => on(Paired::<false>, state, kept, blocks, tail, powers),
        (2, true, true) => on(Paired::<true>, state, kept, blocks, tail, powers),
        (2, false, false) => on::<_, 2>(Lanes::<false>, state, kept, blocks, tail, powers),
        (2, false, true) => on::<_, 2>(Lanes::<true>, state, kept, blocks, tail, powers),
        (4, _, false) => on::<_, 4>(Lanes::<false>, state, kept, blocks, tail, powers),
        (4, _, true) => on::<_, 4>(Lanes::<true>, state, kept, blocks, tail, powers),
        (_, _, false) => on::<_, 8>(Lanes::<false>, state, kept, blocks, tail, powers),
        (_, _, true) => on::<_, 8>(Lanes::<true>, state, kept, blocks, tail, powers),
    }
}

fn on<L: Turns<N>, const N: usize>(
    cpu: L,
    state: &mut State,
    kept: Option<&mut Powers>,
    blocks: &[[u8; 16]],
    tail: &[u8],
    powers: &blocks::Powers,
) {
    // The highest words of the powers, in the lanes of the blocks that are multiplied with them.
    powers.name_tops(from_fn::<_, N, _>(|lane| (N - 1 - (lane / 2 + lane % 2 * (N / 2))) % 4));
    radix26::absorb(cpu, state, kept, blocks, tail);
}

/// `messages26::accumulators`: poly1305_x4_avx2 and poly1305_x4_neon, for messages of these lengths.
pub fn four(lens: &[usize; 4]) {
    blocks::begin();
    let rs: [blocks::R; 4] = from_fn(|_| blocks::R::any());
    let messages = lens.map(blocks::message);
    let longest = lens.iter().map(|&len| turns(len)).max().unwrap_or(1);
    let keys = rs.each_ref().map(|r| &r.key);
    let group = Group { keys, messages: messages.each_ref().map(|message| &message[..]), longest };
    let cpu = Lanes::<false>;
    let [r, _] = cpu.words_of_keys(keys);
    let h = accumulators(cpu, &group, r);
    for lane in 0..4 {
        // The bound that `limbs::tags` has.
        let limbs = h.map(|limb| limb[lane].at_most(CARRIED));
        let expected = blocks::specification(Value::ZERO, rs[lane].value(), &messages[lane]);
        assert!(joined(&limbs, 26).is(expected), "lane {lane}: another number than the specification's");
    }
}

/// `parts26::accumulators`: poly1305_x4_avx2, for packets whose AADs and texts have these lengths.
pub fn four_packets(lens: &[[usize; 2]; 4]) {
    blocks::begin();
    let rs: [blocks::R; 4] = from_fn(|_| blocks::R::any());
    let packets = lens.map(|lens| lens.map(blocks::message));
    let parts = [0, 1].map(|part| packets.each_ref().map(|packet| &packet[part][..]));
    let cpu = Lanes::<false>;
    let [r, _] = cpu.words_of_keys(rs.each_ref().map(|r| &r.key));
    let h = parts26::accumulators(cpu, &parts, r);
    for (lane, packet) in packets.iter().enumerate() {
        let limbs = h.map(|limb| limb[lane].at_most(CARRIED));
        let mut blocks = Vec::new();
        for part in packet {
            blocks.extend_from_slice(part);
            blocks.resize(blocks.len().next_multiple_of(16), 0);
        }
        let before = blocks::specification(Value::ZERO, rs[lane].value(), &blocks);
        let numbers = [packet[0].len() as u128, packet[1].len() as u128, 1].map(Number::constant);
        let [aad, text, one] = numbers.map(|number| number.value());
        let expected = (before + aad + text.shifted(64) + one.shifted(128)) * rs[lane].value();
        assert!(joined(&limbs, 26).is(expected), "lane {lane}: another number than the specification's");
    }
}
