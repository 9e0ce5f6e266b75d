//! `Debug` and errors show no byte of a secret and no right tag.

use keylane::halfsiphash::{self, AnyHalfSipHash, HalfSipHash24};
use keylane::hash_map::{BuildSipHash24, StdCompat};
use keylane::job::siphash::State;
use keylane::poly1305::{OneTimeKey, Poly1305, mac, mac_batch};
use keylane::siphash::unpadded::SipHash13Uj;
use keylane::siphash::{self, AnySipHash, SipHash24, SipHashX24};
use keylane_conformance::variants::Family;
use std::fmt::{Debug, Write};
use std::hash::{BuildHasher, Hasher};
use std::num::NonZeroU8;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A key whose bytes, and every number made of them, are easy to recognise: ad ae af b0 ...
fn secret<const N: usize>() -> [u8; N] {
    std::array::from_fn(|i| 0xad + i as u8)
}

/// Every printed form of a number of these bytes: decimal and hexadecimal digits, of one byte, or of 4, 8 or 16 in
/// either order.
fn forms(bytes: &[u8]) -> Vec<String> {
    let mut forms = Vec::new();
    for size in [1, 4, 8, 16] {
        for piece in bytes.chunks_exact(size) {
            let little = piece.iter().rev().fold(0u128, |x, &byte| x << 8 | u128::from(byte));
            let big = piece.iter().fold(0u128, |x, &byte| x << 8 | u128::from(byte));
            for number in [little, big] {
                forms.extend([format!("{number}"), format!("{number:x}"), format!("{number:X}")]);
            }
        }
    }
    forms
}

/// Asserts that neither form of `Debug` shows the bytes.
fn shows_nothing(value: &dyn Debug, secrets: &[&[u8]]) {
    let mut text = String::new();
    write!(text, "{value:?} {value:#?} {value:x?} {value:#X?}").expect("text");
    // The names contain numbers that a key may contain too.
    let text = text.replace("Poly1305", "").replace("SipHash13Uj", "").replace("order", "");
    for secret in secrets {
        for form in forms(secret) {
            assert!(!text.contains(&form), "{text} shows {form}");
        }
    }
}

/// The search itself finds a shown secret.
#[test]
fn a_shown_secret_would_be_found() {
    #[derive(Debug)]
    #[allow(dead_code)]
    struct Careless<T>(T);
    let words = u64::from_le_bytes(secret());
    for careless in [
        &Careless(secret::<16>()) as &dyn Debug,
        &Careless(words),
        &Careless(words.swap_bytes()),
        &Careless(u128::from_le_bytes(secret())),
    ] {
        let shown = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            shows_nothing(careless, &[&secret::<16>()]);
        }));
        assert!(shown.is_err(), "{careless:?}");
    }
}

#[test]
fn siphash_shows_no_key() {
    let bytes = secret::<16>();
    let key = siphash::Key::from_bytes(bytes);
    let rounds = NonZeroU8::new(2).unwrap();
    let mut stream = SipHash24::new(&key).stream();
    stream.update(&secret::<5>());
    let mut unpadded = SipHash13Uj::new(&key);
    unpadded.word(1);
    // The state before the first word is as secret as the key.
    let state = |double| State::<u64>::new(u64::key(&bytes), double).v.map(u64::to_le_bytes).concat();
    let (single, double) = (state(false), state(true));
    let shown: [&dyn Debug; 6] = [
        &key,
        &SipHash24::new(&key),
        &SipHashX24::new(&key),
        &AnySipHash::<u64>::new(&key, rounds, rounds),
        &stream,
        &unpadded,
    ];
    for value in shown {
        shows_nothing(value, &[&bytes, &single, &double]);
    }
}

/// A map, and the hasher of a value in it.
#[test]
fn maps_show_no_key() {
    let bytes = secret();
    let key = siphash::Key::from_bytes(bytes);
    let (portable, native) = (BuildSipHash24::new(&key), <StdCompat>::new(&key));
    let mut hasher = portable.build_hasher();
    hasher.write(&secret::<5>());
    let state = State::<u64>::new(u64::key(&bytes), false).v.map(u64::to_le_bytes).concat();
    for value in [&portable as &dyn Debug, &native, &native.build_hasher(), &hasher] {
        shows_nothing(value, &[&bytes, &state]);
    }
}

