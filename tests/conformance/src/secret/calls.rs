//! The public calls with secrets.

use super::{Secrets, memcheck};
use crate::public::{SPREAD, hashes};
use keylane::aead::{AeadError, Cipher, Packet};
use keylane::halfsiphash;
use keylane::hash_map::{BuildSipHash13, BuildSipHash24, StdCompat};
use keylane::kernels;
use keylane::poly1305::{OneTimeKey, Poly1305, Tag, aes, mac, mac_batch, rfc8439, verify_batch};
use keylane::siphash::unpadded::SipHash13Uj;
use keylane::siphash::{
    Key, SipHash13, SipHashX24, TagMismatch, dns_cookie, hsiphash32, hsiphash64, verify_dns_cookie,
};
use std::hash::{BuildHasher, Hasher};

/// The calls that use a slot, by its active row, and the code inlined into them.
///
/// # Panics
/// There is no such slot.
pub fn public_calls_of(slot: &str, secrets: &mut Secrets) {
    match slot {
        "siphash-x1-long" => hash_one(false, secrets),
        "siphash-xn" => hash_batches(false, secrets),
        "halfsiphash-xn" => hash_batches(true, secrets),
        "poly1305-x1" => {
            kernels::force("poly1305-pn", "poly1305_x1_u64").expect("the row that leaves all to poly1305-x1");
            mac_one(secrets);
        }
        "poly1305-pn" => mac_one(secrets),
        "poly1305-xn" => mac_batches(secrets),
        "chacha20-pn" | "chacha20poly1305-pn" => seal_one(secrets),
        "chacha20-xn" | "poly1305-parts" => seal_many(secrets),
        _ => panic!("no calls of the slot {slot}"),
    }
}

/// The calls that use no slot, or only for long messages.
pub fn public_calls(secrets: &mut Secrets) {
    hash_one(true, secrets);
    functions(secrets);
    hashers(secrets);
    one_time_keys(secrets);
}

/// One message at a time, whole and in pieces, under every variant of either family.
fn hash_one(half: bool, secrets: &mut Secrets) {
    for variant in SPREAD.into_iter().filter(|variant| variant.half == half) {
        let key = secrets.array::<16>();
        for hash in hashes(variant, &key[..variant.key_size()]) {
            for len in secrets.lengths() {
                let message = secrets.bytes(len);
                let tag = hash.hash(&message);
                secrets.take(tag);
                secrets.take(hash.hash_nocase(&message));
                secrets.take(hash.verifies(&message, tag));
                secrets.take(hash.verifies(&message, tag ^ 1));
                let mut stream = hash.stream();
                let (first, rest) = message.split_at(len / 3);
                for piece in [first, rest, &message] {
                    stream.update(piece);
                }
                secrets.take(stream.boxed().finish());
            }
            let integer = u128::from_le_bytes(secrets.array());
            hash.hash_integers(integer).into_iter().for_each(|tag| secrets.take(tag));
        }
    }
}

/// Every layout of a batch, under every variant of either family.
fn hash_batches(half: bool, secrets: &mut Secrets) {
    for variant in SPREAD.into_iter().filter(|variant| variant.half == half) {
        let key = secrets.array::<16>();
        // The type with rounds known at compile time if there is one, else at run time.
        let hash = hashes(variant, &key[..variant.key_size()]).pop().expect("a public name");
        for lengths in secrets.batches(if half { 16 } else { 8 }) {
            let count = lengths.len();
            let bytes = secrets.bytes(lengths.iter().sum());
            let mut wide = vec![0i64];
            lengths.iter().for_each(|&len| wide.push(wide[wide.len() - 1] + len as i64));
            let narrow: Vec<i32> = wide.iter().map(|&offset| offset as i32).collect();
            let messages: Vec<&[u8]> =
                wide.windows(2).map(|pair| &bytes[pair[0] as usize..pair[1] as usize]).collect();
            let u128s: Vec<u128> = lengths.iter().map(|_| u128::from_le_bytes(secrets.array())).collect();
            let u64s: Vec<u64> = u128s.iter().map(|&x| x as u64).collect();
            let u32s: Vec<u32> = u128s.iter().map(|&x| x as u32).collect();
            let mut batches =
                vec![hash.u32s(&u32s, count), hash.u64s(&u64s, count), hash.u128s(&u128s, count)];
            batches.extend(hash.offsets32(&bytes, &narrow, count));
            batches.extend(hash.offsets64(&bytes, &wide, count));
            batches.extend(hash.many(&messages, count));
            let views = secrets.views(&messages, |i| (0, wide[i] as usize));
            batches.extend(hash.views(&views, &[&bytes], count));
            let views = secrets.views(&messages, |i| (i, 0));
            batches.extend(hash.views(&views, &[&messages, &[&[][..]; 17][..]].concat(), count));
            let width = lengths.first().copied().unwrap_or(0);
            if lengths.iter().all(|&len| len == width) {
                batches.extend(hash.rows(&bytes, width, count));
            }
            for batch in batches {
                batch.result.expect("as many tags as messages");
                batch.tags.into_iter().for_each(|tag| secrets.take(tag));
            }
        }
    }
}

