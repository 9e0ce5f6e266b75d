//! The tags of ChaCha20-Poly1305, eight packets at a time in the lanes of AVX-512 registers: for poly1305_x8_avx512ifma.
//!
//! AAD and ciphertext are read where they are. All blocks are whole, since both are padded with zeros. So the last turn
//! needs no byte 1, and a masked load that ends behind the last block aligns it to the right:
//!
//! * The AAD, up to 64 bytes, is one turn. Lanes that lack blocks have zeros there, without the 2^128 of a block.
//! * Whole turns of ciphertext follow. A rest of more than 48 bytes is a turn, too.
//! * The last turn has the other rests, up to three blocks, and the lengths. The accumulator is added to the first of
//!   a lane's blocks.

use super::ifma::Zmm;
use super::messages44::{Fours, Pairs, Turn, blocks, four_powers};
use super::poly1305_p8_avx512ifma::piece;
use super::poly1305_x8_avx512ifma::{ROWS, ZEROS, count_in_lanes, equal_or_sorted};
use super::radix44::{Limbs, Vectors44};
use crate::arch::generic::groups::SORTED;
use crate::arch::portable::poly1305_inline;
use crate::job::barrier::in_memory;
use crate::job::buffer::LeInt;
use crate::job::limits::Method;
use crate::job::poly1305::{Key, Packets, Powers, State};
use crate::job::prefetch::prefetch_beginnings;
use crate::job::wipe::{scrub_stack, wipe};
use core::arch::x86_64::*;

/// The longest AAD of a packet in lanes.
const LONGEST_AAD: usize = 64;

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
        let mut texts: [&[u8]; SORTED] = [&[]; SORTED];
        for (text, packet) in texts.iter_mut().zip(packets) {
            *text = in_memory(packet)[1];
        }
        let texts = texts.get(..packets.len()).unwrap_or(&[]);
        let order = equal_or_sorted(texts);
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
    for &i in left {
        let i = usize::from(i);
        if let (Some(key), Some(packet), Some(tag)) = (keys.get(i), packets.get(i), tags.get_mut(i)) {
            *tag = alone(key, packet);
        }
    }
    if !left.is_empty() {
        scrub_stack();
    }
    let Some(&first) = in_lanes.first() else { return };
    // A lane without a packet repeats the first one.
    let (mut lanes, mut keys_of_lanes): ([[&[u8]; 2]; 8], _) = ([[&[]; 2]; 8], [&NO_KEY; 8]);
    for (n, (lane, key)) in lanes.iter_mut().zip(&mut keys_of_lanes).enumerate() {
        let i = usize::from(*in_lanes.get(n).unwrap_or(&first));
        *lane = packets.get(i).copied().unwrap_or([&[]; 2]);
        *key = keys.get(i).unwrap_or(&NO_KEY);
    }
    let mut texts: [&[u8]; 8] = [&[]; 8];
    for (text, lane) in texts.iter_mut().zip(&lanes) {
        *text = in_memory(lane)[1];
    }
    prefetch_beginnings(texts.iter().copied());
    for (tag, &i) in eight(z, keys_of_lanes, &lanes).iter().zip(in_lanes) {
        if let Some(place) = tags.get_mut(usize::from(i)) {
            *place = *tag;
        }
    }
}

/// A key for lanes without one.
static NO_KEY: Key = Key { r: [0; 2], s: [0; 2] };

/// The tag of a packet that does better by itself.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn alone(key: &Key, packet: &[&[u8]; 2]) -> [u8; 16] {
    let (mut state, mut powers) = (State::new(*key), Powers::Unknown);
    for part in packet {
        let (blocks, tail) = u128::split(part);
        if part.len() < Method::P8Avx512Ifma.threshold() {
            poly1305_inline(&mut state, blocks, &[]);
        } else {
            piece(&mut state, &mut powers, blocks);
        }
        if !tail.is_empty() {
            poly1305_inline(&mut state, &[u128::from_short(tail).to_le_bytes()], &[]);
        }
    }
    let lengths = packet[0].len() as u128 | (packet[1].len() as u128) << 64;
    poly1305_inline(&mut state, &[lengths.to_le_bytes()], &[]);
    let tag = state.tag().to_le_bytes();
    powers.wipe();
    state.wipe();
    tag
}

/// The tags of eight packets.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn eight(z: Zmm, keys: [&Key; 8], lanes: &[[&[u8]; 2]; 8]) -> [[u8; 16]; 8] {
    let mut most = 0;
    for lane in lanes {
        most = most.max(in_memory(lane)[1].len());
    }
    let is_long = most >= Method::X8Avx512IfmaKaratsuba.threshold();
    let mut keys_of_rows = [&NO_KEY; 8];
    for (key, lane) in keys_of_rows.iter_mut().zip(ROWS) {
        *key = keys[lane];
    }
    let [r0, r1, s0, s1] = z.words_of_keys(keys_of_rows);
    let r = z.split(r0, r1, z.splat(0));
    let h = if is_long {
        let mut powers = four_powers(z, r);
        let h = absorb(z, lanes, &Fours(&powers));
        wipe(&mut powers);
        h
    } else {
        absorb(z, lanes, &Pairs::new(z, r))
    };
    z.tags(h, [s0, s1])
}

/// Bytes to load for each lane: where, and a bit for each that belongs to the lane.
struct Loads {
    at: [usize; 8],
    bytes: [u64; 8],
}

