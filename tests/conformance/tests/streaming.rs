//! Messages in pieces: however they are cut, the tag is that of the whole.
//!
//! `mod patterns` has one test for each pattern of `tests/testdata/chunk_patterns.json`, named after it.

use keylane::dispatch::table;
use keylane::kernels;
use keylane::poly1305::{OneTimeKey, Poly1305};
use keylane_conformance::input::{Random, counting};
use keylane_conformance::modp::{self, Residue};
use keylane_conformance::public::{PublicHash, SPREAD, hashes};
use keylane_conformance::variants::Variant;
use keylane_conformance::vectors;

/// The key of Poly1305 here.
fn mac_key() -> [u8; 32] {
    Random(20).bytes()
}

/// The tag of a message in pieces.
fn in_pieces<'a>(key: [u8; 32], pieces: impl IntoIterator<Item = &'a [u8]>) -> [u8; 16] {
    let mut stream = Poly1305::new(OneTimeKey::from_bytes(key));
    pieces.into_iter().for_each(|piece| stream.update(piece));
    stream.finish().to_bytes()
}

/// A hash, its variant and its key.
struct Subject {
    hash: Box<dyn PublicHash>,
    variant: Variant,
    key: Vec<u8>,
}

impl Subject {
    fn expected(&self, message: &[u8]) -> u128 {
        self.variant.tag(&self.key, message)
    }

    /// The tag of pieces. It must be the same when finish is called twice, and on a clone.
    fn in_pieces<'a>(&self, pieces: impl IntoIterator<Item = &'a [u8]>) -> u128 {
        let mut stream = self.hash.stream();
        pieces.into_iter().for_each(|piece| stream.update(piece));
        let tag = stream.finish();
        assert_eq!(stream.finish(), tag, "finish twice: {:?}", self.variant);
        assert_eq!(stream.boxed().finish(), tag, "a clone: {:?}", self.variant);
        tag
    }
}

/// Every public type of a spread of variants.
fn subjects() -> Vec<Subject> {
    let subject = |variant: Variant| {
        let key = Random(21).bytes::<16>()[..variant.key_size()].to_vec();
        let names = hashes(variant, &key).into_iter();
        names.map(move |hash| Subject { hash, variant, key: key.clone() })
    };
    SPREAD.into_iter().flat_map(subject).collect()
}

/// SipHash-2-4 with 64 bits, under the key 00 01 02 ...
fn siphash24() -> Subject {
    let (variant, key) = (Variant::sip(2, 4, false), counting(16));
    Subject { hash: hashes(variant, &key).remove(0), variant, key }
}

/// Cuts a message into pieces of these sizes while they fit, and the rest.
fn cut(message: &[u8], sizes: impl IntoIterator<Item = usize>) -> Vec<&[u8]> {
    let mut rest = message;
    let mut pieces = Vec::new();
    for size in sizes {
        let Some((piece, behind)) = rest.split_at_checked(size) else { break };
        pieces.push(piece);
        rest = behind;
    }
    pieces.push(rest);
    pieces
}

/// Checks the tag of a message in these pieces with every hash and Poly1305.
fn check_all(subjects: &[Subject], pieces: &[&[u8]]) {
    let message = pieces.concat();
    let sizes = || pieces.iter().map(|piece| piece.len()).collect::<Vec<_>>();
    for subject in subjects {
        let tag = subject.in_pieces(pieces.iter().copied());
        assert_eq!(tag, subject.expected(&message), "{:?}, pieces of {:?}", subject.variant, sizes());
    }
    check_mac(pieces);
}

/// Checks the tag of a message in these pieces with Poly1305.
fn check_mac(pieces: &[&[u8]]) {
    let expected = keylane_ref::poly1305(&mac_key(), &pieces.concat());
    let sizes: Vec<usize> = pieces.iter().map(|piece| piece.len()).collect();
    assert_eq!(in_pieces(mac_key(), pieces.iter().copied()), expected, "pieces of {sizes:?}");
}

/// Every cut into two pieces.
#[test]
fn every_split_in_two() {
    let subjects = subjects();
    for len in 0..=80 {
        let message = counting(len);
        for at in 0..=len {
            check_all(&subjects, &[&message[..at], &message[at..]]);
        }
    }
}

