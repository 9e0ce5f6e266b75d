//! What this CPU can run, and what it runs fast.
//!
//! A [`Features`] value is a set of target features by their Rust names. `kernel!` makes one from the same literals
//! that it passes to `#[target_feature]`. So detection and code generation cannot disagree: a name outside the list
//! below does not compile.
//!
//! The `cpufeatures` crate detects once. It also asks whether the operating system saves the registers, and works
//! without `std`.
//!
//! [`Uarch`] adds what features do not tell: the CPUs on which a kernel can run but is slower.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(any(miri, target_env = "sgx"))))]
mod cpuid;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod midr;

use core::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

/// A set of target features.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Features(u32);

/// Lists the features that kernels may require on this architecture, in the order of their bits. First come the
/// features that the whole program is compiled with, which every CPU that runs it has; then the detected ones.
macro_rules! features {
    ($($always:literal),*; $($name:tt),*) => {
        const NAMES: &[&str] = &[$($always,)* $($name),*];

        fn detect() -> Features {
            #[allow(unused_mut)]
            let mut found = const { Features::named(&[$($always),*]) };
            $({
                cpufeatures::new!(probe, $name);
                if probe::get() {
                    found = found.and(const { Features::named(&[$name]) });
                }
            })*
            found
        }
    };
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
features!(
    ;
    "sse2",
    "popcnt",
    "avx2",
    "fma",
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

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
features!("neon"; "sha3");

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
features!("simd128";);

#[cfg(not(any(
    target_arch = "x86",
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128")
)))]
features!(;);

/// Marks [`DETECTED`] as filled: the top bit, which is no feature's.
const DONE: u32 = 1 << 31;

const _: () = assert!(NAMES.len() < 31);

static DETECTED: AtomicU32 = AtomicU32::new(0);
static MASK: AtomicU32 = AtomicU32::new(!0);

impl Features {
    /// The empty set, which portable kernels require.
    pub const NONE: Features = Features(0);

    /// The set of these names. `kernel!` evaluates it at compile time, where an unknown name is an error.
    pub const fn named(names: &[&str]) -> Features {
        let mut bits = 0;
        let mut i = 0;
        while i < names.len() {
            let mut bit = 0;
            while bit < NAMES.len() && !same(NAMES[bit], names[i]) {
                bit += 1;
            }
            assert!(bit < NAMES.len(), "job/cpu does not detect this target feature");
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

    /// The names of the members.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        NAMES.iter().enumerate().filter(move |&(bit, _)| self.0 >> bit & 1 == 1).map(|(_, name)| *name)
    }

    /// The features of this CPU and its operating system, without those that [`mask`] hides.
    pub fn available() -> Features {
        let mut bits = DETECTED.load(Relaxed);
        if bits == 0 {
            // Every thread finds the same bits, so any of them may store.
            bits = detect().0 | DONE;
            DETECTED.store(bits, Relaxed);
        }
        Features(bits & MASK.load(Relaxed) & !DONE)
    }
}

/// Hides every feature outside `visible` from later selections. For tests. It only removes features, so no kernel runs
/// on a CPU that lacks what it requires.
#[cfg_attr(not(feature = "internals"), allow(dead_code))]
pub fn mask(visible: Features) {
    MASK.store(visible.0, Relaxed);
}

/// The part of a CPU's speed that features do not tell and the choice of a kernel depends on. It is a hint: it decides
/// between kernels that can run, never whether one may run. All marks are false for an unknown CPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uarch {
    /// Kernels of 256 bits are faster: use of 512-bit registers lowers the clock of these CPUs, for other programs too.
    pub prefers_256_bit: bool,
    /// Two operations on registers of 512 bits a cycle, multiplications included, at the clock of other code.
    pub fast_512_bit: bool,
    /// Six integer operations a cycle, at least three of them rotations.
    pub six_alus: bool,
    /// An operation with a rotated operand costs no more than another, and the CPU does four or more in a cycle.
    pub free_rotated_operand: bool,
    /// An operation with a rotated operand costs as much as two, in operations and in cycles, and the CPU does six in a
    /// cycle.
    pub slow_rotated_operand: bool,
}

/// The marks of [`Uarch`] as bits, with [`Uarch::KNOWN`]; 0 before the first use.
static UARCH: AtomicU8 = AtomicU8::new(0);

