//! Packets beside those of the crate that is replaced, by the interface that both have.

use compare::Random;

macro_rules! version {
    ($test:ident, $ours:ident, $theirs:ident, $in_place:ident) => {
        mod $test {
            use super::Random;
            use $ours::aead::{Aead, AeadCore, KeyInit, Payload, $in_place};

            fn packet<'a>(msg: &'a [u8], aad: &'a [u8]) -> Payload<'a, 'a> {
                Payload { msg, aad }
            }

            fn both<Ours, Theirs>(seed: u64, nonce_bytes: usize)
            where
                Ours: Aead + $in_place + KeyInit + Clone + std::fmt::Debug,
                Theirs: Aead + $in_place + AeadCore + KeyInit,
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
                    assert!(ours.decrypt_in_place(our_nonce, b"another", &mut buffer).is_err());
                    assert_eq!(buffer, sealed);
                    theirs.decrypt_in_place(their_nonce, &aad, &mut buffer).unwrap();
                    assert_eq!(buffer, text);
                    assert_eq!(format!("{ours:?}"), "ChaChaPoly1305(..)");
                }
                assert!(Ours::new_from_slice(&[0; 31]).is_err());
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
            fn names() {
                fn wipes<T: zeroize::ZeroizeOnDrop + Send + Sync>() {}
                wipes::<$ours::ChaCha20Poly1305>();
                wipes::<$ours::XChaCha20Poly1305>();
                // Both have the same types of arrays.
                let _: ($theirs::Key, $theirs::Nonce, $theirs::XNonce, $theirs::Tag) = (
                    $ours::Key::default(),
                    $ours::Nonce::default(),
                    $ours::XNonce::default(),
                    $ours::Tag::default(),
                );
            }
        }
    };
}
version!(current, chacha20poly1305, their_chacha20poly1305, AeadInOut);
version!(previous, chacha20poly1305_010, their_chacha20poly1305_010, AeadInPlace);
