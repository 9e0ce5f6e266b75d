//! What this CPU can run.
//!
//! A [`Features`] value is a set of target features by their Rust names. `kernel!`
//! makes one from the same literals that it hands to `#[target_feature]`, so that detection and
//! code generation cannot disagree: a name that is not in the list below does not compile.
//!
//! Detection is done once, by the `cpufeatures` crate, which also asks whether the operating
//! system saves the registers and works without `std`.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A set of target features.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Features(u32);

/// Lists the features that kernels may require on this architecture, in the order of their bits.
macro_rules! features {
    ($($name:tt),*) => {
        const NAMES: &[&str] = &[$($name),*];

        fn detect() -> Features {
            #[allow(unused_mut)]
            let mut found = Features::NONE;
            $({
                cpufeatures::new!(probe, $name);
                if probe::get() {
                    found = found.and(Features::named(&[$name]));
                }
            })*
            found
        }
    };
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
features!(
    "sse2",
    "avx2",
    "bmi2",
    "adx",
    "gfni",
    "avx512f",
    "avx512bw",
    "avx512vl",
    "avx512ifma",
    "avx512vbmi",
    "avx512vbmi2"
);

#[cfg(target_arch = "aarch64")]
features!("sha3");

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
features!();

/// Marks [`DETECTED`] as filled: the top bit, which no feature has.
const DONE: u32 = 1 << 31;

const _: () = assert!(NAMES.len() < 31);

static DETECTED: AtomicU32 = AtomicU32::new(0);
static MASK: AtomicU32 = AtomicU32::new(!0);

impl Features {
    /// The empty set: what portable kernels require.
    pub const NONE: Features = Features(0);

    /// The set of the given names. Evaluated at compile time by `kernel!`, where an unknown name
    /// is a compile error.
    pub const fn named(names: &[&str]) -> Features {
        let mut bits = 0;
        let mut i = 0;
        while i < names.len() {
            let mut bit = 0;
            while bit < NAMES.len() && !same(NAMES[bit], names[i]) {
                bit += 1;
            }
            assert!(bit < NAMES.len(), "cpu.rs does not detect this target feature");
            bits |= 1 << bit;
            i += 1;
        }
        Features(bits)
    }

    /// The union of two sets.
    pub const fn and(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    /// The members of `self` that `other` lacks.
    pub const fn without(self, other: Features) -> Features {
        Features(self.0 & !other.0)
    }

    /// Whether the set has no member.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members' names.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        NAMES.iter().enumerate().filter(move |&(bit, _)| self.0 >> bit & 1 == 1).map(|(_, name)| *name)
    }

    /// What this CPU and its operating system offer, less what [`mask`] hides.
    pub fn available() -> Features {
        let mut bits = DETECTED.load(Relaxed);
        if bits == 0 {
            // Every thread finds the same bits, so it does not matter which of them stores.
            bits = detect().0 | DONE;
            DETECTED.store(bits, Relaxed);
        }
        Features(bits & MASK.load(Relaxed) & !DONE)
    }
}

/// Hides every feature outside `visible` from selections made from now on. For tests: it can only
/// take features away, so no kernel runs on a CPU that lacks what it requires.
#[cfg_attr(not(feature = "internals"), allow(dead_code))]
pub fn mask(visible: Features) {
    MASK.store(visible.0, Relaxed);
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}
