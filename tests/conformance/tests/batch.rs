//! Batch calls: each equals a loop over one-message calls, and an invalid call writes nothing.

use keylane::dispatch::table;
use keylane::halfsiphash::{self, HalfSipHash13};
use keylane::kernels;
use keylane::poly1305::{BatchError, OneTimeKey, Tag, mac, mac_batch, verify_batch};
use keylane::siphash::{Key, SipHash13, SipHash24};
use keylane_conformance::input::{Random, view};
use keylane_conformance::public::{PublicHash, SPREAD, Tags, hashes};
use std::cell::Cell;

/// Every public type of a spread of variants, under one key.
fn subjects() -> Vec<Box<dyn PublicHash>> {
    let key: [u8; 16] = Random(30).bytes();
    SPREAD.into_iter().flat_map(|variant| hashes(variant, &key[..variant.key_size()])).collect()
}

/// The tags of a call that must have succeeded.
fn good(tags: Tags) -> Vec<u128> {
    assert_eq!(tags.result, Ok(()));
    tags.tags
}

/// Asserts that a call failed with this error and left the tag buffer unchanged.
fn refused(h: &dyn PublicHash, call: Tags, error: BatchError) {
    assert_eq!(call.result, Err(error));
    assert!(call.tags.iter().all(|&tag| tag == h.unwritten()), "{error}: something was written");
}

/// The same for both twins of a call.
fn both_refused(h: &dyn PublicHash, calls: [Tags; 2], error: BatchError) {
    calls.into_iter().for_each(|call| refused(h, call, error));
}

/// Counts around the lists that the API passes on, around the numbers from which rows take a call, and around groups that
/// are not full.
const COUNTS: [usize; 40] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 23, 24, 25, 31, 32, 33, 35, 48, 49, 56,
    63, 64, 65, 70, 79, 95, 96, 127, 128, 129, 200,
];

mod equals_a_loop {
    use super::*;

    #[test]
    fn integers() {
        for h in subjects() {
            let mut random = Random(31);
            for count in COUNTS {
                let u128s: Vec<u128> =
                    (0..count).map(|_| u128::from(random.word()) << 64 | u128::from(random.word())).collect();
                let u64s: Vec<u64> = u128s.iter().map(|&x| x as u64).collect();
                let u32s: Vec<u32> = u128s.iter().map(|&x| x as u32).collect();
                let singles: Vec<[u128; 3]> = u128s.iter().map(|&x| h.hash_integers(x)).collect();
                let hashes =
                    |bytes: Vec<Vec<u8>>| bytes.iter().map(|bytes| h.hash(bytes)).collect::<Vec<_>>();
                let column = |i: usize| singles.iter().map(|single| single[i]).collect::<Vec<_>>();
                let expected32 = hashes(u32s.iter().map(|x| x.to_le_bytes().to_vec()).collect());
                let expected64 = hashes(u64s.iter().map(|x| x.to_le_bytes().to_vec()).collect());
                let expected128 = hashes(u128s.iter().map(|x| x.to_le_bytes().to_vec()).collect());
                assert_eq!(
                    [column(0), column(1), column(2)],
                    [expected32.clone(), expected64.clone(), expected128.clone()]
                );
                assert_eq!(good(h.u32s(&u32s, count)), expected32);
                assert_eq!(good(h.u64s(&u64s, count)), expected64);
                assert_eq!(good(h.u128s(&u128s, count)), expected128);
            }
        }
    }

    /// The tags of messages, unfolded and folded, one by one.
    fn loops(h: &dyn PublicHash, messages: &[&[u8]]) -> [Vec<u128>; 2] {
        [
            messages.iter().map(|message| h.hash(message)).collect(),
            messages.iter().map(|message| h.hash_nocase(message)).collect(),
        ]
    }

    #[test]
    fn rows() {
        let bytes: Vec<u8> = (0..200 * 40).map(|i| (i % 251) as u8).collect();
        for h in subjects() {
            for count in COUNTS {
                for width in [1, 3, 4, 7, 8, 9, 12, 16, 31, 40] {
                    let bytes = &bytes[..count * width];
                    let messages: Vec<&[u8]> = bytes.chunks(width).collect();
                    assert_eq!(h.rows(bytes, width, count).map(good), loops(&*h, &messages), "width {width}");
                }
                // Rows of width 0: as many empty messages as there are tags.
                assert_eq!(h.rows(&[], 0, count).map(good), loops(&*h, &vec![&[][..]; count]));
            }
        }
    }

