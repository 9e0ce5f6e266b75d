//! The constants of the core's self-test agree with the specification.

use keylane::dispatch::selftest::answers;
use keylane::dispatch::selftest::data::{
    self, BYTES, FIRST, INTEGER_COUNTS, LENGTHS, LONG_MESSAGE, MACS, MESSAGES, ONCE, ROUNDS, SHORT_LENGTHS,
    SHORT_MACS, SHORT_STEP, SMALL, TEXTS, WIDTH, input, integer,
};
use keylane::dispatch::selftest::mix_tag;
use keylane_ref as spec;

/// The key 00 01 02 ...
fn key<const N: usize>() -> [u8; N] {
    std::array::from_fn(|i| i as u8)
}

/// The messages in one slice.
fn messages() -> Vec<&'static [u8]> {
    let mut first = FIRST;
    let messages = (0..MESSAGES).map(|i| {
        first += i % LENGTHS;
        &BYTES[first - i % LENGTHS..first]
    });
    let messages = messages.collect();
    assert_eq!(first + 8, BYTES.len());
    messages
}

/// The first integers, of this many bytes each.
fn integers(width: usize, count: usize) -> impl Iterator<Item = Vec<u8>> + Clone {
    (0..count).map(move |i| integer(i).to_le_bytes()[..width].to_vec())
}

/// The messages of a batch: unfolded, the same as slices, rows, unfolded again, folded, integers of three widths.
fn batch() -> Vec<Vec<u8>> {
    let messages = messages();
    let exact = messages.iter().map(|message| message.to_vec());
    let folded = messages.iter().map(|message| spec::fold(message));
    let rows = BYTES.chunks_exact(WIDTH).map(<[u8]>::to_vec).take(MESSAGES);
    let integers = [4, 8, 16].map(|width| integers(width, MESSAGES));
    exact
        .clone()
        .chain(exact.clone())
        .chain(rows)
        .chain(exact)
        .chain(folded)
        .chain(integers.into_iter().flatten())
        .collect()
}

/// The checksums of a batch under each choice of rounds.
fn checksums<T: Into<u128>>(hash: impl Fn(u32, u32, &[u8]) -> T) -> [u64; 6] {
    let skipped = |rounds| if rounds == ROUNDS[0] { 0 } else { ONCE * MESSAGES };
    ROUNDS.map(|[c, d]| {
        let messages = batch().into_iter().skip(skipped([c, d]));
        messages.map(|m| hash(c.into(), d.into(), &m)).fold(0, mix_tag)
    })
}

/// The checksum of the messages with one that is long, of short slices, of integers, and of small batches.
fn paths<T: Into<u128>>(hash: impl Fn(u32, u32, &[u8]) -> T) -> u64 {
    let all = messages();
    let mut messages: Vec<_> = all.iter().map(|message| message.to_vec()).collect();
    let next = std::mem::take(&mut messages[LONG_MESSAGE + 1]);
    messages[LONG_MESSAGE].extend(next);
    let start = |i| FIRST + i * SHORT_STEP;
    let short = |i| BYTES[start(i)..start(i) + i % SHORT_LENGTHS].to_vec();
    messages.extend((0..MESSAGES).map(short));
    for count in INTEGER_COUNTS {
        messages.extend([4, 8, 16].into_iter().flat_map(|width| integers(width, count)));
    }
    for count in SMALL {
        messages.extend(BYTES.chunks_exact(WIDTH).take(count).map(<[u8]>::to_vec));
        messages.extend(all.iter().take(count).map(|message| message.to_vec()));
        messages.extend((0..count).map(short));
    }
    let [[c, d], ..] = ROUNDS;
    messages.iter().map(|m| hash(c.into(), d.into(), m)).fold(0, mix_tag)
}

#[test]
fn siphash() {
    assert_eq!(answers::SIPHASH, checksums(|c, d, m| spec::siphash64(c, d, &key(), m)));
    assert_eq!(answers::SIPHASH_WIDE, checksums(|c, d, m| spec::siphash128(c, d, &key(), m)));
    assert_eq!(answers::SIPHASH_PATHS, paths(|c, d, m| spec::siphash64(c, d, &key(), m)));
}

#[test]
fn halfsiphash() {
    assert_eq!(answers::HALFSIPHASH, checksums(|c, d, m| spec::halfsiphash32(c, d, &key(), m)));
    assert_eq!(answers::HALFSIPHASH_WIDE, checksums(|c, d, m| spec::halfsiphash64(c, d, &key(), m)));
    assert_eq!(answers::HALFSIPHASH_PATHS, paths(|c, d, m| spec::halfsiphash32(c, d, &key(), m)));
}

#[test]
fn siphash_long() {
    let bytes = input::<144>();
    let answers = ROUNDS.map(|[c, d]| {
        let tag = |m: &[u8]| spec::siphash64(c.into(), d.into(), &key(), m);
        [tag(&bytes), tag(&spec::fold(&bytes))].into_iter().fold(0, mix_tag)
    });
    assert_eq!(answers::SIPHASH_LONG, answers);
}

/// Key `i` of the Poly1305 messages.
fn mac_key(i: usize) -> [u8; 32] {
    input::<40>()[i..][..32].try_into().expect("32 bytes")
}

#[test]
fn poly1305() {
    let tags = TEXTS
        .iter()
        .flat_map(|text| (0..SHORT_MACS).map(|len| spec::poly1305(&mac_key(len % MACS), &text[..len])));
    assert_eq!(answers::POLY1305, tags.map(u128::from_le_bytes).fold(0, mix_tag));
}

#[test]
fn poly1305_many() {
    let checksums = data::BATCHES.map(|[first, step]| {
        let tags = TEXTS.iter().flat_map(|text| {
            let message = move |i| &text[i..][..first + step * i];
            (0..data::MACS_OF_MANY).map(move |i| spec::poly1305(&mac_key(i % MACS), message(i)))
        });
        tags.map(u128::from_le_bytes).fold(0, mix_tag)
    });
    assert_eq!(answers::POLY1305_XN, checksums);
}

#[test]
fn poly1305_long() {
    let bytes = input::<40>();
    let checksums = std::array::from_fn(|i| {
        let key = bytes[i % MACS..][..32].try_into().expect("32 bytes");
        let tags = TEXTS.iter().map(|text| spec::poly1305(key, &text[..data::LENGTHS_PN[i]]));
        tags.map(u128::from_le_bytes).fold(0, mix_tag)
    });
    assert_eq!(answers::POLY1305_PN, checksums);
}

/// A kernel that takes blocks in a wrong order gives a wrong checksum.
#[test]
fn poly1305_blocks_differ() {
    let (blocks, _) = TEXTS[1].as_chunks::<16>();
    assert_eq!(blocks.iter().collect::<std::collections::HashSet<_>>().len(), blocks.len());
}
