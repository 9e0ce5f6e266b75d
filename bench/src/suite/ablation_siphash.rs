//! `ablation-siphash`: SipHash of one message at a time with one thing changed, compared with the base and
//! with keylane's kernels for many messages.
//!
//! All contenders of a cell hash the same messages, with one call for all of them. docs/research/ABLATIONS.md explains
//! what changes and why.

use super::contenders::{Columns, Contender};
use super::siphash_one::LENGTHS;
use super::{Plan, Show, Table};
use crate::engine::rows::{absent_rows, rows};
use crate::engine::{KEY, KEY_WORDS, Rounds, Side};
use crate::work::one::MESSAGES;
use anyhow::{Result, ensure};
use keylane::dispatch::table::SIPHASH_XN;
use keylane::job::siphash::{Batch, Counted, Layout, Messages, State, Tags};
use keylane_lab::ablation::{self, Wholes};
use keylane_lab::table::SIPHASH_X1_ABLATION;
use keylane_measure::data::Arrow;
use std::hint::black_box;
use std::num::NonZeroU8;

const SUITE: &str = "ablation-siphash";

/// The kernel that the others are compared with.
const BASE: &str = "siphash_x1_base";

const CONSTANT: &str = "ablations, constant length";
const UNPREDICTABLE: &str = "ablations, unpredictable length";

/// Measures the suite and shows each table when it is complete.
///
/// # Errors
/// A kernel gives a wrong answer, or `show` fails.
pub fn ablation_siphash(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    for rounds in Rounds::ALL {
        if plan.has(CONSTANT) {
            show(constant(plan, rounds)?)?;
        }
        for &n in plan.rows.iter().take(1).filter(|_| plan.has(UNPREDICTABLE)) {
            show(unpredictable(plan, rounds, n)?)?;
        }
    }
    Ok(())
}

/// Messages of one length, one after the other.
fn constant(plan: &Plan, rounds: Rounds) -> Result<Table> {
    let mut columns = Columns::default();
    for &len in &plan.ablated {
        let data = Arrow::uniform(MESSAGES, len..=len, 1);
        let layout = Layout::Rows { bytes: data.bytes(0), width: len };
        column(&mut columns, plan, rounds, &len.to_string(), &slices(&data), layout)?;
    }
    Ok(table(columns, rounds, CONSTANT))
}

/// `n` messages of lengths that no branch predictor learns.
fn unpredictable(plan: &Plan, rounds: Rounds, n: usize) -> Result<Table> {
    let mut columns = Columns::default();
    for lengths in [LENGTHS[0].clone(), LENGTHS[2].clone()] {
        let label = format!("{}..{}", lengths.start(), lengths.end());
        let data = Arrow::uniform(n, lengths, 1);
        let layout = Layout::Offsets32 { bytes: data.bytes(0), offsets: data.offsets() };
        column(&mut columns, plan, rounds, &label, &slices(&data), layout)?;
    }
    Ok(table(columns, rounds, UNPREDICTABLE))
}

fn slices(data: &Arrow) -> Vec<&[u8]> {
    let bytes = data.bytes(0);
    data.offsets().windows(2).map(|pair| &bytes[pair[0] as usize..pair[1] as usize]).collect()
}

fn table(columns: Columns, rounds: Rounds, title: &str) -> Table {
    let missing = absent_rows(&SIPHASH_X1_ABLATION).chain(absent_rows(&SIPHASH_XN)).collect();
    columns.table(SUITE, Some(rounds), title, missing)
}

/// Measures every kernel over the same messages. Kernels for one message get slices, those for many get their
/// layout.
fn column(
    columns: &mut Columns,
    plan: &Plan,
    rounds: Rounds,
    label: &str,
    messages: &[&[u8]],
    layout: Layout<'_>,
) -> Result<()> {
    let (c, d) = rounds.numbers();
    let right: Vec<u64> =
        messages.iter().map(|message| keylane_ref::siphash64(c, d, &KEY, message)).collect();
    let mut contenders = Vec::new();
    // The base is the last row.
    for row in rows(&SIPHASH_X1_ABLATION)?.into_iter().rev() {
        let side = if row.id() == BASE { Side::Ours } else { Side::OurOther };
        let id = row.id();
        let run = move |tags: &mut [u64]| {
            row.run(Wholes { rounds: ablated(rounds), key: KEY_WORDS, messages: black_box(messages), tags });
        };
        contenders.push(contender(id, side, &right, run)?);
    }
    let count = |x: u32| NonZeroU8::new(x as u8).expect("at least one round");
    let counted = Counted::new(count(c), count(d));
    for row in rows(&SIPHASH_XN)? {
        let id = row.id();
        let run = move |tags: &mut [u64]| {
            let (initial, messages) = (&State::new(KEY_WORDS, false), Messages::Bytes(layout));
            row.run(Batch { initial, rounds: counted, fold: false, messages, tags: Tags::Single(tags) });
        };
        contenders.push(contender(id, Side::OurOther, &right, run)?);
    }
    let bytes: usize = messages.iter().map(|message| message.len()).sum();
    columns.measure(plan, label, (messages.len(), 20 * messages.len() + bytes), contenders);
    Ok(())
}

/// A contender, after checking its answers.
fn contender<'a>(
    id: &str,
    side: Side,
    right: &[u64],
    run: impl Fn(&mut [u64]) + 'a,
) -> Result<Contender<'a>> {
    // Inverted, so that a tag left from before cannot pass.
    let mut tags: Vec<u64> = right.iter().map(|tag| !tag).collect();
    run(&mut tags);
    ensure!(tags == right, "{id}: wrong answers");
    Ok(Contender::new(id, side, move || {
        run(&mut tags);
        black_box(&mut tags);
    }))
}

fn ablated(rounds: Rounds) -> ablation::Rounds {
    match rounds {
        Rounds::R12 => ablation::Rounds::R12,
        Rounds::R13 => ablation::Rounds::R13,
        Rounds::R24 => ablation::Rounds::R24,
    }
}