    #[test]
    fn offsets_and_slices() {
        for h in subjects() {
            let mut random = Random(32);
            for count in COUNTS {
                // Offsets from 5 on: the first need not be 0, and bytes may follow the last message.
                let mut offsets = vec![5];
                for _ in 0..count {
                    offsets.push(offsets.last().unwrap() + random.below(40));
                }
                let bytes: Vec<u8> = (0..offsets[count] + 3).map(|i| (i % 251) as u8).collect();
                let messages: Vec<&[u8]> = offsets.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
                let narrow: Vec<i32> = offsets.iter().map(|&offset| offset as i32).collect();
                let wide: Vec<i64> = offsets.iter().map(|&offset| offset as i64).collect();
                let expected = loops(&*h, &messages);
                assert_eq!(h.offsets32(&bytes, &narrow, count).map(good), expected);
                assert_eq!(h.offsets64(&bytes, &wide, count).map(good), expected);
                assert_eq!(h.many(&messages, count).map(good), expected);
            }
        }
    }

    /// Rows of a width that the compiler knows: fewer than some limits are a loop in this code.
    #[test]
    fn rows_of_known_width() {
        fn equal_a_loop<const N: usize>() {
            let bytes: Vec<u8> = (0..200 * N).map(|i| (i % 251) as u8).collect();
            let (key, half) = (Key::from_bytes([7; 16]), halfsiphash::Key::from_bytes([7; 8]));
            let (h, half) = (SipHash13::new(&key), HalfSipHash13::new(&half));
            for count in COUNTS {
                let bytes = &bytes[..count * N];
                let (mut tags, mut half_tags) = (vec![0; count], vec![0; count]);
                h.hash_rows(bytes, N, &mut tags).unwrap();
                half.hash_rows(bytes, N, &mut half_tags).unwrap();
                let rows = bytes.as_chunks::<N>().0;
                assert!(rows.iter().map(|row| h.hash(row)).eq(tags), "{count} rows of {N} bytes");
                assert!(rows.iter().map(|row| half.hash(row)).eq(half_tags), "{count} rows of {N} bytes");
            }
        }
        equal_a_loop::<4>();
        equal_a_loop::<8>();
        equal_a_loop::<12>();
        equal_a_loop::<13>();
        equal_a_loop::<16>();
        equal_a_loop::<24>();
    }

    /// Views of any number of buffers: at most 16 are listed, of more each message becomes a slice.
    #[test]
    fn views() {
        let bytes: Vec<u8> = (0..4000).map(|i| (i % 251) as u8).collect();
        for h in subjects() {
            let mut random = Random(35);
            for count in COUNTS.into_iter().chain([513, 1100]) {
                for (buffers, longest) in [(0, 12), (1, 12), (1, 40), (3, 20), (16, 40), (17, 12), (17, 40)] {
                    let list: Vec<&[u8]> = (0..buffers).map(|i| &bytes[i..][..50 + 7 * i]).collect();
                    let (mut messages, mut views): (Vec<&[u8]>, Vec<[u8; 16]>) = (vec![], vec![]);
                    for _ in 0..count {
                        let len = random.below(longest + 1);
                        let buffer = random.below(buffers.max(1));
                        let inside = list.get(buffer).copied().unwrap_or(&bytes);
                        // The last byte of a buffer now and then.
                        let room = inside.len() - len;
                        let offset = if random.below(4) == 0 { room } else { random.below(room + 1) };
                        let message = &inside[offset..][..len];
                        messages.push(message);
                        views.push(view(message, buffer, offset, random.bytes()));
                    }
                    let integers: Vec<u128> = views.iter().map(|&view| u128::from_le_bytes(view)).collect();
                    let expected = loops(&*h, &messages);
                    assert_eq!(h.views(&views, &list, count).map(good), expected, "{count}, {buffers}");
                    assert_eq!(h.views128(&integers, &list, count).map(good), expected, "{count}, {buffers}");
                }
            }
        }
    }

