//! The checks of the rows detect wrong kernels.
//!
//! This file has model kernels, slow and simple, each with one defect known from kernels of its kind. Without
//! a defect a model passes every check; with one it must fail. So this file reveals a check that has become
//! too weak. It also tests the checks with numbers of lanes that no kernel has yet.

use keylane::dispatch::select::Runnable;
use keylane::job::cpu::Features;
use keylane::job::kernel::{Kernel, Shape};
use keylane_conformance::check::Check;
use keylane_conformance::rows::{Checked, Extent, Row};
use keylane_conformance::vectors::Published;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the checks of one row over each of these kernels. Returns the ids of those that fail.
fn failing<S: Checked>(kernels: &'static [Kernel<S>]) -> Vec<&'static str> {
    let published = Published::load();
    let mut truth = S::truth(Extent::Whole);
    let mut fails = |kernel: &'static Kernel<S>| {
        let row = Row { kernel: Runnable::new(kernel).expect("requires nothing"), lanes: kernel.lanes };
        let mut check = Check { impatient: true, ..Check::default() };
        let run = || S::check_row(&row, &mut truth, &published, &mut check);
        let failure = catch_unwind(AssertUnwindSafe(run)).err();
        assert_eq!(failure.is_some(), check.failed > 0, "{} panicked", kernel.id);
        assert!(check.made > 0, "{}: nothing was checked", kernel.id);
        failure.is_some()
    };
    kernels.iter().filter(|kernel| fails(kernel)).map(|kernel| kernel.id).collect()
}

/// Asserts that only the first kernel passes.
fn only_the_first_passes<S: Checked>(kernels: &'static [Kernel<S>]) {
    let wrong: Vec<&str> = kernels[1..].iter().map(|kernel| kernel.id).collect();
    assert_eq!(failing(kernels), wrong, "{} must pass, the others must fail", kernels[0].id);
}

