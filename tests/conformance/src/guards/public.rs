//! Calls with one message. Short messages use inlined code, which no slot covers.

use super::{Cases, Guarded, LONGEST, Side, lengths};
use crate::input::{Pool, Text};
use crate::public::{SPREAD, hashes};
use crate::rows::Extent;
use crate::rows::oracle::{Hashes, Macs};
use keylane::aead::{ChaCha20Poly1305, Key, Packet, Tag};
use keylane::poly1305::{OneTimeKey, Poly1305, mac};
use keylane_ref as spec;

/// `hash`, `hash_nocase` and streams of every variant of a spread, and `poly1305`. Messages and pieces are
/// placed between guards.
pub fn public_calls(cases: &mut Cases<'_>) {
    let (mut whole, mut piece) = (Guarded::new(LONGEST), Guarded::new(LONGEST));
    let mut truth = Hashes::new();
    for variant in SPREAD {
        for hash in hashes(variant, truth.key(variant)) {
            for len in lengths() {
                let text = Text::at(Pool::RANDOM, len);
                let [exact, folded] = [false, true].map(|fold| truth.tag(variant, fold, text));
                for side in Side::BOTH {
                    let name = format!("{len} bytes, {variant:?}, {side:?}");
                    let message = &*whole.put(truth.pool.text(text), side);
                    cases.case(format!("hash, {name}"), || hash.hash(message), exact);
                    cases.case(format!("hash_nocase, {name}"), || hash.hash_nocase(message), folded);
                    let tag = || {
                        let mut stream = hash.stream();
                        stream.update(piece.put(&message[..len / 3], side));
                        stream.update(piece.put(&message[len / 3..], side));
                        stream.finish()
                    };
                    cases.case(format!("stream, {name}"), tag, exact);
                }
            }
        }
    }
    let mut truth = Macs::new(Extent::Whole);
    for len in lengths() {
        let text = Text::at(Pool::RANDOM, len);
        let right = truth.tag(0, text);
        let key = || OneTimeKey::from_bytes(truth.keys[0]);
        for side in Side::BOTH {
            let message = &*whole.put(truth.pool.text(text), side);
            let name = format!("{len} bytes, {side:?}");
            cases.case(format!("mac, {name}"), || mac(key(), message).to_bytes(), right);
            let tag = || {
                let mut stream = Poly1305::new(key());
                stream.update(piece.put(&message[..len / 3], side));
                stream.update(piece.put(&message[len / 3..], side));
                stream.finish().to_bytes()
            };
            cases.case(format!("Poly1305, {name}"), tag, right);
        }
    }
    packets(cases);
}

/// One packet and several, whose AAD and data are placed between guards.
fn packets(cases: &mut Cases<'_>) {
    let pool = Pool::shared();
    let (mut aads, mut texts) = (Guarded::new(LONGEST), Guarded::new(LONGEST));
    let mut others: Vec<Guarded> = (0..9).map(|_| Guarded::new(LONGEST)).collect();
    let (key, nonce) = ([0x24; 32], [7; 12]);
    let cipher = ChaCha20Poly1305::new(&Key::from_bytes(key));
    for len in lengths() {
        let text = &pool.bytes()[Pool::RANDOM..][..len];
        let aad = &pool.bytes()[Pool::STRUCTURED..][..len % 41];
        let (ciphertext, tag) = spec::chacha20_poly1305(&key, &nonce, aad, text);
        for side in Side::BOTH {
            let name = format!("{len} bytes, {side:?}");
            let aad = &*aads.put(aad, side);
            let seal = || {
                let data = texts.put(text, side);
                let tag = cipher.seal_with_nonce(&nonce, aad, data).map(|tag| tag.to_bytes());
                (data.to_vec(), tag)
            };
            cases.case(format!("seal, {name}"), seal, (ciphertext.clone(), Ok(tag)));
            let open = || {
                let data = texts.put(&ciphertext, side);
                let result = cipher.open(&nonce, aad, data, &Tag::from_bytes(tag));
                (data.to_vec(), result)
            };
            cases.case(format!("open, {name}"), open, (text.to_vec(), Ok(())));
            let many = || {
                let data = others.iter_mut().map(|place| place.put(text, side));
                let mut packets: Vec<Packet<'_>> =
                    data.map(|data| Packet { nonce, aad, data, tag: Tag::default() }).collect();
                let sealed = cipher.seal_many_with_nonces(&mut packets);
                let right = packets.iter().all(|packet| *packet.data == ciphertext[..]);
                let opened = cipher.open_many(&mut packets, &mut [false; 9]);
                let back = packets.iter().all(|packet| *packet.data == *text);
                (sealed, right, opened, back)
            };
            cases.case(format!("nine packets, {name}"), many, (Ok(()), true, Ok(()), true));
        }
    }
}