#[test]
fn halfsiphash_shows_no_key() {
    let key = halfsiphash::Key::from_bytes(secret());
    let rounds = NonZeroU8::new(2).unwrap();
    let mut stream = HalfSipHash24::new(&key).stream();
    stream.update(&secret::<3>());
    let shown: [&dyn Debug; 4] =
        [&key, &HalfSipHash24::new(&key), &AnyHalfSipHash::<u64>::new(&key, rounds, rounds), &stream];
    for value in shown {
        shows_nothing(value, &[&secret::<8>()]);
    }
}

#[test]
fn poly1305_shows_neither_key_nor_tag() {
    let key = || OneTimeKey::from_bytes(secret());
    let mut stream = Poly1305::new(key());
    stream.update(&secret::<5>());
    let tag = mac(key(), b"message");
    let shown: [&dyn Debug; 3] = [&key(), &stream, &tag];
    for value in shown {
        shows_nothing(value, &[&secret::<32>(), &tag.to_bytes()]);
    }
}

/// An error tells what differed, but shows nothing of the compared values.
#[test]
fn errors_show_neither_key_nor_tag() {
    let key = siphash::Key::from_bytes(secret());
    let h = SipHash24::new(&key);
    let right = h.hash(b"message");
    let mismatch = h.verify(b"message", right ^ 1).unwrap_err();
    shows_nothing(&mismatch, &[&secret::<16>(), &right.to_le_bytes(), &(right ^ 1).to_le_bytes()]);
    assert_eq!(mismatch.to_string(), "the tag does not match");

    let one_time = || OneTimeKey::from_bytes(secret());
    let tag = mac(one_time(), b"message");
    let mismatch = tag.verify(&mac(one_time(), b"massage")).unwrap_err();
    shows_nothing(&mismatch, &[&secret::<32>(), &tag.to_bytes()]);
    let count = mac_batch([one_time()], &[b"message"], &mut []).unwrap_err();
    shows_nothing(&count, &[&secret::<32>(), &tag.to_bytes()]);
}

/// `zeroize` leaves the key of zeros.
#[test]
fn zeroized_keys_are_keys_of_zeros() {
    let mut key = siphash::Key::from_bytes(secret());
    key.zeroize();
    let zeros = keylane_ref::siphash64(2, 4, &[0; 16], b"message");
    assert_eq!(SipHash24::new(&key).hash(b"message"), zeros);

    let mut key = halfsiphash::Key::from_bytes(secret());
    key.zeroize();
    let zeros = keylane_ref::halfsiphash32(2, 4, &[0; 8], b"message");
    assert_eq!(HalfSipHash24::new(&key).hash(b"message"), zeros);

    let mut key = OneTimeKey::from_bytes(secret());
    key.zeroize();
    assert_eq!(mac(key, b"message").to_bytes(), [0; 16]);
}

/// Every type that holds a secret promises to wipe it. Otherwise this does not compile.
#[test]
fn all_are_wiped_on_drop() {
    fn promises<T: ZeroizeOnDrop>(_: &T) {}
    let key = siphash::Key::from_bytes(secret());
    let half = halfsiphash::Key::from_bytes(secret());
    let rounds = NonZeroU8::MIN;
    promises(&SipHash24::new(&key));
    promises(&SipHash24::new(&key).stream());
    promises(&AnySipHash::<u128>::new(&key, rounds, rounds));
    promises(&SipHash13Uj::new(&key));
    promises(&HalfSipHash24::new(&half));
    promises(&HalfSipHash24::new(&half).stream());
    promises(&Poly1305::new(OneTimeKey::from_bytes(secret())));
    promises(&OneTimeKey::from_bytes(secret()));
    promises(&half);
    promises(&key);
}
