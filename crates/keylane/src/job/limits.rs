//! The measured numbers that decide which code does a call: the length, or the number of messages, from which a method
//! beats the previous one, on each class of CPUs.
//!
//! For rows of many messages of SipHash and HalfSipHash, the number counts messages of any lengths: a shorter call is a
//! loop over single messages. The other methods compute Poly1305, and their numbers are lengths in bytes.
//!
//! Some costs come before the first block: the powers of r, loading the lanes, and the sum over them take some hundred
//! cycles. So a kernel is profitable only from some length on. Within a kernel, a loop over more groups of blocks needs
//! more powers and is profitable only from a greater length. `cargo xtask tune` measures every number of the table on
//! its CPU. The kernel's record says how to measure a method.
//!
//! The numbers for NEON are modelled, not measured. An emulator lists the instructions of a call, and LLVM's models
//! estimate their cycles. The models are Neoverse V1 and V2 for wide CPUs, Neoverse N1 and Cortex-A57 for others. The
//! models ignore mispredicted branches and caches. Where two cores of a class disagree, the number lies between.

#[cfg(target_arch = "x86_64")]
use crate::job::cpu::Features;
use crate::job::cpu::Uarch;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The length in bytes from which a message goes through a slot. For a shorter message, the indirect call and the
/// powers of r cost too much. On x86-64 some methods have a lower number below: it counts in batches and streams.
///
/// The limit on x86-64 comes from Zen 3 and Emerald Rapids: no kernel takes less time there for 9 blocks. It was not
/// measured on Zen 4 and Zen 5.
pub const FROM_BYTES: usize = if cfg!(target_arch = "x86_64") { 145 } else { 129 };

/// How many bytes longer than a whole message a first piece must be for a kernel to be profitable. They pay for the powers
/// of r that the following pieces use. In base 2^44, with IFMA, that is nothing. In base 2^26 it was measured with
/// AVX2 on Zen 3: there a first piece is profitable from 640 bytes on. On other architectures it was not measured.
#[inline]
pub fn powers_cost() -> usize {
    #[cfg(target_arch = "x86_64")]
    {
        const IFMA: Features = Features::named(&["avx512ifma"]);
        if !IFMA.without(Features::available()).is_empty() {
            return 511;
        }
    }
    0
}

/// The number of messages from which all other rows of SipHash and HalfSipHash are taken: nothing was measured.
pub const FROM_MESSAGES: usize = 16;

/// From this number of messages on, `mac_batch` takes messages of several lengths to a row, if their mean is
/// [`RAGGED_FACTOR`] times as long as messages of one length have to be.
pub const FEWEST_RAGGED: usize = 32;

/// From this number of packets on, their blocks share the lanes of a kernel. Fewer are sealed so if all are short
/// ([`SHORT_PACKET`]), and are otherwise done one by one. Measured on Zen 4, where two packets of 64 bytes took 0.94 of
/// the loop when sealed and 1.67 when opened, two of 1420 bytes 1.08 and 1.10, and four lost nothing.
pub const FEWEST_PACKETS: usize = 4;

/// The most bytes of a packet that counts as short.
pub const SHORT_PACKET: usize = 256;

/// Packets of more bytes are done one by one: they fill the lanes of a kernel by themselves, and are sealed in pieces that
/// stay in L1. Measured on Zen 4, beside groups: 0.98 with 9000 bytes, 0.97 with 16 KiB.
pub const LONG_PACKET: usize = 8192;

/// Up to this many bytes of data, the tags of two packets are computed side by side in general registers. Measured on Zen
/// 4, beside a loop of single calls: with 384 bytes 0.95 in pairs and 1.06 without (AVX-512, 4 packets), 0.80 and 1.01
/// (AVX2, 16 packets); with 768 bytes 1.10 and 1.08, 0.87 and 1.00. Two chains need a multiplier of 64 bits.
pub const PAIRED_BYTES: usize = if cfg!(target_pointer_width = "64") { 512 } else { 0 };

/// The bytes of a packet from which a row that encrypts and authenticates in one pass is profitable. Measured with
/// AVX2 on an Intel Xeon (family 6 model 167), beside two passes: 1.02 with 1420 bytes, 0.99 with 2048, 0.95 with 16 KiB.
pub const STITCHED_BYTES: usize = 2048;

/// How many times as long as messages of one length those of several lengths must be in the mean.
pub const RAGGED_FACTOR: usize = 4;

