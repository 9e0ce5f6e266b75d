//! Poly1305 of one message, many blocks at a time. Each test has the id of the kernel whose algorithm it runs.
//!
//! The quick tests have every remainder of a group of blocks and every remainder of a turn. Loops forget their accumulators,
//! so that two turns stand for any number. The other tests take every length, and forget nothing.

use keylane_symbols::numbers::radix26::{self, Piece, school};
use keylane_symbols::numbers::{check, forgetting};
use std::ops::RangeInclusive;

/// Lengths of these numbers of blocks, with a whole last block and with a last block of 1, 8 and 15 bytes.
fn tails(blocks: RangeInclusive<usize>) -> impl Iterator<Item = usize> {
    blocks.flat_map(|blocks| [1, 8, 15, 16].map(|part| 16 * (blocks - 1) + part))
}

/// Two lengths for each of these numbers of groups: one of whole blocks, one with an incomplete block. Eight numbers of
/// groups have every number of missing blocks.
fn lengths(lanes: usize, groups: RangeInclusive<usize>) -> impl Iterator<Item = usize> {
    groups.flat_map(move |groups| {
        let blocks = |missing: usize| lanes * groups - missing % lanes;
        [16 * blocks(3 * groups), 16 * (blocks(3 * groups + lanes / 2 + 1) - 1) + [1, 8, 15][groups % 3]]
    })
}

/// `Piece`s of these lengths.
fn pieces(lanes: usize, by_8: bool, lens: impl Iterator<Item = usize>) -> impl Iterator<Item = Piece> {
    lens.map(move |len| Piece { lanes, paired: false, by_8, len })
}

/// The same on two lanes that take steps in pairs.
fn paired(by_8: bool, lens: impl Iterator<Item = usize>) -> impl Iterator<Item = Piece> {
    pieces(2, by_8, lens).map(|piece| Piece { paired: true, ..piece })
}

/// Whole messages of two vectors and more, up to two turns.
fn whole(lanes: usize, make: impl Fn(bool, &mut dyn Iterator<Item = usize>) -> Vec<Piece>) {
    forgetting(|| {
        check(make(false, &mut [32 * lanes].into_iter().chain(lengths(lanes, 3..=12))), radix26::whole);
        check(make(true, &mut [32 * lanes].into_iter().chain(lengths(lanes, 3..=19))), radix26::whole);
    });
}

#[test]
fn poly1305_p4_avx2() {
    forgetting(|| {
        check(tails(8..=16), |&len| school::<1>(len));
        check(tails(8..=24), |&len| school::<2>(len));
        check(tails(8..=40), |&len| school::<4>(len));
    });
}

/// From its last threshold on, and for pieces: 15 products instead of 25.
#[test]
fn poly1305_p4_avx2_by_8() {
    whole(4, |by_8, lens| pieces(4, by_8, lens).collect());
}

#[test]
fn poly1305_p2_sse2() {
    whole(2, |by_8, lens| pieces(2, by_8, lens).collect());
}

#[test]
fn poly1305_p4_neon() {
    whole(2, |by_8, lens| paired(by_8, lens).collect());
}

#[test]
fn poly1305_p8_avx512f() {
    whole(8, |by_8, lens| pieces(8, by_8, lens).collect());
}

/// Pieces of a stream that changes between kernels in base 2^26, so that a kernel finds its own powers or another's.
#[test]
fn pieces_in_base_2_26() {
    let piece = |lanes, by_8, blocks: usize| Piece { lanes, paired: false, by_8, len: 16 * blocks };
    let pair = |by_8, blocks: usize| Piece { lanes: 2, paired: true, by_8, len: 16 * blocks };
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
        vec![pair(false, 7), pair(true, 30), piece(4, false, 9), pair(true, 17), pair(false, 22)],
    ];
    check(streams, |stream| radix26::pieces(stream));
}

#[test]
#[ignore = "every length"]
fn every_length_in_base_2_26() {
    check(113..=500, |&len| school::<1>(len));
    check(113..=600, |&len| school::<2>(len));
    check(113..=1100, |&len| school::<4>(len));
    for by_8 in [false, true] {
        for (lanes, longest) in [(2, 700), (4, 1100), (8, 1600)] {
            check(pieces(lanes, by_8, 32 * lanes..=longest), radix26::whole);
            let blocks = (2 * lanes..=longest / 16).map(|blocks| 16 * blocks);
            check(pieces(lanes, by_8, blocks), |&piece| radix26::pieces(&[piece, piece]));
        }
        check(paired(by_8, 64..=700), radix26::whole);
        check(paired(by_8, (4..=44).map(|blocks| 16 * blocks)), |&piece| radix26::pieces(&[piece, piece]));
    }
}

#[cfg(target_arch = "x86_64")]
mod base_2_44 {
    use super::{check, forgetting, lengths, tails};
    use keylane_symbols::numbers::radix44::{self, Piece};

    fn pieces(
        lanes: usize,
        karatsuba: bool,
        lens: impl Iterator<Item = usize>,
    ) -> impl Iterator<Item = Piece> {
        lens.map(move |len| Piece { lanes, karatsuba, len })
    }

    /// Whole messages of one group, of turns of two groups, and of turns of 16.
    fn whole(lanes: usize) {
        forgetting(|| {
            check(pieces(lanes, false, tails(lanes / 2 + 1..=lanes)), radix44::whole);
            check(pieces(lanes, false, lengths(lanes, 2..=9)), radix44::whole);
            check(pieces(lanes, true, lengths(lanes, 2..=35)), radix44::whole);
        });
    }

    #[test]
    fn poly1305_p4_avx512ifma() {
        whole(4);
    }

    #[test]
    fn poly1305_p8_avx512ifma() {
        whole(8);
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
            check(pieces(lanes, true, 16 * lanes + 1..=150 * lanes), radix44::whole);
            for karatsuba in [false, true] {
                let blocks = (lanes / 2..=10 * lanes).map(|blocks| 16 * blocks);
                check(pieces(lanes, karatsuba, blocks), |&piece| radix44::pieces(&[piece, piece]));
            }
        }
    }
}