    /// Bytes and text go to a row as they are. Other types are listed as slices first.
    #[test]
    fn messages_of_any_type() {
        let h = SipHash13::new(&Key::from_bytes([7; 16]));
        for count in COUNTS.into_iter().chain([600]) {
            let strings: Vec<String> = (0..count).map(|i| "x".repeat(i % 40)).collect();
            let texts: Vec<&str> = strings.iter().map(String::as_str).collect();
            let bytes: Vec<Vec<u8>> = strings.iter().map(|text| text.clone().into_bytes()).collect();
            let right: Vec<u64> = texts.iter().map(|text| h.hash(text.as_bytes())).collect();
            let mut tags = [(); 3].map(|()| vec![0; count]);
            let [of_strings, of_texts, of_bytes] = &mut tags;
            h.hash_many(&strings, of_strings).unwrap();
            h.hash_many(&texts, of_texts).unwrap();
            h.hash_many(&bytes, of_bytes).unwrap();
            assert!(tags.iter().all(|tags| *tags == right), "{count}");
        }
    }

    /// Messages of some whole tiles, which share no group of short ones.
    #[test]
    fn long_messages() {
        let bytes: Vec<u8> = (0..4000).map(|i| (i % 251) as u8).collect();
        for h in subjects() {
            let mut random = Random(36);
            for count in COUNTS.into_iter().chain([255, 256, 600]) {
                for lengths in [60..68, 40..120, 250..260, 505..520, 20..900] {
                    let (mut messages, mut views): (Vec<&[u8]>, Vec<[u8; 16]>) = (vec![], vec![]);
                    let (mut joined, mut offsets) = (vec![], vec![0]);
                    for _ in 0..count {
                        let len = lengths.start + random.below(lengths.len());
                        let offset = random.below(bytes.len() - len);
                        let message = &bytes[offset..][..len];
                        messages.push(message);
                        views.push(view(message, 0, offset, random.bytes()));
                        joined.extend(message);
                        offsets.push(joined.len() as i32);
                    }
                    let expected = loops(&*h, &messages);
                    let by_offsets = h.offsets32(&joined, &offsets, count).map(good);
                    assert_eq!(by_offsets, expected, "{count}, {lengths:?}");
                    assert_eq!(h.many(&messages, count).map(good), expected, "{count}, {lengths:?}");
                    assert_eq!(h.views(&views, &[&bytes], count).map(good), expected, "{count}, {lengths:?}");
                }
            }
        }
    }

    /// Without messages there is one offset, of any value, or none.
    #[test]
    fn no_messages() {
        for h in subjects() {
            for offsets in [vec![], vec![0], vec![3]] {
                let wide: Vec<i64> = offsets.iter().map(|&offset: &i32| offset.into()).collect();
                for tags in h.offsets32(b"abc", &offsets, 0).into_iter().chain(h.offsets64(b"abc", &wide, 0))
                {
                    assert_eq!(tags, Tags { result: Ok(()), tags: vec![] });
                }
            }
        }
    }
}

/// Every call with bad arguments reports what is wrong and writes nothing.
mod refuses {
    use super::*;

    #[test]
    fn counts_that_differ() {
        let bytes = [1; 300];
        for h in subjects() {
            let h = &*h;
            for messages in COUNTS {
                for tags in [messages.wrapping_sub(1), messages + 1, 0, 500] {
                    if tags == usize::MAX || tags == messages {
                        continue;
                    }
                    let error = BatchError::Count { messages, tags };
                    refused(h, h.u32s(&vec![7; messages], tags), error);
                    refused(h, h.u64s(&vec![7; messages], tags), error);
                    refused(h, h.u128s(&vec![7; messages], tags), error);
                    both_refused(h, h.many(&vec![&bytes[..9]; messages], tags), error);
                    both_refused(h, h.views(&vec![[0; 16]; messages], &[&bytes], tags), error);
                    // The count comes before what is wrong with a view.
                    both_refused(h, h.views128(&vec![u128::MAX; messages], &[], tags), error);
                    let offsets: Vec<i32> = (0..=messages as i32).collect();
                    let wide: Vec<i64> = offsets.iter().map(|&offset| offset.into()).collect();
                    both_refused(h, h.offsets32(&bytes, &offsets, tags), error);
                    both_refused(h, h.offsets64(&bytes, &wide, tags), error);
                }
            }
            let error = BatchError::Count { messages: 0, tags: 1 };
            both_refused(h, h.offsets32(&bytes, &[], 1), error);
            both_refused(h, h.offsets64(&bytes, &[], 1), error);
        }
    }

