//! The words of short messages: as the lanes of a group take them, and how they get there from messages that share no
//! memory.
//!
//! A tile has a place for each word of each lane. So its words need no transposition, if one message after another is
//! written to it. Vectors that are read soon after would wait for the stores, so a tile is written one group ahead.

#![allow(unsafe_code)]

use super::quad::{ZEROS, zeros};
use crate::job::barrier::value_barrier;
use crate::job::siphash::Word;
use core::hint::select_unpredictable;
use core::mem::MaybeUninit;
use core::ptr::with_exposed_provenance;

/// The words of a short message at most, with the word of its tail.
pub const WINDOW: usize = 8;

/// The words of G vectors of short messages. Messages end with the last word, which is that of their tails.
#[repr(C, align(64))]
pub struct Tile<W, const N: usize, const G: usize> {
    /// Word i of lane l of vector k at `[i][k][l]`.
    words: [[MaybeUninit<[W; N]>; G]; WINDOW],
}

impl<W: Copy, const N: usize, const G: usize> Tile<W, N, G> {
    /// No words. Zeros would cost a small batch as much as some of its messages.
    #[inline(always)]
    pub fn new() -> Self {
        Tile { words: [const { [const { MaybeUninit::uninit() }; G] }; WINDOW] }
    }

    /// The words of vector `k` from word `skip` on.
    #[inline(always)]
    pub fn column(&mut self, k: usize, skip: usize) -> Column<'_, W, N, G> {
        Column { tile: self, k, skip }
    }

    /// Writes word `i` of vector `k`.
    #[inline(always)]
    pub fn put(&mut self, i: usize, k: usize, words: [W; N]) {
        self.words[i][k].write(words);
    }

    /// Word `i` of vector `k`.
    ///
    /// # Safety
    /// It has been written.
    #[inline(always)]
    pub unsafe fn get(&self, i: usize, k: usize) -> &[W; N] {
        // SAFETY: the caller ensures this.
        unsafe { self.words[i][k].assume_init_ref() }
    }
}

/// Where the words of one vector are written.
pub struct Column<'a, W, const N: usize, const G: usize> {
    tile: &'a mut Tile<W, N, G>,
    /// The vector.
    pub k: usize,
    /// The first word that is needed.
    pub skip: usize,
}

impl<W: Copy, const N: usize, const G: usize> Column<'_, W, N, G> {
    /// Writes word `i`.
    #[inline(always)]
    pub fn put(&mut self, i: usize, words: [W; N]) {
        self.tile.put(i, self.k, words);
    }
}

/// The states where lanes start: word i of the state j words before the initial one is `[i][WINDOW - 1 - j]`. The
/// rest is padding, so that a slice of WINDOW words can begin at each of the first WINDOW.
pub type StartTable<W> = [[W; 2 * WINDOW - 1]; 4];

/// Writes the words of N messages. Words that a message does not have are zeros. The tail is in the top bytes of the
/// last word; the other bytes are the message's too, if it has at least one whole word.
///
/// No branch depends on a length, and no byte outside a message is read.
///
/// # Safety
/// Unless TINY, each message has at least 4 bytes.
#[inline(always)]
pub unsafe fn stage<W: Word, const N: usize, const G: usize, const TINY: bool>(
    messages: &[&[u8]; N],
    to: &mut Column<'_, W, N, G>,
) {
    let mut ends = [0; N];
    for (end, message) in ends.iter_mut().zip(messages) {
        let whole = hidden(message.len()) / W::SIZE * W::SIZE;
        *end = message.as_ptr().expose_provenance().wrapping_add(whole);
    }
    // What follows the word that is read in place of a missing one.
    let nothing = hidden(zeros().wrapping_add(ZEROS.len()));
    for back in 1..WINDOW {
        if back >= WINDOW - to.skip {
            break;
        }
        let mut words = [W::ZERO; N];
        for ((word, &end), message) in words.iter_mut().zip(&ends).zip(messages) {
            let end = hidden(select_unpredictable(message.len() >= back * W::SIZE, end, nothing));
            let place = with_exposed_provenance::<W::Bytes>(end.wrapping_sub(back * W::SIZE));
            // SAFETY: a whole word of the message, or of `ZEROS`, which has as many words.
            *word = W::from_bytes(unsafe { place.read_unaligned() });
        }
        to.put(WINDOW - 1 - back, words);
    }
    let mut words = [W::ZERO; N];
    for (word, message) in words.iter_mut().zip(messages) {
        let (start, length) = (message.as_ptr().expose_provenance(), hidden(message.len()));
        // SAFETY: the message is a slice; the caller ensures the condition on its length.
        *word = unsafe { justified::<W, TINY>(start, length, nothing) };
    }
    to.put(WINDOW - 1, words);
}

/// A number of which the compiler knows nothing. It would make vectors of addresses, and take them apart again.
#[inline(always)]
fn hidden(x: usize) -> usize {
    value_barrier(x as u64) as usize
}

/// The tail of a message in the top bytes of a word.
///
/// # Safety
/// The message may be read. Unless TINY, it has at least 4 bytes. `nothing` is the end of [`ZEROS`].
#[inline(always)]
unsafe fn justified<W: Word, const TINY: bool>(start: usize, length: usize, nothing: usize) -> W {
    let stop = start.wrapping_add(length);
    let (may_be_short, is_long) = (TINY || W::SIZE > 4, length >= W::SIZE);
    let behind = if may_be_short { hidden(select_unpredictable(is_long, stop, nothing)) } else { stop };
    let word = with_exposed_provenance::<W::Bytes>(behind.wrapping_sub(W::SIZE));
    // SAFETY: the message's last word, or a word of `ZEROS`.
    let word = W::from_bytes(unsafe { word.read_unaligned() });
    if !may_be_short {
        return word;
    }
    // By how much a message shorter than a word is moved up, modulo the width of a word.
    let up = hidden(length.wrapping_mul(8)).wrapping_neg() as u32 % (8 * W::SIZE as u32);
    let short = if TINY {
        // One part for each bit of the length, behind the parts of the higher bits.
        let before = |bit: usize| length & (W::SIZE - 1) & (2 * bit).wrapping_neg();
        let part =
            |bit: usize| select_unpredictable(length & bit != 0, start.wrapping_add(before(bit)), zeros());
        // SAFETY: a part of the message, or of `ZEROS`.
        let four = if W::SIZE > 4 { u64::from(unsafe { read4(part(4)) }) } else { 0 };
        let two = with_exposed_provenance::<[u8; 2]>(part(2));
        // SAFETY: likewise.
        let two = u64::from(u16::from_le_bytes(unsafe { two.read_unaligned() }));
        // SAFETY: likewise.
        let one = u64::from(unsafe { with_exposed_provenance::<u8>(part(1)).read() });
        (four | two << (8 * before(2)) | one << (8 * before(1))) << up
    } else {
        // SAFETY: the message has at least 4 bytes.
        let first = unsafe { read4(start) };
        // SAFETY: likewise.
        let last = unsafe { read4(stop.wrapping_sub(4)) };
        u64::from(last) << 32 | u64::from(first) << up
    };
    select_unpredictable(is_long, word, W::truncated64(short))
}

/// # Safety
/// Four bytes at this address may be read.
#[inline(always)]
unsafe fn read4(at: usize) -> u32 {
    // SAFETY: the caller ensures this.
    u32::from_le_bytes(unsafe { with_exposed_provenance::<[u8; 4]>(at).read_unaligned() })
}
