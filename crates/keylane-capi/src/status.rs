//! The results that calls of C return.

use crate::memory::function;
use core::ffi::{CStr, c_char, c_int};
use keylane::aead::AeadError;
use keylane::kernels::{ForceError, ForceErrorKind};
use keylane::siphash::{BatchError, TagMismatch};

macro_rules! statuses {
    ($($name:ident $constant:literal $text:literal;)*) => {
        /// `keylane_status`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(C)]
        pub enum Status {
            $(
                #[doc = $constant]
                $name,
            )*
        }

        /// Each status: its name in C and its number.
        pub const NAMES: [(&str, c_int); [$($constant),*].len()] =
            [$(($constant, Status::$name as c_int)),*];

        /// The text of each, by its number.
        const TEXTS: [&CStr; NAMES.len()] = [$($text),*];
    };
}

statuses! {
    Ok "KEYLANE_OK" c"no error";
    Null "KEYLANE_NULL" c"a required pointer is null";
    Align "KEYLANE_ALIGN" c"a pointer is not aligned for its type";
    Length "KEYLANE_LENGTH" c"a length is impossible";
    Count "KEYLANE_COUNT" c"a count is larger than memory";
    Overlap "KEYLANE_OVERLAP" c"the results overlap the input, or each other";
    State "KEYLANE_STATE" c"the object is not initialised, or for the other tag width, or finished, or wiped";
    Rounds "KEYLANE_ROUNDS" c"the rounds must be 1 to 255";
    Bits "KEYLANE_BITS" c"the hash has no tags of that width";
    Rows "KEYLANE_ROWS" c"the length is not the number of rows times their width";
    Offsets "KEYLANE_OFFSETS" c"an offset is negative, below its predecessor, or beyond the bytes";
    Mismatch "KEYLANE_MISMATCH" c"the tag does not match";
    Slot "KEYLANE_SLOT" c"there is no such slot";
    Kernel "KEYLANE_KERNEL" c"the slot has no such kernel";
    Cpu "KEYLANE_CPU" c"this CPU cannot run the kernel";
    Selftest "KEYLANE_SELFTEST" c"a kernel has failed its self-test";
    Entry "KEYLANE_ENTRY" c"an entry of KEYLANE_KERNEL is not slot=kernel, or repeats a slot";
    Unicode "KEYLANE_UNICODE" c"a text is not UTF-8";
    Random "KEYLANE_RANDOM" c"the system's random number generator failed";
    Views "KEYLANE_VIEWS" c"a view has a negative length or lies outside its buffer";
}

impl Status {
    /// The status for the result of a call.
    #[inline(always)]
    pub fn of(result: Result<(), Status>) -> Status {
        result.err().unwrap_or(Status::Ok)
    }
}

impl From<TagMismatch> for Status {
    #[inline]
    fn from(TagMismatch: TagMismatch) -> Status {
        Status::Mismatch
    }
}

impl From<BatchError> for Status {
    fn from(error: BatchError) -> Status {
        match error {
            BatchError::Rows { .. } => Status::Rows,
            BatchError::Offsets { .. } => Status::Offsets,
            BatchError::Views { .. } => Status::Views,
            _ => Status::Count,
        }
    }
}

impl From<AeadError> for Status {
    fn from(error: AeadError) -> Status {
        match error {
            AeadError::Forged => Status::Mismatch,
            AeadError::TooLong { .. } => Status::Length,
            _ => Status::Count,
        }
    }
}

impl From<ForceError> for Status {
    fn from(error: ForceError) -> Status {
        match error.kind() {
            ForceErrorKind::UnknownSlot => Status::Slot,
            ForceErrorKind::NotOnThisCpu { .. } => Status::Cpu,
            ForceErrorKind::FailedSelfTest { .. } => Status::Selftest,
            ForceErrorKind::NotAnEntry | ForceErrorKind::Repeated { .. } => Status::Entry,
            ForceErrorKind::NotUnicode => Status::Unicode,
            _ => Status::Kernel,
        }
    }
}

function! {
    // An integer: C may pass a number that is not a status.
    fn keylane_strerror(status: c_int) -> *const c_char {
        let text = usize::try_from(status).ok().and_then(|status| TEXTS.get(status));
        text.map_or(c"unknown status", |text| text).as_ptr()
    }

    fn keylane_version() -> *const c_char {
        const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
        VERSION.as_ptr().cast()
    }
}
