//! Fingerprints of many answers of the public calls, to compare machines. They are the same on every machine,
//! whatever its byte order and its kernels.
//!
//! A fingerprint is SipHash-2-4-128, by keylane-ref, of all answers in turn, each in little-endian bytes.

use crate::input::{Random, view};
use crate::public::{PublicHash, SPREAD, Tags, hashes};
use keylane::halfsiphash;
use keylane::hash_map::{BuildSipHash, BuildSipHash13, BuildSipHash24};
use keylane::poly1305::{OneTimeKey, Poly1305, Tag, mac, mac_batch};
use keylane::siphash::unpadded::SipHash13Uj;
use keylane::siphash::{Key, dns_cookie, hsiphash32, hsiphash64};
use keylane_records::passed;
use std::hash::BuildHasher;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// One line per kind of answers: its name, its fingerprint, the number of bytes of the answers.
pub fn lines() -> Vec<String> {
    let kinds = [
        ("siphash", hash_answers(false)),
        ("halfsiphash", hash_answers(true)),
        ("siphash-others", other_answers()),
        ("poly1305", poly1305_answers()),
        ("portable-hasher", hasher_answers()),
    ];
    let line =
        |(kind, bytes): (&str, Vec<u8>)| format!("{kind} {} ({} bytes)", passed::digest(&bytes), bytes.len());
    kinds.into_iter().map(line).collect()
}

/// The lengths of messages: every length up to several blocks, then lengths around those from which other
/// kernels take over.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=160).chain([255, 256, 511, 512, 513, 1023, 1024, 1025, 4096, 9000])
}

/// Bytes that are the same everywhere. Some are ASCII capitals.
fn bytes() -> Vec<u8> {
    let mut random = Random(40);
    (0..16_384).map(|_| random.word() as u8).collect()
}

/// Every variant of a family, under each of its names: single messages, streams, integers, every layout of
/// batches.
fn hash_answers(half: bool) -> Vec<u8> {
    let mut answers = Vec::new();
    let key: [u8; 16] = Random(41).bytes();
    for variant in SPREAD.into_iter().filter(|variant| variant.half == half) {
        for hash in hashes(variant, &key[..variant.key_size()]) {
            let tags = single_calls(&*hash).into_iter().chain(batch_calls(&*hash));
            tags.for_each(|tag| answers.extend(&tag.to_le_bytes()[..variant.tag_size()]));
        }
    }
    answers
}

fn single_calls(hash: &dyn PublicHash) -> Vec<u128> {
    let (bytes, mut random) = (bytes(), Random(42));
    let mut tags = Vec::new();
    for len in lengths() {
        let message = &bytes[len % 7..][..len];
        tags.extend([hash.hash(message), hash.hash_nocase(message)]);
        let mut stream = hash.stream();
        message.chunks(1 + len / 3).for_each(|piece| stream.update(piece));
        tags.push(stream.finish());
    }
    for _ in 0..16 {
        tags.extend(hash.hash_integers(u128::from(random.word()) << 64 | u128::from(random.word())));
    }
    tags
}

fn batch_calls(hash: &dyn PublicHash) -> Vec<u128> {
    let (bytes, mut random) = (bytes(), Random(43));
    let mut batches: Vec<Tags> = Vec::new();
    for count in [0, 1, 3, 8, 31, 67] {
        let wide: Vec<u128> = (0..count).map(|_| u128::from(random.word()) * 0x1_0000_0000_0001).collect();
        let (double, single): (Vec<u64>, Vec<u32>) = wide.iter().map(|&x| (x as u64, x as u32)).unzip();
        batches.extend([hash.u32s(&single, count), hash.u64s(&double, count), hash.u128s(&wide, count)]);
        for width in [1, 8, 21, 64] {
            batches.extend(hash.rows(&bytes[..count * width], width, count));
        }
        let lengths: Vec<usize> = (0..count).map(|_| random.below(90)).collect();
        let mut end = 5;
        let mut offsets = vec![end as i32];
        let mut messages: Vec<&[u8]> = Vec::new();
        for len in lengths {
            messages.push(&bytes[end..end + len]);
            end += len;
            offsets.push(end as i32);
        }
        let wide_offsets: Vec<i64> = offsets.iter().map(|&offset| offset.into()).collect();
        batches.extend(hash.offsets32(&bytes, &offsets, count));
        batches.extend(hash.offsets64(&bytes, &wide_offsets, count));
        batches.extend(hash.many(&messages, count));
        let integer = |(i, message): (usize, &&[u8])| {
            u128::from_le_bytes(view(message, 0, offsets[i] as usize, [i as u8; 12]))
        };
        let views: Vec<u128> = messages.iter().enumerate().map(integer).collect();
        batches.extend(hash.views128(&views, &[&bytes], count));
    }
    batches.into_iter().flat_map(|batch| batch.tags).collect()
}

