//! The known answers that a row must give before it may be chosen: some microseconds a slot.
//!
//! Each test runs a fixed set of jobs and compares a checksum of all tags with the constant that
//! keylane-ref gives (the conformance suite computes them again). They are no replacement for that
//! suite: they catch a kernel that this CPU, this emulator or this compiler gets wrong.

use super::poly1305::{self, Blocks};
use super::siphash::{Batch, Counted, Layout, Long, Messages, State, Tag, Word};
use crate::arch::wipe::Zero;
use crate::buffer::Block;
use core::num::NonZeroU8;

/// The rounds that are tried: the fast paths, and one that is none.
pub const ROUNDS: [[u8; 2]; 6] = [[1, 1], [1, 2], [1, 3], [2, 4], [4, 8], [3, 5]];

/// How many messages a batch has: message i is the first i bytes of the input, so that every tail
/// comes, and more than one word.
pub const MESSAGES: usize = 18;

/// How many integers a batch has: integer i is `mix(0, i)`.
pub const INTEGERS: usize = 5;

/// Checksums of SipHash tags of 64 bits, for each of `ROUNDS`: messages, the same folded, integers.
pub const SIPHASH: [u64; 6] = [
    0xee3b_ced2_8534_e31c,
    0xd7a5_c465_1d98_8680,
    0x6ed1_9fef_196c_46f8,
    0x8ac1_9656_6070_e2d3,
    0xc8d9_2dcb_582e_263c,
    0xf980_b9ac_9f73_68cf,
];
/// Checksums of SipHash tags of 128 bits.
pub const SIPHASH_WIDE: [u64; 6] = [
    0xee36_41cb_8433_93d5,
    0xd880_c6e2_592b_5ece,
    0x2d2d_b109_e46d_16bf,
    0xf568_7167_1fe4_54e3,
    0xdd5c_cdea_1a5c_ba14,
    0x144a_4735_c93f_0948,
];
/// Checksums of HalfSipHash tags of 32 bits.
pub const HALFSIPHASH: [u64; 6] = [
    0x4c1c_3baf_1517_2d65,
    0x798f_95db_8df5_e6e4,
    0xd66a_4442_66aa_af52,
    0xd51b_d78d_f569_6ab0,
    0x4563_6f0a_9ba6_8d20,
    0xab37_37f3_56b8_cf02,
];
/// Checksums of HalfSipHash tags of 64 bits.
pub const HALFSIPHASH_WIDE: [u64; 6] = [
    0x749c_1565_37d8_3a24,
    0x46ae_2a12_991b_9074,
    0xe175_2a39_b4cb_18d6,
    0x7b42_4dc7_3a75_81c6,
    0xe0d1_faf7_5cf9_c21e,
    0x4153_5814_c78c_7875,
];
/// Checksums of SipHash tags of 144 bytes of input, for each of `ROUNDS`: as they are, folded.
pub const SIPHASH_LONG: [u64; 6] = [
    0x530b_d109_0864_0ca2,
    0x5780_0a46_59bf_a9f6,
    0x345b_2101_ecd1_a07e,
    0x63b6_3483_03b6_8d8d,
    0xa01f_8233_f668_b6ac,
    0xd148_f211_f480_5116,
];
/// Checksum of Poly1305 tags: message i is the first 21 i bytes of ones, i < `MACS`, its key the
/// input behind its first i bytes. For one message: the last of them.
pub const POLY1305: [u64; 2] = [0x2df1_677f_fd73_74d7, 0xbca2_961f_76c6_721f];

/// How many Poly1305 messages there are.
pub const MACS: usize = 7;

/// The input: bytes of every kind, letters of both cases among them.
pub const fn input<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = (i as u8).wrapping_mul(0x3d).wrapping_add(0x41);
        i += 1;
    }
    bytes
}

