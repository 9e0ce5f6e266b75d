//! SipHash and HalfSipHash, one message at a time, for every CPU.
//!
//! id        siphash_x1        slots  siphash-x1-long, siphash-xn        requires  nothing
//! does      v <- (v with m0), (v with m1), ...: one word after the other
//! bounds    a round is two chained steps of add and xor, with the rotations beside them: 4 cycles.
//!           `v3 ^= m` waits for the previous round: 4c + 1 cycles a word. One message has no more
//!           parallelism than that; the out-of-order core overlaps separate calls.
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash]
//!
//! Words are read by loads of 8 (4) bytes, which every compiler turns into one instruction on either byte order. The
//! tail is one load that ends where the message ends, then a shift; only messages shorter than a word branch on their
//! length. A `switch` on `len % 8` predicts well if all lengths are equal, and otherwise costs a branch miss for each
//! message.

use super::interleave;
use crate::job::kernel::kernel;
use crate::job::limits::FROM_MESSAGES;
use crate::job::siphash::{Batch, Long, Rounds, State, Tag, Word, X1Long, Xn, by_rounds};

kernel! {
    /// Whole words of one long message.
    pub LONG: X1Long = "siphash_x1", lanes 1, requires [], |job: Long<'_>| long(job)
}

kernel! {
    /// Many messages, one after the other.
    pub MANY: Xn<u64> = "siphash_x1", lanes 1, requires [],
    from FROM_MESSAGES,
    |job: Batch<'_, u64>| interleave::one_by_one(job)
}

/// A word of the message, folded or unchanged.
#[inline(always)]
pub fn take<W: Word, const FOLD: bool>(word: W) -> W {
    if FOLD { word.fold() } else { word }
}

/// The last word: the rest of the message, and its length.
#[inline(always)]
pub fn last<W: Word, const FOLD: bool>(message: &[u8]) -> W {
    take::<W, FOLD>(W::tail(message)) | W::length(message.len())
}

/// Absorbs whole words.
#[inline(always)]
pub fn absorb<W: Word, R: Rounds, const FOLD: bool>(state: &mut State<W>, rounds: R, words: &[W::Bytes]) {
    for &word in words {
        state.absorb(rounds, take::<W, FOLD>(W::from_bytes(word)));
    }
}

/// Absorbs the last word and returns the tag; SOON as in [`Word::extract`].
#[inline(always)]
pub fn finish<W: Word, R: Rounds, T: Tag<W>, const SOON: bool>(rounds: R, mut state: State<W>, last: W) -> T {
    state.absorb(rounds, last);
    T::end::<SOON>(state, rounds)
}

fn long(job: Long<'_>) {
    let Long { state, rounds, fold, words } = job;
    by_rounds!(rounds => if fold {
        absorb::<u64, _, true>(state, rounds, words);
    } else {
        absorb::<u64, _, false>(state, rounds, words);
    });
}
