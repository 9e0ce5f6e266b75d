//! Poly1305: keys, published answers, and the lengths where kernels switch to other loops.

use crate::input::coded;
use keylane::job::limits::Method;
use keylane_conformance::vectors::{MacCase, Published, Verdict};

coded! {
    /// A one-time key.
    pub enum KeyOf {
        /// These bytes.
        Given {
            /// The bytes.
            bytes: [u8; 32]
        },
        /// A small r and an s of equal bytes: sums close to p.
        Small {
            /// r.
            r: u8,
            /// Each byte of s.
            s: u8
        },
        /// Every bit that r may have, and an s of equal bytes.
        Large {
            /// Each byte of s.
            s: u8
        },
    }
}

impl KeyOf {
    /// The bytes.
    pub fn bytes(&self) -> [u8; 32] {
        let halves = |r: u128, s: u8| std::array::from_fn(|i| if i < 16 { r.to_le_bytes()[i] } else { s });
        match *self {
            KeyOf::Given { bytes } => bytes,
            KeyOf::Small { r, s } => halves(r.into(), s),
            KeyOf::Large { s } => halves(u128::MAX, s),
        }
    }
}

/// The published answers whose messages are not long.
pub fn published() -> impl Iterator<Item = MacCase> {
    let macs = Published::load().macs.into_iter();
    macs.filter(|case| case.verdict == Verdict::Valid && case.message.len() <= 1024)
}

/// Changes, for one case, the lengths where kernels switch to other loops.
pub struct AssumedMethods;

impl AssumedMethods {
    /// A number selects: as on this CPU, every loop from its first byte on, or only first loops.
    pub fn assume(number: u8) -> Self {
        let later = [None, Some(1), Some(usize::MAX)][usize::from(number) % 3];
        if let Some(later) = later {
            Method::all().for_each(|method| method.assume(if method.is_later_loop() { later } else { 1 }));
        }
        AssumedMethods
    }
}

impl Drop for AssumedMethods {
    fn drop(&mut self) {
        Method::all().for_each(Method::forget);
    }
}