/// Adds a number to a checksum in which order counts.
pub const fn mix(sum: u64, x: u64) -> u64 {
    (sum.rotate_left(7) ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Adds a tag to a checksum.
pub fn mix_tag(sum: u64, tag: impl Into<u128>) -> u64 {
    let tag = tag.into();
    mix(mix(sum, tag as u64), (tag >> 64) as u64)
}

fn counted([c, d]: [u8; 2]) -> Counted {
    let nonzero = |x| NonZeroU8::new(x).unwrap_or(NonZeroU8::MIN);
    Counted::new(nonzero(c), nonzero(d))
}

/// The state under the key 00 01 02 ...
fn keyed<W: Word>(wide: bool) -> State<W> {
    let key: [u8; 16] = core::array::from_fn(|i| i as u8);
    let (words, _) = W::split(&key);
    let word = |i: usize| words.get(i).map_or(W::ZERO, |&word| W::from_bytes(word));
    State::new([word(0), word(1)], wide)
}

/// The test of `siphash-x1-long`.
pub fn x1_long(run: &dyn Fn(Long<'_>)) -> bool {
    let bytes = input::<144>();
    let (words, _) = u64::split(&bytes);
    ROUNDS.iter().zip(SIPHASH_LONG).all(|(&rounds, answer)| {
        let rounds = counted(rounds);
        let tags = [false, true].map(|fold| {
            let mut state = keyed(false);
            run(Long { state: &mut state, rounds, fold, words });
            state.absorb(rounds, u64::length(bytes.len()));
            state.narrow(rounds)
        });
        tags.into_iter().fold(0, mix_tag) == answer
    })
}

/// The test of `siphash-xn` and `halfsiphash-xn`.
pub fn xn<W: Word, T: Tag<W> + Zero + Into<u128>>(run: &dyn Fn(Batch<'_, W>), answers: [u64; 6]) -> bool {
    let bytes = input::<MESSAGES>();
    let slices: [&[u8]; MESSAGES] = core::array::from_fn(|len| bytes.get(..len).unwrap_or(&[]));
    let integers: [u64; INTEGERS] = core::array::from_fn(|i| mix(0, i as u64));
    let messages = Messages::Bytes(Layout::Slices(&slices));
    let initial = &keyed(T::WIDE);
    ROUNDS.iter().zip(answers).all(|(&rounds, answer)| {
        let rounds = counted(rounds);
        let mut exact = [T::ZERO; MESSAGES];
        let mut folded = [T::ZERO; MESSAGES];
        let mut of_integers = [T::ZERO; INTEGERS];
        run(Batch { initial, rounds, fold: false, messages, tags: T::tags(&mut exact) });
        run(Batch { initial, rounds, fold: true, messages, tags: T::tags(&mut folded) });
        let messages = Messages::U64s(&integers);
        run(Batch { initial, rounds, fold: false, messages, tags: T::tags(&mut of_integers) });
        exact.into_iter().chain(folded).chain(of_integers).fold(0, mix_tag) == answer
    })
}

/// The key of Poly1305 message `i`.
fn mac_key(i: usize) -> poly1305::Key {
    let bytes = input::<40>();
    let key = bytes.get(i..).and_then(<[u8]>::first_chunk);
    poly1305::Key::from_bytes(key.unwrap_or(&[0; 32]))
}

/// The test of `poly1305-x1`.
pub fn poly1305_x1(run: &dyn Fn(Blocks<'_>)) -> bool {
    let (blocks, tail) = u128::split(&[0xff; 21 * (MACS - 1)]);
    let mut state = poly1305::State::new(mac_key(MACS - 1));
    run(Blocks { state: &mut state, blocks, tail });
    mix_tag(0, u128::from_le_bytes(state.tag())) == POLY1305[0]
}

/// The test of `poly1305-xn`.
pub fn poly1305_xn(run: &dyn Fn(poly1305::Batch<'_>)) -> bool {
    let ones = [0xff; 21 * MACS];
    let messages: [&[u8]; MACS] = core::array::from_fn(|i| ones.get(..21 * i).unwrap_or(&[]));
    let keys: [poly1305::Key; MACS] = core::array::from_fn(mac_key);
    let mut tags = [[0; 16]; MACS];
    run(poly1305::Batch { keys: &keys, messages: &messages, tags: &mut tags });
    tags.into_iter().map(u128::from_le_bytes).fold(0, mix_tag) == POLY1305[1]
}