/// Every cut into three pieces: the second may end before a block is full, fill it, or go beyond.
#[test]
fn every_split_in_three() {
    let subjects: Vec<Subject> = subjects().into_iter().step_by(5).collect();
    for len in [33, 41] {
        let message = counting(len);
        for first in 0..=len {
            for second in first..=len {
                check_all(&subjects, &[&message[..first], &message[first..second], &message[second..]]);
            }
        }
    }
}

/// Pieces around the lengths where a kernel of the table takes over (256 or 512 bytes). A state goes from one kernel to
/// the other and back.
#[test]
fn long_pieces_among_short_ones() {
    let subjects = subjects();
    let message = counting(4000);
    let mut random = Random(22);
    for _ in 0..60 {
        let sizes = (0..12).map(|_| match random.below(4) {
            0 => random.below(20),
            1 => 120 + random.below(20),
            2 => 250 + random.below(20),
            _ => 505 + random.below(20),
        });
        check_all(&subjects, &cut(&message, sizes.collect::<Vec<_>>()));
    }
}

/// Pieces after a long Poly1305 message gathers them: every piece that fits, fills the room or exceeds it, at every
/// place in a block; then a short one and a long one, and the end in each of these places.
#[test]
fn gathered_pieces() {
    let rows: Vec<&str> = table::POLY1305_PN.runnable().map(|row| row.id()).collect();
    let message = counting(4000);
    for row in rows {
        kernels::force("poly1305-pn", row).expect("a row that runs here");
        for begun in [500, 512, 513, 528] {
            for waits in [0, 1, 15, 16, 100, 495, 496, 497, 511] {
                let room = 512 - waits;
                for size in [0, 1, 16, 40, 80, room - 1, room, room + 1, 511, 512, 513, 528, 600, 1100] {
                    let pieces = [begun - 5, 5, 17, waits, size, 7, 530];
                    for end in 4..=pieces.len() {
                        let all = pieces[..end].iter().sum();
                        check_mac(&cut(&message[..all], pieces));
                    }
                }
            }
        }
        for size in 1..=140 {
            check_mac(&message[..2000].chunks(size).collect::<Vec<_>>());
        }
    }
}

/// Finish does not end a stream: it gives the tag of the pieces so far, and more may follow.
#[test]
fn more_after_finish() {
    for subject in subjects() {
        let message = counting(300);
        let mut stream = subject.hash.stream();
        let mut so_far = 0;
        for size in [0, 1, 6, 1, 8, 3, 5, 16, 7, 200, 0, 9] {
            stream.update(&message[so_far..so_far + size]);
            so_far += size;
            assert_eq!(stream.finish(), subject.expected(&message[..so_far]), "{:?}", subject.variant);
        }
    }
}

/// A clone and its original are independent, with buffered bytes and without.
#[test]
fn clones_go_their_own_ways() {
    for subject in subjects() {
        for so_far in 0..=17 {
            let message = counting(so_far);
            let mut original = subject.hash.stream();
            original.update(&message);
            let mut clone = original.boxed();
            original.update(b"left and further left");
            clone.update(b"right");
            let expected = |end: &[u8]| subject.expected(&[&message, end].concat());
            assert_eq!(original.finish(), expected(b"left and further left"), "{:?}", subject.variant);
            assert_eq!(clone.finish(), expected(b"right"), "{:?}", subject.variant);
        }
    }
}

/// The sizes into which other projects cut streams.
mod patterns {
    use super::*;

    /// The pattern of this name in the file.
    fn pattern(name: &str) -> vectors::Pattern {
        vectors::chunk_patterns().into_iter().find(|pattern| pattern.name == name).expect("a pattern")
    }

