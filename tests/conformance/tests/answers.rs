//! The constants of the core's self-test agree with the specification.

use keylane::dispatch::selftest::answers;
use keylane::dispatch::selftest::data::{
    self, BYTES, FIRST, INTEGER_COUNTS, LENGTHS, LONG_MESSAGE, MACS, MESSAGES, ONCE, ROUNDS, SHORT_LENGTHS,
    SHORT_MACS, SHORT_STEP, SMALL, TEXTS, WIDTH, input, integer,
};
use keylane::dispatch::selftest::mix_tag;
use keylane::job::poly1305;
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
fn poly1305_short() {
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

#[test]
fn poly1305_parts() {
    let sum = data::PACKETS.into_iter().fold(0, |sum, [aad, first, step]| {
        let tags = TEXTS.iter().flat_map(|text| {
            (0..data::PACKETS_OF_MANY).map(move |i| {
                let (aad, text) = (&text[i..][..aad * i % 67], &text[i..][..first + step * i]);
                let mut message = Vec::new();
                for part in [aad, text] {
                    message.extend(part);
                    message.resize(message.len().next_multiple_of(16), 0);
                }
                message.extend((aad.len() as u64).to_le_bytes());
                message.extend((text.len() as u64).to_le_bytes());
                spec::poly1305(&mac_key(i % MACS), &message)
            })
        });
        tags.map(u128::from_le_bytes).fold(sum, mix_tag)
    });
    assert_eq!(answers::POLY1305_PARTS, sum);
}

/// What run `i` of a slot of ChaCha20 leaves: the one-time key, and the text.
fn stream(key: usize, i: usize, counter: Option<u32>, text: &[u8]) -> ([u64; 4], Vec<u8>) {
    let key: [u8; 32] = input::<48>()[key..][..32].try_into().expect("32 bytes");
    let words = data::stream_nonce(i).map(u32::to_le_bytes);
    let nonce = words.concat().try_into().expect("12 bytes");
    let Some(counter) = counter else {
        let block = spec::chacha20_block(&key, 0, &nonce);
        let one_time = poly1305::Key::from_bytes(block[..32].try_into().expect("32 bytes"));
        let words = [one_time.r[0], one_time.r[1], one_time.s[0], one_time.s[1]];
        return (words, spec::chacha20(&key, 1, &nonce, text));
    };
    ([0; 4], spec::chacha20(&key, counter, &nonce, text))
}

/// Adds the words of bytes, whose number is a multiple of 8, to a checksum.
fn mix_words(sum: u64, bytes: &[u8]) -> u64 {
    assert!(bytes.len().is_multiple_of(8));
    bytes.as_chunks().0.iter().fold(sum, |sum, &word| data::mix(sum, u64::from_le_bytes(word)))
}

#[test]
fn chacha20() {
    let text = &TEXTS[1][..data::STREAM_BYTES];
    let sum = (0..data::STREAMS).fold(0, |sum, i| {
        let len = i * data::STREAM_STEP;
        let counter = (i % 2 == 1).then_some(0x7fff_fff0 + i as u32);
        let (one_time, mut bytes) = stream(0, i, counter, &text[..len]);
        bytes.extend(if i % 3 == 0 { vec![0; text.len() - len] } else { text[len..].to_vec() });
        mix_words(one_time.into_iter().fold(sum, data::mix), &bytes)
    });
    assert_eq!(answers::CHACHA20_PN, sum);
}

#[test]
fn chacha20_many() {
    let text = &TEXTS[1][..data::STREAM_BYTES];
    let sum = [false, true].into_iter().fold(0, |sum, has_keys| {
        let (mut rest, mut keys, mut bytes) = (text, Vec::new(), Vec::new());
        for i in 0..data::SMALL_STREAMS {
            let (text, after) = rest.split_at(i * data::SMALL_STREAM_STEP);
            let counter = (i % 3 == 2).then_some(i as u32);
            let (one_time, text) = stream(if has_keys { i } else { 0 }, i, counter, text);
            keys.extend(one_time);
            bytes.extend(text);
            rest = after;
        }
        mix_words(keys.into_iter().fold(sum, data::mix), &bytes)
    });
    assert_eq!(answers::CHACHA20_XN, sum);
}

#[test]
fn chacha20poly1305_one() {
    let sum = [false, true].into_iter().fold(0, |sum, is_copied| {
        let text = &TEXTS[1][..data::STREAM_BYTES];
        let [first, end] = [data::SEALED_BEFORE, data::SEALED_BYTES];
        let mut bytes = text.to_vec();
        if is_copied {
            bytes[first..].fill(0);
        }
        let (_, sealed) = stream(0, 1, Some((1 + first / 64) as u32), &text[first..end]);
        bytes[first..end].copy_from_slice(&sealed);
        let tag = u128::from_le_bytes(spec::poly1305(&mac_key(0), &bytes[data::ABSORBED_BEFORE..end]));
        mix_tag(mix_words(sum, &bytes), tag)
    });
    assert_eq!(answers::CHACHA20POLY1305_PN, sum);
}
