//! Every row that an interpreter can run, with few and small inputs, and safe misuse of the public calls.
//!
//! `cargo xtask miri` runs these tests under Miri, which checks each access to memory against the rules of the
//! language. Each row is forced in turn, so the tests are in one file with one lock.

use keylane::aead::{AeadError, ChaCha20Poly1305, Packet};
use keylane::kernels::{self, Status};
use keylane::poly1305::{OneTimeKey, Poly1305, Tag, mac, mac_batch, verify_batch};
use keylane::siphash::{BatchError, Key, SipHash13, SipHash24};
use keylane_conformance::input::{Random, counting, view};
use keylane_conformance::public::{PublicHash, Tags, hashes};
use keylane_conformance::variants::Variant;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One fast path, one double tag, one HalfSipHash, and rounds that no fast path has.
const VARIANTS: [Variant; 4] = [
    Variant::sip(1, 3, false),
    Variant::sip(2, 4, true),
    Variant::half(2, 4, false),
    Variant::half(3, 5, true),
];

/// The number of messages of a batch: more than a group of the widest row, which has 16 lanes.
const MANY: usize = 19;

/// Held while a row is forced.
fn lock() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `check` with each row of these slots that runs here forced in turn.
fn with_each_row(slots: &[&str], check: impl Fn(&str)) {
    let _lock = lock();
    let mut ran = 0;
    for row in kernels::list().filter(|row| slots.contains(&row.slot())) {
        if row.status() != Status::NotOnThisCpu {
            kernels::force(row.slot(), row.id()).expect("a row that runs here");
            check(row.id());
            println!("{} {} ran", row.slot(), row.id());
            ran += 1;
        }
    }
    assert!(ran >= slots.len(), "each slot has a row that runs everywhere");
}

/// A public type, and the tags by keylane-ref, each computed once for all rows.
struct Subject {
    variant: Variant,
    key: Vec<u8>,
    hash: Box<dyn PublicHash>,
    known: RefCell<BTreeMap<Vec<u8>, u128>>,
}

impl Subject {
    /// One of each variant: that with rounds known at compile time, if there is one.
    fn all() -> Vec<Self> {
        let key: [u8; 16] = Random(50).bytes();
        let subject = |variant: Variant| {
            let key = key[..variant.key_size()].to_vec();
            let hash = hashes(variant, &key).pop()?;
            Some(Subject { variant, key, hash, known: RefCell::default() })
        };
        VARIANTS.into_iter().filter_map(subject).collect()
    }

    fn tag(&self, message: &[u8]) -> u128 {
        let mut known = self.known.borrow_mut();
        *known.entry(message.to_vec()).or_insert_with(|| self.variant.tag(&self.key, message))
    }

    /// The tags of messages, then of the same folded.
    fn tags(&self, messages: &[&[u8]]) -> [Vec<u128>; 2] {
        let plain = messages.iter().map(|message| self.tag(message));
        let folded = messages.iter().map(|message| self.tag(&keylane_ref::fold(message)));
        [plain.collect(), folded.collect()]
    }
}

/// The tags of a call that must have succeeded.
fn good(tags: Tags) -> Vec<u128> {
    assert_eq!(tags.result, Ok(()));
    tags.tags
}

#[test]
fn messages_and_streams() {
    // From 64 words on, a message goes through the slot.
    let message = counting(64 * 8 + 3);
    let subjects = Subject::all();
    with_each_row(&["siphash-x1-long"], |row| {
        for subject in &subjects {
            let Subject { variant, hash, .. } = subject;
            for len in [0, 1, 3, 4, 7, 8, 9, 17, message.len()] {
                let message = &message[..len];
                let [tag, folded] = [subject.tag(message), subject.tag(&keylane_ref::fold(message))];
                assert_eq!(hash.hash(message), tag, "{row} {variant:?} {len}");
                assert_eq!(hash.hash_nocase(message), folded);
                assert!(hash.verifies(message, tag) && !hash.verifies(message, tag ^ 1));
                let mut stream = hash.stream();
                let (first, rest) = message.split_at(len / 3);
                [first, &[], rest].iter().for_each(|piece| stream.update(piece));
                assert_eq!(stream.finish(), tag, "{row} {variant:?} {len} in pieces");
            }
        }
    });
}

