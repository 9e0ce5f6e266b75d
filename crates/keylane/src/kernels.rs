//! Lists the kernels, says which of them run here, and lets you choose another.
//!
//! keylane picks the best kernel of each *slot* (a primitive and a shape of input) by itself. This module shows or
//! overrides the choice: to compare kernels, to rule one out on a faulty CPU, or to test.
//!
//! ```
//! use keylane::kernels;
//!
//! for kernel in kernels::list() {
//!     println!("{} {} {}", kernel.slot(), kernel.id(), kernel.status());
//! }
//! kernels::force("siphash-xn", "siphash_x1")?;
//! assert!(kernels::force("siphash-xn", "siphash_x99").is_err());
//! # Ok::<(), kernels::ForceError>(())
//! ```
//!
//! With the feature `std`, the environment variable `KEYLANE_KERNEL` does the same for a process:
//! `KEYLANE_KERNEL="siphash-xn=siphash_x1,poly1305-x1=poly1305_x1_u32"`. It is read once. On Linux with glibc its value
//! is that at the start of the process, and `set_var` or `setenv` afterwards changes nothing. On other systems only
//! [`environment`] reads it: call that first, since slots that are in use keep their kernels. An entry that cannot be
//! followed changes nothing, and [`environment`] reports it.
//!
//! A slot chooses its kernel at its first use. This takes no lock, allocates nothing and does not touch the environment.
//! So a signal handler may make the first use, and so may a child that was forked while another thread made it.
//!
//! A kernel runs only if the CPU has its instructions and if it has passed its self-test (known answers) in this
//! process. If no kernel of a slot passes, the last one, which is portable, is used all the same, since a call cannot
//! fail. No kernel of that slot is [`Status::Active`] then. The inlined short-message path and the hashers for maps are
//! not kernels, and the self-test does not cover them.

#[cfg(feature = "std")]
use crate::dispatch::environment::{entries, variable};
pub use crate::dispatch::errors::{ForceError, ForceErrorKind};
use crate::dispatch::select::RowInfo;
pub use crate::dispatch::select::Status;
use crate::dispatch::table::SLOTS;
use core::fmt;

/// Describes one kernel of one slot.
pub struct KernelInfo {
    slot: &'static str,
    row: RowInfo,
}

impl KernelInfo {
    /// The slot: what the kernel computes, and for which shape of input. For example `siphash-xn`.
    pub fn slot(&self) -> &'static str {
        self.slot
    }

    /// The kernel's name, which is also the stem of its source file. For example `siphash_x2`.
    pub fn id(&self) -> &'static str {
        self.row.id
    }

    /// How many messages, or blocks of one message, the kernel works on at a time.
    pub fn lanes(&self) -> usize {
        self.row.lanes
    }

    /// The CPU features that the kernel requires, by their Rust names. Portable kernels require none.
    pub fn requires(&self) -> impl Iterator<Item = &'static str> {
        self.row.requires.names()
    }

    /// The required features that this CPU, or its operating system, does not offer.
    pub fn missing(&self) -> impl Iterator<Item = &'static str> {
        self.row.missing.names()
    }

    /// Whether the kernel can run here, and whether its slot uses it.
    pub fn status(&self) -> Status {
        self.row.status
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Active => "active",
            Status::Ready => "ready",
            Status::FailedSelfTest => "failed self-test",
            Status::NotOnThisCpu => "not on this cpu",
        })
    }
}

/// Lists every kernel of every slot, best first. On some CPUs a later kernel is better and is the active one. Runs each
/// kernel's self-test, which takes at most some hundred microseconds.
///
/// ```
/// use keylane::kernels::{self, Status};
///
/// let portable = kernels::list().find(|kernel| kernel.id() == "siphash_x1").unwrap();
/// assert_eq!(portable.requires().count(), 0);
/// assert_ne!(portable.status(), Status::NotOnThisCpu);
/// ```
pub fn list() -> impl Iterator<Item = KernelInfo> {
    SLOTS.iter().flat_map(|slot| {
        (0..).map_while(|row| slot.info(row)).map(|row| KernelInfo { slot: slot.name(), row })
    })
}