impl Uarch {
    const PREFERS_256_BIT: u8 = 1;
    const SIX_ALUS: u8 = 2;
    const FREE_ROTATED_OPERAND: u8 = 4;
    const SLOW_ROTATED_OPERAND: u8 = 8;
    const FAST_512_BIT: u8 = 16;
    const KNOWN: u8 = 1 << 7;

    /// The marks of an x86 CPU.
    #[cfg_attr(not(feature = "internals"), allow(dead_code))]
    pub fn x86(vendor: &[u8; 12], family: u32, model: u32) -> Uarch {
        Uarch {
            // Skylake-SP, Skylake-X, Cascade Lake and Cooper Lake; Cannon Lake.
            prefers_256_bit: vendor == b"GenuineIntel" && family == 6 && matches!(model, 0x55 | 0x66),
            // Sapphire Rapids and Emerald Rapids.
            fast_512_bit: vendor == b"GenuineIntel" && family == 6 && matches!(model, 0x8f | 0xcf),
            // Zen 5.
            six_alus: vendor == b"AuthenticAMD" && family == 0x1a,
            ..Uarch::default()
        }
    }

    /// The marks of an AArch64 CPU, from the fields of its register MIDR_EL1.
    #[cfg_attr(not(feature = "internals"), allow(dead_code))]
    pub fn arm(implementer: u8, part: u16) -> Uarch {
        // Cortex-X1, X1C, X2, X3, X4 and X925; Neoverse V1, V2 and V3 in both of its kinds.
        const WIDE: [u16; 10] = [0xd44, 0xd4c, 0xd48, 0xd4e, 0xd82, 0xd85, 0xd40, 0xd4f, 0xd83, 0xd84];
        Uarch {
            free_rotated_operand: implementer == b'A' && WIDE.contains(&part),
            // Every Apple CPU under a system that lets programs read the register: M1 and later.
            slow_rotated_operand: implementer == b'a',
            ..Uarch::default()
        }
    }

    /// Whether the CPU does many more operations in a cycle than others of its architecture, and multiplies 64-bit
    /// words at least as fast.
    pub fn is_wide(self) -> bool {
        self.six_alus || self.free_rotated_operand || self.slow_rotated_operand
    }

    /// This CPU, or the one that [`assume`] has put in its place.
    pub fn current() -> Uarch {
        let mut bits = UARCH.load(Relaxed);
        if bits == 0 {
            bits = Uarch::detect().bits();
            UARCH.store(bits, Relaxed);
        }
        Uarch {
            prefers_256_bit: bits & Uarch::PREFERS_256_BIT != 0,
            fast_512_bit: bits & Uarch::FAST_512_BIT != 0,
            six_alus: bits & Uarch::SIX_ALUS != 0,
            free_rotated_operand: bits & Uarch::FREE_ROTATED_OPERAND != 0,
            slow_rotated_operand: bits & Uarch::SLOW_ROTATED_OPERAND != 0,
        }
    }

    #[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(any(miri, target_env = "sgx"))))]
    fn detect() -> Uarch {
        let (vendor, family, model) = cpuid::identity();
        Uarch::x86(&vendor, family, model)
    }

    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    fn detect() -> Uarch {
        // Apple's systems run on Apple's cores.
        let apple = cfg!(target_vendor = "apple").then_some((b'a', 0));
        let identity = apple.or_else(midr::identity);
        identity.map_or(Uarch::default(), |(implementer, part)| Uarch::arm(implementer, part))
    }

    #[cfg(not(any(
        all(target_arch = "x86_64", target_feature = "sse2", not(any(miri, target_env = "sgx"))),
        all(target_arch = "aarch64", target_feature = "neon", target_endian = "little")
    )))]
    fn detect() -> Uarch {
        Uarch::default()
    }

    fn bits(self) -> u8 {
        let mark = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
        mark(self.prefers_256_bit, Uarch::PREFERS_256_BIT)
            | mark(self.fast_512_bit, Uarch::FAST_512_BIT)
            | mark(self.six_alus, Uarch::SIX_ALUS)
            | mark(self.free_rotated_operand, Uarch::FREE_ROTATED_OPERAND)
            | mark(self.slow_rotated_operand, Uarch::SLOW_ROTATED_OPERAND)
            | Uarch::KNOWN
    }
}

/// Makes later selections assume another CPU. For tests.
#[cfg_attr(not(feature = "internals"), allow(dead_code))]
pub fn assume(uarch: Uarch) {
    UARCH.store(uarch.bits(), Relaxed);
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
