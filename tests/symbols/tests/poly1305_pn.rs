//! Poly1305 of one message, many blocks at a time. Each test has the id of the kernel whose algorithm it runs.
//!
//! The quick tests take every remainder of a group and of a turn, with some tails. The others take every length.

use keylane_symbols::numbers::radix26::{self, Piece, school};
use keylane_symbols::numbers::{check, forgetting};

/// Lengths of these numbers of blocks, with a whole last block and with a last block of 1, 8 and 15 bytes.
fn tails(blocks: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
    blocks.flat_map(|blocks| [1, 8, 15, 16].map(|part| 16 * (blocks - 1) + part))
}

/// `piece(len)`, for lengths.
fn pieces(lanes: usize, by_8: bool, lens: impl Iterator<Item = usize>) -> impl Iterator<Item = Piece> {
    lens.map(move |len| Piece { lanes, paired: false, by_8, len })
}

/// Lengths in blocks that have every number of blocks in a first vector and every number of steps in a turn, with two
/// turns at the longest.
fn turns(lanes: usize, steps: usize) -> impl Iterator<Item = usize> {
    2 * lanes..=lanes * (2 * steps + 2)
}

#[test]
fn poly1305_p4_avx2() {
    check(tails(8..=16), |&len| school::<1>(len));
    check(tails(8..=24), |&len| school::<2>(len));
    check(tails(8..=40), |&len| school::<4>(len));
}

/// With a forgotten accumulator: every number of turns.
#[test]
fn poly1305_p4_avx2_any_number_of_turns() {
    forgetting(|| {
        check(tails(8..=16), |&len| school::<1>(len));
        check(tails(8..=24), |&len| school::<2>(len));
        check(tails(8..=40), |&len| school::<4>(len));
    });
}

/// From its last threshold on, and for pieces: 15 products instead of 25.
#[test]
fn poly1305_p4_avx2_karatsuba() {
    check(pieces(4, false, tails(turns(4, 4).step_by(3))), radix26::whole);
    check(pieces(4, true, tails(turns(4, 8).step_by(7))), radix26::whole);
}

#[test]
fn poly1305_p2_sse2() {
    check(pieces(2, false, tails(turns(2, 4))), radix26::whole);
    check(pieces(2, true, tails(turns(2, 8).step_by(3))), radix26::whole);
}

/// Two lanes that take steps in pairs.
fn paired(by_8: bool, lens: impl Iterator<Item = usize>) -> impl Iterator<Item = Piece> {
    pieces(2, by_8, lens).map(|piece| Piece { paired: true, ..piece })
}

#[test]
fn poly1305_p4_neon() {
    check(paired(false, tails(turns(2, 4))), radix26::whole);
    check(paired(true, tails(turns(2, 8).step_by(3))), radix26::whole);
}

#[test]
fn poly1305_p8_avx512f() {
    check(pieces(8, false, tails(turns(8, 4).step_by(7))), radix26::whole);
    check(pieces(8, true, tails(turns(8, 8).step_by(23))), radix26::whole);
}

/// With a forgotten accumulator: every number of turns of all kernels in base 2^26.
#[test]
fn any_number_of_turns_in_base_2_26() {
    forgetting(|| {
        check(pieces(2, false, tails(turns(2, 4))), radix26::whole);
        check(paired(false, tails(turns(2, 4))), radix26::whole);
        for by_8 in [false, true] {
            let steps = if by_8 { 8 } else { 4 };
            check(pieces(2, by_8, tails(turns(2, steps).step_by(3))), radix26::whole);
            check(paired(by_8, tails(turns(2, steps).step_by(3))), radix26::whole);
            check(pieces(4, by_8, tails(turns(4, steps).step_by(7))), radix26::whole);
            check(pieces(8, by_8, tails(turns(8, steps).step_by(29))), radix26::whole);
        }
    });
}

/// Pieces of a stream that changes between kernels in base 2^26, so that a kernel finds its own powers or another's.
#[test]
fn pieces_in_base_2_26() {
    let piece = |lanes, by_8, blocks: usize| Piece { lanes, paired: false, by_8, len: 16 * blocks };
    let streams = [
        vec![
            piece(4, false, 8),
            piece(4, false, 21),
            piece(4, true, 34),
            piece(8, false, 16),
            piece(4, false, 11),
        ],
        vec![
            piece(2, false, 4),
            piece(2, true, 19),
            piece(8, true, 40),
            piece(8, false, 33),
            piece(2, false, 5),
        ],
    ];
    check(streams, |stream| radix26::pieces(stream));
}

#[test]
#[ignore = "every length"]
fn every_length_in_base_2_26() {
    check(113..=500, |&len| school::<1>(len));
    check(113..=600, |&len| school::<2>(len));
    check(113..=1100, |&len| school::<4>(len));
    for (lanes, longest) in [(2, 700), (4, 1100), (8, 1600)] {
        for by_8 in [false, true] {
            check(pieces(lanes, by_8, 32 * lanes..=longest), radix26::whole);
            check(paired(by_8, 64..=700).filter(|_| lanes == 2), radix26::whole);
            check(2 * lanes..=longest / 16, |&blocks| {
                radix26::pieces(&[Piece { lanes, paired: false, by_8, len: 16 * blocks }]);
            });
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod base_2_44 {
    use super::{check, tails};
    use keylane_symbols::numbers::radix44::{self, Piece};

    fn pieces(
        lanes: usize,
        karatsuba: bool,
        lens: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = Piece> {
        lens.map(move |len| Piece { lanes, karatsuba, len })
    }

    /// One to six groups, with every number of absent blocks.
    #[test]
    fn poly1305_p4_avx512ifma() {
        check(pieces(4, false, tails(3..=24)), radix44::whole);
        check(pieces(4, true, tails((5..=4 * 35).step_by(9))), radix44::whole);
    }

    #[test]
    fn poly1305_p8_avx512ifma() {
        check(pieces(8, false, tails((5..=48).step_by(3))), radix44::whole);
        check(pieces(8, true, tails((9..=8 * 35).step_by(37))), radix44::whole);
    }

    /// Streams that change the width and the method, so that a kernel finds its own powers, another's, or half of what it
    /// needs.
    #[test]
    fn pieces_in_base_2_44() {
        let piece = |lanes, karatsuba, blocks: usize| Piece { lanes, karatsuba, len: 16 * blocks };
        let streams = [
            vec![
                piece(4, false, 5),
                piece(4, true, 30),
                piece(4, false, 9),
                piece(8, false, 20),
                piece(8, true, 50),
            ],
            vec![
                piece(8, false, 8),
                piece(8, false, 17),
                piece(8, true, 150),
                piece(8, false, 33),
                piece(4, true, 71),
            ],
            vec![
                piece(4, true, 12),
                piece(8, true, 9),
                piece(4, false, 2),
                piece(4, false, 4),
                piece(8, false, 4),
            ],
        ];
        check(streams, |stream| radix44::pieces(stream));
    }

    #[test]
    #[ignore = "every length"]
    fn every_length_in_base_2_44() {
        for lanes in [4, 8] {
            check(pieces(lanes, false, 8 * lanes..=600), radix44::whole);
            check(pieces(lanes, true, 16 * lanes + 1..=600 * lanes / 4), radix44::whole);
            for karatsuba in [false, true] {
                check(lanes / 2..=10 * lanes, |&blocks| {
                    radix44::pieces(&[Piece { lanes, karatsuba, len: 16 * blocks }]);
                });
            }
        }
    }
}
