//! The slots of a word: SipHash's for `u64`, HalfSipHash's for `u32`.

use super::select::Slot;
use super::selftest::Answers;
use super::table::{HALFSIPHASH_XN, SIPHASH_X1_LONG, SIPHASH_XN};
use crate::arch::portable::siphash_x1;
use crate::job::siphash::{Long, Rounds, State, Xn};

/// A word whose messages go through slots.
pub trait Dispatched: Answers {
    /// The slot for many messages.
    fn xn() -> &'static Slot<Xn<Self>>;
    /// Absorbs the whole words of a long message with the active kernel.
    fn absorb_long<R: Rounds, const FOLD: bool>(state: &mut State<Self>, rounds: R, words: &[Self::Bytes]);
}

impl Dispatched for u64 {
    #[inline]
    fn xn() -> &'static Slot<Xn<u64>> {
        &SIPHASH_XN
    }

    #[inline]
    fn absorb_long<R: Rounds, const FOLD: bool>(state: &mut State<u64>, rounds: R, words: &[[u8; 8]]) {
        SIPHASH_X1_LONG.run(Long { state, rounds: rounds.counted(), fold: FOLD, words });
    }
}

impl Dispatched for u32 {
    #[inline]
    fn xn() -> &'static Slot<Xn<u32>> {
        &HALFSIPHASH_XN
    }

    /// HalfSipHash has no kernel for long messages: its users have short ones.
    #[inline]
    fn absorb_long<R: Rounds, const FOLD: bool>(state: &mut State<u32>, rounds: R, words: &[[u8; 4]]) {
        siphash_x1::absorb::<u32, R, FOLD>(state, rounds, words);
    }
}