    /// Lists of offsets into 100 bytes, each with the index of the first bad one.
    #[test]
    fn offsets() {
        let bytes = [1; 100];
        let narrow: [(&[i32], usize); 12] = [
            (&[-1], 0),
            (&[-1, 5], 0),
            (&[101], 0),
            (&[0, 101], 1),
            (&[0, 50, 49], 2),
            (&[50, 49, 60], 1),
            // A descent that the last offset does not reveal.
            (&[0, 90, 10, 100], 2),
            (&[0, i32::MAX], 1),
            (&[i32::MIN, 100], 0),
            (&[0, -1, 100], 1),
            (&[0, 101, 100], 1),
            (&[0, 100, i32::MIN], 2),
        ];
        for h in subjects() {
            let h = &*h;
            for (offsets, index) in narrow {
                let error = BatchError::Offsets { index };
                both_refused(h, h.offsets32(&bytes, offsets, offsets.len() - 1), error);
                let wide: Vec<i64> = offsets.iter().map(|&offset| offset.into()).collect();
                both_refused(h, h.offsets64(&bytes, &wide, offsets.len() - 1), error);
            }
            // Numbers that become a good offset when they lose their upper half or their sign.
            for bad in [i64::MAX, i64::MIN, 1 << 32, (1 << 32) + 50, -50, -1 << 32] {
                both_refused(h, h.offsets64(&bytes, &[0, bad], 1), BatchError::Offsets { index: 1 });
                both_refused(h, h.offsets64(&bytes, &[bad, 100], 1), BatchError::Offsets { index: 0 });
                both_refused(h, h.offsets64(&bytes, &[bad], 0), BatchError::Offsets { index: 0 });
            }
            // Bad after many good ones: the check must not end with the first chunk.
            for count in [1, 2, 3, 4, 15, 16, 17, 31, 32, 33, 64, 200] {
                let mut offsets = vec![4; count];
                offsets.push(3);
                both_refused(h, h.offsets32(&bytes, &offsets, count), BatchError::Offsets { index: count });
            }
        }
    }

    /// A view of a long message: its length, buffer and offset.
    fn long(length: u32, buffer: u32, offset: u32) -> [u8; 16] {
        let numbers = [length, 0x0a0b_0c0d, buffer, offset].map(u32::to_le_bytes);
        std::array::from_fn(|i| numbers[i / 4][i % 4])
    }

