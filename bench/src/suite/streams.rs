//! `poly1305-stream` and `siphash-stream`: messages in pieces.

use super::contenders::{Columns, Contender};
use super::{Plan, Show, Table};
use crate::engine::streams::{POLY1305_KEY, Stream, poly1305, siphash};
use crate::engine::{KEY, Rounds};
use anyhow::{Result, ensure};
use keylane_measure::data::Bytes;
use std::fmt::Debug;
use std::hint::black_box;

/// Lengths of the pieces: a byte, a block, a few blocks, a packet that is not a whole number of blocks, and
/// Ethernet's longest packet.
const PIECES: [usize; 5] = [1, 16, 64, 1000, 1420];

/// Poly1305: measures the suite and shows each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn poly1305_stream(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let right = |message: &[u8]| keylane_ref::poly1305(&POLY1305_KEY, message);
    for &len in plan.streams.iter().filter(|len| plan.has(&title(**len))) {
        show(table(plan, "poly1305-stream", None, len, &poly1305(), right)?)?;
    }
    Ok(())
}

/// SipHash: measures the suite and shows each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn siphash_stream(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    for rounds in Rounds::USUAL {
        let (c, d) = rounds.numbers();
        let right = |message: &[u8]| keylane_ref::siphash64(c, d, &KEY, message);
        // A longer message adds no information: SipHash computes no powers of a key.
        for &len in plan.streams.iter().take(1).filter(|len| plan.has(&title(**len))) {
            show(table(plan, "siphash-stream", Some(rounds), len, &siphash(rounds), right)?)?;
        }
    }
    Ok(())
}

fn title(len: usize) -> String {
    format!("{len} bytes, by the length of the pieces")
}

/// A message in pieces of each length.
fn table<T: PartialEq + Debug>(
    plan: &Plan,
    suite: &'static str,
    rounds: Option<Rounds>,
    len: usize,
    streams: &[Stream<T>],
    right: impl Fn(&[u8]) -> T,
) -> Result<Table> {
    let bytes = Bytes::new(len, 1);
    let message = bytes.at(0);
    let right = right(message);
    let mut columns = Columns::default();
    for piece in PIECES {
        let mut contenders = Vec::new();
        for stream in streams.iter().filter(|stream| piece.is_multiple_of(stream.block)) {
            ensure!(
                (stream.tag)(message, piece) == right,
                "{}: wrong answer for pieces of {piece}",
                stream.name
            );
            contenders.push(Contender::new(stream.name, stream.side, move || {
                black_box((stream.tag)(black_box(message), black_box(piece)));
            }));
        }
        // A byte takes roughly half a cycle, a piece ten.
        columns.measure(plan, piece.to_string(), (1, len / 2 + 10 * len.div_ceil(piece)), contenders);
    }
    Ok(columns.table(suite, rounds, title(len), Vec::new()))
}
