//! Chooses the row of a slot that runs.
//!
//! At a slot's first use, its rows are tried in order; rows that suit this CPU come first. The first row that the CPU
//! can run and that passes its self-test is published. Every later call reads one atomic number. `KEYLANE_KERNEL` (with
//! `std`) or [`AnySlot::force`] may choose another row, under the same two conditions.

#![allow(unsafe_code)]

use super::environment;
use super::errors::ForceErrorKind;
use super::selftest::SelfTest;
use crate::job::cpu::{Features, Uarch};
use crate::job::kernel::{Kernel, Shape};
use crate::job::poly1305::Pn;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The rows of one slot, and which of them is active.
pub struct Slot<S: Shape> {
    rows: &'static [&'static Kernel<S>],
    last: &'static Kernel<S>,
    /// 0 before the first use, then an [`Active`].
    active: AtomicUsize,
}

/// The active row of a slot, packed into one number for a single atomic read. The low [`Active::SHIFT`] bits are the
/// row's index plus 1. The bits above are the length, or the number of messages, from which a job is for
/// this row.
struct Active(usize);

impl Active {
    const SHIFT: u32 = 6;

    fn new(row: usize, from: usize) -> Self {
        Active((1 + row) | (from.min(usize::MAX >> Active::SHIFT) << Active::SHIFT))
    }

    #[inline]
    fn row(&self) -> usize {
        (self.0 & ((1 << Active::SHIFT) - 1)).wrapping_sub(1)
    }

    #[inline]
    fn from(&self) -> usize {
        self.0 >> Active::SHIFT
    }
}

/// A slot and its active row.
pub struct Chosen<'a, S: Shape> {
    slot: &'a Slot<S>,
    active: Active,
}

impl<S: SelfTest> Chosen<'_, S> {
    /// The active row, if it is profitable for a job of this length.
    #[inline]
    pub fn if_profitable(&self, length: usize) -> Option<Runnable<S>> {
        // `Active` has no room for `usize::MAX`, which means never.
        let length = length.min((usize::MAX >> Active::SHIFT) - 1);
        (length >= self.active.from()).then(|| self.slot.kernel(&self.active))
    }
}

/// A kernel that this CPU can run. The value is the proof.
pub struct Runnable<S: Shape>(&'static Kernel<S>);

impl<S: Shape> Runnable<S> {
    /// The proof for `kernel`, or `None` if this CPU lacks a feature that it requires.
    pub fn new(kernel: &'static Kernel<S>) -> Option<Self> {
        let missing = kernel.requires.without(Features::available());
        missing.is_empty().then_some(Runnable(kernel))
    }

    /// The kernel's name.
    #[cfg_attr(not(feature = "internals"), allow(dead_code))]
    pub fn id(&self) -> &'static str {
        self.0.id
    }

    /// How many messages, or blocks of one message, the kernel works on at a time.
    #[inline]
    pub fn lanes(&self) -> usize {
        self.0.lanes
    }

    /// Whether a CPU with these marks should run the kernel.
    #[cfg_attr(not(feature = "internals"), allow(dead_code))]
    pub fn suits(&self, uarch: Uarch) -> bool {
        (self.0.suits)(uarch)
    }

    /// Does one job.
    #[inline]
    pub fn run(&self, job: S::Job<'_>) {
        // SAFETY: the one condition of a row's `run` is that the CPU has the features in `requires`. A `Runnable` comes
        // either from `new`, which compared them with the detected features, or from `Slot::kernel`. That takes the
        // last row, which requires nothing (`Slot::new` checks it), or a row that `Slot::check` has passed to `new`.
        // Features do not go away.
        unsafe { S::run(self.0, job) }
    }
}