    #[test]
    fn views() {
        let bytes = [1; 100];
        let buffers: [&[u8]; 3] = [&bytes, &[], &bytes[..13]];
        let good = [
            [0; 16],
            // Padding that would be a bad buffer and offset.
            std::array::from_fn(|i| {
                if i == 0 {
                    12
                } else if i < 4 {
                    0
                } else {
                    0xff
                }
            }),
            std::array::from_fn(|i| if i < 4 { 0 } else { 0xff }),
            long(100, 0, 0),
            long(13, 0, 87),
            long(13, 2, 0),
        ];
        let bad = [
            // Lengths beyond the buffer, and negative ones.
            long(101, 0, 0),
            long(i32::MAX as u32, 0, 0),
            long(1 << 31, 0, 0),
            long(u32::MAX, 0, 0),
            long(u32::MAX - 11, 0, 12),
            long(14, 2, 0),
            long(13, 1, 0),
            // Offsets beyond the buffer. Some become good when a sum loses its upper half.
            long(13, 0, 88),
            long(13, 0, 100),
            long(13, 0, 101),
            long(13, 0, 1 << 31),
            long(13, 0, u32::MAX),
            long(13, 0, u32::MAX - 12),
            long(100, 0, u32::MAX - 99),
            long(i32::MAX as u32, 0, 1 << 31),
            long(i32::MAX as u32, 0, (1 << 31) + 1),
            long(13, 1, u32::MAX - 12),
            // Buffers that do not exist.
            long(13, 3, 0),
            long(13, u32::MAX, 0),
            long(13, 1 << 31, 0),
        ];
        // The same buffers, and more than are listed: those are empty and come last.
        let many: Vec<&[u8]> = buffers.into_iter().chain([&[][..]; 20]).collect();
        for h in subjects() {
            let h = &*h;
            for count in [1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 64, 65, 128, 129, 600] {
                let fill: Vec<[u8; 16]> = good.into_iter().cycle().take(count).collect();
                let integers: Vec<u128> = fill.iter().map(|&view| u128::from_le_bytes(view)).collect();
                for list in [&buffers[..], &many] {
                    assert!(h.views(&fill, list, count).iter().all(|call| call.result == Ok(())));
                    assert!(h.views128(&integers, list, count).iter().all(|call| call.result == Ok(())));
                    for (i, bad) in bad.into_iter().enumerate() {
                        if list.len() > buffers.len() && bad[8..12] == [3, 0, 0, 0] {
                            continue;
                        }
                        let index = [0, count / 2, count - 1][i % 3];
                        let error = BatchError::Views { index };
                        let (mut views, mut integers) = (fill.clone(), integers.clone());
                        views[index] = bad;
                        // Another one later does not matter.
                        *views.last_mut().expect("a view") = bad;
                        integers[index] = u128::from_le_bytes(bad);
                        both_refused(h, h.views(&views, list, count), error);
                        both_refused(h, h.views128(&integers, list, count), error);
                    }
                }
                // Without buffers only views with their messages are good.
                let inline: Vec<[u8; 16]> = good[..3].iter().copied().cycle().take(count).collect();
                assert!(h.views(&inline, &[], count).iter().all(|call| call.result == Ok(())));
                let mut views = inline;
                views[count - 1] = long(13, 0, 0);
                both_refused(h, h.views(&views, &[], count), BatchError::Views { index: count - 1 });
            }
        }
    }

    /// A single buffer has a check of its own, and long views of unequal lengths a loop.
    #[test]
    fn views_of_one_buffer() {
        let bytes = [1; 400];
        let short = [[0; 16], long(13, 0, 0), long(100, 0, 300), long(13, 0, 387)];
        let ragged = [long(400, 0, 0), long(20, 0, 380), long(150, 0, 250), [0; 16], long(300, 0, 7)];
        let bad = [
            long(401, 0, 0),
            long(13, 0, 388),
            long(13, 0, u32::MAX),
            long(13, 0, u32::MAX - 12),
            long(13, 1, 0),
            long(13, 1 << 31, 0),
            long(13, u32::MAX, 0),
            long(i32::MAX as u32, 0, 0),
            long(1 << 31, 0, 0),
            long(u32::MAX, 0, 0),
            long(u32::MAX, 0, u32::MAX),
        ];
        for h in subjects() {
            let h = &*h;
            for (good, count) in [&short[..], &ragged].into_iter().flat_map(|good| {
                [16, 31, 32, 47, 48, 64, 65, 128, 129, 200, 255, 256, 513, 700].map(|count| (good, count))
            }) {
                let fill: Vec<[u8; 16]> = good.iter().copied().cycle().take(count).collect();
                assert!(h.views(&fill, &[&bytes], count).iter().all(|call| call.result == Ok(())));
                for (i, bad) in bad.into_iter().enumerate() {
                    let index = [0, 1, count / 2, count - 1][i % 4];
                    let mut views = fill.clone();
                    views[index] = bad;
                    let integers: Vec<u128> = views.iter().map(|&view| u128::from_le_bytes(view)).collect();
                    both_refused(h, h.views(&views, &[&bytes], count), BatchError::Views { index });
                    both_refused(h, h.views128(&integers, &[&bytes], count), BatchError::Views { index });
                }
            }
            // An empty buffer has room for no long message.
            let mut views = vec![[0; 16]; 600];
            assert!(h.views(&views, &[&[]], 600).iter().all(|call| call.result == Ok(())));
            views[599] = long(13, 0, 0);
            both_refused(h, h.views(&views, &[&[]], 600), BatchError::Views { index: 599 });
        }
    }