/// A method that is profitable from some length, or from some number of messages on. Each comment names the previous
/// method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `poly1305_p8_avx512ifma`, after the scalar kernel.
    P8Avx512Ifma,
    /// The same in registers of 512 bits, after those of 256 bits.
    P8Avx512IfmaZmm,
    /// The same in registers of 512 bits with Karatsuba's method.
    P8Avx512IfmaKaratsuba,
    /// `poly1305_p4_avx512ifma`, after the scalar kernel.
    P4Avx512Ifma,
    /// The same with Karatsuba's method.
    P4Avx512IfmaKaratsuba,
    /// `poly1305_x8_avx512ifma` with Karatsuba's method.
    X8Avx512IfmaKaratsuba,
    /// `poly1305_p8_avx512f`, after the scalar kernel.
    P8Avx512F,
    /// The same, with 8 groups at a time instead of 4 and a table of whole vectors.
    P8Avx512FBy8,
    /// `poly1305_p4_avx2`, after the scalar kernel.
    P4Avx2,
    /// The same, with 2 groups at a time instead of one.
    P4Avx2By2,
    /// The same, with 4 groups at a time instead of 2.
    P4Avx2By4,
    /// The same by Karatsuba's method, with 8 groups at a time and a table of whole vectors.
    P4Avx2By8,
    /// `poly1305_p2_sse2`, after the scalar kernel.
    P2Sse2,
    /// The same, with 8 groups at a time instead of 4 and a table of whole vectors.
    P2Sse2By8,
    /// `poly1305_p4_neon`, after the scalar kernel.
    P4Neon,
    /// The same, with 16 blocks in a turn instead of 8.
    P4NeonBy8,
    /// `poly1305_x4_neon`, after two messages in general registers.
    X4Neon,
    /// `poly1305_x8_avx512ifma` for messages of one length, after one message after the other.
    X8Avx512Ifma,
    /// `poly1305_x4_avx2` for messages of one length, after one message after the other.
    X4Avx2,
    /// `poly1305_x2_u64` for messages of one length, after one message after the other.
    X2U64,
    /// `siphash_x8_avx512`, after a loop over single messages.
    SiphashX8Avx512,
    /// `siphash_x4_avx2`, after a loop.
    SiphashX4Avx2,
    /// `halfsiphash_x16_avx512`, after a loop.
    HalfsiphashX16Avx512,
    /// `halfsiphash_x8_avx2`, after a loop.
    HalfsiphashX8Avx2,
}

/// A class of CPUs: a column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Zen 5, and on AArch64 the CPUs that [`Uarch::is_wide`] names. The column comes from another implementation of the
    /// same methods, which was measured on Zen 5. A method that is measured on Zen 4 only begins no earlier than there.
    Wide,
    /// CPUs with [`Uarch::fast_512_bit`]: measured on Emerald Rapids.
    Fast512,
    /// All others: measured on Zen 4. A CPU with AVX2 alone is among them, with AVX2 forced on Zen 4.
    Other,
}

impl Class {
    /// Every class, in the order of the columns.
    pub const ALL: [Class; 3] = [Class::Wide, Class::Fast512, Class::Other];

    /// The class of CPUs with these marks.
    pub fn of(uarch: Uarch) -> Class {
        match uarch {
            _ if uarch.is_wide() => Class::Wide,
            _ if uarch.fast_512_bit => Class::Fast512,
            _ => Class::Other,
        }
    }

    /// The class of this CPU. Only the first call looks.
    #[inline]
    pub fn current() -> Class {
        let known = CURRENT.load(Relaxed);
        Self::ALL.get(known).copied().unwrap_or_else(Self::look)
    }

    #[cold]
    fn look() -> Class {
        let class = Self::of(Uarch::current());
        CURRENT.store(class as usize, Relaxed);
        class
    }
}

/// The class of this CPU, as an index into `ALL`.
static CURRENT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The lengths for `P2Sse2` and `P2Sse2By8`. In 32-bit code the scalar kernel takes three times as long, so vectors are
/// profitable as soon as they may begin. Measured in 32-bit code on Emerald Rapids (docs/research/RADIX.md).
const P2_SSE2: [[usize; 3]; 2] = if cfg!(target_arch = "x86") {
    [[FROM_BYTES; 3], [2560; 3]]
} else {
    [[1281, 1984, 1281], [3073, 1857, 3073]]
};

