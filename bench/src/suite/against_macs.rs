//! `against-macs`: SipHash and Poly1305 compared with alternatives, one message at a time.

use super::contenders::{Columns, Contender};
use super::{Plan, Show};
use crate::engine::macs::{Tagger, fast_hashes, macs};
use anyhow::Result;
use keylane_measure::data::Bytes;

const SUITE: &str = "against-macs";

const LENGTHS: [usize; 6] = [8, 16, 64, 256, 1024, 16384];

/// Messages in a pass, and the distance between their beginnings: each begins at another byte of a cache
/// line.
const MESSAGES: usize = 64;
const STRIDE: usize = 65;

/// Makes the engines of a table.
type List = fn() -> Result<Vec<Tagger>>;

/// Measures the suite and shows each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn against_macs(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let tables = [("MACs and keyed hashes", macs as List), ("hashes that are no MACs", fast_hashes)];
    for (title, engines) in tables.into_iter().filter(|(title, _)| plan.has(title)) {
        let engines = engines()?;
        let mut columns = Columns::default();
        for len in LENGTHS {
            let bytes = Bytes::new(MESSAGES * STRIDE + len, 11);
            let messages: &[&[u8]] =
                &(0..MESSAGES).map(|i| &bytes.at(0)[i * STRIDE..][..len]).collect::<Vec<_>>();
            let mut contenders = Vec::new();
            for Tagger { name, side, run } in &engines {
                contenders.push(Contender::new(name, *side, move || run(messages)));
            }
            columns.measure(plan, format!("{len} B"), (MESSAGES, MESSAGES * (50 + len)), contenders);
        }
        show(columns.table(SUITE, None, title, vec![]))?;
    }
    Ok(())
}
