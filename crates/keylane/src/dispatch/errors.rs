//! Why a kernel cannot be chosen.

/// Why a kernel cannot be chosen. `Display` explains it, with the names that exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForceError {
    pub(crate) kind: ForceErrorKind,
    pub(crate) entry: Option<&'static str>,
}

impl ForceError {
    /// What is wrong, for `match`.
    pub fn kind(&self) -> ForceErrorKind {
        self.kind
    }

    /// The entry of `KEYLANE_KERNEL` that is wrong. `None` for errors of [`force`](crate::kernels::force).
    pub fn entry(&self) -> Option<&'static str> {
        self.entry
    }
}

/// What is wrong with a choice of kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ForceErrorKind {
    /// There is no such slot.
    UnknownSlot,
    /// The slot has no such kernel.
    UnknownKernel {
        /// The slot.
        slot: &'static str,
    },
    /// This CPU, or its operating system, lacks a feature that the kernel requires.
    NotOnThisCpu {
        /// The slot.
        slot: &'static str,
        /// The kernel.
        kernel: &'static str,
    },
    /// The kernel gave a wrong answer to its self-test.
    FailedSelfTest {
        /// The slot.
        slot: &'static str,
        /// The kernel.
        kernel: &'static str,
    },
    /// The entry is not `slot=kernel`.
    NotAnEntry,
    /// An earlier entry names the same slot and takes precedence.
    Repeated {
        /// The slot.
        slot: &'static str,
    },
    /// The variable is not Unicode.
    NotUnicode,
}
