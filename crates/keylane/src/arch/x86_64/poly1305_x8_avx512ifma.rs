//! Poly1305, 8 messages at a time, each under its own key, base 2^44, in AVX-512 registers.
//!
//! id        poly1305_x8_avx512ifma        slots  poly1305-xn, poly1305-parts
//! requires  avx512f avx512bw avx512vl avx512ifma avx512vbmi avx512vbmi2 bmi2 popcnt
//! does      h <- (h + m) r for a message in each lane, four blocks in a turn: two products of two blocks
//!           (r^2, r) or, in long messages, one of four by Karatsuba's method (r^4, ..., r)
//! bounds    radix44.rs, checked by tests/symbols; a turn of 64 bytes of 8 messages is about 140 operations: 72 products
//!           of halves, or 48 and 40 around them by Karatsuba's method; 24 load the messages into the lanes
//! timing    no secret-dependent branch, index or variable-latency instruction; lengths steer all
//! origin    written here after [RFC8439, 2.5]
//!
//! A lane is a message, so this needs no power of r beyond the fourth and no sum over lanes. All messages begin
//! together. The last turn holds a message's last 1 to 4 blocks, aligned to the right, and the accumulator is added to
//! the first of them. The turns before it are whole. A lane that runs out of whole turns waits for the last turn. So a
//! tail costs nothing extra, and all lanes end at once.
//!
//! Messages are sorted by turns, since lanes wait for the longest message. A message that would hold up the others for
//! longer than it takes by itself is computed separately, by poly1305_p8_avx512ifma (limits.rs).
//!
//! What lost:
//!
//! * Gathers: twice the time of loads and shuffles.
//! * Messages aligned to the right from the start: every turn that may hold a lane's first block needs a mask.
//! * To prefetch messages of one length side by side, 512 bytes ahead. 64 messages of 1024 bytes from memory took 2.4
//!   times as long as a loop over them (Zen 4). Prefetched one after the other, a group ahead, they take 0.9.

use super::ifma::{Ifma, Zmm};
use super::messages44::{Fours, Pairs, Turn, blocks, four_powers};
use super::radix44::{Limbs, Vectors44};
use super::{cast, parts44, poly1305_p8_avx512ifma};
use crate::arch::generic::groups::{IDENTITY, SORTED, one_ahead, turns};
use crate::arch::portable::{poly1305_inline, poly1305_x2_u64, scalar};
use crate::job::barrier::in_memory;
use crate::job::kernel::kernel;
use crate::job::limits::{Method, group_cost, single_cost};
use crate::job::poly1305::{Batch, Key, Packets, Parts, Xn};
use crate::job::prefetch::{BEGINNING, prefetch, prefetch_beginnings};
use crate::job::wipe::{Zero, wipe};
use core::arch::x86_64::*;

kernel! {
    /// Many messages.
    pub MANY: Xn = "poly1305_x8_avx512ifma", lanes 8,
    requires ["avx512f", "avx512bw", "avx512vl", "avx512ifma", "avx512vbmi", "avx512vbmi2", "bmi2", "popcnt"],
    suits |uarch| !uarch.prefers_256_bit,
    from Method::X8Avx512Ifma.threshold(),
    |job: Batch<'_>| many(Zmm(Ifma::here()), job)
}

kernel! {
    /// Many packets of ChaCha20-Poly1305.
    pub PARTS: Parts = "poly1305_x8_avx512ifma", lanes 8,
    requires ["avx512f", "avx512bw", "avx512vl", "avx512ifma", "avx512vbmi", "avx512vbmi2", "bmi2", "popcnt"],
    suits |uarch| !uarch.prefers_256_bit,
    from LEAST_IN_LANES,
    |job: Packets<'_>| parts44::many(Zmm(Ifma::here()), job)
}

/// Fewer short messages than this are done two at a time in general registers; messages of one block always are.
const LEAST_IN_LANES: usize = 5;

