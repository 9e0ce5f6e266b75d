//! Calls with one message. Short messages use inlined code, which no slot covers.

use super::{Cases, Guarded, LONGEST, Side, lengths};
use crate::input::{Pool, Text};
use crate::public::{SPREAD, hashes};
use crate::rows::Extent;
use crate::rows::oracle::{Hashes, Macs};
use keylane::poly1305::{OneTimeKey, Poly1305, mac};

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
}