/// Functions built on SipHash.
fn other_answers() -> Vec<u8> {
    let (bytes, mut answers) = (bytes(), Vec::new());
    let key = Key::from_bytes(Random(44).bytes());
    let half_key = halfsiphash::Key::from_bytes(Random(45).bytes());
    for len in lengths() {
        answers.extend(hsiphash64(&key, &bytes[..len]).to_le_bytes());
        answers.extend(hsiphash32(&half_key, &bytes[..len]).to_le_bytes());
    }
    let mut unpadded = SipHash13Uj::new(&key);
    for (i, block) in bytes.as_chunks::<32>().0.iter().enumerate() {
        unpadded.word(i as u64);
        unpadded.jumbo(block);
        answers.extend(unpadded.finish().to_le_bytes());
    }
    for client in [IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), IpAddr::V6(Ipv6Addr::LOCALHOST)] {
        answers.extend(dns_cookie(&key, b"\x01\x23\x45\x67\x89\xab\xcd\xef", 0x6000_0001, client));
    }
    answers
}

/// Single messages, streams, batches of messages of equal and of different lengths.
fn poly1305_answers() -> Vec<u8> {
    let (bytes, mut random, mut answers) = (bytes(), Random(46), Vec::new());
    for len in lengths() {
        let (key, message) = (random.bytes(), &bytes[len % 7..][..len]);
        answers.extend(mac(OneTimeKey::from_bytes(key), message).to_bytes());
        let mut stream = Poly1305::new(OneTimeKey::from_bytes(key));
        message.chunks(1 + len / 3).for_each(|piece| stream.update(piece));
        answers.extend(stream.finish().to_bytes());
    }
    for count in [0, 1, 3, 8, 31, 67] {
        for most in [1, 64, 400] {
            let messages: Vec<&[u8]> = (0..count)
                .map(|i| &bytes[i..i + if i % 2 == 0 { most } else { random.below(most) }])
                .collect();
            let keys: Vec<[u8; 32]> = (0..count).map(|_| random.bytes()).collect();
            let mut tags = vec![Tag::default(); count];
            let keys = keys.into_iter().map(OneTimeKey::from_bytes);
            mac_batch(keys, &messages, &mut tags).expect("as many keys and tags as messages");
            tags.iter().for_each(|tag| answers.extend(tag.to_bytes()));
        }
    }
    answers
}

/// Values of the first table in `hash_map`'s documentation: their hash does not depend on the machine.
fn hasher_answers() -> Vec<u8> {
    let key = Key::from_bytes(Random(47).bytes());
    let mut answers = portable_hashes(&BuildSipHash13::new(&key));
    answers.extend(portable_hashes(&BuildSipHash24::new(&key)));
    answers
}

fn portable_hashes<const C: usize, const D: usize>(build: &BuildSipHash<C, D>) -> Vec<u8> {
    let mut random = Random(48);
    let mut hashes = Vec::new();
    for _ in 0..50 {
        let (low, high) = (random.word(), random.word());
        let wide = u128::from(high) << 64 | u128::from(low);
        let text: String = (0..low % 40).map(|i| (b'A' + (high >> (i % 32) & 31) as u8) as char).collect();
        let bytes: Vec<u8> = text.bytes().rev().collect();
        hashes.extend([
            build.hash_one((low as u8, low as u16, low as u32, low, wide)),
            build.hash_one((low as i8, low as i16, low as i32, low as i64, wide as i128)),
            build.hash_one((low as u32 as usize, low as i32 as isize)),
            build.hash_one((low % 2 == 0, char::from(low as u8 & 0x7f), Some(high), None::<u8>)),
            build.hash_one(&text),
            build.hash_one(&bytes),
            build.hash_one((&text, (&bytes, low), [(high as u8, low as u32), (low as u8, high as u32)])),
        ]);
    }
    hashes.into_iter().flat_map(u64::to_le_bytes).collect()
}