/// The message in each position of a transpose: it moves position 0 to lane 0, position 1 to lane 2, and so on.
pub const ROWS: [usize; 8] = [0, 2, 4, 6, 1, 3, 5, 7];

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn many(z: Zmm, job: Batch<'_>) {
    let Batch { keys, messages, tags } = job;
    let chunks = messages.chunks(SORTED).zip(tags.chunks_mut(SORTED));
    for (keys, (messages, tags)) in keys.chunks(SORTED).zip(chunks) {
        let len = messages.first().map_or(0, |message| message.len());
        let [mut differ, mut longest] = [0, 0];
        for message in messages {
            (differ, longest) = (differ | (message.len() ^ len), longest.max(message.len()));
        }
        if longest <= 16 || (messages.len() < LEAST_IN_LANES && longest < Method::P8Avx512Ifma.threshold()) {
            poly1305_x2_u64::many(Batch { keys, messages, tags });
            continue;
        }
        if differ == 0 {
            equal_lengths(z, len, keys, messages, tags);
            continue;
        }
        let order = sort(messages.iter().map(|message| message.len()));
        let order = order.get(..messages.len()).unwrap_or(&[]);
        one_ahead::<8>(order, messages, |group| mixed_group(z, group, keys, messages, tags));
    }
}

/// Messages of one length.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn equal_lengths(z: Zmm, len: usize, keys: &[Key], messages: &[&[u8]], tags: &mut [[u8; 16]]) {
    let (whole_keys, _) = keys.as_chunks::<8>();
    let (whole_messages, _) = messages.as_chunks::<8>();
    let (whole_tags, _) = tags.as_chunks_mut::<8>();
    let turns = turns(len);
    let mut done = 0;
    if 8 * single_cost(len.div_ceil(16)) > group_cost(turns) {
        prefetch_beginnings(whole_messages.first().into_iter().flatten().copied());
        for ((keys, group), tags) in whole_keys.iter().zip(whole_messages).zip(whole_tags) {
            done += 8;
            let after = messages.get(done..).unwrap_or(&[]);
            let mut next = Lines { messages: after.get(..8).unwrap_or(after), at: 0 };
            let mut starts = [0; 8];
            for (start, message) in starts.iter_mut().zip(group) {
                *start = message.as_ptr().expose_provenance();
            }
            let bytes = z.splat(len as u64);
            let of = Lanes8 { starts, bytes, whole: [turns - 1; 2], len: Some(len) };
            *tags = eight(z, keys.each_ref(), &of, &mut next);
            next.request(usize::MAX);
        }
    }
    for group in IDENTITY.get(done..messages.len()).unwrap_or(&[]).chunks(8) {
        mixed_group(z, group, keys, messages, tags);
    }
}

/// The indices of messages of these lengths: in their order if all have the same length, otherwise sorted.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub fn equal_or_sorted(lengths: impl Iterator<Item = usize> + Clone) -> [u8; 2 * SORTED] {
    let first = lengths.clone().next().unwrap_or(0);
    let mut differ = 0;
    for len in lengths.clone() {
        differ |= len ^ first;
    }
    if differ != 0 {
        return sort(lengths);
    }
    let mut order = [0; 2 * SORTED];
    for (place, &i) in order.iter_mut().zip(&IDENTITY) {
        *place = i;
    }
    order
}

/// The indices of messages of these lengths, sorted by turns; messages of 63 turns and more keep their order. Goes class by
/// class and takes the indices of a class out of all indices at once.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn sort(lengths: impl Iterator<Item = usize>) -> [u8; 2 * SORTED] {
    /// A class without messages.
    const NONE: u8 = u8::MAX;
    let mut classes = [NONE; SORTED];
    let [mut lowest, mut highest] = [63, 0];
    for (class, len) in classes.iter_mut().zip(lengths) {
        *class = turns(len).min(63) as u8;
        (lowest, highest) = (lowest.min(*class), highest.max(*class));
    }
    let (classes, places) = (cast(&classes), cast(&IDENTITY));
    let mut order = [0; 2 * SORTED];
    let mut sorted = 0;
    for class in lowest..=highest {
        let members = _mm512_cmpeq_epi8_mask(classes, _mm512_set1_epi8(class as i8));
        let members_places: [u8; SORTED] = cast(&_mm512_maskz_compress_epi8(members, places));
        if let Some(next) = order.get_mut(sorted..).and_then(<[u8]>::first_chunk_mut) {
            *next = members_places;
        }
        sorted += members.count_ones() as usize;
    }
    order
}

