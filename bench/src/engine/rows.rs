//! Rows of keylane's table and of the lab's, run directly: no call of keylane's uses the lab's.

use super::Missing;
use anyhow::{Result, ensure};
use keylane::dispatch::select::{AnySlot, RowInfo, Runnable, Slot, Status};
use keylane::dispatch::selftest::SelfTest;
use keylane::job::cpu::Features;

/// The rows of a slot that run here.
///
/// # Errors
/// A row fails its self-test.
pub fn rows<S: SelfTest>(slot: &'static Slot<S>) -> Result<Vec<Runnable<S>>> {
    let rows: Vec<Runnable<S>> = slot.runnable().collect();
    for row in &rows {
        ensure!(row.passes(), "{} failed its self-test", row.id());
    }
    Ok(rows)
}

/// Describes every row of a slot.
pub fn infos(slot: &'static dyn AnySlot) -> impl Iterator<Item = RowInfo> {
    (0..).map_while(|row| slot.info(row))
}

/// The rows of a slot that this CPU cannot run.
pub fn absent_rows(slot: &'static dyn AnySlot) -> impl Iterator<Item = Missing> {
    let rows = infos(slot).filter(|row| row.status == Status::NotOnThisCpu);
    rows.map(|row| Missing {
        name: row.id.to_owned(),
        features: row.requires.without(Features::available()).names().collect(),
    })
}
