//! Compares keylane with keylane-ref on random keys, messages, rounds and cuts.
//!
//! A failure prints the smallest failing input. Add it as a case to one of the other files.

use keylane::poly1305::{OneTimeKey, Poly1305, Tag, mac, mac_batch, verify_batch};
use keylane::siphash::BatchError;
use keylane_conformance::input::view;
use keylane_conformance::public::hashes;
use keylane_conformance::variants::Variant;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// Any hash of up to 16 rounds, with a key.
fn any_hash() -> impl Strategy<Value = (Variant, Vec<u8>)> {
    (any::<bool>(), 1..=16u8, 1..=16u8, any::<bool>(), vec(any::<u8>(), 16)).prop_map(
        |(half, c, d, double, mut key)| {
            let variant = Variant { half, c, d, double };
            key.truncate(variant.key_size());
            (variant, key)
        },
    )
}

/// Bytes, half of them capitals, half of them with the top bit set.
fn text(most: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![any::<u8>(), b'@'..=b'[', 0x80..=0xff_u8], 0..most)
}

/// Bytes that are mostly 00 and ff: long carries, small and large numbers.
fn structured(most: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(prop_oneof![4 => Just(0), 4 => Just(0xff), 1 => any::<u8>()], 0..most)
}

/// A key of Poly1305, random or structured.
fn mac_key() -> impl Strategy<Value = [u8; 32]> {
    let structured = vec(prop_oneof![4 => Just(0), 4 => Just(0xff), 1 => any::<u8>()], 32);
    prop_oneof![any::<[u8; 32]>(), structured.prop_map(|key| key.try_into().expect("32 bytes"))]
}

