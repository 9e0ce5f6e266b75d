//! Every published answer through the public API.

use keylane::halfsiphash::{self, HalfSipHash13, HalfSipHash24, HalfSipHashX13, HalfSipHashX24};
use keylane::poly1305::{self, OneTimeKey, Poly1305, Tag, mac, mac_batch, rfc8439, verify_batch};
use keylane::siphash::unpadded::SipHash13Uj;
use keylane::siphash::{
    self, ContextError, SipHash11, SipHash12, SipHash13, SipHash24, SipHash48, SipHashX13, SipHashX24,
    SipHashX48, check_context, dns_cookie, hsiphash32, hsiphash64, verify_dns_cookie,
};
use keylane_conformance::public::hashes;
use keylane_conformance::variants::Variant;
use keylane_conformance::vectors::{self, HashCase, MacCase, Verdict};

/// `bytes` with one bit changed.
fn flip(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

/// Checks one case through every public type of its variant. Returns the number of types.
fn check_hash(case: &HashCase) -> usize {
    let HashCase { variant, key, message, tag, .. } = case;
    let names = hashes(*variant, key);
    for h in &names {
        let mut stream = h.stream();
        stream.update(message);
        match case.verdict {
            Verdict::Valid => {
                assert_eq!(h.hash(message), *tag, "{case:?}");
                assert_eq!(stream.finish(), *tag, "{case:?}");
                assert!(h.verifies(message, *tag), "{case:?}");
            }
            Verdict::Invalid => {
                assert_ne!(h.hash(message), *tag, "{case:?}");
                assert!(!h.verifies(message, *tag), "{case:?}");
            }
        }
        if let Some(tag) = case.tag_nocase {
            assert_eq!(h.hash_nocase(message), tag, "{case:?}");
        }
    }
    names.len()
}

#[test]
fn hash_files() {
    let counts: Vec<(&str, usize)> = vectors::hashes()
        .into_iter()
        .map(|(name, cases)| (name, cases.iter().filter(|case| check_hash(case) == 2).count()))
        .collect();
    // A file that shrinks, or a variant that loses its compile-time type, must not pass silently.
    let expected = [
        ("siphash.json", 744),
        ("siphash_generated.json", 320),
        ("siphash_long.json", 1),
        ("redis_nocase.json", 162),
        ("halfsiphash.json", 192),
    ];
    assert_eq!(counts, expected);
}

#[test]
fn wycheproof_hashes() {
    let cases = vectors::wycheproof_hashes();
    cases.iter().for_each(|case| _ = check_hash(case));
    assert_eq!(cases.len(), 200);
    assert!(cases.iter().all(|case| case.verdict == Verdict::Valid), "none of these files has a wrong tag");
}

#[test]
fn the_named_hashes_are_what_their_names_say() {
    let key = siphash::Key::from_bytes([0x9c; 16]);
    let half = halfsiphash::Key::from_bytes([0x9c; 8]);
    let message = b"message";
    // The tags of a hash and of its clone.
    macro_rules! tags {
        ($hash:expr) => {{
            let h = $hash;
            [h.hash(message).into(), h.clone().hash(message).into()]
        }};
    }
    let named: [(Variant, [u128; 2]); 12] = [
        (Variant::sip(1, 1, false), tags!(SipHash11::new(&key))),
        (Variant::sip(1, 2, false), tags!(SipHash12::new(&key))),
        (Variant::sip(1, 3, false), tags!(SipHash13::new(&key))),
        (Variant::sip(2, 4, false), tags!(SipHash24::new(&key))),
        (Variant::sip(4, 8, false), tags!(SipHash48::new(&key))),
        (Variant::sip(1, 3, true), tags!(SipHashX13::new(&key))),
        (Variant::sip(2, 4, true), tags!(SipHashX24::new(&key))),
        (Variant::sip(4, 8, true), tags!(SipHashX48::new(&key))),
        (Variant::half(1, 3, false), tags!(HalfSipHash13::new(&half))),
        (Variant::half(2, 4, false), tags!(HalfSipHash24::new(&half))),
        (Variant::half(1, 3, true), tags!(HalfSipHashX13::new(&half))),
        (Variant::half(2, 4, true), tags!(HalfSipHashX24::new(&half))),
    ];
    for (variant, tags) in named {
        let expected = variant.tag(&vec![0x9c; variant.key_size()], message);
        assert_eq!(tags, [expected; 2], "{variant:?}");
    }
}

/// `verify` must refuse anything that differs in one bit. Finds a comparison of only part of the tag, and a
/// key word or message byte that is not read.
#[test]
fn verify_refuses_one_changed_bit() {
    let mut refused = 0;
    let files = vectors::hashes().into_iter().flat_map(|(_, cases)| cases);
    for case in files.filter(|case| (1..40).contains(&case.message.len())) {
        let HashCase { variant, key, message, tag, .. } = &case;
        for h in hashes(*variant, key) {
            for bit in 0..8 * variant.tag_size() {
                assert!(!h.verifies(message, tag ^ 1 << bit), "tag bit {bit}: {case:?}");
            }
            for bit in 0..8 * message.len() {
                assert!(!h.verifies(&flip(message, bit), *tag), "message bit {bit}: {case:?}");
            }
            refused += 1;
        }
        for bit in 0..8 * key.len() {
            for h in hashes(*variant, &flip(key, bit)) {
                assert!(!h.verifies(message, *tag), "key bit {bit}: {case:?}");
            }
        }
    }
    assert_eq!(refused, 2 * 763);
}

/// Linux' table for 32-bit machines is published. That for 64-bit machines is SipHash-1-3, truncated to 32
/// bits.
#[test]
fn hsiphash() {
    let (mut single, mut double) = (0, 0);
    for case in vectors::hashes().into_iter().flat_map(|(_, cases)| cases) {
        if case.variant == Variant::half(1, 3, false) && case.source.contains("siphash_kunit.c") {
            let key = halfsiphash::Key::from_bytes(case.key.clone().try_into().unwrap());
            assert_eq!(u128::from(hsiphash32(&key, &case.message)), case.tag, "{case:?}");
            single += 1;
        }
        if case.variant == Variant::sip(1, 3, false) {
            let key = siphash::Key::from_bytes(case.key.clone().try_into().unwrap());
            assert_eq!(hsiphash64(&key, &case.message), case.tag as u32, "{case:?}");
            double += 1;
        }
    }
    assert_eq!((single, double), (64, 112));
}

#[test]
fn unpadded() {
    let (mut words, mut jumbos) = (0, 0);
    let cases = vectors::unpadded();
    for case in &cases {
        let mut h = SipHash13Uj::new(&siphash::Key::from_bytes(case.key));
        for block in &case.blocks {
            if let Ok(word) = block.as_slice().try_into() {
                h.word(u64::from_le_bytes(word));
                words += 1;
            } else {
                h.jumbo(block.as_slice().try_into().expect("8 or 32 bytes"));
                jumbos += 1;
            }
        }
        assert_eq!(h.finish(), case.tag);
        assert_eq!(h.clone().finish(), case.tag, "a clone, and a second finish");
    }
    assert_eq!((cases.len(), words, jumbos), (40, 64, 37));
}

#[test]
fn subkeys_and_check_values() {
    let same = |one: &siphash::Key, other: &siphash::Key| {
        assert_eq!(SipHashX24::new(one).hash(b""), SipHashX24::new(other).hash(b""));
    };
    let (mut derived, mut rows, mut checked, mut reserved) = (0, 0, 0, 0);
    for case in vectors::subkeys() {
        let key = siphash::Key::from_bytes(case.key());
        let mut subkey = [9; 16];
        match (&case.context, case.subkey()) {
            (Some(context), Some(expected)) => {
                key.derive_bytes(context, &mut subkey).expect("a context");
                assert_eq!(subkey, expected, "{context:?}");
                same(&key.derive(context).expect("a context"), &siphash::Key::from_bytes(subkey));
                assert_eq!(check_context(context), Ok(()));
                derived += 1;
            }
            (None, Some(expected)) => {
                let expected = expected.try_into().expect("16 bytes");
                same(&key.row_key(), &siphash::Key::from_bytes(expected));
                rows += 1;
            }
            (None, None) => {
                assert_eq!(Some(&key.check()[..]), case.check());
                checked += 1;
            }
            (Some(context), None) => {
                let error = Err(ContextError::Reserved);
                assert_eq!(key.derive(context).map(|_| ()), error);
                assert_eq!((key.derive_bytes(context, &mut subkey), subkey), (error, [9; 16]));
                assert_eq!(check_context(context), error);
                reserved += 1;
            }
        }
        // No function of columns has a subkey or a check value as its tag, whatever is hashed.
        if let (Some(message), Some(answer)) = (case.message(), case.subkey().or(case.check())) {
            let shows = |tag: &[u8]| tag.starts_with(answer) || answer.starts_with(tag);
            assert!(shows(&SipHashX48::new(&key).hash(message).to_le_bytes()));
            for tag in [SipHashX13::new(&key).hash(message), SipHashX24::new(&key).hash(message)] {
                assert!(!shows(&tag.to_le_bytes()));
            }
            for tag in [SipHash13::new(&key).hash(message), SipHash24::new(&key).hash(message)] {
                assert!(!shows(&tag.to_le_bytes()));
            }
        }
    }
    let counts = (derived, rows, checked, reserved);
    assert!(derived >= 20 && rows >= 2 && checked >= 4 && reserved >= 5, "{counts:?}");
    let key = siphash::Key::from_bytes([7; 16]);
    for bytes in [0, 256] {
        let (context, mut untouched) = ("x".repeat(bytes), [9; 16]);
        let expected = ContextError::Length { bytes };
        assert_eq!(key.derive(&context).map(|_| ()), Err(expected));
        assert_eq!((key.derive_bytes(&context, &mut untouched), untouched), (Err(expected), [9; 16]));
        assert_eq!(check_context(&context), Err(expected));
    }
}

#[test]
fn dns_cookies() {
    let (mut made, mut refused) = (0, 0);
    for case in vectors::dns_cookies() {
        let secret = siphash::Key::from_bytes(case.secret);
        let accepts = |client_cookie: &[u8; 8], server_cookie: &[u8; 16], client| {
            verify_dns_cookie(&secret, client_cookie, server_cookie, client).is_ok()
        };
        let (client_cookie, cookie) = (&case.client_cookie, &case.server_cookie);
        let good = case.verdict == Verdict::Valid;
        assert_eq!(accepts(client_cookie, cookie, case.client), good, "{cookie:02x?}");
        refused += usize::from(!good);
        if case.reserved == [0; 3] {
            let fresh = dns_cookie(&secret, client_cookie, case.timestamp, case.client);
            assert_eq!(fresh == *cookie, good, "{cookie:02x?}");
            made += 1;
        }
        if good {
            for bit in 0..128 {
                let changed = flip(cookie, bit).try_into().unwrap();
                assert!(!accepts(client_cookie, &changed, case.client), "cookie bit {bit}");
            }
            for bit in 0..64 {
                let changed = flip(client_cookie, bit).try_into().unwrap();
                assert!(!accepts(&changed, cookie, case.client), "client cookie bit {bit}");
            }
            assert!(!accepts(client_cookie, cookie, "192.0.2.1".parse().unwrap()), "another client");
        }
    }
    assert_eq!((made, refused), (8, 1));
}

/// A cookie of another version is refused even if its hash is right. The hash covers the version, so only
/// someone with the secret can make such a cookie; but a later version may give it another meaning.
#[test]
fn a_dns_cookie_of_another_version_is_refused() {
    let (secret, client_cookie) = ([7; 16], [8; 8]);
    let client: std::net::IpAddr = "2001:db8::1".parse().unwrap();
    let std::net::IpAddr::V6(address) = client else { panic!("an address of version 6") };
    for version in 0..=255 {
        let mut message = client_cookie.to_vec();
        message.extend([version, 0, 0, 0, 1, 2, 3, 4]);
        message.extend(address.octets());
        let hash = keylane_ref::siphash64(2, 4, &secret, &message).to_le_bytes();
        let cookie: [u8; 16] = [&message[8..16], &hash].concat().try_into().unwrap();
        let key = siphash::Key::from_bytes(secret);
        let result = verify_dns_cookie(&key, &client_cookie, &cookie, client);
        assert_eq!(result.is_ok(), version == 1, "version {version}");
    }
}

/// Checks one case through every call that makes or checks a tag.
fn check_mac(case: &MacCase) {
    let key = || OneTimeKey::from_bytes(case.key);
    let mut stream = Poly1305::new(key());
    stream.update(&case.message);
    let mut batch = [Tag::default()];
    mac_batch([key()], &[case.message.as_slice()], &mut batch).expect("one of each");
    let mut good = [false];
    let given = Tag::from_bytes(case.tag);
    verify_batch([key()], &[case.message.as_slice()], &[given], &mut good).expect("one of each");
    let valid = case.verdict == Verdict::Valid;
    assert_eq!(good[0], valid, "{case:?}");
    for tag in [mac(key(), &case.message), stream.finish(), batch[0]] {
        assert_eq!(tag.to_bytes() == case.tag, valid, "{case:?}");
        assert_eq!(tag.as_ref() == case.tag, valid, "{case:?}");
        assert_eq!(tag.verify(&given).is_ok(), valid, "{case:?}");
        assert_eq!(given.verify(&tag).is_ok(), valid, "{case:?}");
    }
}

#[test]
fn poly1305_published() {
    let cases = vectors::poly1305();
    cases.iter().for_each(check_mac);
    assert_eq!(cases.len(), 240);
}

#[test]
fn poly1305_composites() {
    let cases = vectors::poly1305_composites();
    for case in &cases {
        let inner = (0..=255).map(|i| case.inner(i));
        let (keys, messages): (Vec<[u8; 32]>, Vec<Vec<u8>>) = inner.unzip();
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let mut tags = [Tag::default(); 256];
        mac_batch(keys.into_iter().map(OneTimeKey::from_bytes), &messages, &mut tags).expect("256 of each");
        let tags: Vec<u8> = tags.iter().flat_map(Tag::to_bytes).collect();
        assert_eq!(mac(OneTimeKey::from_bytes(case.outer_key), &tags).to_bytes(), case.tag);
    }
    assert_eq!(cases.len(), 2);
}

#[test]
fn poly1305_aes() {
    let cases = vectors::poly1305_aes();
    for case in &cases {
        let key = poly1305::aes::one_time_key(&case.aes_key, &case.r, &case.nonce);
        assert_eq!(mac(key, &case.message).to_bytes(), case.tag);
    }
    assert_eq!(cases.len(), 4);
    cases.into_iter().map(MacCase::from).for_each(|case| check_mac(&case));
}

#[test]
fn wycheproof_chacha20_poly1305() {
    let (mut valid, mut helped) = (0, 0);
    let cases = vectors::wycheproof_aead();
    for case in &cases {
        check_mac(&case.mac);
        valid += usize::from(case.mac.verdict == Verdict::Valid);
        if let Ok(nonce) = case.nonce.as_slice().try_into() {
            let key = rfc8439::one_time_key(&case.cipher_key, nonce);
            let tag = mac(key, &case.mac.message).to_bytes();
            assert_eq!(tag == case.mac.tag, case.mac.verdict == Verdict::Valid, "{:?}", case.mac);
            helped += 1;
        }
    }
    assert_eq!((cases.len(), valid, helped), (622, 502, 316));
}

/// As `verify_refuses_one_changed_bit`. Only the bits of r that the clamp clears are left out: they change
/// nothing.
#[test]
fn poly1305_verify_refuses_one_changed_bit() {
    let clamp = 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff_u128.to_le_bytes();
    let mut ignored = 0;
    for case in vectors::poly1305().iter().filter(|case| (16..40).contains(&case.message.len())) {
        // Under a small r, flips of different bits can cancel modulo 2^128 or change nothing.
        if case.key[..16].iter().zip(clamp).filter(|(byte, clamp)| *byte & clamp != 0).count() < 8 {
            continue;
        }
        let accepts = |key: &[u8], message: &[u8], tag: &[u8]| {
            let key = OneTimeKey::from_bytes(key.try_into().unwrap());
            mac(key, message).verify(&Tag::from_bytes(tag.try_into().unwrap())).is_ok()
        };
        for bit in 0..128 {
            assert!(!accepts(&case.key, &case.message, &flip(&case.tag, bit)), "tag bit {bit}: {case:?}");
        }
        for bit in 0..8 * case.message.len() {
            assert!(!accepts(&case.key, &flip(&case.message, bit), &case.tag), "message bit {bit}: {case:?}");
        }
        for bit in 0..256 {
            let cleared = bit < 128 && clamp[bit / 8] >> (bit % 8) & 1 == 0;
            let accepted = accepts(&flip(&case.key, bit), &case.message, &case.tag);
            assert_eq!(accepted, cleared, "key bit {bit}: {case:?}");
            ignored += usize::from(cleared);
        }
    }
    assert_eq!(ignored, 35 * 22, "22 bits of each of 35 keys are ignored");
}