/// Up to 8 messages. Those that would hold up the others are done one by one, the others in lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn mixed_group(z: Zmm, group: &[u8], keys: &[Key], messages: &[&[u8]], tags: &mut [[u8; 16]]) {
    let len = |&i: &u8| in_memory(messages.get(usize::from(i)).unwrap_or(&NO_MESSAGE)).len();
    let (in_lanes, left) = group.split_at_checked(count_in_lanes(group, len)).unwrap_or((group, &[]));
    for &i in left {
        let i = usize::from(i);
        if let (Some(key), Some(message), Some(tag)) = (keys.get(i), messages.get(i), tags.get_mut(i)) {
            *tag = if message.len() < Method::P8Avx512Ifma.threshold() {
                scalar::tag(key, message, poly1305_inline).to_le_bytes()
            } else {
                poly1305_p8_avx512ifma::mac(key, message).to_le_bytes()
            };
        }
    }
    if !in_lanes.is_empty() {
        unequal_lengths(z, in_lanes, keys, messages, tags);
    }
}

/// How many of up to 8 messages, from the first on, share the lanes. No lane then waits for longer than the messages
/// would take one by one. Messages of 63 turns and more are not sorted, so the longest need not be the last.
#[inline(always)]
pub fn count_in_lanes(group: &[u8], len: impl Fn(&u8) -> usize) -> usize {
    // Often one length for all: its cost is calculated once.
    let (mut single, mut cost, mut of) = (0, 0, None);
    for i in group {
        let blocks = len(i).div_ceil(16);
        if of != Some(blocks) {
            (cost, of) = (single_cost(blocks), Some(blocks));
        }
        single += cost;
    }
    let mut lanes = group;
    while let Some((last, before)) = lanes.split_last() {
        let longest = lanes.iter().fold(0, |longest, i| longest.max(len(i)));
        if single > group_cost(turns(longest)) {
            break;
        }
        single -= single_cost(len(last).div_ceil(16));
        lanes = before;
    }
    lanes.len()
}

/// The cache lines of messages, one message after the other. Requested in this order, and not all at once, they are a
/// stream that the core goes on prefetching by itself. It does not see such streams in eight messages side by side.
struct Lines<'a> {
    messages: &'a [&'a [u8]],
    /// The next line's place in the first message.
    at: usize,
}

impl Lines<'_> {
    /// Requests the next n lines.
    #[inline(always)]
    fn request(&mut self, n: usize) {
        for _ in 0..n {
            let Some((message, after)) = self.messages.split_first() else { return };
            prefetch(message.as_ptr().addr().wrapping_add(self.at));
            self.at += 64;
            if self.at >= message.len() {
                *self = Lines { messages: after, at: 0 };
            }
        }
    }
}

/// What is requested from memory during each turn.
trait Request {
    /// Turn i of these messages begins.
    fn turn(&mut self, of: &Lanes8, i: usize);
}

/// The lines of the next group.
impl Request for Lines<'_> {
    #[inline(always)]
    fn turn(&mut self, _of: &Lanes8, _i: usize) {
        self.request(8);
    }
}

/// What follows the beginnings of the same messages. Most callers have prefetched these.
struct Rests;

impl Request for Rests {
    #[inline(always)]
    fn turn(&mut self, of: &Lanes8, i: usize) {
        for start in of.starts {
            prefetch(start.wrapping_add(64 * i + BEGINNING));
        }
    }
}

/// The addresses and lengths of the lanes' messages.
struct Lanes8 {
    /// The addresses of their first bytes.
    starts: [usize; 8],
    /// How many bytes each message has. In a register: a load that spans several recent stores cannot be forwarded, so
    /// it stalls.
    bytes: __m512i,
    /// The fewest and the most turns of a message before its last turn.
    whole: [usize; 2],
    /// The length of all messages, if it is the same.
    len: Option<usize>,
}

/// The tags of messages of several lengths, together.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn unequal_lengths(z: Zmm, group: &[u8], keys: &[Key], messages: &[&[u8]], tags: &mut [[u8; 16]]) {
    // A lane without a message repeats the first one.
    let mut lanes = [group.first().map_or(0, |&i| usize::from(i)); 8];
    for (lane, &i) in lanes.iter_mut().zip(group) {
        *lane = usize::from(i);
    }
    let first = messages.get(lanes[0]).map_or(0, |message| message.len());
    let mut of = Lanes8 { starts: [0; 8], bytes: z.splat(0), whole: [usize::MAX, 0], len: Some(first) };
    let mut bytes = [0; 8];
    let mut keys_of_lanes = [&Key::ZERO; 8];
    for (i, &lane) in lanes.iter().enumerate() {
        let message = *in_memory(messages.get(lane).unwrap_or(&NO_MESSAGE));
        of.starts[i] = message.as_ptr().expose_provenance();
        bytes[i] = message.len() as i64;
        let whole = turns(message.len()) - 1;
        of.whole = [of.whole[0].min(whole), of.whole[1].max(whole)];
        if message.len() != first {
            of.len = None;
        }
        keys_of_lanes[i] = keys.get(lane).unwrap_or(&Key::ZERO);
    }
    let [b0, b1, b2, b3, b4, b5, b6, b7] = bytes;
    of.bytes = _mm512_set_epi64(b7, b6, b5, b4, b3, b2, b1, b0);
    let tags_of_lanes = eight(z, keys_of_lanes, &of, &mut Rests);
    for (tag, &i) in tags_of_lanes.iter().zip(group) {
        if let Some(place) = tags.get_mut(usize::from(i)) {
            *place = *tag;
        }
    }
}