impl Loads {
    /// Nothing to load: a masked load of nothing is slow where no memory is.
    fn nothing() -> Loads {
        Loads { at: [ZEROS.as_ptr().expose_provenance(); 8], bytes: [0; 8] }
    }

    /// Loads these bytes, at most 64, for a lane, after `skipped` bytes of zeros.
    #[inline(always)]
    fn put(&mut self, lane: usize, bytes: &[u8], skipped: usize) {
        if !bytes.is_empty() {
            self.at[lane] = bytes.as_ptr().expose_provenance().wrapping_sub(skipped);
            self.bytes[lane] = (u64::MAX >> (64 - bytes.len().min(64))) << (skipped % 64);
        }
    }

    /// The words of a turn.
    ///
    /// # Safety
    /// The bytes whose bits are set may be read.
    #[inline(always)]
    unsafe fn words(&self, z: Zmm) -> [__m512i; 8] {
        let (at, bytes) = (in_memory(&self.at), in_memory(&self.bytes));
        let mut rows = [z.splat(0); 8];
        for (row, lane) in rows.iter_mut().zip(ROWS) {
            // SAFETY: the caller ensures this.
            *row = unsafe { z.load_where(bytes[lane], at[lane]) };
        }
        z.transpose(rows)
    }
}

/// Eight numbers as a vector, assembled in registers.
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

/// The accumulators after the packets.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn absorb(z: Zmm, lanes: &[[&[u8]; 2]; 8], turn: &impl Turn<Zmm>) -> Limbs<__m512i> {
    let (mut starts, mut whole, mut lengths) = ([0; 8], [0; 8], [[0; 8]; 2]);
    let (mut fewest, mut most) = (usize::MAX, 0);
    let (mut aads, mut fulls, mut rests) = (Loads::nothing(), Loads::nothing(), Loads::nothing());
    let (mut aad_blocks, mut rest_blocks) = ([0; 8], [1; 8]);
    let (mut any_aad, mut full) = (0, 0u8);
    for (i, lane) in lanes.iter().enumerate() {
        let [aad, text] = in_memory(lane);
        lengths[0][i] = aad.len();
        lengths[1][i] = text.len();
        starts[i] = text.as_ptr().expose_provenance();
        let (turns, rest) = text.as_chunks::<64>();
        whole[i] = turns.len();
        (fewest, most) = (fewest.min(turns.len()), most.max(turns.len()));
        aad_blocks[i] = aad.len().div_ceil(16);
        any_aad |= aad.len();
        aads.put(i, aad, 64 - 16 * aad_blocks[i].min(4));
        if rest.len() > 48 {
            fulls.put(i, rest, 0);
            full |= 1 << i;
        } else {
            let blocks = rest.len().div_ceil(16);
            // The lengths are the last block.
            rests.put(i, rest, 48 - 16 * blocks);
            rest_blocks[i] = blocks + 1;
        }
    }

    let mut a = [z.splat(0); 3];
    if any_aad > 0 {
        let counts = vector(aad_blocks);
        // SAFETY: the set bits are those of the AADs, of at most 64 bytes each.
        let words = unsafe { aads.words(z) };
        let present = [ones(z, counts, 4), ones(z, counts, 3), ones(z, counts, 2), ones(z, counts, 1)];
        a = turn.four(z, a, blocks(z, words, present));
    }
    for i in 0..fewest {
        // SAFETY: each text has more than i turns of 64 bytes.
        let words = unsafe { z.transposed(&starts, 64 * i) };
        a = turn.four(z, a, blocks(z, words, [z.splat(1); 4]));
    }
    let whole_of_lanes = vector(whole);
    for i in fewest..most {
        // A finished text is read at its last turn again; a text without a turn, at `ZEROS`.
        let mut at = [0; 8];
        for ((at, &start), &whole) in at.iter_mut().zip(&starts).zip(in_memory(&whole)) {
            let zeros = ZEROS.as_ptr().expose_provenance();
            *at = if whole == 0 { zeros } else { start + 64 * i.min(whole - 1) };
        }
        // SAFETY: a text has `whole` turns of 64 bytes, and the address is that of one of them; or it is that of 64
        // zeros.
        let words = unsafe { z.transposed(&at, 0) };
        let next = turn.four(z, a, blocks(z, words, [z.splat(1); 4]));
        a = choose(_mm512_cmpgt_epu64_mask(whole_of_lanes, z.splat(i as u64)), next, a);
    }
    if full != 0 {
        // SAFETY: the set bits are those of the rests, of fewer than 64 bytes each.
        let words = unsafe { fulls.words(z) };
        let next = turn.four(z, a, blocks(z, words, [z.splat(1); 4]));
        a = choose(full, next, a);
    }

    // SAFETY: the set bits are those of the rests, of at most 48 bytes each, which end 16 bytes before the turn does.
    let mut words = unsafe { rests.words(z) };
    [words[6], words[7]] = [vector(lengths[0]), vector(lengths[1])];
    let counts = vector(rest_blocks);
    let present = [ones(z, counts, 4), ones(z, counts, 3), ones(z, counts, 2), z.splat(1)];
    let mut last = blocks(z, words, present);
    for (block, count) in last.iter_mut().zip([4, 3, 2, 1]) {
        let joins = _mm512_cmpeq_epi64_mask(counts, z.splat(count));
        for (limb, a) in block.iter_mut().zip(a) {
            *limb = _mm512_mask_add_epi64(*limb, joins, *limb, a);
        }
    }
    turn.four(z, [z.splat(0); 3], last)
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