const fn kernel<S: Shape>(id: &'static str, lanes: usize, run: for<'a> unsafe fn(S::Job<'a>)) -> Kernel<S> {
    Kernel::<S>::new(id, Features::NONE, lanes, run)
}

mod siphash {
    use super::*;
    use keylane::job::siphash::{Batch, Counted, Layout, Long, Messages, Rounds, State, Tags, X1Long, Xn};
    use std::num::NonZeroU8;

    const NONE: u32 = 0;
    /// The length byte stays at 255 instead of wrapping.
    const LENGTH_SATURATES: u32 = 1;
    /// The bytes of a tail are sign-extended.
    const SIGNED_TAIL: u32 = 2;
    /// The tail is read as a whole word, including the bytes after the message.
    const TAIL_READS_ON: u32 = 3;
    /// Case folding treats '[' as a letter.
    const FOLDS_ONE_MORE: u32 = 4;
    /// Case folding treats letters plus 0x80 as letters.
    const FOLDS_UPPER_HALF: u32 = 5;
    /// The tail is not folded.
    const TAIL_NOT_FOLDED: u32 = 6;
    /// All lanes of a group run as long as the longest.
    const LONGEST_LANE: u32 = 7;
    /// The last group, moved back to end with the batch, writes one tag too many before it.
    const LAST_GROUP_BACK: u32 = 8;
    /// Offsets are assumed to start at 0.
    const FIRST_OFFSET: u32 = 9;
    /// A message of 65536 bytes or more is cut there, as by a counter of 16 bits.
    const SHORT_COUNTER: u32 = 10;
    /// More than 8 rounds become 8.
    const FEW_ROUNDS: u32 = 11;
    /// Integers of 16 bytes lose their upper half.
    const HALF_AN_INTEGER: u32 = 12;

    /// The number of lanes of the models.
    const LANES: usize = 8;

    fn take<const DEFECT: u32>(word: u64, fold: bool) -> u64 {
        let fold_byte = |byte: u8| match byte {
            b'A'..=b'Z' => byte + 0x20,
            b'[' if DEFECT == FOLDS_ONE_MORE => byte + 0x20,
            0xc1..=0xda if DEFECT == FOLDS_UPPER_HALF => byte + 0x20,
            _ => byte,
        };
        if fold { u64::from_le_bytes(word.to_le_bytes().map(fold_byte)) } else { word }
    }

    fn last<const DEFECT: u32>(message: &[u8], fold: bool) -> u64 {
        let (_, tail) = message.as_chunks::<8>();
        let or = |word: u64, (i, &byte): (usize, &u8)| {
            let byte = if DEFECT == SIGNED_TAIL { byte as i8 as u64 } else { byte.into() };
            word | byte << (8 * i)
        };
        let mut word = tail.iter().enumerate().fold(0, or);
        if DEFECT == TAIL_READS_ON && !tail.is_empty() && message.len() >= 8 {
            // The byte that a neighbour may have there.
            word |= u64::from(message[0]) << (8 * tail.len());
        }
        if DEFECT != TAIL_NOT_FOLDED {
            word = take::<DEFECT>(word, fold);
        }
        let len = if DEFECT == LENGTH_SATURATES { message.len().min(255) } else { message.len() };
        word | (len as u64) << 56
    }

    /// The `count` messages of a batch.
    fn messages<const DEFECT: u32>(messages: Messages<'_>, count: usize) -> Vec<Vec<u8>> {
        let whole = |x: u128| if DEFECT == HALF_AN_INTEGER { u128::from(x as u64) } else { x };
        match messages {
            Messages::U32s(x) => x.iter().map(|x| x.to_le_bytes().to_vec()).collect(),
            Messages::U64s(x) => x.iter().map(|x| x.to_le_bytes().to_vec()).collect(),
            Messages::U128s(x) => x.iter().map(|&x| whole(x).to_le_bytes().to_vec()).collect(),
            Messages::Bytes(Layout::Offsets32 { bytes, offsets }) if DEFECT == FIRST_OFFSET => {
                let first = offsets.first().copied().unwrap_or(0);
                let place = |pair: &[i32]| (pair[0] - first) as usize..(pair[1] - first) as usize;
                offsets.windows(2).map(|pair| bytes[place(pair)].to_vec()).collect()
            }
            Messages::Bytes(layout) => {
                let mut all = Vec::new();
                let mut take =
                    |messages: &[&[u8]]| all.extend(messages.iter().map(|message| message.to_vec()));
                layout.for_each_chunk(&mut vec![(); count], |messages, _| take(messages));
                all
            }
        }
    }

    fn many<const DEFECT: u32>(job: Batch<'_, u64>) {
        let Batch { initial, mut rounds, fold, messages: all, tags } = job;
        if DEFECT == FEW_ROUNDS {
            let few = |x: usize| NonZeroU8::new(x.min(8) as u8).expect("at least one round");
            rounds = Counted::new(few(rounds.c()), few(rounds.d()));
        }
        let state = |message: &[u8], words: usize| {
            let mut state = *initial;
            for i in 0..words {
                let word = message.as_chunks().0.get(i).map_or(0, |&word| u64::from_le_bytes(word));
                state.absorb(rounds, take::<DEFECT>(word, fold));
            }
            state.absorb(rounds, last::<DEFECT>(message, fold));
            state
        };
        let group = |messages: &[Vec<u8>]| -> Vec<State<u64>> {
            let longest = messages.iter().map(|message| message.len() / 8).max().unwrap_or(0);
            let words = |message: &[u8]| match DEFECT {
                LONGEST_LANE if messages.len() == LANES => longest,
                SHORT_COUNTER => message.len() / 8 % 8192,
                _ => message.len() / 8,
            };
            messages.iter().map(|message| state(message, words(message))).collect()
        };
        let count = match &tags {
            Tags::Single(tags) => tags.len(),
            Tags::Double(tags) => tags.len(),
        };
        let states = messages::<DEFECT>(all, count);
        let states = states.chunks(LANES).flat_map(group);
        match tags {
            Tags::Single(tags) => {
                tags.iter_mut().zip(states).for_each(|(tag, state)| *tag = state.single_tag::<false>(rounds));
                if DEFECT == LAST_GROUP_BACK && count > LANES && !count.is_multiple_of(LANES) {
                    tags[count - LANES - 1] = tags[count - LANES];
                }
            }
            Tags::Double(tags) => {
                tags.iter_mut().zip(states).for_each(|(tag, state)| *tag = state.double_tag::<false>(rounds))
            }
        }
    }

    #[test]
    fn many_messages() {
        static KERNELS: [Kernel<Xn<u64>>; 13] = [
            kernel::<Xn<u64>>("right", LANES, many::<NONE>),
            kernel::<Xn<u64>>("length saturates", LANES, many::<LENGTH_SATURATES>),
            kernel::<Xn<u64>>("signed tail", LANES, many::<SIGNED_TAIL>),
            kernel::<Xn<u64>>("tail reads on", LANES, many::<TAIL_READS_ON>),
            kernel::<Xn<u64>>("folds one more", LANES, many::<FOLDS_ONE_MORE>),
            kernel::<Xn<u64>>("folds upper half", LANES, many::<FOLDS_UPPER_HALF>),
            kernel::<Xn<u64>>("tail not folded", LANES, many::<TAIL_NOT_FOLDED>),
            kernel::<Xn<u64>>("longest lane", LANES, many::<LONGEST_LANE>),
            kernel::<Xn<u64>>("last group back", LANES, many::<LAST_GROUP_BACK>),
            kernel::<Xn<u64>>("first offset", LANES, many::<FIRST_OFFSET>),
            kernel::<Xn<u64>>("short counter", LANES, many::<SHORT_COUNTER>),
            kernel::<Xn<u64>>("few rounds", LANES, many::<FEW_ROUNDS>),
            kernel::<Xn<u64>>("half an integer", LANES, many::<HALF_AN_INTEGER>),
        ];
        only_the_first_passes(&KERNELS);
    }

    fn long<const DEFECT: u32>(job: Long<'_>) {
        let Long { state, rounds, fold, words } = job;
        let words = if DEFECT == SHORT_COUNTER { &words[..words.len() % 8192] } else { words };
        for &word in words {
            state.absorb(rounds, take::<DEFECT>(u64::from_le_bytes(word), fold));
        }
    }

    /// Takes two words at a time and drops the last word of an odd number.
    fn pairs(job: Long<'_>) {
        let Long { state, rounds, fold, words } = job;
        let even = if words.len() > 32 { words.len() & !1 } else { words.len() };
        long::<NONE>(Long { state, rounds, fold, words: &words[..even] });
    }

    #[test]
    fn one_long_message() {
        static KERNELS: [Kernel<X1Long>; 4] = [
            kernel::<X1Long>("right", 1, long::<NONE>),
            kernel::<X1Long>("folds one more", 1, long::<FOLDS_ONE_MORE>),
            kernel::<X1Long>("short counter", 1, long::<SHORT_COUNTER>),
            kernel::<X1Long>("pairs", 1, pairs),
        ];
        only_the_first_passes(&KERNELS);
    }
}

/// Poly1305 in limbs of 26 bits, with L blocks side by side, like vector kernels. Lane i holds every L-th
/// block from i on. It is multiplied by r^L each time, and at the end by r^(L - i).
mod poly1305 {
    use super::*;
    use keylane::job::poly1305::{Batch, Blocks, Key, State, X1, Xn};

    const NONE: u32 = 0;
    /// Limbs are joined by OR, before their carries are done.
    const JOINED_BY_OR: u32 = 1;
    /// Limbs are truncated to 26 bits, before their carries are done.
    const JOINED_BY_MASK: u32 = 2;
    /// The part at 2^130 and above is dropped when lanes are joined.
    const TOP_DROPPED: u32 = 3;
    /// Five times the carry is kept in a signed number of 32 bits.
    const SIGNED_CARRY: u32 = 4;
    /// A partial last block is treated as a whole one.
    const TAIL_IS_WHOLE: u32 = 5;
    /// The last lane is left out when lanes are joined after more than five steps.
    const LOST_LANE: u32 = 6;

    /// The tag is computed from an accumulator that may still be p or more.
    const NOT_REDUCED: u32 = 7;
    /// p itself is not reduced to 0.
    const REDUCED_ABOVE_P: u32 = 8;

    /// Five limbs. The number is the sum of limb i times 2^(26 i).
    type Limbs = [u64; 5];

    const MASK: u64 = (1 << 26) - 1;

    /// Converts from base 2^64. The top limb takes all remaining bits.
    fn limbs([h0, h1, h2]: [u64; 3]) -> Limbs {
        let low = u128::from(h0) | u128::from(h1) << 64;
        let limb = |i: u32| (low >> (26 * i)) as u64 & MASK;
        [limb(0), limb(1), limb(2), limb(3), (low >> 104) as u64 | h2 << 24]
    }

    /// One pass of carries. Limbs may end slightly above 26 bits.
    fn carry<const DEFECT: u32>(mut x: Limbs) -> Limbs {
        for i in 0..4 {
            x[i + 1] += x[i] >> 26;
            x[i] &= MASK;
        }
        let top = 5 * (x[4] >> 26);
        x[0] += if DEFECT == SIGNED_CARRY { u64::from(top as u32 & 0x7fff_ffff) } else { top };
        x[4] &= MASK;
        x[1] += x[0] >> 26;
        x[0] &= MASK;
        x
    }

    fn add(a: Limbs, b: Limbs) -> Limbs {
        std::array::from_fn(|i| a[i] + b[i])
    }

    fn multiply<const DEFECT: u32>(a: Limbs, b: Limbs) -> Limbs {
        let mut product = [0u64; 5];
        for (i, a) in a.into_iter().enumerate() {
            for (j, b) in b.into_iter().enumerate() {
                let five = if i + j >= 5 { 5 } else { 1 };
                product[(i + j) % 5] += a * b * five;
            }
        }
        carry::<DEFECT>(product)
    }

    /// The sum of the lanes as a canonical state. In rare cases one pass of carries leaves a limb of 27 bits,
    /// so the limbs must be added. The defects assume 26 bits.
    fn join<const DEFECT: u32>(sum: Limbs) -> [u64; 3] {
        let x = carry::<NONE>(sum);
        let mut low = 0u128;
        let mut high = x[4] >> 24;
        for (i, limb) in x.into_iter().enumerate() {
            let limb = if DEFECT == JOINED_BY_MASK { limb & MASK } else { limb };
            let shifted = u128::from(limb) << (26 * i);
            if DEFECT == JOINED_BY_OR {
                low |= shifted;
            } else {
                let (sum, carry) = low.overflowing_add(shifted);
                low = sum;
                high += u64::from(carry);
            }
        }
        if DEFECT == TOP_DROPPED {
            high &= 3;
        }
        [low as u64, (low >> 64) as u64, high]
    }

    /// A block of at most 16 bytes.
    fn block<const DEFECT: u32>(bytes: &[u8]) -> Limbs {
        let mut padded = [0; 24];
        padded[..bytes.len()].copy_from_slice(bytes);
        padded[if DEFECT == TAIL_IS_WHOLE { 16 } else { bytes.len() }] = 1;
        let (words, _) = padded.as_chunks();
        limbs(std::array::from_fn(|i| u64::from_le_bytes(words[i])))
    }

    fn absorb<const L: usize, const DEFECT: u32>(state: &mut State, blocks: &[[u8; 16]], tail: &[u8]) {
        let [r0, r1] = state.key.r;
        let r = limbs([r0, r1, 0]);
        let (steps, rest) = blocks.as_chunks::<L>();
        if !steps.is_empty() {
            // powers[i] = r^(i + 1)
            let mut powers = [r; L];
            for i in 1..L {
                powers[i] = multiply::<NONE>(powers[i - 1], r);
            }
            let mut lanes = [[0; 5]; L];
            lanes[0] = limbs(state.h);
            for (i, blocks) in steps.iter().enumerate() {
                for (lane, bytes) in lanes.iter_mut().zip(blocks) {
                    if i > 0 {
                        *lane = multiply::<DEFECT>(*lane, powers[L - 1]);
                    }
                    *lane = add(*lane, block::<DEFECT>(bytes));
                }
            }
            let mut sum = [0; 5];
            for (i, lane) in lanes.into_iter().enumerate() {
                if DEFECT == LOST_LANE && i == L - 1 && steps.len() > 5 {
                    continue;
                }
                sum = add(sum, multiply::<DEFECT>(lane, powers[L - 1 - i]));
            }
            state.h = join::<DEFECT>(sum);
        }
        let tail = if tail.is_empty() { None } else { Some(tail) };
        for bytes in rest.iter().map(<[u8; 16]>::as_slice).chain(tail) {
            state.h = join::<NONE>(multiply::<NONE>(add(limbs(state.h), block::<DEFECT>(bytes)), r));
        }
    }

    fn one<const L: usize, const DEFECT: u32>(job: Blocks<'_>) {
        absorb::<L, DEFECT>(job.state, job.blocks, job.tail);
    }

    /// The tag of a state.
    fn tag<const DEFECT: u32>(state: &State) -> [u8; 16] {
        if DEFECT != NOT_REDUCED && DEFECT != REDUCED_ABOVE_P {
            return state.tag().to_le_bytes();
        }
        let [h0, h1, h2] = join::<NONE>(carry::<NONE>(limbs(state.h)));
        let h = u128::from(h0) | u128::from(h1) << 64;
        // p = 2^130 - 5.
        let above_p = h2 > 3 || h2 == 3 && h > u128::MAX - 4;
        let h = if DEFECT == REDUCED_ABOVE_P && above_p { h.wrapping_add(5) } else { h };
        let s = u128::from(state.key.s[0]) | u128::from(state.key.s[1]) << 64;
        h.wrapping_add(s).to_le_bytes()
    }

    fn many<const L: usize, const DEFECT: u32>(job: Batch<'_>) {
        for ((&key, message), place) in job.keys.iter().zip(job.messages).zip(job.tags) {
            let mut state = State::new(key);
            let (blocks, tail) = message.as_chunks();
            absorb::<L, DEFECT>(&mut state, blocks, tail);
            *place = tag::<DEFECT>(&state);
        }
    }

    /// Message i under the key of its group's first message.
    fn one_key_a_group(job: Batch<'_>) {
        let keys: Vec<Key> =
            (0..job.keys.len()).map(|i| job.keys[if i % 4 == 3 && i > 16 { i - 1 } else { i }]).collect();
        many::<4, NONE>(Batch { keys: &keys, ..job });
    }

    #[test]
    fn four_lanes() {
        static KERNELS: [Kernel<X1>; 7] = [
            kernel::<X1>("right", 4, one::<4, NONE>),
            kernel::<X1>("joined by or", 4, one::<4, JOINED_BY_OR>),
            kernel::<X1>("joined by mask", 4, one::<4, JOINED_BY_MASK>),
            kernel::<X1>("top dropped", 4, one::<4, TOP_DROPPED>),
            kernel::<X1>("signed carry", 4, one::<4, SIGNED_CARRY>),
            kernel::<X1>("tail is whole", 4, one::<4, TAIL_IS_WHOLE>),
            kernel::<X1>("lost lane", 4, one::<4, LOST_LANE>),
        ];
        only_the_first_passes(&KERNELS);
    }

    /// No published message detects the defects at the join of 8 or 16 lanes. Messages pushed into every lane
    /// do.
    #[test]
    fn eight_and_sixteen_lanes() {
        static KERNELS: [Kernel<X1>; 7] = [
            kernel::<X1>("right", 16, one::<16, NONE>),
            kernel::<X1>("16 joined by or", 16, one::<16, JOINED_BY_OR>),
            kernel::<X1>("16 joined by mask", 16, one::<16, JOINED_BY_MASK>),
            kernel::<X1>("16 top dropped", 16, one::<16, TOP_DROPPED>),
            kernel::<X1>("8 joined by or", 8, one::<8, JOINED_BY_OR>),
            kernel::<X1>("8 joined by mask", 8, one::<8, JOINED_BY_MASK>),
            kernel::<X1>("8 top dropped", 8, one::<8, TOP_DROPPED>),
        ];
        only_the_first_passes(&KERNELS);
    }

    #[test]
    fn many_messages() {
        static KERNELS: [Kernel<Xn>; 7] = [
            kernel::<Xn>("right", 8, many::<1, NONE>),
            kernel::<Xn>("joined by or", 8, many::<4, JOINED_BY_OR>),
            kernel::<Xn>("top dropped", 8, many::<4, TOP_DROPPED>),
            kernel::<Xn>("not reduced", 8, many::<1, NOT_REDUCED>),
            kernel::<Xn>("reduced above p", 8, many::<1, REDUCED_ABOVE_P>),
            kernel::<Xn>("tail is whole", 8, many::<1, TAIL_IS_WHOLE>),
            kernel::<Xn>("one key a group", 8, one_key_a_group),
        ];
        only_the_first_passes(&KERNELS);
    }
}