impl Runnable<Pn> {
    /// The tag of a message by the register entry, or `None` if the kernel has none.
    #[inline]
    pub fn mac(&self, [r0, r1]: [u64; 2], [s0, s1]: [u64; 2], message: &[u8]) -> Option<u128> {
        let mac = self.0.register_entry?;
        // SAFETY: the one condition of a row's register entry is that of its `run`: the CPU has the features in
        // `requires`. `run` says why it has them.
        Some(unsafe { mac(r0, r1, s0, s1, message) })
    }
}

impl<S: SelfTest> Runnable<S> {
    /// Whether the kernel passes its self-test. Under Miri it is not run: Miri is some 10,000 times slower than a CPU,
    /// and executes the source, which no CPU, emulator or compiler can get wrong there.
    pub fn passes(&self) -> bool {
        cfg!(miri) || S::selftest(&|job| self.run(job))
    }
}

impl<S: Shape> Slot<S> {
    /// Makes a slot of these rows, best first. Does not compile unless the last row requires nothing.
    pub const fn new(rows: &'static [&'static Kernel<S>]) -> Self {
        assert!(!rows.is_empty(), "a slot needs a row");
        assert!(rows.len() < 1 << Active::SHIFT, "`Active` has no room for that many rows");
        let last = rows[rows.len() - 1];
        assert!(last.requires.is_empty(), "the last row must run on every CPU");
        Slot { rows, last, active: AtomicUsize::new(0) }
    }

    /// The rows that this CPU can run, best first.
    #[cfg_attr(not(feature = "internals"), allow(dead_code))]
    pub fn runnable(&self) -> impl Iterator<Item = Runnable<S>> {
        self.rows.iter().filter_map(|row| Runnable::new(row))
    }
}

impl<S: SelfTest> Slot<S> {
    /// Does one job with the active row.
    #[inline]
    pub fn run(&self, job: S::Job<'_>) {
        self.kernel(&self.active()).run(job);
    }

    /// Chooses the active row, if that has not been done.
    #[inline]
    pub fn choose(&self) {
        self.active();
    }

    /// The active row, if it is profitable for a job of this length.
    #[inline]
    pub fn if_profitable(&self, length: usize) -> Option<Runnable<S>> {
        Chosen { slot: self, active: self.active() }.if_profitable(length)
    }

    /// The chosen row, or `None` before the first use.
    #[inline]
    pub fn chosen(&self) -> Option<Chosen<'_, S>> {
        let active = self.active.load(Relaxed);
        (active != 0).then_some(Chosen { slot: self, active: Active(active) })
    }

    #[inline]
    fn active(&self) -> Active {
        match self.active.load(Relaxed) {
            0 => self.first_use(),
            active => Active(active),
        }
    }

    #[inline]
    fn kernel(&self, active: &Active) -> Runnable<S> {
        Runnable(self.rows.get(active.row()).copied().unwrap_or(self.last))
    }

    /// The packed value that makes `row` the active one.
    fn packed(&self, row: usize) -> usize {
        let kernel = self.rows.get(row).copied().unwrap_or(self.last);
        Active::new(row, (kernel.from)()).0
    }

    /// Publishes the row that the environment asks for. Without one, publishes the best row that passes its self-test,
    /// or else the last row. A row that was forced in the meantime stays.
    #[cold]
    fn first_use(&self) -> Active {
        let asked = environment::asked(S::SLOT).and_then(|id| self.find(id).ok());
        let best = || self.by_preference().find(|&row| self.check(row).is_ok());
        let chosen = self.packed(asked.or_else(best).unwrap_or(self.rows.len() - 1));
        #[cfg(target_has_atomic = "ptr")]
        if let Err(forced) = self.active.compare_exchange(0, chosen, Relaxed, Relaxed) {
            return Active(forced);
        }
        // Without compare-and-swap, a row that is forced at the same moment may be lost.
        #[cfg(not(target_has_atomic = "ptr"))]
        self.active.store(chosen, Relaxed);
        Active(chosen)
    }

    /// The rows in the order that the first use tries them in.
    fn by_preference(&self) -> impl Iterator<Item = usize> {
        let uarch = Uarch::current();
        let rows = move |suits| {
            let suits = move |(_, row): &(usize, &&Kernel<S>)| (row.suits)(uarch) == suits;
            self.rows.iter().enumerate().filter(suits).map(|(row, _)| row)
        };
        rows(true).chain(rows(false))
    }

    /// Checks that a row may be chosen: it can run here and passes its self-test.
    fn check(&self, row: usize) -> Result<(), ForceErrorKind> {
        let kernel = self.rows.get(row).copied().unwrap_or(self.last);
        let runnable =
            Runnable::new(kernel).ok_or(ForceErrorKind::NotOnThisCpu { slot: S::SLOT, kernel: kernel.id })?;
        if runnable.passes() {
            Ok(())
        } else {
            Err(ForceErrorKind::FailedSelfTest { slot: S::SLOT, kernel: kernel.id })
        }
    }

    /// The row of this name, if it may be chosen.
    fn find(&self, id: &str) -> Result<usize, ForceErrorKind> {
        let row = self.rows.iter().position(|row| row.id == id);
        let row = row.ok_or(ForceErrorKind::UnknownKernel { slot: S::SLOT })?;
        self.check(row).map(|()| row)
    }
}

