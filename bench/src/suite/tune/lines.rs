//! How each method is measured: one line each.

use keylane::job::cpu::Uarch;
use keylane::job::thresholds::Method;

/// Poly1305 of one message, many blocks at a time.
const ONE: &str = "poly1305-pn";

/// Poly1305 of many messages.
const MANY: &str = "poly1305-xn";

/// A method and its kernel.
#[derive(Debug)]
pub struct Line {
    /// The method. Side "before" never uses it, side "after" always does.
    pub way: Method,
    /// The slot. It selects the call: `mac`, or `mac_batch` for many messages.
    pub slot: &'static str,
    /// The kernel, the same on both sides.
    pub kernel: &'static str,
    /// The previous method.
    pub before: Before,
}

/// The method for shorter messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// No kernel of the slot: the scalar code of `mac`.
    Scalar,
    /// Another loop of the same kernel. To reach it, both sides always use these methods.
    Loop(&'static [Method]),
}

/// A kernel's own threshold.
const fn kernel(slot: &'static str, kernel: &'static str, way: Method) -> Line {
    Line { way, slot, kernel, before: Before::Scalar }
}

/// A loop within a kernel.
const fn within(slot: &'static str, kernel: &'static str, way: Method, always: &'static [Method]) -> Line {
    Line { way, slot, kernel, before: Before::Loop(always) }
}

/// Every method, in the order of measurement: a result applies to the lines after it. So the loops of a
/// kernel come first, from the inside out.
pub static LINES: [Line; 15] = [
    within(ONE, "poly1305_p4_avx512ifma", Method::P4Avx512IfmaKaratsuba, &[Method::P4Avx512Ifma]),
    kernel(ONE, "poly1305_p4_avx512ifma", Method::P4Avx512Ifma),
    within(
        ONE,
        "poly1305_p8_avx512ifma",
        Method::P8Avx512IfmaKaratsuba,
        &[Method::P8Avx512Ifma, Method::P8Avx512IfmaWide],
    ),
    within(ONE, "poly1305_p8_avx512ifma", Method::P8Avx512IfmaWide, &[Method::P8Avx512Ifma]),
    kernel(ONE, "poly1305_p8_avx512ifma", Method::P8Avx512Ifma),
    within(ONE, "poly1305_p8_avx512f", Method::P8Avx512FBy8, &[Method::P8Avx512F]),
    kernel(ONE, "poly1305_p8_avx512f", Method::P8Avx512F),
    within(ONE, "poly1305_p4_avx2", Method::P4Avx2By8, &[Method::P4Avx2]),
    kernel(ONE, "poly1305_p4_avx2", Method::P4Avx2),
    within(ONE, "poly1305_p2_sse2", Method::P2Sse2By8, &[Method::P2Sse2]),
    kernel(ONE, "poly1305_p2_sse2", Method::P2Sse2),
    within(ONE, "poly1305_p4_neon", Method::P4NeonBy8, &[Method::P4Neon]),
    kernel(ONE, "poly1305_p4_neon", Method::P4Neon),
    within(MANY, "poly1305_x4_neon", Method::X4Neon, &[]),
    within(MANY, "poly1305_x8_avx512ifma", Method::X8Avx512IfmaKaratsuba, &[]),
];

impl Line {
    /// The length from which a side uses each method: this one from `from` on, others as found so far, or as
    /// in the table.
    pub fn ways(&self, from: usize, found: &[(Method, usize)]) -> Vec<(Method, usize)> {
        let always = match self.before {
            Before::Scalar => &[],
            Before::Loop(always) => always,
        };
        let of = |way: Method| match found.iter().find(|(of, _)| *of == way) {
            _ if way == self.way => from,
            _ if always.contains(&way) => 1,
            Some((_, found)) => *found,
            None => way.of(Uarch::current()),
        };
        Method::all().map(|way| (way, of(way))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keylane::kernels;

    #[test]
    fn every_way_has_a_line() {
        for way in Method::all() {
            let lines = LINES.iter().filter(|line| line.way == way).count();
            assert_eq!(lines, 1, "{way:?} has {lines} lines in LINES, which say how it is measured");
        }
    }

    #[test]
    fn every_slot_is_one() {
        for line in &LINES {
            assert!(kernels::list().any(|kernel| kernel.slot() == line.slot), "{line:?}");
        }
    }

    #[test]
    fn a_side_says_of_every_way_from_where_on_it_is_taken() {
        let line = &LINES[3];
        let found = [(Method::P4Avx512IfmaKaratsuba, 777), (Method::P8Avx512Ifma, 555)];
        let ways = line.ways(usize::MAX, &found);
        let of = |way: Method| ways[way as usize];
        assert_eq!(ways.len(), Method::all().count());
        assert_eq!(of(Method::P8Avx512IfmaWide), (Method::P8Avx512IfmaWide, usize::MAX));
        assert_eq!(of(Method::P8Avx512Ifma).1, 1);
        assert_eq!(of(Method::P4Avx512IfmaKaratsuba).1, 777);
        assert_eq!(of(Method::P4Avx2).1, Method::P4Avx2.of(Uarch::current()));
    }
}
