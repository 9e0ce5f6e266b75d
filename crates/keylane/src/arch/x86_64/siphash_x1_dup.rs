//! SipHash, one long message, the next word injected beside the round.
//!
//! id        siphash_x1_dup        slot  siphash-x1-long        requires  nothing
//! does      v3 ^ m' = (rotl(b, 37) ^ m' ^ rotl(x, 21)) ^ v0, where the last round of a word begins with
//!           v3 = b, makes x = v2 + v3, and ends with v0; m' is the next word
//! bounds    4c cycles a word instead of 4c + 1, for one xor and one rotation more: it takes six ALUs
//!           and three rotations a cycle to do them in the shadow of the chain
//! timing    no secret-dependent branch, index or variable-latency instruction
//! origin    written here after [SipHash]
//!
//! v3 is the last word that a round makes, so `v3 ^= m'` behind it lengthens the chain by a cycle. But
//! v3 = rotl(rotl(b, 16) ^ x, 21) ^ v0, and a rotation of a xor is the xor of the rotations: all but v0
//! is known two steps earlier, and the message is known all along. Hence the name: v3's last rotation
//! is computed twice, once for v0 and once, duplicated, with the next word in it. `v0 ^= m` costs
//! nothing: v0 is ready a cycle before v3.
//!
//! Two barriers hold the order of the xors. Without them, or with one alone, LLVM puts injections back
//! behind v0; `cargo xtask codegen` measures the chain.
//!
//! Four words a turn for c = 1 and two for c = 2: see the figures of Zen 5 below. With the case fold one
//! word a turn: its constants take the registers that a longer turn needs.
//!
//! What lost: on four ALUs, two of which rotate, the added operations displace those of the chain. Zen 4,
//! 16 KiB, cycles a byte beside siphash_x1: 1-3 0.73 to 0.63; 2-4 1.37 to 1.25. Other orders of the same
//! steps gave 0.69 to 0.77 and 1.19 to 1.39, so no order serves both. On Zen 5 the same step, in a program
//! of its own, took 0.57 to 0.64 (with one word a turn 0.60) and 1.09 to 1.15; this file has not been
//! timed there.

use crate::arch::barrier::value_barrier;
use crate::arch::portable::siphash_x1::take;
use crate::kernel::kernel;
use crate::kernel::siphash::{Fixed, Long, Rounds, State, X1Long};

kernel! {
    /// Whole words of one long message.
    pub LONG: X1Long = "siphash_x1_dup", lanes 1, requires [], suits |uarch| uarch.six_alus, |job: Long<'_>| long(job)
}

fn long(job: Long<'_>) {
    let Long { state, rounds, fold, words } = job;
    // By c alone: the rounds at the end are not this kernel's.
    match (rounds.c(), fold) {
        (1, false) => absorb::<_, false, 4>(state, Fixed::<1, 1>::NEW, words),
        (2, false) => absorb::<_, false, 2>(state, Fixed::<2, 1>::NEW, words),
        (_, false) => absorb::<_, false, 1>(state, rounds, words),
        (1, true) => absorb::<_, true, 1>(state, Fixed::<1, 1>::NEW, words),
        (2, true) => absorb::<_, true, 1>(state, Fixed::<2, 1>::NEW, words),
        (_, true) => absorb::<_, true, 1>(state, rounds, words),
    }
}

/// Absorbs whole words, `TURN` of them in one turn of the loop.
#[inline(always)]
fn absorb<R: Rounds, const FOLD: bool, const TURN: usize>(
    state: &mut State<u64>,
    rounds: R,
    words: &[[u8; 8]],
) {
    let Some((&first, rest)) = words.split_first() else { return };
    // A copy, which stays in registers over the barriers.
    let mut v = *state;
    let mut word = load::<FOLD>(first);
    v.v[3] ^= word;
    let (turns, rest) = rest.as_chunks::<TURN>();
    for turn in turns {
        for &next in turn {
            word = step(&mut v, rounds, word, load::<FOLD>(next));
        }
    }
    for &next in rest {
        word = step(&mut v, rounds, word, load::<FOLD>(next));
    }
    for _ in 0..rounds.c() {
        v.round();
    }
    v.v[0] ^= word;
    *state = v;
}

#[inline(always)]
fn load<const FOLD: bool>(word: [u8; 8]) -> u64 {
    take::<u64, FOLD>(u64::from_le_bytes(word))
}

#[inline(always)]
fn hidden(x: u64) -> u64 {
    value_barrier(x as usize) as u64
}

/// The rounds of `word`, which is in v3 already, `v0 ^= word`, and `v3 ^= next`. Gives `next`.
#[inline(always)]
fn step(state: &mut State<u64>, rounds: impl Rounds, word: u64, next: u64) -> u64 {
    for _ in 1..rounds.c() {
        state.round();
    }
    let [mut v0, mut v1, mut v2, b] = state.v;
    v0 = v0.wrapping_add(v1);
    v2 = v2.wrapping_add(b);
    let injected = hidden(b.rotate_left(37) ^ next);
    let injected = hidden(injected ^ v2.rotate_left(21));
    v1 = v1.rotate_left(13) ^ v0;
    let v3 = b.rotate_left(16) ^ v2;
    v0 = v0.rotate_left(32);
    v2 = v2.wrapping_add(v1);
    v0 = v0.wrapping_add(v3);
    v1 = v1.rotate_left(17) ^ v2;
    v2 = v2.rotate_left(32);
    state.v = [v0 ^ word, v1, v2, injected ^ v0];
    next
}
