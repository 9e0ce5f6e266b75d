//! SipHash of one long message, with the next word injected beside the round.
//!
//! A round computes v3 last, so `v3 ^= m` after it lengthens the chain by a cycle. The xor can come earlier. Let the
//! last round of a word begin with v3 = b, make x = v2 + v3 and end with v0. Then it ends with v3 = rotl(rotl(b, 16) ^
//! x, 21) ^ v0. A rotation of a xor is the xor of the rotations, so with the next word m'
//!
//! ```text
//! v3 ^ m' = (rotl(b, 37) ^ m' ^ rotl(x, 21)) ^ v0
//! ```
//!
//! Everything except v0 is known two steps earlier, and the message is known from the start. The kernel computes v3's
//! last rotation twice: once for v0, and once (the duplicate) with the next word in it. That is one xor and one
//! rotation more for each word, and 4c cycles instead of 4c + 1. `v0 ^= m` costs nothing: v0 is ready a cycle before
//! v3.
//!
//! Two barriers keep the order of the xors; without them LLVM moves the injection after v0 again. x86-64 needs both,
//! AArch64 only the first.

use crate::arch::portable::siphash_x1::take;
use crate::job::siphash::{Fixed, Long, Rotation, Rounds, State, Word};

/// Does a job with `TURN_1` words in one turn of the loop for c = 1 and `TURN_2` for c = 2. With the case fold a turn
/// has one word: the fold's constants take the registers that a longer turn needs.
#[inline(always)]
pub fn long<R: Rotation, const TURN_1: usize, const TURN_2: usize>(job: Long<'_>) {
    let Long { state, rounds, fold, words } = job;
    // Only c matters: this kernel does no final rounds.
    match (rounds.c(), fold) {
        (1, false) => absorb::<u64, R, _, false, TURN_1>(state, Fixed::<1, 1>::NEW, words),
        (2, false) => absorb::<u64, R, _, false, TURN_2>(state, Fixed::<2, 1>::NEW, words),
        (_, false) => absorb::<u64, R, _, false, 1>(state, rounds, words),
        (1, true) => absorb::<u64, R, _, true, 1>(state, Fixed::<1, 1>::NEW, words),
        (2, true) => absorb::<u64, R, _, true, 1>(state, Fixed::<2, 1>::NEW, words),
        (_, true) => absorb::<u64, R, _, true, 1>(state, rounds, words),
    }
}

/// Absorbs whole words, `TURN` of them in one turn of the loop. W is `u64`, or a symbol (tests/symbols).
#[inline(always)]
pub fn absorb<W: Word, R: Rotation, N: Rounds, const FOLD: bool, const TURN: usize>(
    state: &mut State<W>,
    rounds: N,
    words: &[W::Bytes],
) {
    let Some((&first, rest)) = words.split_first() else { return };
    // A copy, which stays in registers across the barriers.
    let mut v = *state;
    let mut word = load::<W, FOLD>(first);
    v.v[3] = v.v[3] ^ word;
    let (turns, rest) = rest.as_chunks::<TURN>();
    for turn in turns {
        for &next in turn {
            word = step::<W, R>(&mut v, rounds, word, load::<W, FOLD>(next));
        }
    }
    for &next in rest {
        word = step::<W, R>(&mut v, rounds, word, load::<W, FOLD>(next));
    }
    for _ in 0..rounds.c() {
        v.round_by::<R>();
    }
    v.v[0] = v.v[0] ^ word;
    *state = v;
}

#[inline(always)]
fn load<W: Word, const FOLD: bool>(word: W::Bytes) -> W {
    take::<W, FOLD>(W::from_bytes(word))
}

/// Does the rounds of `word`, which is in v3 already, then `v0 ^= word` and `v3 ^= next`. Returns `next`.
#[inline(always)]
fn step<W: Word, R: Rotation>(state: &mut State<W>, rounds: impl Rounds, word: W, next: W) -> W {
    for _ in 1..rounds.c() {
        state.round_by::<R>();
    }
    let [mut v0, mut v1, mut v2, b] = state.v;
    v0 = v0.add(v1);
    v2 = v2.add(b);
    let injected = (R::rotl(b, 37) ^ next).opaque();
    let injected = (injected ^ R::rotl(v2, 21)).opaque();
    v1 = R::rotl(v1, 13) ^ v0;
    let v3 = R::rotl(b, 16) ^ v2;
    v0 = v0.rotl(32);
    v2 = v2.add(v1);
    v0 = v0.add(v3);
    v1 = R::rotl(v1, 17) ^ v2;
    v2 = v2.rotl(32);
    state.v = [v0 ^ word, v1, v2, injected ^ v0];
    next
}
