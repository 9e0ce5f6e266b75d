//! Whether a kernel stays inside what it is given.
//!
//! Everything that a job names (state, keys, messages, offsets, integers, lists of slices, places for
//! tags) stands next to a page that nobody may touch ([`Guarded`]), once before and once behind it. A
//! kernel that reads or writes one byte outside ends the process. So [`Between::cases`] runs in a
//! process of its own, which tells each case before it begins (`tests/guards.rs`).

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

/// A shape whose jobs can be put between guards.
pub trait Between: SelfTest {
    /// Every case, for one row.
    fn cases(row: &Row<Self>, cases: &mut Cases<'_>);
}

/// Tells cases before they begin, and compares what comes out.
pub struct Cases<'a> {
    /// What was compared.
    pub check: Check,
    tell: &'a mut dyn FnMut(&str),
}

impl<'a> Cases<'a> {
    /// `tell` is told each case before it begins.
    pub fn new(tell: &'a mut dyn FnMut(&str)) -> Self {
        Cases { check: Check::default(), tell }
    }

    /// Tells a case, does it, and compares what it gives with what it should.
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

/// Lengths of single messages: each up to a few vectors of blocks, then around powers of two.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=300).chain([511, 512, 513, 1000, 1023, 1024, 1031, 2047, 2049, 4095, 4096, 4097, 5000])
}

/// Numbers of messages: each to past eight lanes of eight, and around the next power of two.
fn counts() -> impl Iterator<Item = usize> {
    (0..=70).chain(127..=130)
}

/// The most messages of a batch.
const MOST: usize = 130;

/// The longest message.
const LONGEST: usize = 5000;