/// Makes a slot use this kernel, in the whole process, from the next call on.
///
/// Calls that run at the same time may still use the previous kernel; all kernels give the same answers.
///
/// # Errors
/// [`ForceError`], and nothing changes: the slot or kernel is unknown, or the kernel cannot run on this CPU or failed
/// its self-test.
///
/// ```
/// use keylane::kernels::{self, ForceErrorKind};
///
/// kernels::force("poly1305-x1", "poly1305_x1_u32")?;
/// let error = kernels::force("poly1305-x2", "poly1305_x1_u32").unwrap_err();
/// assert_eq!(error.kind(), ForceErrorKind::UnknownSlot);
/// # Ok::<(), kernels::ForceError>(())
/// ```
pub fn force(slot: &str, id: &str) -> Result<(), ForceError> {
    let slot = SLOTS.iter().find(|known| known.name() == slot).ok_or(ForceErrorKind::UnknownSlot);
    slot.and_then(|slot| slot.force(id)).map_err(|kind| ForceError { kind, entry: None })
}

/// Checks every entry of `KEYLANE_KERNEL`. Succeeds if the variable is not set, and without the feature `std`, which
/// reads no environment. On systems other than Linux with glibc, the first call reads the variable, by
/// `std::env::var`.
///
/// # Errors
/// [`ForceError`]: what is wrong with the first bad entry. Good entries are followed all the same.
///
/// ```
/// if let Err(error) = keylane::kernels::environment() {
///     eprintln!("KEYLANE_KERNEL: {error}");
/// }
/// ```
pub fn environment() -> Result<(), ForceError> {
    #[cfg(feature = "std")]
    {
        let value = variable().map_err(|kind| ForceError { kind, entry: None })?;
        for (i, entry) in entries(value).enumerate() {
            check(entry, entries(value).take(i)).map_err(|kind| ForceError { kind, entry: Some(entry) })?;
        }
    }
    Ok(())
}

/// Checks one entry. `before` are the entries to its left.
#[cfg(feature = "std")]
fn check(entry: &'static str, mut before: impl Iterator<Item = &'static str>) -> Result<(), ForceErrorKind> {
    let (name, id) = entry.split_once('=').ok_or(ForceErrorKind::NotAnEntry)?;
    let slot = SLOTS.iter().find(|slot| slot.name() == name).ok_or(ForceErrorKind::UnknownSlot)?;
    if before.any(|entry| entry.split_once('=').is_some_and(|(other, _)| other == name)) {
        return Err(ForceErrorKind::Repeated { slot: slot.name() });
    }
    slot.may_force(id)
}

impl fmt::Display for ForceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(entry) = self.entry {
            write!(f, "{entry:?}: ")?;
        }
        match self.kind {
            ForceErrorKind::UnknownSlot => {
                f.write_str("there is no such slot; the slots are")?;
                SLOTS.iter().try_for_each(|slot| write!(f, " {}", slot.name()))
            }
            ForceErrorKind::UnknownKernel { slot } => {
                write!(f, "{slot} has no such kernel; it has")?;
                list().filter(|row| row.slot == slot).try_for_each(|row| write!(f, " {}", row.id()))
            }
            ForceErrorKind::NotOnThisCpu { slot, kernel } => {
                write!(f, "{kernel} does not run on this cpu, which lacks")?;
                let row = list().find(|row| row.slot == slot && row.id() == kernel);
                row.map_or(Ok(()), |row| row.missing().try_for_each(|name| write!(f, " {name}")))
            }
            ForceErrorKind::FailedSelfTest { slot, kernel } => {
                write!(f, "{kernel} of {slot} failed its self-test and is not used")
            }
            ForceErrorKind::NotAnEntry => f.write_str("an entry must be slot=kernel"),
            ForceErrorKind::Repeated { slot } => {
                write!(f, "an earlier entry has chosen the kernel of {slot}")
            }
            ForceErrorKind::NotUnicode => f.write_str("the value is not Unicode"),
        }
    }
}

impl core::error::Error for ForceError {}
