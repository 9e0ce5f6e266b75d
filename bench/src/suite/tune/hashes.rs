//! Rows for many messages of SipHash and HalfSipHash, beside a loop over single messages.

use super::super::against_loop::calls::{Calls, Messages};
use super::super::{Cell, Plan};
use super::Line;
use crate::engine::KEY;
use anyhow::{Result, bail, ensure};
use keylane::halfsiphash::{self, HalfSipHash13};
use keylane::job::kernel::Shape;
use keylane::job::siphash::Xn;
use keylane::kernels;
use keylane::siphash::{self, SipHash13};
use keylane_measure::data::Arrow;
use keylane_measure::record::Figure;
use std::ops::RangeInclusive;

/// The most messages of a call that is measured.
const MOST: usize = 64;

/// The messages: more than a branch predictor learns, and short, so that most of a call is its set-up.
const COUNT: usize = 48_000;
const LENGTHS: RangeInclusive<usize> = 4..=20;

/// The numbers of messages in a call.
pub fn counts() -> Vec<usize> {
    (2..=MOST).collect()
}

/// Measures the loop and the row in calls of `n` messages, with c = 1: rows gain least there.
pub fn compare(line: &Line, n: usize, plan: &Plan) -> Result<Cell> {
    kernels::force(line.slot, line.kernel)?;
    let strings = Arrow::uniform(COUNT, LENGTHS, 7);
    let (bytes, offsets) = (strings.bytes(0), strings.offsets());
    let message = |i: usize| &bytes[offsets[i] as usize..offsets[i + 1] as usize];
    let messages = Messages { count: COUNT, cycles: 40, from_memory: false };
    macro_rules! figures {
        ($hasher:expr, $tag:ty) => {{
            let h = $hasher;
            Calls::<$tag>::new(
                messages,
                h.kernel_group(),
                |of, tags| {
                    h.hash_offsets(bytes, &offsets[of.start..=of.end], tags).expect("offsets that rise")
                },
                |of, tags| {
                    for (tag, i) in tags.iter_mut().zip(of) {
                        *tag = h.hash(message(i));
                    }
                },
                |of, tags| {
                    h.offsets_by_kernel(bytes, &offsets[of.start..=of.end], tags).expect("offsets that rise")
                },
            )
            .loop_and_row(plan, n, |a, b| a == b)
        }};
    }
    let figures: Option<[Option<Figure>; 2]> = if line.slot == Xn::<u64>::SLOT {
        figures!(SipHash13::new(&siphash::Key::from_bytes(KEY)), u64)
    } else if line.slot == Xn::<u32>::SLOT {
        figures!(HalfSipHash13::new(&halfsiphash::Key::from_bytes(KEY[..8].try_into()?)), u32)
    } else {
        bail!("{} has no rows for many messages", line.slot)
    };
    ensure!(figures.is_some(), "{}: wrong answers in calls of {n}", line.kernel);
    let figures = figures.into_iter().flatten().collect();
    Ok(Cell { label: n.to_string(), figures, best_peer: None, is_filed: true })
}
