//! The walk over the tables of keylane and of the lab. It checks every row that can run here and names every
//! other one.

use crate::rows::{Checked, Extent, Row, check_rows};
use crate::vectors::Published;
use keylane::dispatch::select::{AnySlot, RowInfo, Runnable, Slot};
use keylane::dispatch::table;
use keylane::job::cpu::Features;
use keylane::kernels::Status;
use std::fmt;

/// A row and its result.
pub struct Found {
    /// The row's slot.
    pub slot: &'static str,
    /// The row's kernel.
    pub kernel: &'static str,
    /// Its result.
    pub outcome: Outcome,
}

/// The result for a row.
pub enum Outcome {
    /// It passed; the number of checks.
    Passed(usize),
    /// It failed; a description.
    Failed(String),
    /// It cannot run here: the CPU lacks these features.
    Missing(Vec<&'static str>),
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.slot, self.kernel)?;
        match &self.outcome {
            Outcome::Passed(made) => write!(f, "ran ({made} checks)"),
            Outcome::Failed(why) => write!(f, "FAILED {why}"),
            Outcome::Missing(features) => write!(f, "not run here: missing {}", features.join(" ")),
        }
    }
}

/// Walks over all rows, or over those of one kernel, and passes each to `tell`.
pub fn walk(kernel: Option<&str>, extent: Extent, tell: &mut dyn FnMut(Found)) {
    let published = Published::load();
    // A file that lost its cases must not pass silently.
    assert_eq!((published.hashes.len(), published.macs.len()), (1619, 866), "published answers");
    assert_eq!((published.presets.len(), published.composites.len()), (4, 2), "published answers");
    let mut walk = Walk { kernel, extent, tell, published, seen: Vec::new() };
    walk.slot(&table::SIPHASH_X1_LONG);
    walk.slot(&keylane_lab::table::SIPHASH_X1_STEPS);
    walk.slot(&keylane_lab::table::SIPHASH_X1_ABLATION);
    walk.slot(&table::SIPHASH_XN);
    walk.slot(&keylane_lab::table::SIPHASH_XN);
    walk.slot(&table::HALFSIPHASH_XN);
    walk.slot(&table::POLY1305_X1);
    walk.slot(&keylane_lab::table::POLY1305_X1);
    walk.slot(&table::POLY1305_PN);
    walk.slot(&table::POLY1305_XN);
    walk.slot(&table::POLY1305_PARTS);
    walk.slot(&table::CHACHA20_PN);
    walk.slot(&table::CHACHA20_XN);
    walk.slot(&table::CHACHA20POLY1305_PN);
    for slot in table::SLOTS {
        assert!(walk.seen.contains(&slot.name()), "the walk leaves {} out", slot.name());
    }
}

struct Walk<'a> {
    kernel: Option<&'a str>,
    extent: Extent,
    tell: &'a mut dyn FnMut(Found),
    published: Published,
    seen: Vec<&'static str>,
}

impl Walk<'_> {
    /// Checks the rows of a slot that can run here and names the others.
    fn slot<S: Checked>(&mut self, slot: &'static Slot<S>) {
        self.seen.push(S::SLOT);
        let wanted = |id: &str| self.kernel.is_none_or(|kernel| kernel == id);
        let infos: Vec<RowInfo> =
            (0..).map_while(|row| slot.info(row)).filter(|info| wanted(info.id)).collect();
        let lanes = |id: &str| infos.iter().find(|info| info.id == id).map_or(1, |info| info.lanes);
        let row = |kernel: Runnable<S>| Row { lanes: lanes(kernel.id()), kernel };
        let rows: Vec<Row<S>> = slot.runnable().filter(|kernel| wanted(kernel.id())).map(row).collect();
        let checks = check_rows(&rows, &self.published, self.extent);
        let mut ran = rows.iter().map(|row| row.kernel.id()).zip(checks).peekable();
        for info in &infos {
            let check = ran.next_if(|(id, _)| *id == info.id).map(|(_, check)| check);
            let outcome = match (check, info.status) {
                (Some(check), Status::Active | Status::Ready) if check.passed() => {
                    Outcome::Passed(check.made)
                }
                (Some(check), status) => {
                    let differences = check.differences.iter().map(|difference| format!("\n  {difference}"));
                    let (failed, made) = (check.failed, check.made);
                    Outcome::Failed(format!(
                        "{failed} of {made} checks, status: {status}{}",
                        differences.collect::<String>()
                    ))
                }
                (None, Status::NotOnThisCpu) => {
                    Outcome::Missing(info.requires.without(Features::available()).names().collect())
                }
                (None, status) => Outcome::Failed(format!("it could run and did not, status: {status}")),
            };
            (self.tell)(Found { slot: S::SLOT, kernel: info.id, outcome });
        }
    }
}
