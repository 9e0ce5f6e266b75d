//! The tags of ChaCha20-Poly1305, eight packets at a time in the lanes of AVX-512 registers: for poly1305_x8_avx512ifma.
//!
//! AAD and ciphertext are read where they are. All blocks are whole, since both are padded with zeros. So the last turn
//! needs no byte 1, and a masked load that ends behind the last block aligns it to the right:
//!
//! * The AAD, up to 64 bytes, is one turn. Lanes that lack blocks have zeros there, without the 2^128 of a block.
//! * Whole turns of ciphertext follow. A rest of more than 48 bytes is a turn, too.
//! * The last turn has the other rests, up to three blocks, and the lengths. The accumulator is added to the first of
//!   a lane's blocks.
//!
//! The first and the last turn are half as long if no lane has more than two blocks there.

use super::cast;
use super::ifma::Zmm;
use super::messages44::{Fours, Pairs, Turn, blocks, four_powers};
use super::poly1305_p8_avx512ifma::piece;
use super::poly1305_x8_avx512ifma::{ROWS, ZEROS, count_in_lanes, equal_or_sorted};
use super::radix44::{Limbs, Vectors44};
use crate::arch::generic::groups::SORTED;
use crate::arch::generic::parts26::{LONGEST_AAD, one_by_one};
use crate::arch::portable::poly1305_packet;
use crate::job::barrier::in_memory;
use crate::job::limits::Method;
use crate::job::poly1305::{Key, Packets};
use crate::job::prefetch::prefetch_beginnings;
use crate::job::wipe::{wipe, wipe_table};
use core::arch::x86_64::*;

/// The tags of all packets.
///
/// `in_memory` keeps the compiler from gathers of lengths, which are no secret, but whose instruction looks up places by
/// vectors.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub fn many(z: Zmm, job: Packets<'_>) {
    let Packets { keys, packets, tags } = job;
    let chunks = packets.chunks(SORTED).zip(tags.chunks_mut(SORTED));
    for (keys, (packets, tags)) in keys.chunks(SORTED).zip(chunks) {
        let order = equal_or_sorted(packets.iter().map(|packet| in_memory(packet)[1].len()));
        for group in order.get(..packets.len()).unwrap_or(&[]).chunks(8) {
            some(z, group, keys, packets, tags);
        }
    }
}

/// The tags of up to eight packets: in lanes, if they gain there and have short AADs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn some(z: Zmm, group: &[u8], keys: &[Key], packets: &[[&[u8]; 2]], tags: &mut [[u8; 16]]) {
    let len =
        |&i: &u8, part: usize| packets.get(usize::from(i)).map_or(0, |packet| in_memory(packet)[part].len());
    let mut count = count_in_lanes(group, |i| len(i, 1) + 32);
    for i in group {
        if len(i, 0) > LONGEST_AAD {
            count = 0;
        }
    }
    let (in_lanes, left) = group.split_at_checked(count).unwrap_or((group, &[]));
    one_by_one(left, keys, packets, tags, |key, packet| alone(key, packet));
    let Some(&first) = in_lanes.first() else { return };
    let mut of = Lanes8 { keys: [&NO_KEY; 8], starts: [[0; 8]; 2], lengths: [[0; 8]; 2], longest: 0 };
    for lane in 0..8 {
        // A lane without a packet repeats the first one.
        let i = usize::from(*in_lanes.get(lane).unwrap_or(&first));
        if let (Some(key), Some(packet)) = (keys.get(i), packets.get(i)) {
            of.put(lane, key, in_memory(packet));
        }
    }
    let mut of_lanes = eight(z, &of);
    for (tag, &i) in of_lanes.iter().zip(in_lanes) {
        if let Some(place) = tags.get_mut(usize::from(i)) {
            *place = *tag;
        }
    }
    wipe_table(&mut of_lanes);
}

/// A key for lanes without one.
static NO_KEY: Key = Key { r: [0; 2], s: [0; 2] };

/// The tag of a packet that does better by itself.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn alone(key: &Key, packet: &[&[u8]; 2]) -> [u8; 16] {
    poly1305_packet(key, packet, Method::P8Avx512Ifma.threshold(), |state, powers, blocks| {
        piece(state, powers, blocks)
    })
}

/// The packets in the lanes.
struct Lanes8<'a> {
    keys: [&'a Key; 8],
    /// The addresses of the AADs and of the texts.
    starts: [[usize; 8]; 2],
    /// Their lengths.
    lengths: [[usize; 8]; 2],
    /// The length of the longest text.
    longest: usize,
}

