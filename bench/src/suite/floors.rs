//! Floors: lower bounds on the cycles of any engine on this CPU, computed from counts of operations.
//!
//! A floor is deliberately optimistic. It counts only operations that every implementation of the same shape
//! must do, as if every unit had work in every cycle. It leaves out loads, tails, calls and loops.
//! docs/BENCHMARKS.md explains this to readers of the tables.

use crate::engine::Rounds;
use keylane_measure::cpu::microarchitecture;
use keylane_measure::record::Figure;
use keylane_measure::sample::Quartiles;
use std::sync::LazyLock;

/// The name of the engine.
pub(super) const NAME: &str = "floor";

/// The operations that a core can start per cycle.
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

/// Zen 5 as measured; Zen 4 by its units: four vector units of 256 bits. Two of them multiply.
const ZEN4: Core = Core { integer: 4.0, rotations: 2.0, vectors: 2.0, products: 1.0 };
const ZEN5: Core = Core { integer: 6.0, rotations: 3.0, vectors: 4.0, products: 2.0 };

/// The core of this CPU, if its units are known here.
static CORE: LazyLock<Option<Core>> = LazyLock::new(|| match microarchitecture() {
    Some("zen4") => Some(ZEN4),
    Some("zen5") => Some(ZEN5),
    _ => None,
});

/// The number of words of a message, including the last one, which holds its length.
fn words(len: usize) -> f64 {
    (len / 8 + 1) as f64
}

/// SipHash, dependent calls: the chain from the first word to the tag, on any CPU.
///
/// A half round of v1 or v3 is a chain of an addition and a XOR; the rotation runs in parallel. That is 2
/// cycles, 4 per round. 3 more cycles are outside the rounds:
/// * The first `v3 ^= m` takes a cycle before the rounds.
/// * `v2 ^= 0xff` takes one after the rotation of v2 by 32.
/// * In the tag v0 cancels out. With s = v2 + v1 of the last half round, the tag is
///   `rotl(v1, 17) ^ rotl(v3, 21) ^ s ^ rotl(s, 32)`. s is ready 3 cycles into the round and takes 2 more:
///   1 beyond it.
///
/// Injections between words take none, if they happen within the rounds.
pub(super) fn chain(rounds: Rounds, len: usize) -> f64 {
    let (c, d) = cd(rounds);
    4.0 * (c * words(len) + d) + 3.0
}

/// SipHash, independent calls, one message at a time: integer operations divided by the units for them.
///
/// A round has 4 additions, 4 XORs and 6 rotations. A word has 2 XORs besides its c rounds. The end has a XOR
/// with 0xff and 3 for the tag. Two savings:
/// * In the first round, v0 + v1, three rotations and a XOR depend only on the key, so they are
///   precomputed: 5 operations.
/// * In the last round v0 cancels out: an addition, a rotation and 2 XORs.
pub(super) fn operations(rounds: Rounds, len: usize) -> Option<f64> {
    let ((c, d), words, core) = (cd(rounds), words(len), (*CORE)?);
    let rotations = 6.0 * (c * words + d) - 3.0 - 1.0;
    let all = 14.0 * (c * words + d) + 2.0 * words + 1.0 + 3.0 - 5.0 - 4.0;
    Some((all / core.integer).max(rotations / core.rotations))
}

/// SipHash of many messages, one in each of 8 lanes of 64 bits: vector operations divided by the units for
/// them.
///
/// Counted like [`operations`], with two differences. After the first word, `v3 ^= m` merges with the previous XOR into
/// one operation. And 2 operations XOR the four words of the tag.
pub(super) fn in_lanes(rounds: Rounds, len: usize) -> Option<f64> {
    const LANES: f64 = 8.0;
    let ((c, d), words, core) = (cd(rounds), words(len), (*CORE)?);
    let all = 14.0 * (c * words + d) + words + 1.0 + 1.0 + 2.0 - 5.0 - 4.0;
    Some(all / core.vectors / LANES)
}

/// Poly1305 of a long message: the products of its blocks in base 2^44, 8 blocks in a vector.
///
/// By Karatsuba's method a block has 6 products, each with a low and a high half: 12 multiplications. Then 6 more
/// operations split 8 blocks into limbs, and 3 compute sums of limbs. A carry may serve any number of blocks, so it
/// does not count.
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

/// A floor, compared with keylane's figure.
pub(super) fn figure(floor: f64, ours: &Figure) -> Figure {
    let Quartiles { lower, median, upper } = ours.cycles;
    Figure {
        cycles: Quartiles { lower: floor, median: floor, upper: floor },
        ratio: Some(ours.cycles.per(floor)),
        above: Some(Quartiles { lower: floor - upper, median: floor - median, upper: floor - lower }),
        half_dropped: false,
        kept: ours.kept,
        pairs: ours.kept,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4c + 4d + 3 for one word, which agrees with a published dataflow model of such hashes.
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