/// The tags of eight messages.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn eight(z: Zmm, keys: [&Key; 8], of: &Lanes8, request: &mut impl Request) -> [[u8; 16]; 8] {
    // Decided before the keys are in registers: the first call reads the table, and saves registers for that.
    let is_long = of.whole[1] * 64 >= Method::X8Avx512IfmaKaratsuba.threshold();
    let [r0, r1, s0, s1] = z.words_of_keys(ROWS.map(|lane| keys[lane]));
    let r = z.split(r0, r1, z.splat(0));
    let h = if is_long {
        let mut powers = four_powers(z, r);
        let h = absorb(z, of, &Fours(&powers), request);
        wipe(&mut powers);
        h
    } else {
        absorb(z, of, &Pairs::new(z, r), request)
    };
    z.tags(h, [s0, s1])
}

/// The accumulators after the messages.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn absorb(z: Zmm, of: &Lanes8, turn: &impl Turn<Zmm>, request: &mut impl Request) -> Limbs<__m512i> {
    // If the messages have the same length and no short turn, the last turn is like the others.
    let full_turns = of.len.filter(|&len| len % 64 == 0 && len > 0);
    let [fewest, most] = of.whole;
    let ones = [z.splat(1); 4];
    let mut a = [z.splat(0); 3];
    for i in 0..full_turns.map_or(fewest, |len| len / 64) {
        request.turn(of, i);
        // SAFETY: each message has at least this many turns of 64 bytes.
        let words = unsafe { z.transposed(&of.starts, 64 * i) };
        a = turn.four(z, a, blocks(z, words, ones));
    }
    if full_turns.is_some() {
        return a;
    }
    let whole = whole_turns(z, of.bytes);
    let last: [u64; 8] = cast(&z.shl(z.sub(whole, z.splat(1)), 6));
    for i in fewest..most {
        // A finished message is read at its last turn again; a message without a whole turn, at `ZEROS`.
        let mut starts = [0; 8];
        for ((start, &first), &last) in starts.iter_mut().zip(&of.starts).zip(in_memory(&last)) {
            let zeros = ZEROS.as_ptr().expose_provenance();
            *start = if last > u64::MAX / 2 { zeros } else { first + (64 * i).min(last as usize) };
        }
        // SAFETY: a message has `whole` turns of 64 bytes, and the address is that of one of them; or it is that of 64
        // zeros.
        let words = unsafe { z.transposed(&starts, 0) };
        let next = turn.four(z, a, blocks(z, words, ones));
        let on = _mm512_cmpgt_epu64_mask(whole, z.splat(i as u64));
        a = [
            _mm512_mask_mov_epi64(a[0], on, next[0]),
            _mm512_mask_mov_epi64(a[1], on, next[1]),
            _mm512_mask_mov_epi64(a[2], on, next[2]),
        ];
    }
    last_turn(z, of, turn, a)
}

/// How many turns messages of this many bytes have before their last turn.
#[inline(always)]
fn whole_turns(z: Zmm, bytes: __m512i) -> __m512i {
    z.shr(z.sub(z.at_least(bytes, 1), z.splat(1)), 6)
}

/// A message for positions without one. Messages are read through `in_memory`: the compiler would turn several reads by
/// index into gathers, which are slower.
static NO_MESSAGE: &[u8] = &[];

/// What a lane reads if there is nothing to read.
pub static ZEROS: [u8; 64] = [0; 64];