    /// Every pattern has a test here.
    #[test]
    fn all_are_here() {
        let names: Vec<String> = vectors::chunk_patterns().into_iter().map(|pattern| pattern.name).collect();
        let here = [
            "BoringSSL poly1305 single/byte",
            "BoringSSL TestSIMD",
            "OpenSSL poly1305/siphash internal",
            "WireGuard every split",
            "poly1305-opt descending blocks",
            "poly1305-donna NaCl split",
            "Go thirds",
            "libsodium 100+0+31",
            "Linux all-ones",
            "libgcrypt steps",
            "Swift incrementalPatterns (SipHash)",
            "Bitcoin CSipHasher sequence (SipHash)",
            "Rust/Bitcoin byte-wise running digest (SipHash)",
            "Zig 7-byte updates (SipHash)",
            "BIND prefix splits (SipHash)",
            "ClickHouse empty updates (SipHash)",
            "Guava sign extension (SipHash)",
        ];
        assert_eq!(names, here);
    }

    /// The message of NaCl's test: 131 bytes, its key and its tag.
    fn nacl() -> vectors::MacCase {
        vectors::poly1305().into_iter().find(|case| case.message.len() == 131).expect("131 bytes")
    }

    #[test]
    fn boringssl_single_and_byte() {
        for case in vectors::poly1305().iter().filter(|case| case.message.len() < 5000) {
            assert_eq!(in_pieces(case.key, [case.message.as_slice()]), case.tag);
            assert_eq!(in_pieces(case.key, case.message.chunks(1)), case.tag);
            // The message at an odd address.
            let odd = [&[0], case.message.as_slice()].concat();
            assert_eq!(in_pieces(case.key, [&odd[1..]]), case.tag);
        }
    }

    #[test]
    fn boringssl_testsimd() {
        let excesses = pattern("BoringSSL TestSIMD").parameters;
        assert_eq!(excesses, [0, 16, 32, 48]);
        for excess in excesses {
            for case in vectors::poly1305().iter().filter(|case| case.message.len() >= 16) {
                // Without an excess every second update is empty, so the sizes must be finite.
                let updates = case.message.len() / 64;
                let sizes = [16].into_iter().chain([128 + excess, excess].repeat(updates));
                assert_eq!(in_pieces(case.key, cut(&case.message, sizes)), case.tag, "excess {excess}");
            }
        }
    }

    #[test]
    fn openssl_internal() {
        let subjects = subjects();
        for len in [17, 33, 63, 64, 131, 256, 300] {
            let message = counting(len);
            let splits = [1, len / 2].into_iter().chain((0..len).step_by(16));
            splits.for_each(|at| check_all(&subjects, &[&message[..at], &message[at..]]));
        }
    }

    #[test]
    fn wireguard_every_split() {
        for case in vectors::poly1305().iter().filter(|case| (1..400).contains(&case.message.len())) {
            for at in 1..case.message.len() {
                let (first, second) = case.message.split_at(at);
                assert_eq!(in_pieces(case.key, [first, second]), case.tag, "split at {at}");
            }
        }
    }

    #[test]
    fn poly1305_opt_descending_blocks() {
        for block in [16, 32, 64, 128] {
            for len in 0..=300 {
                check_mac(&cut(&counting(len), [block, 64, 32, 16]));
            }
        }
    }

    #[test]
    fn poly1305_donna_nacl_split() {
        let sizes = pattern("poly1305-donna NaCl split").sizes;
        let case = nacl();
        assert_eq!(sizes.iter().sum::<usize>(), 131);
        assert_eq!(in_pieces(case.key, cut(&case.message, sizes)), case.tag);
    }

    #[test]
    fn go_thirds() {
        for case in vectors::poly1305() {
            let (first, second) = case.message.split_at(case.message.len() / 3);
            assert_eq!(in_pieces(case.key, [first, second]), case.tag);
            let odd = [&[0], case.message.as_slice()].concat();
            let (first, second) = odd[1..].split_at(case.message.len() / 3);
            assert_eq!(in_pieces(case.key, [first, second]), case.tag);
        }
    }

    #[test]
    fn libsodium_100_0_31() {
        let sizes = pattern("libsodium 100+0+31").sizes;
        assert_eq!(sizes, [100, 0, 31]);
        let case = nacl();
        assert_eq!(in_pieces(case.key, cut(&case.message, sizes)), case.tag);
        check_all(&subjects(), &cut(&case.message, [100, 0, 31]));
    }

