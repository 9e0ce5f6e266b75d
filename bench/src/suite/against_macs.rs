//! `against-macs`: SipHash and Poly1305 compared with alternatives, one message at a time.

use super::contenders::{Columns, Contender};
use super::{Plan, Show};
use crate::engine::macs::{Tagger, fast_hashes, macs};
use anyhow::Result;
use keylane_measure::data::Bytes;

const SUITE: &str = "against-macs";

const LENGTHS: &[usize] = &[8, 16, 64, 256, 1024, 16384];

/// The length of [Apple-SipHash].
const LONG: &[usize] = &[131_072];

/// Messages in a pass, fewer if they have more than this many bytes.
const MESSAGES: usize = 64;
const BYTES: usize = 1 << 20;

/// The distance between their beginnings: each begins at another byte of a cache line.
const STRIDE: usize = 65;

/// Makes the engines of a table.
type List = fn() -> Result<Vec<Tagger>>;

/// Measures the suite and shows each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn against_macs(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let tables = [
        ("MACs and keyed hashes", macs as List, LENGTHS),
        ("MACs and keyed hashes, 128 KiB", macs, LONG),
        ("hashes that are no MACs", fast_hashes, LENGTHS),
    ];
    for (title, engines, lengths) in tables.into_iter().filter(|(title, ..)| plan.has(title)) {
        let engines = engines()?;
        let mut columns = Columns::default();
        for &len in lengths {
            let count = (BYTES / len).min(MESSAGES);
            let bytes = Bytes::new(count * STRIDE + len, 11);
            let messages: &[&[u8]] =
                &(0..count).map(|i| &bytes.at(0)[i * STRIDE..][..len]).collect::<Vec<_>>();
            let mut contenders = Vec::new();
            for Tagger { name, side, run } in &engines {
                contenders.push(Contender::new(name, *side, move || run(messages)));
            }
            columns.measure(plan, format!("{len} B"), (count, count * (50 + len)), contenders);
        }
        show(columns.table(SUITE, None, title, vec![]))?;
    }
    Ok(())
}
