//! `keylane selftest`: every kernel that runs here, then the calls that no kernel of the table serves, and published
//! answers through the public calls.
//!
//! A call with one short message is code inlined into its caller, here into this command. Its known answers are
//! checksums of tags ([`INLINED`]).

use crate::error::{Error, Outcome};
use crate::streams::Output;
use base16ct::lower::encode_string;
use keylane::halfsiphash::{self, AnyHalfSipHash, HalfSipHash, HalfSipHash13, HalfSipHash24, HalfSipHashX24};
use keylane::kernels::{Status, list};
use keylane::poly1305::{OneTimeKey, Poly1305, Tag, mac, mac_batch};
use keylane::siphash::{self, AnySipHash, SipHash, SipHash13, SipHash24, SipHash48, SipHashX24};
use std::array;
use std::io::Write;
use std::num::NonZeroU8;

/// Runs the command.
pub fn run() -> Result<Outcome, Error> {
    let mut output = Output::default();
    let (mut passed, mut failed, mut elsewhere) = (0, 0, 0);
    for kernel in list() {
        let result = match kernel.status() {
            Status::Active | Status::Ready => {
                passed += 1;
                "passed".to_owned()
            }
            Status::NotOnThisCpu => {
                elsewhere += 1;
                format!("not on this cpu, which lacks {}", kernel.missing().collect::<Vec<_>>().join(" "))
            }
            _ => {
                failed += 1;
                "FAILED".to_owned()
            }
        };
        writeln!(output, "{} {}: {result}", kernel.slot(), kernel.id())?;
    }
    for (what, right) in calls() {
        *(if right { &mut passed } else { &mut failed }) += 1;
        writeln!(output, "{what}: {}", if right { "passed" } else { "FAILED" })?;
    }
    write!(output, "{passed} passed, {failed} failed")?;
    if elsewhere > 0 {
        write!(output, ", {elsewhere} not on this cpu")?;
    }
    writeln!(output)?;
    output.flush()?;
    Ok(Outcome::of(failed == 0))
}

/// What the public calls are tested for, and whether they pass.
pub fn calls() -> impl Iterator<Item = (String, bool)> {
    inlined().into_iter().chain(published())
}

/// The rounds of [`INLINED`]: those with code of their own, and one without.
const ROUNDS: [[u8; 2]; 6] = [[1, 1], [1, 2], [1, 3], [2, 4], [4, 8], [3, 5]];

/// The lengths of the messages: every tail behind 0 to 8 words of SipHash and 0 to 17 of HalfSipHash. The last one is
/// the longest that no kernel of the table serves.
const LENGTHS: [usize; 74] = {
    let mut lengths = [511; 74];
    let mut len = 0;
    while len < 73 {
        lengths[len] = len;
        len += 1;
    }
    lengths
};

/// For each kind of tag, a checksum for each of [`ROUNDS`]. The tags: for each of [`LENGTHS`] those of the message, of
/// the message folded, and of a stream; then those of three integers and of an array. A test computes them by
/// keylane-ref.
const INLINED: [(&str, [u64; 6]); 4] = [
    (
        "SipHash, 64 bits",
        [
            0xb47b_ede9_3a53_dde3,
            0xd1e5_8b39_a0d9_7611,
            0xdb3d_98b7_33d1_2a6a,
            0x8ca4_90ed_4c09_5d73,
            0xd6db_6e22_b195_ee11,
            0x144d_990f_e316_3dc5,
        ],
    ),
    (
        "SipHash, 128 bits",
        [
            0x8690_02c1_3ed1_d43b,
            0x57c9_96b0_0b4e_d4f3,
            0x4fc6_be1c_29a4_1702,
            0x297a_60d2_2b62_3ad3,
            0x5396_775c_131f_e21d,
            0x60fa_a4a9_8f99_d82d,
        ],
    ),
    (
        "HalfSipHash, 32 bits",
        [
            0xb94b_c496_7ef0_70ea,
            0xb7c1_055c_7a6b_a50f,
            0xb111_e026_0121_b3fe,
            0xe298_3f62_645d_cca6,
            0x35d7_6e4c_174c_f90f,
            0x4ced_56dd_1010_2225,
        ],
    ),
    (
        "HalfSipHash, 64 bits",
        [
            0x6044_5b51_a07c_17bd,
            0xf4b5_f7ec_0f80_c9c6,
            0xb187_6cb5_947b_1ffe,
            0xe37e_9a5e_ada5_d724,
            0x794f_8415_1c9c_58bc,
            0xa9b2_fe99_99b3_f6c3,
        ],
    ),
];

