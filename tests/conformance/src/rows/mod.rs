//! The checks of each slot's kernels.
//!
//! [`check_rows`] runs them for any rows of a shape, in the table or not. The reference, keylane-ref, is slow, so its
//! answers are computed once for all rows of a slot.

mod chacha20;
mod chacha20poly1305;
pub(crate) mod layouts;
pub(crate) mod oracle;
mod poly1305_parts;
mod poly1305_x1;
mod poly1305_xn;
mod siphash_x1_ablation;
mod siphash_x1_long;
mod siphash_x1_steps;
mod siphash_xn;
mod wraps;

use crate::check::Check;
use crate::vectors::Published;
use keylane::dispatch::select::Runnable;
use keylane::dispatch::selftest::SelfTest;
use keylane::job::kernel::Shape;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A kernel that this CPU can run.
pub struct Row<S: Shape> {
    /// The code.
    pub kernel: Runnable<S>,
    /// How many messages (or blocks) it processes at a time.
    pub lanes: usize,
}

impl<S: Shape> Row<S> {
    /// How many of the lanes to test with messages of different lengths: all of them. The exception is
    /// bitsliced kernels, whose hundreds of lanes take equal lengths only.
    fn ragged_lanes(&self) -> usize {
        if self.lanes < BITSLICED { self.lanes } else { 2 }
    }
}

/// How much to check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// Everything.
    #[default]
    Whole,
    /// What an emulator of whole machines, some 300 times slower than this one, does in ten minutes. It has fewer of
    /// Poly1305's answers by keylane-ref, which take longer than the kernels:
    /// * three keys of eleven: the two with the largest r and a random one;
    /// * of messages that wrap, those with up to 2 triples of 20;
    /// * around the switches between loops, random messages without and with a full tail, not also ones;
    /// * the long-lived state after jobs of up to 128 blocks of 256.
    ///
    /// Every length, alignment, lane, method and cut is there.
    Brief,
}

/// From this number of lanes on, a kernel is bitsliced.
const BITSLICED: usize = 64;

/// A shape whose kernels can be checked.
pub trait Checked: SelfTest {
    /// The answers that all rows are compared with.
    type Truth;

    /// No answer computed yet.
    fn truth(extent: Extent) -> Self::Truth;

    /// Checks one row.
    fn check_row(row: &Row<Self>, truth: &mut Self::Truth, published: &Published, check: &mut Check);

    /// Checks two rows, where the second continues a job that the first began. They may be the same row.
    /// Shapes whose jobs are whole messages have nothing to check here.
    fn check_pair(_first: &Row<Self>, _second: &Row<Self>, _truth: &mut Self::Truth, _check: &mut Check) {}
}

/// Checks every row, and every ordered pair of rows. Returns the results by row. A difference in a pair
/// counts for its first row and names both.
pub fn check_rows<S: Checked>(rows: &[Row<S>], published: &Published, extent: Extent) -> Vec<Check> {
    let mut truth = S::truth(extent);
    let check_one = |row: &Row<S>| {
        let mut check = Check::default();
        let unwound = catch_unwind(AssertUnwindSafe(|| {
            S::check_row(row, &mut truth, published, &mut check);
            for second in rows {
                S::check_pair(row, second, &mut truth, &mut check);
            }
        }));
        if unwound.is_err() {
            check.fail(|| "a panic; its message is above".into());
        }
        check
    };
    rows.iter().map(check_one).collect()
}

/// Messages have every length up to this one.
const LONGEST: usize = 1024;

/// Sizes of batches for a kernel of `lanes` lanes:
/// * every size to beyond two full groups;
/// * the sum of all powers of two below 32;
/// * the sizes around those of the chunks that the API passes on (32 and 64);
/// * primes, which no number of lanes divides;
/// * around groups of four vectors, full and not full.
///
/// For the hundreds of lanes of bitsliced kernels, only the sizes around one and two groups.
fn batch_sizes(lanes: usize) -> Vec<usize> {
    let every = if lanes < BITSLICED { lanes } else { BITSLICED / 2 };
    let mut sizes: Vec<usize> = (0..=2 * every + 1).collect();
    sizes.extend([lanes, 2 * lanes].into_iter().flat_map(|size| size.saturating_sub(1)..=size + 1));
    sizes.extend([31, 32, 33, 37, 63, 64, 65, 67, 97, 127]);
    if lanes < BITSLICED {
        sizes.extend([3 * lanes, 3 * lanes + 1, 4 * lanes - 1, 4 * lanes, 4 * lanes + lanes / 2]);
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