    #[test]
    fn rows() {
        for h in subjects() {
            let h = &*h;
            // (bytes, width, rows): too few, too many, a partial row, and products that overflow to a number
            // that would fit.
            for (bytes, width, rows) in [
                (29, 10, 3),
                (31, 10, 3),
                (30, 10, 2),
                (30, 10, 4),
                (30, 0, 3),
                (1, 0, 0),
                (30, 10, 0),
                (0, 1, 1),
                (0, usize::MAX, 2),
                (30, usize::MAX, 2),
                (0, 1 << (usize::BITS - 1), 2),
                (8, (1 << (usize::BITS - 1)) + 4, 2),
                (0, 1 << (usize::BITS - 2), 4),
            ] {
                let error = BatchError::Rows { bytes, width, rows };
                both_refused(h, h.rows(&vec![1; bytes], width, rows), error);
            }
        }
    }
}

/// A message that counts its reads and changes with each.
struct Changing {
    asked: Cell<usize>,
    answers: Vec<Vec<u8>>,
}

impl AsRef<[u8]> for Changing {
    fn as_ref(&self) -> &[u8] {
        let asked = self.asked.replace(self.asked.get() + 1);
        &self.answers[asked % self.answers.len()]
    }
}

/// `hash_many` reads each message once. So a changing message cannot have its length taken from one read and
/// its bytes from another.
#[test]
fn each_message_is_asked_for_once() {
    let h = SipHash24::new(&Key::from_bytes([5; 16]));
    for count in COUNTS {
        let message = |i: usize| Changing {
            asked: Cell::new(0),
            answers: vec![vec![i as u8; i % 19], vec![0xee; 3000], vec![]],
        };
        let messages: Vec<Changing> = (0..count).map(message).collect();
        for nocase in [false, true] {
            messages.iter().for_each(|message| message.asked.set(0));
            let mut tags = vec![0; count];
            let result = match nocase {
                false => h.hash_many(&messages, &mut tags),
                true => h.hash_many_nocase(&messages, &mut tags),
            };
            assert_eq!(result, Ok(()));
            for (message, tag) in messages.iter().zip(tags) {
                assert_eq!(message.asked.get(), 1);
                let first = &message.answers[0];
                assert_eq!(tag, if nocase { h.hash_nocase(first) } else { h.hash(first) });
            }
        }
        // Refused without a single read.
        messages.iter().for_each(|message| message.asked.set(0));
        assert!(h.hash_many(&messages, &mut vec![0; count + 1]).is_err());
        assert!(messages.iter().all(|message| message.asked.get() == 0));
    }
}

/// A buffer that changes between reads gives wrong tags at worst: no call reads outside it or fails.
#[test]
fn buffers_that_change() {
    let h = SipHash24::new(&Key::from_bytes([5; 16]));
    for buffers in [1, 16, 17, 40] {
        for count in COUNTS {
            let buffer = |i: usize| Changing {
                asked: Cell::new(0),
                answers: vec![vec![i as u8; 50], vec![], vec![7; 3000], vec![9; 14]],
            };
            let buffers: Vec<Changing> = (0..buffers).map(buffer).collect();
            let views: Vec<[u8; 16]> =
                (0..count).map(|i| view(&[0; 20], i % buffers.len(), i % 30, [0; 12])).collect();
            for _ in 0..5 {
                let mut tags = vec![0; count];
                let result = h.hash_views(&views, &buffers, &mut tags);
                assert!(matches!(result, Ok(()) | Err(BatchError::Views { .. })));
            }
        }
    }
}

mod poly1305 {
    use super::*;

    /// Key `i` of a batch.
    fn key(i: usize) -> [u8; 32] {
        Random(i as u64).bytes()
    }

    fn keys(count: usize) -> impl ExactSizeIterator<Item = OneTimeKey> {
        (0..count).map(|i| OneTimeKey::from_bytes(key(i)))
    }

    /// The tag of message `i`, by keylane-ref.
    fn expected(i: usize, message: &[u8]) -> [u8; 16] {
        keylane_ref::poly1305(&key(i), message)
    }

    /// The contents of the tag buffer before a call.
    const UNWRITTEN: [u8; 16] = [0x5a; 16];

    fn places(count: usize) -> Vec<Tag> {
        vec![Tag::from_bytes(UNWRITTEN); count]
    }

    fn bytes(tags: &[Tag]) -> Vec<[u8; 16]> {
        tags.iter().map(Tag::to_bytes).collect()
    }

