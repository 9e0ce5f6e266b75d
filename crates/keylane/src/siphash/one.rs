//! One message. The short path of SipHash and HalfSipHash is inlined; a long message goes through a slot.

use crate::arch::portable::siphash_x1::{absorb, finish, last};
use crate::dispatch::words::Dispatched;
use crate::job::siphash::{Counted, Fixed, Rounds, State, Tag, by_rounds};

/// Messages of at least this many words go through the slot `siphash-x1-long`. For shorter ones the indirect call would
/// cost too much.
const LONG_WORDS: usize = 64;

/// Rounds that can hash one message.
pub trait HashOne: Rounds {
    /// The tag of one message from a prepared state.
    #[inline(always)]
    fn hash<W: Dispatched, T: Tag<W>, const FOLD: bool>(self, initial: &State<W>, message: &[u8]) -> T {
        hash::<W, Self, T, FOLD, true>(self, initial, message)
    }

    /// The tag of one message whose length is known at compile time: the compiler removes the loops.
    #[inline(always)]
    fn hash_array<W: Dispatched, T: Tag<W>, const N: usize>(
        self,
        initial: &State<W>,
        message: &[u8; N],
    ) -> T {
        hash::<W, Self, T, false, false>(self, initial, message)
    }

    /// Absorbs whole words.
    #[inline(always)]
    fn absorb<W: Dispatched>(self, state: &mut State<W>, words: &[W::Bytes]) {
        absorb_piece(state, self, words);
    }
}

impl<const C: usize, const D: usize> HashOne for Fixed<C, D> {}

impl HashOne for Counted {
    #[inline]
    fn hash<W: Dispatched, T: Tag<W>, const FOLD: bool>(self, initial: &State<W>, message: &[u8]) -> T {
        let rounds = self;
        by_rounds!(rounds => hash::<W, _, T, FOLD, true>(rounds, initial, message))
    }

    #[inline(always)]
    fn hash_array<W: Dispatched, T: Tag<W>, const N: usize>(
        self,
        initial: &State<W>,
        message: &[u8; N],
    ) -> T {
        let rounds = self;
        by_rounds!(rounds => hash::<W, _, T, false, false>(rounds, initial, message))
    }

    #[inline]
    fn absorb<W: Dispatched>(self, state: &mut State<W>, words: &[W::Bytes]) {
        let rounds = self;
        by_rounds!(rounds => absorb_piece(state, rounds, words));
    }
}

/// The tag of one message; SOON as in `Word::extract`. Arrays do without it: callers hash many of them in a loop.
#[inline(always)]
fn hash<W: Dispatched, R: Rounds, T: Tag<W>, const FOLD: bool, const SOON: bool>(
    rounds: R,
    initial: &State<W>,
    message: &[u8],
) -> T {
    let mut state = *initial;
    // A message shorter than a word takes one branch before its tail.
    if message.len() >= W::SIZE {
        if message.len() >= LONG_WORDS * W::SIZE {
            return hash_long::<W, R, T, FOLD>(rounds, initial, message);
        }
        absorb::<W, R, FOLD>(&mut state, rounds, W::split(message).0);
    }
    finish::<W, R, T, SOON>(rounds, state, last::<W, FOLD>(message))
}

/// The tag of one long message. Not inlined, so the short path saves no registers and keeps its state out of memory.
#[inline(never)]
fn hash_long<W: Dispatched, R: Rounds, T: Tag<W>, const FOLD: bool>(
    rounds: R,
    initial: &State<W>,
    message: &[u8],
) -> T {
    let mut state = *initial;
    W::absorb_long::<R, FOLD>(&mut state, rounds, W::split(message).0);
    let tag = finish::<W, R, T, true>(rounds, state, last::<W, FOLD>(message));
    state.wipe();
    tag
}

/// Absorbs whole words of a stream, through the slot if there are many.
#[inline(always)]
fn absorb_piece<W: Dispatched, R: Rounds>(state: &mut State<W>, rounds: R, words: &[W::Bytes]) {
    if words.len() >= LONG_WORDS {
        *state = absorb_long_piece(*state, rounds, words);
    } else {
        absorb::<W, R, false>(state, rounds, words);
    }
}

/// Not inlined, and takes the state by value, so the caller can keep its state in registers.
#[inline(never)]
fn absorb_long_piece<W: Dispatched, R: Rounds>(
    mut state: State<W>,
    rounds: R,
    words: &[W::Bytes],
) -> State<W> {
    W::absorb_long::<R, false>(&mut state, rounds, words);
    state
}
