//! A variant of SipHash or HalfSipHash under a key.

use keylane_conformance::variants::Variant;
use keylane_conformance::vectors::{HashCase, Verdict, hashes, wycheproof_hashes};

/// The rounds that a case may select: the fast paths and others.
pub const ROUNDS: [(u8, u8); 10] =
    [(1, 1), (1, 2), (1, 3), (2, 4), (4, 8), (3, 5), (7, 1), (1, 4), (2, 3), (17, 9)];

/// The variant for these numbers. `rounds` is an index modulo the number of choices.
pub fn variant(half: bool, rounds: u8, double: bool) -> Variant {
    let (c, d) = ROUNDS[usize::from(rounds) % ROUNDS.len()];
    Variant { half, c, d, double }
}

/// The tag of a message by keylane-ref, with or without ASCII capitals folded.
pub fn expected(variant: Variant, key: &[u8], message: &[u8], fold: bool) -> u128 {
    if fold { variant.tag_nocase(key, message) } else { variant.tag(key, message) }
}

/// The published answers with rounds in [`ROUNDS`], and the index of the rounds. Each message occurs once per
/// variant.
pub fn published(half: bool) -> Vec<(HashCase, u8)> {
    let mut cases: Vec<(HashCase, u8)> = Vec::new();
    for case in hashes().into_iter().flat_map(|(_, cases)| cases).chain(wycheproof_hashes()) {
        let Variant { c, d, .. } = case.variant;
        let rounds = ROUNDS.iter().position(|rounds| *rounds == (c, d));
        let fits = case.variant.half == half && case.message.len() <= 1024 && case.verdict == Verdict::Valid;
        if let (Some(rounds), true) = (rounds, fits) {
            cases.push((case, rounds as u8));
        }
    }
    cases.dedup_by(|(a, _), (b, _)| a.variant == b.variant && a.message == b.message);
    cases
}
