//! Tests whether a kernel stays inside the memory of its job.
//!
//! Everything in a job is placed next to an inaccessible page ([`Guarded`]), once directly after one and once directly
//! before one. That is: state, keys, messages, offsets, integers, lists of slices, tags to write. A kernel that reads
//! or writes one byte outside ends the process. So [`Between::cases`] runs in a child process, which reports each case
//! before it begins (`tests/guards.rs`).

mod chacha20;
mod memory;
mod poly1305;
mod public;
mod siphash_x1_long;
mod siphash_xn;

pub use memory::{Guarded, Side};
pub use public::public_calls;

use crate::check::Check;
use crate::rows::Row;
use keylane::dispatch::selftest::SelfTest;
use std::fmt::Display;

/// A shape whose jobs can be placed between guards.
pub trait Between: SelfTest {
    /// Runs every case for one row.
    fn cases(row: &Row<Self>, cases: &mut Cases<'_>);
}

/// Reports cases before they begin, and compares their results.
pub struct Cases<'a> {
    /// The comparisons made.
    pub check: Check,
    tell: &'a mut dyn FnMut(&str),
}

impl<'a> Cases<'a> {
    /// Calls `tell` with each case before it begins.
    pub fn new(tell: &'a mut dyn FnMut(&str)) -> Self {
        Cases { check: Check::default(), tell }
    }

    /// Reports a case, runs it, and compares the result with the right one.
    fn case<T: PartialEq + std::fmt::Debug>(
        &mut self,
        name: impl Display,
        run: impl FnOnce() -> T,
        right: T,
    ) {
        let name = name.to_string();
        (self.tell)(&name);
        let actual = run();
        self.check.same(actual, right, || name);
    }
}

/// Lengths of single messages: every length up to a few vectors of blocks, then around powers of two.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=300).chain([511, 512, 513, 1000, 1023, 1024, 1031, 2047, 2049, 4095, 4096, 4097, 5000])
}

/// Numbers of messages: every number to beyond eight lanes of eight, then around the next power of two.
fn counts() -> impl Iterator<Item = usize> {
    (0..=70).chain(127..=130)
}

/// The most messages of a batch.
const MOST: usize = 130;

/// The longest message.
const LONGEST: usize = 5000;
