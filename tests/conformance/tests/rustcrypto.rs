//! The traits of RustCrypto give the same tags as the inherent methods, and the same packets as RustCrypto's own crates.

use digest::{KeyInit, Mac};
use keylane::aead;
use keylane::poly1305::{self, OneTimeKey, Poly1305};
use keylane::siphash::{self, SipHash, SipHash24, SipHashX24};
use universal_hash::UniversalHash;

const KEY: [u8; 16] = *b"0123456789abcdef";
const ONE_TIME: [u8; 32] = *b"0123456789abcdef0123456789ABCDEF";

fn message(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

/// The tag by `digest::Mac`, in two pieces. Checks what its `verify` methods say about good and bad tags.
fn mac_of<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
    let begin = || <M as KeyInit>::new_from_slice(key).unwrap();
    let (head, rest) = message.split_at(message.len() / 3);
    let tag = begin().chain_update(head).chain_update(rest).finalize().into_bytes().to_vec();
    assert!(begin().chain_update(message).verify_slice(&tag).is_ok());
    for byte in 0..tag.len() {
        let mut bad = tag.clone();
        bad[byte] ^= 1;
        assert!(begin().chain_update(message).verify_slice(&bad).is_err());
    }
    assert!(begin().chain_update(message).verify_slice(&tag[1..]).is_err());
    assert!(<M as KeyInit>::new_from_slice(&key[1..]).is_err());
    tag
}

#[test]
fn digest_mac() {
    let key = siphash::Key::from_bytes(KEY);
    for len in [0, 1, 7, 8, 9, 15, 16, 17, 63, 255, 256, 257, 1000] {
        let message = message(len);
        let single = mac_of::<siphash::Stream<2, 4>>(&KEY, &message);
        assert_eq!(single, SipHash24::new(&key).hash(&message).to_le_bytes());
        let double = mac_of::<siphash::Stream<2, 4, u128>>(&KEY, &message);
        assert_eq!(double, SipHashX24::new(&key).hash(&message).to_le_bytes());
        let other = mac_of::<siphash::Stream<3, 5>>(&KEY, &message);
        assert_eq!(other, SipHash::<3, 5>::new(&key).hash(&message).to_le_bytes());
        let poly = mac_of::<Poly1305>(&ONE_TIME, &message);
        assert_eq!(poly, poly1305::mac(OneTimeKey::from_bytes(ONE_TIME), &message).to_bytes());
    }
}

/// `UniversalHash` takes blocks, and pads the last one with zeros, as ChaCha20-Poly1305 requires.
#[test]
fn universal_hash() {
    for len in [0, 1, 15, 16, 17, 31, 32, 100, 256, 257, 1000] {
        let message = message(len);
        let mut padded = message.clone();
        padded.resize(len.next_multiple_of(16), 0);
        let expected = poly1305::mac(OneTimeKey::from_bytes(ONE_TIME), &padded).to_bytes();

        let begin = || <Poly1305 as KeyInit>::new(&ONE_TIME.into());
        let mut whole = begin();
        whole.update_padded(&message);
        assert_eq!(<[u8; 16]>::from(UniversalHash::finalize(whole)), expected);

        let mut by_block = begin();
        for block in padded.as_chunks::<16>().0 {
            by_block.update_with_backend(OneBlock((*block).into()));
        }
        assert_eq!(<[u8; 16]>::from(UniversalHash::finalize(by_block)), expected);
    }
}

