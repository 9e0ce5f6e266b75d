//! Packets beside those of the crates that are replaced, by the interface that both have.

use compare::Random;

macro_rules! version {
    ($test:ident, $ours:ident, $theirs:ident, $chacha20:ident, $in_place:ident) => {
        mod $test {
            use super::Random;
            use $ours::aead::{Aead, KeyInit, Payload, $in_place};

            fn packet<'a>(msg: &'a [u8], aad: &'a [u8]) -> Payload<'a, 'a> {
                Payload { msg, aad }
            }

            fn both<Ours, Theirs>(seed: u64, nonce_bytes: usize)
            where
                Ours: Aead + $in_place + KeyInit + Clone,
                Theirs: Aead + $in_place + KeyInit,
            {
                let mut random = Random(seed);
                for _ in 0..1000 {
                    let (key, nonce) = (random.bytes(32), random.bytes(nonce_bytes));
                    let (our_nonce, their_nonce) =
                        (nonce.as_slice().try_into().unwrap(), nonce.as_slice().try_into().unwrap());
                    let ours = Ours::new_from_slice(&key).unwrap().clone();
                    let theirs = Theirs::new_from_slice(&key).unwrap();
                    let (text, aad) = (random.message(), random.message());
                    let sealed = ours.encrypt(our_nonce, packet(&text, &aad)).unwrap();
                    assert_eq!(sealed, theirs.encrypt(their_nonce, packet(&text, &aad)).unwrap());
                    assert_eq!(ours.decrypt(our_nonce, packet(&sealed, &aad)).unwrap(), text);
                    let mut forged = sealed.clone();
                    forged[random.below(sealed.len())] ^= 1 << random.below(8);
                    assert!(ours.decrypt(our_nonce, packet(&forged, &aad)).is_err());
                    assert!(ours.decrypt(our_nonce, packet(&sealed[..random.below(16)], &aad)).is_err());

                    // In place, a forged packet stays as it is.
                    let mut buffer = text.clone();
                    ours.encrypt_in_place(our_nonce, &aad, &mut buffer).unwrap();
                    assert_eq!(buffer, sealed);
                    let mut changed = aad.clone();
                    changed.push(0);
                    assert!(ours.decrypt_in_place(our_nonce, &changed, &mut buffer).is_err());
                    assert_eq!(buffer, sealed);
                    theirs.decrypt_in_place(their_nonce, &aad, &mut buffer).unwrap();
                    assert_eq!(buffer, text);
                }
                for bytes in [0, 31, 33] {
                    assert!(Ours::new_from_slice(&vec![0; bytes]).is_err());
                }
            }

            #[test]
            fn chacha20() {
                both::<$ours::ChaCha20Poly1305, $theirs::ChaCha20Poly1305>(3, 12);
            }

            #[test]
            fn xchacha20() {
                both::<$ours::XChaCha20Poly1305, $theirs::XChaCha20Poly1305>(4, 24);
            }

            #[test]
            fn other_stream_ciphers() {
                both::<$ours::ChaCha8Poly1305, $theirs::ChaCha8Poly1305>(5, 12);
                both::<$ours::ChaCha12Poly1305, $theirs::ChaCha12Poly1305>(6, 12);
                both::<$ours::XChaCha8Poly1305, $theirs::XChaCha8Poly1305>(7, 24);
                both::<$ours::XChaCha12Poly1305, $theirs::XChaCha12Poly1305>(8, 24);
            }

            // The same types, each with its parameters: the names begin with the crate's, which is the same too.
            #[test]
            fn types() {
                use std::any::type_name;

                macro_rules! same {
                    ($name:ident) => {
                        assert_eq!(type_name::<$ours::$name>(), type_name::<$theirs::$name>());
                    };
                }
                same!(Key);
                same!(Nonce);
                same!(XNonce);
                same!(Tag);
                same!(Error);
                same!(ChaCha20Poly1305);
                same!(XChaCha20Poly1305);
                same!(ChaCha8Poly1305);
                same!(ChaCha12Poly1305);
                same!(XChaCha8Poly1305);
                same!(XChaCha12Poly1305);
            }

            // What a program may ask of the types and names of both crates.
            macro_rules! interface {
                ($krate:ident) => {{
                    use $krate::aead::{Aead, Buffer};
                    use $krate::consts::{U12, U16, U24, U32};
                    use $krate::{AeadCore, ChaChaPoly1305, KeyInit, KeySizeUser, $in_place};

                    fn cipher<T, N>()
                    where
                        T: Aead
                            + AeadCore<NonceSize = N, TagSize = U16>
                            + $in_place
                            + Clone
                            + Send
                            + Sync
                            + Unpin,
                        T: KeyInit + KeySizeUser<KeySize = U32> + zeroize::ZeroizeOnDrop + 'static,
                    {
                    }
                    cipher::<$krate::ChaCha20Poly1305, U12>();
                    cipher::<$krate::XChaCha20Poly1305, U24>();
                    cipher::<ChaChaPoly1305<$chacha20::ChaCha20>, U12>();
                    cipher::<ChaChaPoly1305<$chacha20::XChaCha8, U24>, U24>();

                    // A key needs no cipher behind it.
                    struct Nothing;
                    fn key<T: AeadCore<NonceSize = U12> + Clone + KeyInit>() {}
                    key::<ChaChaPoly1305<Nothing>>();

                    fn error<T: std::error::Error + Copy + Eq>() {}
                    error::<$krate::Error>();
                    let _: fn(&mut Vec<u8>) -> &mut dyn Buffer = |buffer| buffer;
                }};
            }

            #[test]
            fn interface() {
                interface!($ours);
                interface!($theirs);
            }
        }
    };
}
version!(current, chacha20poly1305, their_chacha20poly1305, chacha20, AeadInOut);
version!(previous, chacha20poly1305_010, their_chacha20poly1305_010, chacha20_09, AeadInPlace);