/// Everything with a separate function or type.
fn functions(secrets: &mut Secrets) {
    let key = Key::from_bytes(secrets.array());
    let (array, odd) = (secrets.array::<32>(), secrets.array::<13>());
    secrets.take(SipHash13::new(&key).hash_array(&array));
    secrets.take(SipHashX24::new(&key).hash_array(&odd));
    for len in [0, 5, 8, 100] {
        let message = secrets.bytes(len);
        secrets.take(hsiphash64(&key, &message));
        let half = halfsiphash::Key::from_bytes(secrets.array());
        secrets.take(hsiphash32(&half, &message));
    }
    let mut blocks = SipHash13Uj::new(&key);
    blocks.word(u64::from_le_bytes(secrets.array()));
    blocks.jumbo(&secrets.array());
    secrets.take(blocks.finish());
    // The client's cookie and address, and the time, are known to anyone who sees a query.
    for client in [[192, 0, 2, 1].into(), [0x2001, 0xdb8, 0, 0, 0, 0, 0, 1].into()] {
        let cookie = dns_cookie(&key, &[7; 8], 1559731985, client);
        secrets.take(cookie);
        accepted(verify_dns_cookie(&key, &[7; 8], &cookie, client), secrets);
    }
}

/// Whether a tag was accepted, as a byte. For the caller, who branches on it, it is no secret; inside the
/// call it is.
fn accepted(result: Result<(), TagMismatch>, secrets: &mut Secrets) {
    secrets.take(result.is_ok());
}

/// The hashers of maps.
fn hashers(secrets: &mut Secrets) {
    fn fill(mut hasher: impl Hasher, secrets: &mut Secrets) {
        for len in [0, 3, 8, 21, 600] {
            hasher.write(&secrets.bytes(len));
            let number = u128::from_le_bytes(secrets.array());
            hasher.write_u8(number as u8);
            hasher.write_u16(number as u16);
            hasher.write_u32(number as u32);
            hasher.write_u64(number as u64);
            hasher.write_usize(number as usize);
            hasher.write_u128(number);
            secrets.take(hasher.finish());
        }
    }
    let key = Key::from_bytes(secrets.array());
    fill(BuildSipHash13::new(&key).build_hasher(), secrets);
    fill(BuildSipHash24::new(&key).build_hasher(), secrets);
    fill(<StdCompat>::new(&key).build_hasher(), secrets);
}

fn one_time_key(secrets: &mut Secrets) -> OneTimeKey {
    OneTimeKey::from_bytes(secrets.array())
}

/// The one-time keys that other ciphers derive.
fn one_time_keys(secrets: &mut Secrets) {
    let key = aes::one_time_key(&secrets.array(), &secrets.array(), &secrets.array());
    secrets.take(mac(key, b"message").to_bytes());
    let key = rfc8439::one_time_key(&secrets.array(), &secrets.array());
    secrets.take(mac(key, b"message").to_bytes());
}

/// One message at a time, whole and in pieces.
fn mac_one(secrets: &mut Secrets) {
    for len in secrets.lengths() {
        let message = secrets.bytes(len);
        let bytes = secrets.array();
        let tag = mac(OneTimeKey::from_bytes(bytes), &message);
        secrets.take(tag.to_bytes());
        for parts in [1, 3] {
            let mut stream = Poly1305::new(OneTimeKey::from_bytes(bytes));
            message.chunks((len / parts).max(1)).for_each(|piece| stream.update(piece));
            accepted(stream.finish().verify(&tag), secrets);
        }
        let other = mac(one_time_key(secrets), &message);
        accepted(other.verify(&tag), secrets);
    }
}