/// Packets of each side, opened by the other one, by the traits of one version of the crate aead.
macro_rules! packets {
    ($test:ident, $theirs:ident) => {
        #[test]
        fn $test() {
            use $theirs::aead::{Aead, KeyInit, Payload};

            fn packet<'a>(msg: &'a [u8], aad: &'a [u8]) -> Payload<'a, 'a> {
                Payload { msg, aad }
            }

            fn both<Ours: Aead + KeyInit + std::fmt::Debug, Theirs: Aead + KeyInit>(
                key: &[u8],
                nonce: &[u8],
            ) {
                let ours = Ours::new_from_slice(key).unwrap();
                let theirs = Theirs::new_from_slice(key).unwrap();
                assert!(Ours::new_from_slice(&key[1..]).is_err());
                assert_eq!(format!("{ours:?}"), "Cipher(..)");
                let (our_nonce, their_nonce) = (nonce.try_into().unwrap(), nonce.try_into().unwrap());
                for len in [0, 1, 15, 16, 17, 63, 64, 65, 191, 192, 193, 448, 449, 1420, 16384, 20000] {
                    let (text, header) = (message(len), message(len % 37));
                    let payload = || Payload { msg: &text, aad: &header };
                    let sealed = ours.encrypt(our_nonce, payload()).unwrap();
                    assert_eq!(sealed, theirs.encrypt(their_nonce, payload()).unwrap());
                    assert_eq!(ours.decrypt(our_nonce, packet(&sealed, &header)).unwrap(), text);
                    assert_eq!(theirs.decrypt(their_nonce, packet(&sealed, &header)).unwrap(), text);
                    for at in [0, len / 2, len, len + 15] {
                        let mut forged = sealed.clone();
                        forged[at] ^= 0x40;
                        assert!(ours.decrypt(our_nonce, packet(&forged, &header)).is_err());
                    }
                    assert!(ours.decrypt(our_nonce, packet(&sealed, b"another")).is_err());
                    assert!(ours.decrypt(our_nonce, packet(&sealed[..15], &header)).is_err());
                }
            }
            both::<aead::ChaCha20Poly1305, $theirs::ChaCha20Poly1305>(&ONE_TIME, &ONE_TIME[..12]);
            both::<aead::XChaCha20Poly1305, $theirs::XChaCha20Poly1305>(&ONE_TIME, &ONE_TIME[..24]);
        }
    };
}
packets!(aead_current, chacha20poly1305);
packets!(aead_previous, chacha20poly1305_010);

/// From a source to a destination, and in place with the tag apart. Forged packets leave no plaintext.
#[test]
fn aead_detached() {
    use chacha20poly1305::aead::AeadInOut;
    use chacha20poly1305::aead::inout::InOutBuf;

    let cipher = <aead::ChaCha20Poly1305 as KeyInit>::new(&ONE_TIME.into());
    let (nonce, text) = ([3; 12].into(), message(1000));
    let (mut sealed, mut opened) = (vec![0; 1000], vec![0; 1000]);
    let buffer = InOutBuf::new(&text, &mut sealed).unwrap();
    let tag = cipher.encrypt_inout_detached(&nonce, b"header", buffer).unwrap();
    let mut forged = tag;
    forged[7] ^= 1;
    let buffer = InOutBuf::new(&sealed, &mut opened).unwrap();
    assert!(cipher.decrypt_inout_detached(&nonce, b"header", buffer, &forged).is_err());
    assert_eq!(opened, sealed);
    let buffer = InOutBuf::new(&sealed, &mut opened).unwrap();
    cipher.decrypt_inout_detached(&nonce, b"header", buffer, &tag).unwrap();
    assert_eq!(opened, text);

    let mut data = text.clone();
    let same = chacha20poly1305_010::AeadInPlace::encrypt_in_place_detached(
        &cipher,
        &[3; 12].into(),
        b"header",
        &mut data,
    );
    assert_eq!((data, same.unwrap().as_slice()), (sealed, tag.as_slice()));
}

/// Passes one block to the backend.
struct OneBlock(universal_hash::array::Array<u8, universal_hash::consts::U16>);

impl universal_hash::common::BlockSizeUser for OneBlock {
    type BlockSize = universal_hash::consts::U16;
}

impl universal_hash::UhfClosure for OneBlock {
    fn call<B: universal_hash::UhfBackend<BlockSize = Self::BlockSize>>(self, backend: &mut B) {
        backend.proc_block(&self.0);
    }
}