impl<'a> Lanes8<'a> {
    /// Puts a packet into a lane.
    #[inline(always)]
    fn put(&mut self, lane: usize, key: &'a Key, parts: &[&[u8]; 2]) {
        self.keys[lane] = key;
        for (part, (starts, lengths)) in parts.iter().zip(self.starts.iter_mut().zip(&mut self.lengths)) {
            starts[lane] = part.as_ptr().expose_provenance();
            lengths[lane] = part.len();
        }
        self.longest = self.longest.max(parts[1].len());
        prefetch_beginnings([parts[1]].into_iter());
    }
}

/// The tags of eight packets.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn eight(z: Zmm, of: &Lanes8<'_>) -> [[u8; 16]; 8] {
    let is_long = of.longest >= Method::X8Avx512IfmaKaratsuba.threshold();
    let [r0, r1, ..] = z.words_of_keys(ROWS.map(|lane| of.keys[lane]));
    let r = z.split(r0, r1, z.splat(0));
    let h = if is_long {
        let mut powers = four_powers(z, r);
        let h = absorb(z, of, &Fours(&powers));
        wipe(&mut powers);
        h
    } else {
        absorb(z, of, &Pairs::new(z, r))
    };
    // Read only now: a register that waited would be saved to the stack.
    let [_, _, s0, s1] = z.words_of_keys(ROWS.map(|lane| in_memory(of.keys[lane])));
    z.tags(h, [s0, s1])
}

/// Bytes to load for each lane: where, and a bit for each that belongs to the lane.
struct Loads {
    at: [usize; 8],
    bits: [u64; 8],
}

impl Loads {
    /// Loads `bytes` bytes from `start` on for each lane, at most 64, after `skipped` bytes of zeros.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
    fn new(z: Zmm, start: __m512i, bytes: __m512i, skipped: __m512i) -> Loads {
        let bits = _mm512_srlv_epi64(z.splat(u64::MAX), z.sub(z.splat(64), bytes));
        // A masked load of nothing is slow where no memory is.
        let zeros = z.splat(ZEROS.as_ptr().expose_provenance() as u64);
        let is_empty = _mm512_testn_epi64_mask(bytes, bytes);
        let at = _mm512_mask_mov_epi64(z.sub(start, skipped), is_empty, zeros);
        Loads { at: cast(&at), bits: cast(&_mm512_sllv_epi64(bits, skipped)) }
    }

    /// The words of a turn.
    ///
    /// # Safety
    /// The bytes whose bits are set may be read.
    #[inline(always)]
    unsafe fn words(&self, z: Zmm) -> [__m512i; 8] {
        let (at, bits) = (in_memory(&self.at), in_memory(&self.bits));
        let mut rows = [z.splat(0); 8];
        for (row, lane) in rows.iter_mut().zip(ROWS) {
            // SAFETY: the caller ensures this.
            *row = unsafe { z.load_where(bits[lane], at[lane]) };
        }
        z.transpose(rows)
    }
}

/// Eight numbers as a vector, assembled in registers: a load that spans several recent stores cannot be forwarded.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn vector([a, b, c, d, e, f, g, h]: [usize; 8]) -> __m512i {
    _mm512_set_epi64(h as i64, g as i64, f as i64, e as i64, d as i64, c as i64, b as i64, a as i64)
}

/// 1 in the lanes that have at least `n` of their `counts`.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn ones(z: Zmm, counts: __m512i, n: u64) -> __m512i {
    _mm512_maskz_mov_epi64(_mm512_cmpge_epu64_mask(counts, z.splat(n)), z.splat(1))
}

/// How many blocks these bytes are.
#[inline(always)]
fn blocks_of(z: Zmm, bytes: __m512i) -> __m512i {
    z.shr(z.add(bytes, z.splat(15)), 4)
}