    /// Batches of messages: of equal lengths, of different lengths, empty, and one long among many short.
    fn batches() -> Vec<Vec<Vec<u8>>> {
        let mut random = Random(33);
        let mut batches = Vec::new();
        for count in COUNTS {
            batches.push(vec![vec![0xff; 48]; count]);
            batches.push(vec![vec![]; count]);
            for most in [100, 1500] {
                batches.push((0..count).map(|i| vec![i as u8; random.below(most)]).collect());
            }
            // Long enough for lanes, and the same with one that differs between the first and the last.
            for len in [64, 130, 300] {
                let mut equal = vec![vec![0xfd; len]; count];
                batches.push(equal.clone());
                if let [_, other, _, ..] = &mut equal[..] {
                    other.pop();
                    batches.push(equal);
                }
            }
        }
        for long in [0, 1, 40, 64] {
            batches.push((0..65).map(|i| vec![0xfe; if i == long { 1 << 20 } else { 3 }]).collect());
        }
        batches
    }

    #[test]
    fn a_batch_equals_a_loop() {
        let rows: Vec<&str> = table::POLY1305_XN.runnable().map(|row| row.id()).collect();
        for (batch, row) in
            batches().into_iter().flat_map(|batch| rows.iter().map(move |row| (batch.clone(), row)))
        {
            kernels::force("poly1305-xn", row).expect("a row that runs here");
            let messages: Vec<&[u8]> = batch.iter().map(Vec::as_slice).collect();
            let mut tags = places(messages.len());
            assert_eq!(mac_batch(keys(messages.len()), &messages, &mut tags), Ok(()));
            for (i, (message, tag)) in messages.iter().zip(&tags).enumerate() {
                let single = mac(OneTimeKey::from_bytes(key(i)), message);
                assert_eq!(tag.to_bytes(), single.to_bytes(), "message {i} of {}", messages.len());
                if message.len() < 2000 {
                    assert_eq!(tag.to_bytes(), expected(i, message), "message {i} of {}", messages.len());
                }
            }
            let mut good = vec![false; messages.len()];
            assert_eq!(verify_batch(keys(messages.len()), &messages, &tags, &mut good), Ok(()));
            assert!(good.iter().all(|&good| good));
        }
    }

    /// Good and bad tags mixed. Finds a verdict that goes to another message, or to all.
    #[test]
    fn verify_tells_good_from_bad() {
        let mut random = Random(34);
        for count in COUNTS {
            for _ in 0..8 {
                let batch: Vec<Vec<u8>> = (0..count).map(|i| vec![i as u8; random.below(60)]).collect();
                let messages: Vec<&[u8]> = batch.iter().map(Vec::as_slice).collect();
                let is_good: Vec<bool> = (0..count).map(|_| random.below(2) == 0).collect();
                let tag = |(i, &good): (usize, &bool)| {
                    let mut tag = expected(i, messages[i]);
                    let bit = random.below(128);
                    tag[bit / 8] ^= u8::from(!good) << (bit % 8);
                    Tag::from_bytes(tag)
                };
                let tags: Vec<Tag> = is_good.iter().enumerate().map(tag).collect();
                // Both initial values: finds a verdict that is left unchanged.
                for before in [false, true] {
                    let mut verdicts = vec![before; count];
                    assert_eq!(verify_batch(keys(count), &messages, &tags, &mut verdicts), Ok(()));
                    assert_eq!(verdicts, is_good);
                }
            }
        }
    }

    #[test]
    fn counts_that_differ_are_refused() {
        for messages in COUNTS {
            for other in [messages.wrapping_sub(1), messages + 1, messages + 40] {
                if other == usize::MAX {
                    continue;
                }
                let slices = vec![&b"message"[..]; messages];
                let mac = |keys_given, tags_given| {
                    let mut tags = places(tags_given);
                    let result = mac_batch(keys(keys_given), &slices, &mut tags);
                    assert!(bytes(&tags).iter().all(|tag| *tag == UNWRITTEN), "something was written");
                    result
                };
                let verify = |keys_given, tags_given, places_given| {
                    let mut good = vec![true; places_given];
                    let result = verify_batch(keys(keys_given), &slices, &places(tags_given), &mut good);
                    assert!(good.iter().all(|&good| good), "something was written");
                    result
                };
                let count = |tags| Err(BatchError::Count { messages, tags });
                let missing = Err(BatchError::Keys { keys: other, messages });
                assert_eq!(mac(messages, other), count(other));
                assert_eq!(mac(other, messages), missing);
                assert_eq!(verify(other, messages, messages), missing);
                // If tags or verdicts are too short, the error names the shorter one. Both must be given if
                // they are too long.
                assert_eq!(verify(messages, other, other), count(other));
                for (tags, places) in [(other, messages), (messages, other)] {
                    assert!(matches!(verify(messages, tags, places), Err(BatchError::Count { .. })));
                }
            }
        }
    }