#[test]
fn batches() {
    let bytes = counting(400);
    let integers: [u128; MANY] = std::array::from_fn(|i| u128::MAX / (i as u128 + 1));
    let ends: Vec<i64> = (0..=MANY as i64).map(|i| 5 + i * (i + 3) / 2 - i).collect();
    let subjects = Subject::all();
    with_each_row(&["siphash-xn", "halfsiphash-xn"], |row| {
        for subject in &subjects {
            let Subject { variant, hash, .. } = subject;
            for count in [1, 2, 5, MANY] {
                let what = || format!("{row} {variant:?} {count}");
                let narrow: Vec<u32> = integers[..count].iter().map(|&x| x as u32).collect();
                let wide: Vec<u64> = integers[..count].iter().map(|&x| x as u64).collect();
                let singles: Vec<[u128; 3]> =
                    integers[..count].iter().map(|&x| hash.hash_integers(x)).collect();
                let single = |width: usize| singles.iter().map(|tags| tags[width]).collect::<Vec<_>>();
                assert_eq!(good(hash.u32s(&narrow, count)), single(0), "{}", what());
                assert_eq!(good(hash.u64s(&wide, count)), single(1), "{}", what());
                assert_eq!(good(hash.u128s(&integers[..count], count)), single(2), "{}", what());
                for width in [3, 13] {
                    // A copy, so that a byte beyond the rows is beyond an allocation.
                    let rows = bytes[..count * width].to_vec();
                    let messages: Vec<&[u8]> = rows.chunks(width).collect();
                    assert_eq!(
                        hash.rows(&rows, width, count).map(good),
                        subject.tags(&messages),
                        "{}",
                        what()
                    );
                }
                let offsets = &ends[..=count];
                let narrow: Vec<i32> = offsets.iter().map(|&offset| offset as i32).collect();
                let bytes = bytes[..offsets[count] as usize].to_vec();
                let messages: Vec<&[u8]> =
                    offsets.windows(2).map(|pair| &bytes[pair[0] as usize..pair[1] as usize]).collect();
                let expected = subject.tags(&messages);
                assert_eq!(hash.offsets64(&bytes, offsets, count).map(good), expected, "{}", what());
                assert_eq!(hash.offsets32(&bytes, &narrow, count).map(good), expected, "{}", what());
                let copies: Vec<Vec<u8>> = messages.iter().map(|message| message.to_vec()).collect();
                let copies: Vec<&[u8]> = copies.iter().map(|message| &message[..]).collect();
                assert_eq!(hash.many(&copies, count).map(good), expected, "{}", what());
                let views: Vec<[u8; 16]> =
                    (0..count).map(|i| view(copies[i], 0, offsets[i] as usize, [0xaa; 12])).collect();
                assert_eq!(hash.views(&views, &[&bytes], count).map(good), expected, "{}", what());
                let views: Vec<[u8; 16]> = (0..count).map(|i| view(copies[i], i, 0, [0x55; 12])).collect();
                let integers: Vec<u128> = views.iter().map(|&view| u128::from_le_bytes(view)).collect();
                assert_eq!(hash.views128(&integers, &copies, count).map(good), expected, "{}", what());
            }
        }
    });
}

/// Narrow kernels take rows, slices and views only of more messages.
#[test]
fn larger_batches() {
    const COUNT: usize = 49;
    const WIDTH: usize = 5;
    let bytes = counting(COUNT * WIDTH);
    let messages: Vec<&[u8]> = bytes.chunks(WIDTH).collect();
    let copies: Vec<Vec<u8>> = messages.iter().map(|message| message.to_vec()).collect();
    let copies: Vec<&[u8]> = copies.iter().map(|message| &message[..]).collect();
    let views: Vec<[u8; 16]> = copies.iter().map(|message| view(message, 0, 0, [0xaa; 12])).collect();
    let subjects = Subject::all();
    with_each_row(&["siphash-xn", "halfsiphash-xn"], |row| {
        for subject in &subjects {
            let Subject { variant, hash, .. } = subject;
            let expected = subject.tags(&messages);
            assert_eq!(hash.rows(&bytes, WIDTH, COUNT).map(good), expected, "{row} {variant:?}");
            assert_eq!(hash.many(&copies, COUNT).map(good), expected, "{row} {variant:?}");
            assert_eq!(hash.views(&views, &[&bytes], COUNT).map(good), expected, "{row} {variant:?}");
        }
    });
}

