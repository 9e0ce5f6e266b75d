//! Floors: fewer cycles than any engine can take on this CPU, computed from counts of operations.
//!
//! A floor is a bound from below, on purpose an optimistic one: it counts what every implementation of the same shape
//! must do and nothing else, as if every unit had work in every cycle. What a load, a tail, a call or a loop takes is
//! not in it. docs/BENCHMARKS.md says so to whoever reads the tables.

use crate::engine::Rounds;
use keylane_measure::cpu::microarchitecture;
use keylane_measure::record::Figure;
use keylane_measure::sample::Quartiles;
use std::sync::LazyLock;

/// The name of the row.
pub(super) const NAME: &str = "floor";

/// What a core can begin in a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Core {
    /// Operations on integers.
    integer: f64,
    /// Rotations among them.
    rotations: f64,
    /// Operations on vectors of 512 bits.
    vectors: f64,
    /// Multiplications of 52 bits in vectors of 512 bits among them.
    products: f64,
}

/// As measured on Zen 5, and as Zen 4's units are: four vector units of 256 bits, two of which multiply.
const ZEN4: Core = Core { integer: 4.0, rotations: 2.0, vectors: 2.0, products: 1.0 };
const ZEN5: Core = Core { integer: 6.0, rotations: 3.0, vectors: 4.0, products: 2.0 };

/// The core of this CPU, if its units are known here.
static CORE: LazyLock<Option<Core>> = LazyLock::new(|| match microarchitecture() {
    Some("zen4") => Some(ZEN4),
    Some("zen5") => Some(ZEN5),
    _ => None,
});

/// The words that a message has with the last one, which holds its length.
fn words(len: usize) -> f64 {
    (len / 8 + 1) as f64
}

/// SipHash, dependent calls: the chain from the first word to the tag, on any CPU.
///
/// A half round of v1, or of v3, is an addition and a xor that wait for each other, the rotation beside them: 2
/// cycles, 4 a round. The first `v3 ^= m` takes a cycle before it, and `v2 ^= 0xff` one behind the half turn of v2. In
/// the tag v0 cancels out: with s = v2 + v1 of the last half round it is rotl(v1, 17) ^ rotl(v3, 21) ^ s ^ rotl(s, 32),
/// where s is there 3 cycles into the round and takes 2 more: 1 beyond it. The injections between take none, if they
/// stand beside the rounds.
pub(super) fn chain(rounds: Rounds, len: usize) -> f64 {
    let (c, d) = cd(rounds);
    4.0 * (c * words(len) + d) + 3.0
}

/// SipHash, independent calls, one message at a time: operations on integers, on the units for them.
///
/// A round has 4 additions, 4 xors and 6 rotations, a word 2 xors beside its c rounds, the end a xor with 0xff and 3
/// for the tag. Of the first round, v0 + v1, three rotations and a xor depend on the key alone, which is known before:
/// 5 operations. In the last one v0 cancels out, and with it an addition, a rotation and 2 xors.
pub(super) fn operations(rounds: Rounds, len: usize) -> Option<f64> {
    let ((c, d), words, core) = (cd(rounds), words(len), (*CORE)?);
    let rotations = 6.0 * (c * words + d) - 3.0 - 1.0;
    let all = 14.0 * (c * words + d) + 2.0 * words + 1.0 + 3.0 - 5.0 - 4.0;
    Some((all / core.integer).max(rotations / core.rotations))
}

/// SipHash of many messages, one in each of 8 lanes of 64 bits: operations on vectors, on the units for them.
///
/// As [`operations`], but `v3 ^= m` of each word behind the first is one operation with the xor before it, and the four
/// words of the tag are xored by 2.
pub(super) fn in_lanes(rounds: Rounds, len: usize) -> Option<f64> {
    const LANES: f64 = 8.0;
    let ((c, d), words, core) = (cd(rounds), words(len), (*CORE)?);
    let all = 14.0 * (c * words + d) + words + 1.0 + 1.0 + 2.0 - 5.0 - 4.0;
    Some(all / core.vectors / LANES)
}

/// Poly1305 of a long message: the products of its blocks in base 2^44, 8 blocks in a vector.
///
/// By Karatsuba's method a block has 6 products, each of which is a low and a high half: 12 operations of the
/// multiplier. 6 more take 8 blocks apart into limbs, and 3 are the sums of limbs. A carry serves as many blocks as one
/// likes, so it counts for nothing.
pub(super) fn products(len: usize) -> Option<f64> {
    let (vectors, core) = (len as f64 / 128.0, (*CORE)?);
    Some(vectors * (12.0 / core.products).max((12.0 + 6.0 + 3.0) / core.vectors))
}

/// The mean over the lengths of messages.
pub(super) fn mean(
    lengths: impl Iterator<Item = usize>,
    floor: impl Fn(usize) -> Option<f64>,
) -> Option<f64> {
    let floors: Vec<f64> = lengths.map(floor).collect::<Option<_>>()?;
    Some(floors.iter().sum::<f64>() / floors.len() as f64)
}

fn cd(rounds: Rounds) -> (f64, f64) {
    let (c, d) = rounds.numbers();
    (c.into(), d.into())
}

/// A floor beside keylane's figure.
pub(super) fn figure(floor: f64, ours: &Figure) -> Figure {
    let Quartiles { lower, median, upper } = ours.cycles;
    Figure {
        cycles: Quartiles { lower: floor, median: floor, upper: floor },
        ratio: Some(ours.cycles.per(floor)),
        above: Some(Quartiles { lower: floor - upper, median: floor - median, upper: floor - lower }),
        kept: ours.kept,
        dropped: 0,
        pairs: ours.kept,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4c + 4d + 3 for one word, as a dataflow model of such hashes found.
    #[test]
    fn chains() {
        assert_eq!((chain(Rounds::R13, 7), chain(Rounds::R24, 7)), (19.0, 27.0));
        assert_eq!((chain(Rounds::R13, 8), chain(Rounds::R24, 8)), (23.0, 35.0));
    }

    #[test]
    fn means() {
        assert_eq!(mean([2, 4].into_iter(), |len| Some(len as f64)), Some(3.0));
        assert_eq!(mean([2].into_iter(), |_| None), None);
    }
}