    /// An iterator that states one length and has another.
    struct Lying<I> {
        keys: I,
        stated: usize,
    }

    impl<I: Iterator<Item = OneTimeKey>> Iterator for Lying<I> {
        type Item = OneTimeKey;

        fn next(&mut self) -> Option<OneTimeKey> {
            self.keys.next()
        }

        fn size_hint(&self) -> (usize, Option<usize>) {
            (self.stated, Some(self.stated))
        }
    }

    impl<I: Iterator<Item = OneTimeKey>> ExactSizeIterator for Lying<I> {
        fn len(&self) -> usize {
            self.stated
        }
    }

    /// Keys that end early. No tag under a missing key may leave the call, and no message may be called good.
    /// A key of zeros would give tags that anyone can compute.
    #[test]
    fn keys_that_end_early() {
        for stated in [1, 2, 31, 32, 33, 65] {
            for (there, message) in [0, stated / 2, stated - 1].into_iter().flat_map(|there| {
                // Short, and long enough for lanes.
                [&b"message"[..], &[7; 300]].map(|message| (there, message))
            }) {
                let messages = vec![message; stated];
                let error = Err(BatchError::Keys { keys: there, messages: stated });
                let mut tags = places(stated);
                let lying = Lying { keys: keys(there), stated };
                assert_eq!(mac_batch(lying, &messages, &mut tags), error);
                assert!(bytes(&tags).iter().all(|tag| *tag == [0; 16]));

                // The tags of missing keys would be good under keys of zeros; the others are good under their
                // keys.
                let tag = |i| if i < there { expected(i, message) } else { [0; 16] };
                let given: Vec<Tag> = (0..stated).map(|i| Tag::from_bytes(tag(i))).collect();
                let mut good = vec![true; stated];
                let lying = Lying { keys: keys(there), stated };
                assert_eq!(verify_batch(lying, &messages, &given, &mut good), error);
                assert!(good.iter().all(|&good| !good));
            }
        }
    }

    /// Surplus keys: only the requested ones are used, one each.
    #[test]
    fn keys_that_go_on() {
        let texts = [&b"message"[..], &[7; 300]];
        for (stated, message) in [0, 1, 31, 32, 33, 65].into_iter().flat_map(|n| texts.map(|text| (n, text)))
        {
            let messages = vec![message; stated];
            let mut tags = places(stated);
            let lying = Lying { keys: keys(stated + 50), stated };
            assert_eq!(mac_batch(lying, &messages, &mut tags), Ok(()));
            for (i, tag) in tags.iter().enumerate() {
                assert_eq!(tag.to_bytes(), expected(i, message));
            }
        }
    }

    /// An iterator that panics midway does not break the next call.
    #[test]
    fn keys_that_panic() {
        for message in [&b"message"[..], &[7; 300]] {
            let messages = vec![message; 40];
            let panicking =
                (0..40).map(|i| if i < 35 { OneTimeKey::from_bytes(key(i)) } else { panic!("no key") });
            let mut tags = places(40);
            let call = std::panic::AssertUnwindSafe(|| mac_batch(panicking, &messages, &mut tags));
            assert!(std::panic::catch_unwind(call).is_err());
            for (i, tag) in bytes(&tags).into_iter().enumerate() {
                // Every tag is right or untouched.
                assert!(tag == UNWRITTEN || tag == expected(i, message), "place {i}");
            }
            assert_eq!(mac_batch(keys(40), &messages, &mut tags), Ok(()));
            assert_eq!(tags[39].to_bytes(), expected(39, message));
        }
    }
}
