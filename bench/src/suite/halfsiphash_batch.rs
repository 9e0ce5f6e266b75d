//! `halfsiphash-batch`: many messages in one call, HalfSipHash.

use super::tags::Cell;
use super::{Plan, Show, table};
use crate::engine::{Rounds, half, half_peers, half_specification};
use anyhow::Result;

const SUITE: &str = "halfsiphash-batch";

/// Measures the suite and shows each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn halfsiphash_batch(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    for rounds in Rounds::USUAL {
        let title = "u64, by messages in a call";
        if plan.has(title) {
            let mut engines = half(rounds)?;
            engines.extend(half_peers(rounds));
            let cells = Cell::all(plan, rounds, half_specification);
            show(table(SUITE, Some(rounds), title, &engines, plan, cells)?)?;
        }
    }
    Ok(())
}