/// The table: each method, and its number for each [`Class`].
const TABLE: [(Method, [usize; 3]); 24] = [
    (Method::P8Avx512Ifma, [129, 145, 129]),
    (Method::P8Avx512IfmaZmm, [129, 577, 8192]),
    (Method::P8Avx512IfmaKaratsuba, [2048, 2560, 2304]),
    (Method::P4Avx512Ifma, [129, 145, 129]),
    (Method::P4Avx512IfmaKaratsuba, [1792, 4096, 1792]),
    (Method::X8Avx512IfmaKaratsuba, [257, usize::MAX, 449]),
    (Method::P8Avx512F, [385, 576, 641]),
    (Method::P8Avx512FBy8, [28673, 14592, 28673]),
    (Method::P4Avx2, [385, 176, 129]),
    (Method::P4Avx2By2, [433, 896, 433]),
    (Method::P4Avx2By4, [1345, 1600, 1345]),
    (Method::P4Avx2By8, [9217, 5121, 5121]),
    (Method::P2Sse2, P2_SSE2[0]),
    (Method::P2Sse2By8, P2_SSE2[1]),
    (Method::P4Neon, [337, 257, 257]),
    (Method::P4NeonBy8, [1793, 2049, 2049]),
    (Method::X4Neon, [1025, 65, 65]),
    (Method::X8Avx512Ifma, [49, 49, 49]),
    (Method::X4Avx2, [128, 128, 128]),
    (Method::X2U64, [129, 129, 129]),
    (Method::SiphashX8Avx512, [13, 13, 13]),
    (Method::SiphashX4Avx2, [16, 16, 16]),
    (Method::HalfsiphashX16Avx512, [12, 12, 12]),
    (Method::HalfsiphashX8Avx2, [16, 16, 16]),
];

/// Numbers that replace the table's; 0 stands for none.
static ASSUMED: [AtomicUsize; TABLE.len()] = [const { AtomicUsize::new(0) }; TABLE.len()];

impl Method {
    /// Every method.
    #[cfg_attr(not(feature = "internals"), allow(dead_code))]
    pub fn all() -> impl Iterator<Item = Method> {
        TABLE.iter().map(|row| row.0)
    }

    /// Whether the method is a later loop of a kernel that has an earlier one.
    #[cfg_attr(not(feature = "internals"), allow(dead_code))]
    pub fn is_later_loop(self) -> bool {
        matches!(
            self,
            Method::P8Avx512IfmaKaratsuba
                | Method::P4Avx512IfmaKaratsuba
                | Method::X8Avx512IfmaKaratsuba
                | Method::P8Avx512FBy8
                | Method::P4Avx2By2
                | Method::P4Avx2By4
                | Method::P4Avx2By8
                | Method::P2Sse2By8
                | Method::P4NeonBy8
                | Method::X4Neon
        )
    }

    /// The length, or the number of messages, from which the method is profitable on this CPU.
    #[inline]
    pub fn threshold(self) -> usize {
        self.known().unwrap_or_else(|| self.read())
    }

    /// The same, or `None` before the first use of `threshold`.
    #[inline]
    pub fn known(self) -> Option<usize> {
        let assumed = ASSUMED.get(self as usize).map_or(0, |place| place.load(Relaxed));
        (assumed != 0).then_some(assumed)
    }

    /// The same on CPUs of a class.
    pub fn of(self, class: Class) -> usize {
        let numbers = TABLE.get(self as usize).map(|row| row.1);
        numbers.and_then(|numbers| numbers.get(class as usize).copied()).unwrap_or(usize::MAX)
    }

    /// Reads the table for this CPU and keeps the result.
    #[cold]
    fn read(self) -> usize {
        let from = self.of(Class::current());
        self.assume(from);
        from
    }

    /// Sets the number from which the method is profitable to `from`, at least 1. A kernel's own threshold changes when
    /// the kernel is next chosen. For tests and `cargo xtask tune`.
    pub fn assume(self, from: usize) {
        if let Some(place) = ASSUMED.get(self as usize) {
            place.store(from.max(1), Relaxed);
        }
    }

    /// Returns to the table's number, which the next use reads. For tests.
    #[cfg_attr(not(feature = "internals"), allow(dead_code))]
    pub fn forget(self) {
        if let Some(place) = ASSUMED.get(self as usize) {
            place.store(0, Relaxed);
        }
    }
}

/// The cost of a single message of this many blocks, by the scalar kernel or one of the two methods of
/// `poly1305_p8_avx512ifma`. The unit, as in [`group_cost`], is a cycle on Zen 4, where a call takes about twice as
/// many as on Zen 5.
#[inline]
pub fn single_cost(blocks: usize) -> usize {
    (10 + 27 * blocks / 2).min(95 + 17 * blocks / 5).min(260 + 21 * blocks / 10)
}

/// The cost of a group of up to 8 messages. The longest has this many turns of four blocks.
#[inline]
pub fn group_cost(turns: usize) -> usize {
    170 + 110 * turns
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A method's index is the index of its row.
    #[test]
    fn methods_are_in_order() {
        for (i, method) in Method::all().enumerate() {
            assert_eq!(method as usize, i);
        }
    }
}