/// From a source to another destination, which only version 0.11 has. A forged packet changes nothing there.
#[test]
fn source_and_destination() {
    use chacha20poly1305::aead::{AeadInOut, KeyInit, inout::InOutBuf};

    fn both<Ours: AeadInOut + KeyInit, Theirs: AeadInOut + KeyInit>(seed: u64, nonce_bytes: usize) {
        let mut random = Random(seed);
        for _ in 0..300 {
            let (key, nonce) = (random.bytes(32), random.bytes(nonce_bytes));
            let (our_nonce, their_nonce) =
                (nonce.as_slice().try_into().unwrap(), nonce.as_slice().try_into().unwrap());
            let ours = Ours::new_from_slice(&key).unwrap();
            let theirs = Theirs::new_from_slice(&key).unwrap();
            let (text, aad) = (random.message(), random.message());
            let (mut a, mut b) = (vec![1; text.len()], vec![2; text.len()]);
            let buffer = InOutBuf::new(&text, &mut a).unwrap();
            let our_tag = ours.encrypt_inout_detached(our_nonce, &aad, buffer).unwrap();
            let buffer = InOutBuf::new(&text, &mut b).unwrap();
            let their_tag = theirs.encrypt_inout_detached(their_nonce, &aad, buffer).unwrap();
            assert_eq!(a, b);
            assert_eq!(our_tag.as_slice(), their_tag.as_slice());
            let mut opened = vec![3; text.len()];
            let mut forged = our_tag.clone();
            forged[random.below(16)] ^= 1 << random.below(8);
            let buffer = InOutBuf::new(&a, &mut opened).unwrap();
            assert!(ours.decrypt_inout_detached(our_nonce, &aad, buffer, &forged).is_err());
            assert!(opened.iter().all(|&byte| byte == 3));
            let buffer = InOutBuf::new(&a, &mut opened).unwrap();
            ours.decrypt_inout_detached(our_nonce, &aad, buffer, &our_tag).unwrap();
            assert_eq!(opened, text);
        }
    }
    both::<chacha20poly1305::ChaCha20Poly1305, their_chacha20poly1305::ChaCha20Poly1305>(9, 12);
    both::<chacha20poly1305::XChaCha20Poly1305, their_chacha20poly1305::XChaCha20Poly1305>(10, 24);
    both::<chacha20poly1305::ChaCha8Poly1305, their_chacha20poly1305::ChaCha8Poly1305>(11, 12);
}

#[test]
fn debug_shows_no_key() {
    use chacha20poly1305::KeyInit;

    let ours = chacha20poly1305::ChaCha20Poly1305::new(&[7; 32].into());
    let theirs = their_chacha20poly1305::ChaCha20Poly1305::new(&[7; 32].into());
    assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    assert_eq!(format!("{ours:?}"), "ChaChaPoly1305 { .. }");
}