#[test]
fn macs() {
    let key: [u8; 32] = Random(51).bytes();
    let bytes = counting(1100);
    let known = RefCell::new(BTreeMap::new());
    let expected = |len: usize| {
        let tag = || Tag::from_bytes(keylane_ref::poly1305(&key, &bytes[..len]));
        *known.borrow_mut().entry(len).or_insert_with(tag)
    };
    let keys = || std::iter::repeat_with(|| OneTimeKey::from_bytes(key));
    with_each_row(&["poly1305-x1", "poly1305-pn", "poly1305-xn"], |row| {
        for len in [0, 1, 17, 113, 256, 1100] {
            let message = bytes[..len].to_vec();
            let tag = mac(OneTimeKey::from_bytes(key), &message);
            assert!(tag.verify(&expected(len)).is_ok(), "{row} {len}");
            let mut stream = Poly1305::new(OneTimeKey::from_bytes(key));
            message.chunks(100).for_each(|piece| stream.update(piece));
            assert!(stream.finish().verify(&tag).is_ok(), "{row} {len} in pieces");
        }
        for (count, step) in [(1, 40), (3, 7), (9, 50), (9, 0)] {
            let messages: Vec<Vec<u8>> = (0..count).map(|i| bytes[..60 + step * i].to_vec()).collect();
            let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
            let (mut tags, mut good) = (vec![Tag::default(); count], vec![false; count]);
            mac_batch(keys().take(count), &messages, &mut tags).expect("equal counts");
            for (tag, message) in tags.iter().zip(&messages) {
                assert!(tag.verify(&expected(message.len())).is_ok(), "{row} {count}");
            }
            tags[count - 1] = Tag::default();
            verify_batch(keys().take(count), &messages, &tags, &mut good).expect("equal counts");
            assert!(good[..count - 1].iter().all(|&good| good) && !good[count - 1], "{row} {count}");
        }
    });
}

#[test]
fn packets() {
    let key: [u8; 32] = Random(53).bytes();
    let cipher = ChaCha20Poly1305::new(&keylane::aead::Key::from_bytes(key));
    let bytes = counting(1200);
    let known = RefCell::new(BTreeMap::new());
    let expected = |len: usize| {
        let sealed = || keylane_ref::chacha20_poly1305(&key, &[len as u8; 12], b"aad", &bytes[..len]);
        known.borrow_mut().entry(len).or_insert_with(sealed).clone()
    };
    with_each_row(&["chacha20-pn", "chacha20-xn", "poly1305-parts"], |row| {
        for len in [0, 1, 64, 200, 449, 1200] {
            let (ciphertext, tag) = expected(len);
            let (mut data, tag) = (vec![0; len], Tag::from_bytes(tag));
            let given = cipher.seal_with_nonce_to(&[len as u8; 12], b"aad", &bytes[..len], &mut data);
            assert!(given.expect("one length").verify(&tag).is_ok(), "{row} {len}");
            assert_eq!(data, ciphertext, "{row} {len}");
            assert_eq!(cipher.open(&[1; 12], b"add", &mut data, &tag), Err(AeadError::Forged));
            cipher.open(&[len as u8; 12], b"aad", &mut data, &tag).expect("the right tag");
            assert_eq!(data, bytes[..len], "{row} {len}");
        }
        for (count, step) in [(1, 40), (3, 7), (9, 50)] {
            let lengths: Vec<usize> = (0..count).map(|i| 30 + step * i).collect();
            let mut data: Vec<Vec<u8>> = lengths.iter().map(|&len| bytes[..len].to_vec()).collect();
            let mut packets: Vec<Packet<'_>> = data
                .iter_mut()
                .zip(&lengths)
                .map(|(data, &len)| Packet { nonce: [len as u8; 12], aad: b"aad", data, tag: Tag::default() })
                .collect();
            cipher.seal_many_with_nonces(&mut packets).expect("short texts");
            for (packet, &len) in packets.iter().zip(&lengths) {
                let (ciphertext, tag) = expected(len);
                assert_eq!((&*packet.data, packet.tag.to_bytes()), (&ciphertext[..], tag), "{row} {count}");
            }
            packets[count - 1].tag = Tag::default();
            let mut good = vec![true; count];
            let result = cipher.open_many(&mut packets, &mut good);
            assert_eq!(result, Err(AeadError::Forged));
            assert!(good[..count - 1].iter().all(|&good| good) && !good[count - 1], "{row} {count}");
        }
    });
}