/// A message in pieces that end at these places.
fn pieces<'a>(message: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut ends: Vec<usize> = cuts.iter().map(|cut| cut.index(message.len() + 1)).collect();
    ends.push(message.len());
    ends.sort_unstable();
    let starts = [0].into_iter().chain(ends.iter().copied());
    starts.zip(&ends).map(|(start, &end)| &message[start..end]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_hash_is_what_the_specification_says((variant, key) in any_hash(), message in text(700)) {
        for h in hashes(variant, &key) {
            let tag = variant.tag(&key, &message);
            prop_assert_eq!(h.hash(&message), tag);
            prop_assert_eq!(h.hash_nocase(&message), variant.tag_nocase(&key, &message));
            prop_assert!(h.verifies(&message, tag));
            prop_assert!(!h.verifies(&message, tag ^ 1));
        }
    }

    #[test]
    fn a_stream_is_its_whole(
        (variant, key) in any_hash(),
        message in text(900),
        cuts in vec(any::<Index>(), 0..8),
    ) {
        for h in hashes(variant, &key) {
            let mut stream = h.stream();
            let mut so_far = 0;
            for piece in pieces(&message, &cuts) {
                stream.update(piece);
                so_far += piece.len();
                prop_assert_eq!(stream.finish(), variant.tag(&key, &message[..so_far]));
            }
            prop_assert_eq!(so_far, message.len());
        }
    }

    #[test]
    fn a_batch_is_its_messages((variant, key) in any_hash(), messages in vec(text(60), 0..80)) {
        let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let bytes = slices.concat();
        let mut offsets = vec![0];
        slices.iter().for_each(|message| offsets.push(offsets[offsets.len() - 1] + message.len() as i64));
        let views: Vec<[u8; 16]> =
            slices.iter().enumerate().map(|(i, message)| view(message, i, 0, [key[0]; 12])).collect();
        let exact: Vec<u128> = slices.iter().map(|message| variant.tag(&key, message)).collect();
        let folded: Vec<u128> = slices.iter().map(|message| variant.tag_nocase(&key, message)).collect();
        for h in hashes(variant, &key) {
            let many = h.many(&slices, slices.len());
            for call in [many, h.offsets64(&bytes, &offsets, slices.len()), h.views(&views, &slices, slices.len())] {
                let [a, b] = call;
                prop_assert_eq!((a.result, b.result), (Ok(()), Ok(())));
                prop_assert_eq!((&a.tags, &b.tags), (&exact, &folded));
            }
        }
    }

    #[test]
    fn offsets_are_judged_as_the_words_say(
        offsets in vec(-3..14i32, 0..6),
        bytes in vec(any::<u8>(), 0..12),
    ) {
        // The first offset that is negative, below its predecessor, or beyond the bytes.
        let bad = |i: usize| {
            let before = if i == 0 { 0 } else { offsets[i - 1] };
            offsets[i] < 0 || offsets[i] < before || offsets[i] > bytes.len() as i32
        };
        let first_bad = (0..offsets.len()).find(|&i| bad(i));
        let variant = Variant::sip(1, 3, false);
        for h in hashes(variant, &[3; 16]) {
            let [call, _] = h.offsets32(&bytes, &offsets, offsets.len().saturating_sub(1));
            let expected = first_bad.map_or(Ok(()), |index| Err(BatchError::Offsets { index }));
            prop_assert_eq!(call.result, expected);
        }
    }

    #[test]
    fn views_are_judged_as_the_words_say(
        views in vec((-2..20i32, 0..4u32, prop_oneof![0..20u32, (u32::MAX - 20)..]), 0..6),
        buffers in vec(vec(any::<u8>(), 0..30), 0..4),
    ) {
        // The first view of a negative length, of no buffer, or beyond its buffer.
        let bad = |&(length, buffer, offset): &(i32, u32, u32)| {
            let end = i64::from(length) + i64::from(offset);
            let outside = || buffers.get(buffer as usize).is_none_or(|buffer| end > buffer.len() as i64);
            length < 0 || length > 12 && outside()
        };
        let first_bad = views.iter().position(bad);
        let bytes = |&(length, buffer, offset): &(i32, u32, u32)| -> [u8; 16] {
            let numbers = [length.to_le_bytes(), [7; 4], buffer.to_le_bytes(), offset.to_le_bytes()];
            std::array::from_fn(|i| numbers[i / 4][i % 4])
        };
        let views: Vec<[u8; 16]> = views.iter().map(bytes).collect();
        let buffers: Vec<&[u8]> = buffers.iter().map(Vec::as_slice).collect();
        let variant = Variant::sip(1, 3, false);
        for h in hashes(variant, &[3; 16]) {
            let [call, _] = h.views(&views, &buffers, views.len());
            let expected = first_bad.map_or(Ok(()), |index| Err(BatchError::Views { index }));
            prop_assert_eq!(call.result, expected);
        }
    }

    #[test]
    fn poly1305_is_what_the_specification_says(
        key in mac_key(),
        message in prop_oneof![text(900), structured(900)],
        cuts in vec(any::<Index>(), 0..8),
    ) {
        let expected = keylane_ref::poly1305(&key, &message);
        let tag = mac(OneTimeKey::from_bytes(key), &message);
        prop_assert_eq!(tag.to_bytes(), expected);
        prop_assert!(tag.verify(&Tag::from_bytes(expected)).is_ok());
        let mut stream = Poly1305::new(OneTimeKey::from_bytes(key));
        pieces(&message, &cuts).into_iter().for_each(|piece| stream.update(piece));
        prop_assert_eq!(stream.finish().to_bytes(), expected);
    }

    #[test]
    fn a_mac_batch_is_its_messages(
        batch in vec((mac_key(), prop_oneof![text(100), structured(100)], any::<bool>()), 0..70),
    ) {
        let keys = || batch.iter().map(|(key, ..)| OneTimeKey::from_bytes(*key));
        let messages: Vec<&[u8]> = batch.iter().map(|(_, message, _)| message.as_slice()).collect();
        let mut tags = vec![Tag::default(); batch.len()];
        prop_assert_eq!(mac_batch(keys(), &messages, &mut tags), Ok(()));
        for ((key, message, _), tag) in batch.iter().zip(&tags) {
            prop_assert_eq!(tag.to_bytes(), keylane_ref::poly1305(key, message));
        }
        // Spoil some.
        for ((.., spoil), tag) in batch.iter().zip(&mut tags) {
            let mut bytes = tag.to_bytes();
            bytes[15] ^= u8::from(*spoil) << 7;
            *tag = Tag::from_bytes(bytes);
        }
        let mut good = vec![false; batch.len()];
        prop_assert_eq!(verify_batch(keys(), &messages, &tags, &mut good), Ok(()));
        let expected: Vec<bool> = batch.iter().map(|(.., spoil)| !spoil).collect();
        prop_assert_eq!(good, expected);
    }
}