/// The integers; their low bytes are the integers of 4 and 8 bytes.
const INTEGER: u128 = 0x0f1e_2d3c_4b5a_6978_8796_a5b4_c3d2_e1f0;

/// The message of the longest of [`LENGTHS`], with letters of both cases among its bytes.
fn letters() -> [u8; 511] {
    array::from_fn(|i| (i as u8).wrapping_mul(0x3d).wrapping_add(0x41))
}

/// Adds a tag to a checksum that depends on the order.
fn mix(sum: u64, tag: u128) -> u64 {
    let add = |sum: u64, word: u64| (sum.rotate_left(7) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    add(add(sum, tag as u64), (tag >> 64) as u64)
}

/// The checksum of a prepared key.
macro_rules! checksum {
    ($prepared:expr) => {{
        let (prepared, letters) = ($prepared, letters());
        let tags = LENGTHS.into_iter().flat_map(|len| {
            let message = letters.get(..len).unwrap_or_default();
            let mut stream = prepared.stream();
            message.chunks(5).for_each(|piece| stream.update(piece));
            [prepared.hash(message), prepared.hash_nocase(message), stream.finish()]
        });
        let integers = [
            prepared.hash_u32(INTEGER as u32),
            prepared.hash_u64(INTEGER as u64),
            prepared.hash_u128(INTEGER),
            prepared.hash_array(&INTEGER.to_le_bytes()),
        ];
        tags.chain(integers).fold(0, |sum, tag| mix(sum, tag.into()))
    }};
}

/// The checksums of a family and a width, in the order of [`ROUNDS`].
macro_rules! checksums {
    ($key:expr, $fixed:ident, $any:ident, $tag:ty) => {{
        let key = &$key;
        let count = |rounds| NonZeroU8::new(rounds).unwrap_or(NonZeroU8::MIN);
        [
            checksum!($fixed::<1, 1, $tag>::new(key)),
            checksum!($fixed::<1, 2, $tag>::new(key)),
            checksum!($fixed::<1, 3, $tag>::new(key)),
            checksum!($fixed::<2, 4, $tag>::new(key)),
            checksum!($fixed::<4, 8, $tag>::new(key)),
            checksum!($any::<$tag>::new(key, count(3), count(5))),
        ]
    }};
}

/// For each kind of tag and each choice of rounds, whether the calls with one short message give the known answers.
fn inlined() -> Vec<(String, bool)> {
    let key = siphash::Key::from_bytes(counting());
    let half_key = halfsiphash::Key::from_bytes(counting());
    let found = [
        checksums!(key, SipHash, AnySipHash, u64),
        checksums!(key, SipHash, AnySipHash, u128),
        checksums!(half_key, HalfSipHash, AnyHalfSipHash, u32),
        checksums!(half_key, HalfSipHash, AnyHalfSipHash, u64),
    ];
    let mut told = Vec::new();
    for ((kind, answers), found) in INLINED.into_iter().zip(found) {
        for (([c, d], answer), found) in ROUNDS.into_iter().zip(answers).zip(found) {
            told.push((format!("one short message, {kind}, {c}-{d}"), found == answer));
        }
    }
    told
}

/// Whether one call, a stream, a batch and the comparison agree with the answers for the messages 00 01 02
/// ... of some lengths.
macro_rules! agrees {
    ($prepared:expr, $answers:expr) => {{
        let prepared = $prepared;
        let message = counting::<63>();
        $answers.into_iter().all(|(len, answer): (usize, &str)| {
            let message = message.get(..len).unwrap_or_default();
            let mut stream = prepared.stream();
            message.chunks(7).for_each(|piece| stream.update(piece));
            let mut tags = [Default::default(); 9];
            let batch = prepared.hash_many(&[message; 9], &mut tags);
            batch.is_ok()
                && tags.into_iter().chain([prepared.hash(message), stream.finish()]).all(|tag| {
                    encode_string(&tag.to_le_bytes()) == answer && prepared.verify(message, tag).is_ok()
                })
        })
    }};
}

/// The published answers by source, and whether the public calls give them.
fn published() -> impl Iterator<Item = (String, bool)> {
    let key = siphash::Key::from_bytes(counting());
    let half_key = halfsiphash::Key::from_bytes(counting());
    [
        (
            "SipHash-2-4-64, its authors",
            agrees!(SipHash24::new(&key), [(15, "e545be4961ca29a1"), (63, "724506eb4c328a95")]),
        ),
        (
            "SipHash-2-4-128, its authors",
            agrees!(
                SipHashX24::new(&key),
                [(15, "5493e99933b0a8117e08ec0f97cfc3d9"), (63, "5150d1772f50834a503e069a973fbd7c")]
            ),
        ),
        (
            "SipHash-1-3-64, Rust's standard library",
            agrees!(SipHash13::new(&key), [(15, "5699512a6dd820d3"), (63, "a8b3bbb76290199d")]),
        ),
        ("SipHash-4-8-64, OpenSSL", agrees!(SipHash48::new(&key), [(63, "e67784bc5503de23")])),
        (
            "HalfSipHash-2-4-32, its authors",
            agrees!(HalfSipHash24::new(&half_key), [(15, "74fe2b97"), (63, "59ea4a74")]),
        ),
        (
            "HalfSipHash-2-4-64, its authors",
            agrees!(HalfSipHashX24::new(&half_key), [(15, "217d0bcb4e81c902"), (63, "2ea63c71bf326087")]),
        ),
        (
            "HalfSipHash-1-3-32, Linux",
            agrees!(HalfSipHash13::new(&half_key), [(15, "047b25d0"), (63, "04831787")]),
        ),
        ("Poly1305, RFC 8439", poly1305()),
    ]
    .into_iter()
    .map(|(what, right)| (what.to_owned(), right))
}

/// RFC 8439, section 2.5.2.
fn poly1305() -> bool {
    let key = [
        0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01,
        0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b,
    ];
    let message = b"Cryptographic Forum Research Group";
    let answer = "a8061dc1305136c6c22b8baf0c0127a9";
    let mut stream = Poly1305::new(OneTimeKey::from_bytes(key));
    message.chunks(7).for_each(|piece| stream.update(piece));
    let mut tags = [Tag::default(); 9];
    let batch =
        mac_batch(array::from_fn::<_, 9, _>(|_| OneTimeKey::from_bytes(key)), &[&message[..]; 9], &mut tags);
    let tag = mac(OneTimeKey::from_bytes(key), message);
    batch.is_ok()
        && tags
            .into_iter()
            .chain([tag, stream.finish()])
            .all(|other| encode_string(other.as_ref()) == answer && tag.verify(&other).is_ok())
}

/// 00 01 02 ...
fn counting<const N: usize>() -> [u8; N] {
    array::from_fn(|i| i as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use keylane_ref as spec;

    /// The checksums by keylane-ref.
    fn expected<T: Into<u128>>(hash: impl Fn(u32, u32, &[u8]) -> T) -> [u64; 6] {
        ROUNDS.map(|[c, d]| {
            let (hash, letters) = (|message: &[u8]| hash(c.into(), d.into(), message).into(), letters());
            let tags = LENGTHS.into_iter().flat_map(|len| {
                let tag = hash(&letters[..len]);
                [tag, hash(&spec::fold(&letters[..len])), tag]
            });
            let integers = [4, 8, 16, 16].map(|width| hash(&INTEGER.to_le_bytes()[..width]));
            tags.chain(integers).fold(0, mix)
        })
    }

    #[test]
    fn the_checksums_are_those_of_the_specification() {
        let answers = [
            expected(|c, d, message| spec::siphash64(c, d, &counting(), message)),
            expected(|c, d, message| spec::siphash128(c, d, &counting(), message)),
            expected(|c, d, message| spec::halfsiphash32(c, d, &counting(), message)),
            expected(|c, d, message| spec::halfsiphash64(c, d, &counting(), message)),
        ];
        assert_eq!(INLINED.map(|(_, checksums)| checksums), answers, "{answers:#018x?}");
        assert!(inlined().into_iter().all(|(_, right)| right));
    }
}