/// Whether a kernel can run on this CPU, and whether its slot uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// Its slot uses it.
    Active,
    /// It runs here and passed its self-test; its slot uses another kernel.
    Ready,
    /// It runs here but gave a wrong answer, so it is not used. One exception: if no row of its slot gives right
    /// answers, the last row is used all the same, since a call cannot fail.
    FailedSelfTest,
    /// This CPU, or its operating system, lacks a feature that it requires.
    NotOnThisCpu,
}

/// A row as `kernels::list` shows it.
pub struct RowInfo {
    /// Its name.
    pub id: &'static str,
    /// The features that it requires.
    pub requires: Features,
    /// Those that this CPU, or its operating system, does not offer.
    pub missing: Features,
    /// How many messages (or blocks) it works on at a time.
    pub lanes: usize,
    /// Whether it can run here, and whether the slot uses it.
    pub status: Status,
}

/// A slot of any shape.
pub trait AnySlot: Sync {
    /// The slot's name.
    fn name(&self) -> &'static str;
    /// Describes row `row`, or returns `None`. Runs its self-test.
    fn info(&self, row: usize) -> Option<RowInfo>;
    /// Checks that the row of this name may be chosen.
    #[cfg(feature = "std")]
    fn may_force(&self, id: &str) -> Result<(), ForceErrorKind>;
    /// Makes the row of this name the active one.
    fn force(&self, id: &str) -> Result<(), ForceErrorKind>;
}

impl<S: SelfTest> AnySlot for Slot<S> {
    fn name(&self) -> &'static str {
        S::SLOT
    }

    fn info(&self, row: usize) -> Option<RowInfo> {
        let kernel = *self.rows.get(row)?;
        let status = match self.check(row) {
            Err(ForceErrorKind::FailedSelfTest { .. }) => Status::FailedSelfTest,
            Err(_) => Status::NotOnThisCpu,
            Ok(()) if core::ptr::eq(self.kernel(&self.active()).0, kernel) => Status::Active,
            Ok(()) => Status::Ready,
        };
        let (requires, missing) = (kernel.requires, kernel.requires.without(Features::available()));
        Some(RowInfo { id: kernel.id, requires, missing, lanes: kernel.lanes, status })
    }

    #[cfg(feature = "std")]
    fn may_force(&self, id: &str) -> Result<(), ForceErrorKind> {
        self.find(id).map(|_| ())
    }

    fn force(&self, id: &str) -> Result<(), ForceErrorKind> {
        let row = self.find(id)?;
        self.active.store(self.packed(row), Relaxed);
        Ok(())
    }
}