    /// Updates of 0, 16, ..., 4096 bytes ff under a key of ff. A state cannot be cloned here, so each tag
    /// takes a new stream.
    #[test]
    fn linux_all_ones() {
        let (key, ones) = ([0xff; 32], [0xff; 4096]);
        let (r, s) = modp::key(&key);
        let mut h = Residue::ZERO;
        for updates in 0..=256 {
            let pieces = (0..=updates).map(|i| &ones[..16 * i]);
            h = modp::absorb(h, r, &ones[..16 * updates]);
            let tag = h.low().wrapping_add(s).to_le_bytes();
            assert_eq!(in_pieces(key, pieces), tag, "{updates} updates");
        }
    }

    #[test]
    fn libgcrypt_steps() {
        let steps = pattern("libgcrypt steps").sizes_repeat;
        assert_eq!(steps, [1, 7, 16]);
        let (subjects, message) = (subjects(), counting(515));
        for step in steps {
            check_all(&subjects, &message.chunks(step).collect::<Vec<_>>());
        }
    }

    #[test]
    fn swift_incremental_patterns() {
        let patterns = pattern("Swift incrementalPatterns (SipHash)").patterns;
        assert_eq!(patterns.len(), 21);
        let subjects = subjects();
        for sizes in patterns {
            for len in [0, 1, 63, 64, 200, 301] {
                let message = counting(len);
                let cycle = sizes.iter().copied().cycle().take(2 * len);
                check_all(&subjects, &cut(&message, cycle));
            }
        }
    }

    /// The digests of the file, each read before more is written. Some writes are integers.
    #[test]
    fn bitcoin_csiphasher_sequence() {
        let sizes = pattern("Bitcoin CSipHasher sequence (SipHash)").sizes;
        let published = vectors::hashes().remove(0).1;
        let subject = siphash24();
        let mut stream = subject.hash.stream();
        let mut so_far = 0;
        for size in &sizes {
            let message = counting(so_far + size);
            stream.update(&message[so_far..]);
            so_far += size;
            let is_it = |case: &&vectors::HashCase| {
                (case.variant, case.key.as_slice()) == (subject.variant, &subject.key)
                    && case.message == message
            };
            let case = published.iter().find(is_it).expect("a published digest");
            assert_eq!(stream.finish(), case.tag, "after {so_far} bytes");
        }
        assert_eq!((sizes.len(), so_far), (9, 48));
    }

    #[test]
    fn rust_bitcoin_running_digest() {
        for subject in subjects() {
            for step in [1, 8] {
                let message = counting(128);
                let mut stream = subject.hash.stream();
                for end in (0..=128 - step).step_by(step) {
                    assert_eq!(stream.finish(), subject.expected(&message[..end]), "{:?}", subject.variant);
                    stream.update(&message[end..end + step]);
                }
            }
        }
    }

    #[test]
    fn zig_7_byte_updates() {
        let subjects = subjects();
        let buffer: Vec<u8> = (0..1024).map(|i| i as u8).collect();
        for end in (9..1024).step_by(9) {
            check_all(&subjects, &buffer[..end].chunks(7).collect::<Vec<_>>());
        }
    }

    #[test]
    fn bind_prefix_splits() {
        let subjects = subjects();
        for i in 0..64 {
            let message = counting(i);
            (0..i).for_each(|j| check_all(&subjects, &[&message[..j], &message[j..]]));
        }
    }

    /// Empty updates before, between and after pieces. Each piece is in a buffer of exactly its size, so that
    /// an address sanitizer detects a read beyond it.
    #[test]
    fn clickhouse_empty_updates() {
        let subjects = subjects();
        for len in 0..=64 {
            let message: Box<[u8]> = counting(len).into();
            let (first, second) = message.split_at(len / 2);
            let (first, second): (Box<[u8]>, Box<[u8]>) = (first.into(), second.into());
            check_all(&subjects, &[b"", &first, b"", b"", &second, b""]);
            check_all(&subjects, &[&message]);
        }
    }

    #[test]
    fn guava_sign_extension() {
        let subject = siphash24();
        let tag = |last: u8| {
            let tag = subject.in_pieces([counting(8).as_slice(), &[last]]);
            assert_eq!(tag, subject.expected(&[counting(8), vec![last]].concat()));
            tag
        };
        let [a, b, c] = [tag(0x80), tag(0x81), tag(0xff)];
        assert!(a != b && b != c && a != c);
    }
}
