//! Poly1305 in base 2^26: N blocks of one message at a time, one in each lane of a vector. The algorithm is written
//! once; an instruction set implements [`vectors::Vectors26`].
//!
//! # Many blocks, one carry
//! Lane i accumulates every N-th block. One vector of blocks is then a step `h <- (h + m) r^N` in all lanes. After the
//! last step the lanes are multiplied by r^N, ..., r^2, r and summed. Four steps make one turn:
//!
//! ```text
//! h <- (h + m1) r^4N + m2 r^3N + m3 r^2N + m4 r^N
//! ```
//!
//! A turn adds up 64-bit products and carries once. A message that does not fill its vectors has zeros in place of the
//! missing blocks, at its front. So the last step always multiplies by r^N, ..., r, and an incomplete last block is
//! always in the last lane.
//!
//! # The multiplication
//! A number has five limbs, x = x0 + 2^26 x1 + ... + 2^104 x4. Since 2^130 = 5 modulo p, a product at 2^130 or above
//! returns to the bottom times 5. With s = 5 r:
//!
//! ```text
//!                     x4      x3      x2      x1      x0
//!                 x   r4      r3      r2      r1      r0
//!                 --------------------------------------
//!                   x0r4    x0r3    x0r2    x0r1    x0r0
//!         +         x1r3    x1r2    x1r1    x1r0    x1s4
//!         +         x2r2    x2r1    x2r0    x2s4    x2s3
//!         +         x3r1    x3r0    x3s4    x3s3    x3s2
//!         +         x4r0    x4s4    x4s3    x4s2    x4s1
//!                 --------------------------------------
//!                     c4      c3      c2      c1      c0
//!                  2^104    2^78    2^52    2^26       1
//! ```
//!
//! `limbs::multiply_add` computes these 25 products.
//!
//! # 15 products instead of 25
//! A turn needs only 15. Karatsuba's identity
//!
//! ```text
//! xi yj + xj yi = (xi + xj) (yi + yj) - xi yi - xj yj
//! ```
//!
//! is linear in the products, so a turn applies it once, to its sums. Let d be the five sums of squares `xi yi` and e
//! the sums of crosses `(xi + xj) (yi + yj)`, by column. The pairs (1, 4) and (2, 3) stand at 2^130, (2, 4) at 2^156
//! and (3, 4) at 2^182. The table of powers holds their `yi + yj` times 5. The columns are
//!
//! ```text
//! c0 = e0 + d0 - 5 (d1 + d2 + d3 + d4)
//! c1 = e1 - d0 - d1 - 5 (d2 - d3 + d4)
//! c2 = e2 - d0 + d1 - d2 - 5 (d3 + d4)
//! c3 = e3 - d0 - d1 - d2 - d3 + 5 d4
//! c4 = e4 - d0 - d1 + d2 - d3 - d4
//! ```
//!
//! The 10 sums, 5 limbs and a product fill 16 registers. Twelve sums would spill to memory in each step.
//!
//! Each column is a sum of products, hence not negative. Intermediate differences may be negative; they are exact
//! modulo 2^64, and only additions read them.
//!
//! # Bounds
//! * Limbs of blocks: below 2^26.
//! * Limbs of powers and of the accumulator after a carry: at most 2^26 + 2^13.
//! * The highest limb of a number that comes from base 2^64: below 2^27.
//! * A factor in the table: below 2^31. A column of a turn: below 2^61. A column of the last step, summed over 8 lanes:
//!   below 2^62.
//!
//! tests/symbols runs this code for all keys and messages of a length at once, and checks the bounds wherever the code
//! reads bits. Where a lane is a message (`messages26`), one carry follows up to four products of 25 multiplications
//! each.

#![forbid(unsafe_code)]

pub mod limbs;
pub mod order;
#[cfg_attr(not(target_arch = "aarch64"), allow(dead_code, reason = "NEON alone takes steps in pairs"))]
pub mod pairs;
pub mod powers;
pub mod school;
#[cfg(test)]
mod tests;
pub mod turns;
pub mod vectors;

use crate::arch::portable::{poly1305_inline, scalar};
use crate::job::poly1305::{Message, Powers, State};
use crate::job::wipe::wipe_table;
use limbs::{leave, product};
use order::KEPT_STEPS;
use powers::{compute, load, store};
use turns::{Rest, Turns, join};

/// The number of blocks that makes vectors possible: two steps.
const fn least_blocks(lanes: usize) -> usize {
    2 * lanes
}

/// Does a job by `absorb`, which is [`absorb`] in a function that enables the instructions.
#[inline(always)]
pub fn long<const N: usize>(
    job: Message<'_>,
    absorb: impl FnOnce(&mut State, Option<&mut Powers>, &[[u8; 16]], &[u8]),
) {
    match job {
        Message::Whole { key, message, tag } if message.len() < 16 * least_blocks(N) => {
            *tag = scalar::tag(key, message, poly1305_inline);
        }
        Message::Whole { key, message, tag } => {
            let (blocks, tail) = message.as_chunks();
            let mut state = State::new(*key);
            absorb(&mut state, None, blocks, tail);
            *tag = state.tag();
            state.wipe();
        }
        Message::Piece { state, blocks, .. } if blocks.len() < least_blocks(N) => {
            poly1305_inline(state, blocks, &[]);
        }
        Message::Piece { state, powers, blocks } => absorb(state, Some(powers), blocks, &[]),
    }
}

/// Absorbs at least two vectors of blocks, and `tail` as the last block unless it is empty. Takes the powers of r from
/// `kept`, or stores them there.
#[inline(always)]
pub fn absorb<L: Turns<N>, const N: usize>(
    cpu: L,
    state: &mut State,
    kept: Option<&mut Powers>,
    blocks: &[[u8; 16]],
    tail: &[u8],
) {
    let missing = (blocks.len() + usize::from(!tail.is_empty())).wrapping_neg() % N;
    let (first, blocks) = blocks.split_at_checked(N - missing).unwrap_or((blocks, &[]));
    let (vectors, before) = blocks.as_chunks();
    let mut rest = Rest { vectors, before, tail };
    // Decided before the powers are in registers: the first call reads the table, and saves registers for that.
    let by_8 = 16 * N * rest.len() >= L::BY_8.threshold();
    let mut kept_steps = [[0; KEPT_STEPS]; 15];
    let lane = match &kept {
        Some(Powers::Base26(known)) if known.lanes == N => {
            kept_steps = known.step;
            load(cpu, known)
        }
        _ => {
            let steps = if kept.is_some() { KEPT_STEPS } else { rest.len() };
            let lane = compute(cpu, &state.key, steps, &mut kept_steps);
            if let Some(kept) = kept {
                store(cpu, lane, &kept_steps, kept);
            }
            lane
        }
    };

    let mut a = join(cpu, first, missing, state.h);
    if by_8 {
        a = cpu.turns_of_8(a, &mut rest, cpu.in_memory(&kept_steps));
    } else {
        a = cpu.turns_of_4(a, &mut rest, cpu.in_memory(&kept_steps));
    }
    state.h = leave(cpu, product(cpu, a, lane));
    wipe_table(&mut kept_steps);
}