/// Many messages, each under its own key.
fn mac_batches(secrets: &mut Secrets) {
    for lengths in secrets.batches(8) {
        let bytes: Vec<Vec<u8>> = lengths.iter().map(|&len| secrets.bytes(len)).collect();
        let messages: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        let keys: Vec<[u8; 32]> = lengths.iter().map(|_| secrets.array()).collect();
        let keys = || keys.iter().map(|&bytes| OneTimeKey::from_bytes(bytes));
        let mut tags = vec![Tag::default(); lengths.len()];
        mac_batch(keys(), &messages, &mut tags).expect("as many tags as messages");
        let mut good = vec![false; lengths.len()];
        verify_batch(keys(), &messages, &tags, &mut good).expect("as many tags as messages");
        tags.iter().for_each(|tag| secrets.take(tag.to_bytes()));
        good.into_iter().for_each(|good| secrets.take(good));
    }
}

/// One packet at a time, with nonces of ChaCha20 and of XChaCha20.
fn seal_one(secrets: &mut Secrets) {
    seal_one_with::<12>(secrets);
    seal_one_with::<24>(secrets);
}

/// One packet at a time, sealed, opened, and refused. Whether it is opened is public, and so revealed in between.
fn seal_one_with<const N: usize>(secrets: &mut Secrets) {
    for len in secrets.lengths() {
        let (mut data, aad) = (secrets.bytes(len), secrets.bytes(len % 37));
        let cipher = Cipher::<N>::new(&keylane::aead::Key::from_bytes(secrets.array()));
        let nonce = [len as u8; N];
        let tag = cipher.seal_with_nonce(&nonce, &aad, &mut data).expect("a short text");
        secrets.take(tag.to_bytes());
        data.iter().for_each(|&byte| secrets.take(byte));
        let forged = cipher.open_revealing(&nonce, b"another", &mut data, &tag, memcheck::reveal);
        assert_eq!(forged, Err(AeadError::Forged));
        cipher.open_revealing(&nonce, &aad, &mut data, &tag, memcheck::reveal).expect("a genuine packet");
        data.into_iter().for_each(|byte| secrets.take(byte));
    }
}

/// Many packets in a call, with nonces of ChaCha20 and of XChaCha20, of which each makes a key.
fn seal_many(secrets: &mut Secrets) {
    seal_many_with::<12>(secrets);
    seal_many_with::<24>(secrets);
}

/// Many packets in a call, sealed and opened, but for the last one, which is forged.
fn seal_many_with<const N: usize>(secrets: &mut Secrets) {
    for lengths in secrets.batches(8) {
        let mut data: Vec<Vec<u8>> = lengths.iter().map(|&len| secrets.bytes(len)).collect();
        let aad = secrets.bytes(13);
        let cipher = Cipher::<N>::new(&keylane::aead::Key::from_bytes(secrets.array()));
        let packet =
            |(i, data): (usize, _)| Packet { nonce: [i as u8; N], aad: &aad, data, tag: Tag::default() };
        let data = data.iter_mut().map(Vec::as_mut_slice);
        let mut packets: Vec<Packet<'_, N>> = data.enumerate().map(packet).collect();
        cipher.seal_many_with_nonces(&mut packets).expect("short texts");
        take(&packets, secrets);
        let Some(last) = packets.last_mut() else { continue };
        last.aad = b"another";
        let mut good = vec![false; lengths.len()];
        let opened = cipher.open_many_revealing(&mut packets, &mut good, memcheck::reveal);
        assert_eq!(opened, Err(AeadError::Forged));
        assert!(good.iter().rev().skip(1).all(|&good| good) && !good[good.len() - 1]);
        take(&packets, secrets);
    }
}

/// Takes tags and data.
fn take<const N: usize>(packets: &[Packet<'_, N>], secrets: &mut Secrets) {
    for packet in packets {
        secrets.take(packet.tag.to_bytes());
        packet.data.iter().for_each(|&byte| secrets.take(byte));
    }
}