/// The last 1 to 4 blocks of each message, aligned to the right of a turn. The message's last 64 bytes, or all its
/// bytes if it has fewer, move down by the number of bytes that the last block lacks. Bytes of earlier blocks are
/// dropped.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn last_turn(z: Zmm, of: &Lanes8, turn: &impl Turn<Zmm>, a: Limbs<__m512i>) -> Limbs<__m512i> {
    let (all, bytes) = (z.splat(u64::MAX), of.bytes);
    let (one, fifteen, sixty_four) = (z.splat(1), z.splat(15), z.splat(64));
    let missing = z.and(z.sub(z.splat(0), bytes), fifteen);
    let blocks_in_all = z.shr(z.add(bytes, fifteen), 4);
    let blocks_here = z.sub(blocks_in_all, z.shl(whole_turns(z, bytes), 2));
    // Masks: `read` has those of the last 64 bytes that belong to the message, `kept` those moved bytes that are in these
    // blocks.
    let read = _mm512_sllv_epi64(all, z.sub(sixty_four, _mm512_min_epu64(bytes, sixty_four)));
    let kept = z.and(
        _mm512_srlv_epi64(all, missing),
        _mm512_sllv_epi64(all, z.sub(sixty_four, z.shl(blocks_here, 4))),
    );
    let is_empty = _mm512_testn_epi64_mask(bytes, bytes);
    let behind = _mm512_mask_mov_epi64(z.sub(bytes, sixty_four), is_empty, z.splat(0));
    let (read, kept): ([u64; 8], [u64; 8]) = (cast(&read), cast(&kept));
    let (behind, missing): ([usize; 8], [usize; 8]) = (cast(&behind), cast(&missing));
    let (read, kept, behind) = (in_memory(&read), in_memory(&kept), in_memory(&behind));
    let mut rows = [z.splat(0); 8];
    for (row, i) in rows.iter_mut().zip(ROWS) {
        // SAFETY: only bytes with a set bit are read: the last 64 of the message, or all its bytes if it has fewer.
        let bytes = unsafe { z.load_where(read[i], of.starts[i].wrapping_add(behind[i])) };
        *row = z.move_down(bytes, missing[i] % 16, kept[i]);
    }
    let mut w = z.transpose(rows);

    // A byte 1 after the last byte: in the words of an incomplete block, or as the 2^128 of a whole one.
    let bits = z.shl(z.add(z.and(z.sub(bytes, one), fifteen), one), 3);
    let one = _mm512_maskz_mov_epi64(!is_empty, one);
    w[6] = z.add(w[6], _mm512_sllv_epi64(one, bits));
    w[7] = z.add(w[7], _mm512_sllv_epi64(one, z.sub(bits, sixty_four)));
    let whole = _mm512_sllv_epi64(one, z.sub(bits, z.splat(128)));
    let mut ones = [whole; 4];
    for (one, first) in ones.iter_mut().zip([4, 3, 2]) {
        *one = _mm512_maskz_mov_epi64(_mm512_cmpge_epu64_mask(blocks_here, z.splat(first)), z.splat(1));
    }
    let mut b = blocks(z, w, ones);
    for (block, first) in b.iter_mut().zip([4, 3, 2, 1]) {
        let joins = _mm512_cmpeq_epi64_mask(blocks_here, z.splat(first));
        for (limb, a) in block.iter_mut().zip(a) {
            *limb = _mm512_mask_add_epi64(*limb, joins, *limb, a);
        }
    }
    turn.four(z, [z.splat(0); 3], b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// In every order that `sort` may leave, messages in lanes cost no more than one by one.
    #[test]
    fn no_lane_waits_too_long() {
        let each =
            |lengths: &[usize]| -> usize { lengths.iter().map(|len| single_cost(len.div_ceil(16))).sum() };
        let (mut groups, mut shared) = (0, 0);
        for others in [100, 600, 2000, 4096, 4200] {
            for long in [100, 700, 4000, 4100, 9000, 1 << 20] {
                for (count, place) in (0..8).flat_map(|count| (0..=count).map(move |place| (count, place))) {
                    let mut lengths = [others].repeat(count);
                    lengths.insert(place, long);
                    if !lengths.is_sorted_by_key(|&len| turns(len).min(63)) {
                        continue;
                    }
                    let group: Vec<u8> = (0..).take(lengths.len()).collect();
                    let n = count_in_lanes(&group, |&i| lengths.get(usize::from(i)).map_or(0, |&len| len));
                    let (first, behind) = lengths.split_at(n);
                    let wait = first.iter().max().map_or(0, |&longest| group_cost(turns(longest)));
                    assert!(wait + each(behind) <= each(&lengths), "{lengths:?}, {n} in lanes");
                    groups += 1;
                    shared += usize::from(n > 1);
                }
            }
        }
        assert!(shared > 50 && groups - shared > 50, "{shared} of {groups} groups share a vector");
    }
}
