//! From how many bytes on one way to compute Poly1305 beats the one before it, on each class of CPUs.
//!
//! The powers of r, the way into the lanes and the sum over them cost some hundred cycles before the first
//! block is done: a kernel pays from some length on, and within it a loop that takes more groups of blocks
//! at a time, whose table of powers is longer, from another. `cargo xtask tune` measures every number
//! of the table on the CPU it runs on; the kernel's record says how it measures a way.
//!
//! The numbers of NEON are modelled, not measured: the instructions that a call runs through, as an emulator has
//! listed them, in LLVM's models of Neoverse V1 and V2 (wide CPUs) and of Neoverse N1 and Cortex-A57 (others), which
//! know nothing of mispredicted branches and of caches. Where two cores of a class disagree the number lies between.

use crate::job::cpu::Uarch;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// From how many bytes on a message goes through a slot: the indirect call must cost little beside the
/// blocks, and no kernel of `poly1305-pn` is worth its powers of r before. So no way for one message can begin earlier.
pub const LONG: usize = 105;

/// One way to compute, which pays from some length on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `poly1305_p8_avx512ifma`, where the scalar kernel came before.
    P8Avx512Ifma,
    /// The same in registers of 512 bits, where it took those of 256 before.
    P8Avx512IfmaWide,
    /// The same in registers of 512 bits with Karatsuba's method.
    P8Avx512IfmaKaratsuba,
    /// `poly1305_p4_avx512ifma`, where the scalar kernel came before.
    P4Avx512Ifma,
    /// The same with Karatsuba's method.
    P4Avx512IfmaKaratsuba,
    /// `poly1305_x8_avx512ifma` with Karatsuba's method.
    X8Avx512IfmaKaratsuba,
    /// `poly1305_p8_avx512f`, where the scalar kernel came before.
    P8Avx512F,
    /// The same, 8 groups at a time instead of 4, with a table of whole vectors.
    P8Avx512FBy8,
    /// `poly1305_p4_avx2`, where the scalar kernel came before.
    P4Avx2,
    /// The same, 8 groups at a time instead of 4, with a table of whole vectors.
    P4Avx2By8,
    /// `poly1305_p2_sse2`, where the scalar kernel came before.
    P2Sse2,
    /// The same, 8 groups at a time instead of 4, with a table of whole vectors.
    P2Sse2By8,
    /// `poly1305_p4_neon`, where the scalar kernel came before.
    P4Neon,
    /// The same, 16 blocks in a turn instead of 8.
    P4NeonBy8,
    /// `poly1305_x4_neon`, where two messages in general registers came before.
    X4Neon,
}

/// The table: each way, its length on wide CPUs (Zen 5, with whole 512-bit units; on AArch64 those that
/// `Uarch::is_wide` names), and on all others (measured on Zen 4). The column of Zen 5 rests on measurements of
/// another implementation of the same methods, until one of this is recorded there.
const TABLE: [(Method, usize, usize); 15] = [
    (Method::P8Avx512Ifma, 105, 105),
    (Method::P8Avx512IfmaWide, 105, 8192),
    (Method::P8Avx512IfmaKaratsuba, 2048, 2304),
    (Method::P4Avx512Ifma, 105, 105),
    (Method::P4Avx512IfmaKaratsuba, 1792, 1792),
    (Method::X8Avx512IfmaKaratsuba, 257, 449),
    (Method::P8Avx512F, 385, 641),
    (Method::P8Avx512FBy8, 28673, 28673),
    (Method::P4Avx2, 385, 433),
    (Method::P4Avx2By8, 9217, 9217),
    (Method::P2Sse2, 1281, 1281),
    (Method::P2Sse2By8, 3073, 3073),
    (Method::P4Neon, 337, 257),
    (Method::P4NeonBy8, 1793, 2049),
    (Method::X4Neon, 1025, 65),
];

/// What stands in the place of the table: 0 where nothing does.
static ASSUMED: [AtomicUsize; TABLE.len()] = [const { AtomicUsize::new(0) }; TABLE.len()];

impl Method {
    /// Every way.
    #[cfg_attr(not(feature = "internals"), allow(dead_code))]
    pub fn all() -> impl Iterator<Item = Method> {
        TABLE.iter().map(|row| row.0)
    }

    /// Whether it is a loop behind another loop of the same kernel.
    #[cfg_attr(not(feature = "internals"), allow(dead_code))]
    pub fn is_later_loop(self) -> bool {
        matches!(
            self,
            Method::P8Avx512IfmaKaratsuba
                | Method::P4Avx512IfmaKaratsuba
                | Method::X8Avx512IfmaKaratsuba
                | Method::P8Avx512FBy8
                | Method::P4Avx2By8
                | Method::P2Sse2By8
                | Method::P4NeonBy8
                | Method::X4Neon
        )
    }

    /// From how many bytes on it pays on this CPU.
    #[inline]
    pub fn from(self) -> usize {
        let assumed = ASSUMED.get(self as usize).map_or(0, |place| place.load(Relaxed));
        if assumed != 0 { assumed } else { self.read() }
    }

    /// From how many bytes on it pays on such a CPU.
    pub fn of(self, uarch: Uarch) -> usize {
        let (_, wide, other) = TABLE.get(self as usize).copied().unwrap_or((self, usize::MAX, usize::MAX));
        if uarch.is_wide() { wide } else { other }
    }

    /// Reads the table for this CPU, and keeps what it says.
    #[cold]
    fn read(self) -> usize {
        let from = self.of(Uarch::current());
        self.assume(from);
        from
    }

    /// Makes it pay from `from` bytes on, at least 1; a kernel's own threshold from the next time on that the
    /// kernel is chosen. For tests and `cargo xtask tune`.
    pub fn assume(self, from: usize) {
        if let Some(place) = ASSUMED.get(self as usize) {
            place.store(from.max(1), Relaxed);
        }
    }

    /// Makes it pay as the table says, which is read at the next use, as at the first. For tests.
    #[cfg_attr(not(feature = "internals"), allow(dead_code))]
    pub fn forget(self) {
        if let Some(place) = ASSUMED.get(self as usize) {
            place.store(0, Relaxed);
        }
    }
}

/// What a message of so many blocks costs alone, by the scalar kernel or one of the two methods of
/// `poly1305_p8_avx512ifma`, in the unit of [`together`]: cycles on Zen 4, about twice those on Zen 5.
#[inline]
pub fn alone(blocks: usize) -> usize {
    (10 + 27 * blocks / 2).min(95 + 17 * blocks / 5).min(260 + 21 * blocks / 10)
}

/// What up to 8 messages, the longest of so many turns of four blocks, cost together.
#[inline]
pub fn together(turns: usize) -> usize {
    170 + 110 * turns
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of the table is found by its way.
    #[test]
    fn ways_are_in_order() {
        for (i, way) in Method::all().enumerate() {
            assert_eq!(way as usize, i);
        }
    }
}