/// The accumulators after the packets.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn absorb(z: Zmm, of: &Lanes8<'_>, turn: &impl Turn<Zmm>) -> Limbs<__m512i> {
    let [aad_starts, text_starts] = of.starts.map(|starts| vector(starts));
    let [aad_bytes, text_bytes] = of.lengths.map(|lengths| vector(lengths));
    let whole = z.shr(text_bytes, 6);
    let (fewest, most) = (_mm512_reduce_min_epu64(whole) as usize, _mm512_reduce_max_epu64(whole) as usize);
    let rests = z.add(text_starts, z.shl(whole, 6));
    let rest_bytes = z.and(text_bytes, z.splat(63));
    let full = _mm512_cmpgt_epu64_mask(rest_bytes, z.splat(48));
    // The other rests, and the lengths as a last block.
    let last_bytes = _mm512_maskz_mov_epi64(!full, rest_bytes);
    let last_blocks = z.add(blocks_of(z, last_bytes), z.splat(1));
    let aad_blocks = blocks_of(z, aad_bytes);
    let most_aad = _mm512_reduce_max_epu64(aad_blocks);

    let mut a = [z.splat(0); 3];
    if most_aad > 0 {
        let loads = Loads::new(z, aad_starts, aad_bytes, z.sub(z.splat(64), z.shl(aad_blocks, 4)));
        // SAFETY: the set bits are those of the AADs, of at most 64 bytes each.
        let words = unsafe { loads.words(z) };
        let present = [4, 3, 2, 1].map(|n| ones(z, aad_blocks, n));
        a = four_or_two(z, turn, most_aad, a, blocks(z, words, present));
    }
    for i in 0..fewest {
        // SAFETY: each text has more than i turns of 64 bytes.
        let words = unsafe { z.transposed(&of.starts[1], 64 * i) };
        a = turn.four(z, a, blocks(z, words, [z.splat(1); 4]));
    }
    let turns_of_lanes: [u64; 8] = cast(&whole);
    for i in fewest..most {
        // A finished text is read at its last turn again; a text without a turn, at `ZEROS`.
        let mut at = [0; 8];
        for ((at, &start), &turns) in at.iter_mut().zip(&of.starts[1]).zip(in_memory(&turns_of_lanes)) {
            let zeros = ZEROS.as_ptr().expose_provenance();
            *at = if turns == 0 { zeros } else { start + 64 * i.min(turns as usize - 1) };
        }
        // SAFETY: a text has `turns` turns of 64 bytes, and the address is that of one of them; or it is that of 64
        // zeros.
        let words = unsafe { z.transposed(&at, 0) };
        let next = turn.four(z, a, blocks(z, words, [z.splat(1); 4]));
        a = choose(_mm512_cmpgt_epu64_mask(whole, z.splat(i as u64)), next, a);
    }
    if full != 0 {
        let loads = Loads::new(z, rests, _mm512_maskz_mov_epi64(full, rest_bytes), z.splat(0));
        // SAFETY: the set bits are those of the rests, of fewer than 64 bytes each.
        let words = unsafe { loads.words(z) };
        let next = turn.four(z, a, blocks(z, words, [z.splat(1); 4]));
        a = choose(full, next, a);
    }

    let loads = Loads::new(z, rests, last_bytes, z.sub(z.splat(64), z.shl(last_blocks, 4)));
    // SAFETY: the set bits are those of the rests, of at most 48 bytes each, which end 16 bytes before the turn does.
    let mut words = unsafe { loads.words(z) };
    [words[6], words[7]] = [aad_bytes, text_bytes];
    let present = [4, 3, 2, 1].map(|n| ones(z, last_blocks, n));
    let mut last = blocks(z, words, present);
    for (block, count) in last.iter_mut().zip([4, 3, 2, 1]) {
        let joins = _mm512_cmpeq_epi64_mask(last_blocks, z.splat(count));
        for (limb, a) in block.iter_mut().zip(a) {
            *limb = _mm512_mask_add_epi64(*limb, joins, *limb, a);
        }
    }
    four_or_two(z, turn, _mm512_reduce_max_epu64(last_blocks), [z.splat(0); 3], last)
}

/// A turn of blocks, of which no lane has more than `most`, in the last places.
#[inline(always)]
fn four_or_two(
    z: Zmm,
    turn: &impl Turn<Zmm>,
    most: u64,
    a: Limbs<__m512i>,
    blocks: [Limbs<__m512i>; 4],
) -> Limbs<__m512i> {
    let [_, _, b2, b3] = blocks;
    if most > 2 { turn.four(z, a, blocks) } else { turn.two(z, a, [b2, b3]) }
}

/// `a` in the lanes of the mask, `b` elsewhere.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn choose(mask: u8, a: Limbs<__m512i>, b: Limbs<__m512i>) -> Limbs<__m512i> {
    [
        _mm512_mask_mov_epi64(b[0], mask, a[0]),
        _mm512_mask_mov_epi64(b[1], mask, a[1]),
        _mm512_mask_mov_epi64(b[2], mask, a[2]),
    ]
}