/// Calls with bad arguments return an error and write nothing.
#[test]
fn misuse() {
    let _lock = lock();
    let hash = SipHash13::new(&Key::from_bytes(Random(52).bytes()));
    let mut tags = [7; 3];
    let bytes = [1; 20];
    assert!(hash.hash_u64s(&[1; 4], &mut tags).is_err());
    assert!(hash.hash_rows(&bytes, 7, &mut tags).is_err());
    assert!(hash.hash_rows(&bytes, usize::MAX, &mut tags).is_err());
    assert!(hash.hash_many(&[&bytes[..]; 2], &mut tags).is_err());
    for offsets in [[0, 5, 4, 9], [-1, 2, 3, 4], [0, 1, 2, 21], [0, i64::MAX, 3, 4], [i64::MIN, 0, 0, 0]] {
        let refused = hash.hash_offsets(&bytes, &offsets, &mut tags);
        assert!(matches!(refused, Err(BatchError::Offsets { .. })), "{offsets:?}");
    }
    // Fewer messages have code of their own.
    for (ends, n) in [(&[0, 21][..], 1), (&[0, 5, 4], 2)] {
        let refused = hash.hash_offsets(&bytes, ends, &mut tags[..n]);
        assert_eq!(refused, Err(BatchError::Offsets { index: n }), "{ends:?}");
    }
    let [long, inline] = [13, 12].map(|len| view(&[1; 13][..len], 0, 0, [0xff; 12]));
    for bad in [view(&[1; 13], 1, 0, [0; 12]), view(&[1; 13], 0, 8, [0; 12]), [0xff; 16]] {
        let refused = hash.hash_views(&[long, inline, bad], &[&bytes], &mut tags);
        assert_eq!(refused, Err(BatchError::Views { index: 2 }), "{bad:?}");
        let refused = hash.hash_views(&[inline, bad], &[&bytes], &mut tags[..2]);
        assert_eq!(refused, Err(BatchError::Views { index: 1 }), "{bad:?}");
        let refused = hash.hash_views(&[bad], &[&bytes], &mut tags[..1]);
        assert_eq!(refused, Err(BatchError::Views { index: 0 }), "{bad:?}");
    }
    assert_eq!(tags, [7; 3]);
    let mut macs = [Tag::default(); 2];
    let keys = || std::iter::repeat_with(|| OneTimeKey::from_bytes([9; 32]));
    for (keys, messages) in [(keys().take(1), 2), (keys().take(5), 2), (keys().take(2), 1)] {
        let refused = mac_batch(keys, &vec![&bytes[..]; messages], &mut macs);
        assert!(matches!(refused, Err(BatchError::Keys { .. } | BatchError::Count { .. })));
    }
    assert!(macs.iter().all(|tag| tag.verify(&Tag::default()).is_ok()));
    assert!(kernels::force("siphash-xn", "no such row").is_err());
}

/// The first uses of the slots come at the same time from several threads, and a stream moves between threads.
#[test]
fn threads() {
    let _lock = lock();
    let hash = &SipHash24::new(&Key::from_bytes(Random(53).bytes()));
    let integers = [3; 9];
    let tags = std::thread::scope(|scope| {
        let batch = || {
            let mut tags = [0; 9];
            hash.hash_u64s(&integers, &mut tags).map(|()| tags)
        };
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(batch)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
    });
    assert!(tags.iter().all(|tags| *tags == Ok([hash.hash_u64(3); 9])));
    let mut stream = hash.stream();
    stream.update(b"one ");
    let tag = std::thread::spawn(move || {
        stream.update(b"message");
        stream.finish()
    });
    assert_eq!(tag.join().expect("no panic"), hash.hash(b"one message"));
}

/// A packet that a row seals in one pass, with a tail.
#[test]
fn long_packets() {
    let key: [u8; 32] = Random(54).bytes();
    let cipher = ChaCha20Poly1305::new(&keylane::aead::Key::from_bytes(key));
    let bytes = counting(2600);
    let (sealed, tag) = keylane_ref::chacha20_poly1305(&key, &[7; 12], b"aad", &bytes);
    with_each_row(&["chacha20poly1305-pn"], |row| {
        let mut data = bytes.clone();
        let given = cipher.seal_with_nonce(&[7; 12], b"aad", &mut data).expect("a short text");
        assert_eq!((&data, given.to_bytes()), (&sealed, tag), "{row} in place");
        data.fill(0);
        let given = cipher.seal_with_nonce_to(&[7; 12], b"aad", &bytes, &mut data).expect("one length");
        assert_eq!((&data, given.to_bytes()), (&sealed, tag), "{row} to a destination");
    });
}
