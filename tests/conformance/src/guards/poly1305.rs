//! Poly1305, one message and many: `poly1305-x1`, `poly1305-pn` and `poly1305-xn`.

use super::{Between, Cases, Guarded, LONGEST, MOST, Side, counts, lengths};
use crate::input::{Pool, Random, Text};
use crate::rows::layouts::ragged_lengths;
use crate::rows::oracle::Macs;
use crate::rows::{Extent, Row};
use keylane::job::poly1305::{Batch, Blocks, Key, Message, Packets, Parts, Pn, Powers, State, X1, Xn};
use keylane_ref as spec;

impl Between for X1 {
    fn cases(row: &Row<Self>, cases: &mut Cases<'_>) {
        let mut truth = Macs::new(Extent::Whole);
        let (mut bytes, mut rest, mut state) = (Guarded::new(LONGEST), Guarded::new(0), Guarded::new(0));
        for key in [0, truth.keys.len() - 1] {
            for len in lengths() {
                let text = Text::at(Pool::RANDOM, len);
                let right = truth.tag(key, text);
                for side in Side::BOTH {
                    // The tail directly after the blocks, as in a message, or apart from them.
                    for separate in [false, true] {
                        let message = truth.pool.text(text);
                        let placed =
                            &*bytes.put(if separate { &message[..len / 16 * 16] } else { message }, side);
                        let (blocks, tail) = placed.as_chunks::<16>();
                        let tail = if separate { &*rest.put(&message[len / 16 * 16..], side) } else { tail };
                        let begun = State::new(Key::from_bytes(&truth.keys[key]));
                        let state = &mut state.put(&[begun], side)[0];
                        let tag = || {
                            row.kernel.run(Blocks { state, blocks, tail });
                            state.tag().to_le_bytes()
                        };
                        cases.case(format!("{len} bytes, separate tail {separate}, {side:?}"), tag, right);
                    }
                }
            }
        }
    }
}

impl Between for Pn {
    fn cases(row: &Row<Self>, cases: &mut Cases<'_>) {
        let mut truth = Macs::new(Extent::Whole);
        let (mut bytes, mut keys, mut tags) = (Guarded::new(LONGEST), Guarded::new(0), Guarded::new(0));
        let mut states = Guarded::new(0);
        for key in [0, truth.keys.len() - 1] {
            let begun = State::new(Key::from_bytes(&truth.keys[key]));
            for len in lengths() {
                let text = Text::at(Pool::RANDOM, len);
                for side in Side::BOTH {
                    let right = truth.tag(key, text);
                    let message = &*bytes.put(truth.pool.text(text), side);
                    let key_bytes = begun.key;
                    let (key, tag) = (&keys.put(&[key_bytes], side)[0], &mut tags.put(&[0x55u128], side)[0]);
                    let whole = || {
                        row.kernel.run(Message::Whole { key, message, tag });
                        if let Some(by_registers) = row.kernel.mac(key.r, key.s, message) {
                            assert_eq!(by_registers, *tag, "the register entry");
                        }
                        tag.to_le_bytes()
                    };
                    cases.case(format!("{len} bytes, {side:?}"), whole, right);
                }
                // Only the blocks, in two pieces. The second one finds the powers that the first has
                // computed.
                let text = Text::at(Pool::RANDOM, len / 16 * 16);
                for side in Side::BOTH {
                    let right = truth.tag(key, text);
                    let (blocks, _) = bytes.put(truth.pool.text(text), side).as_chunks::<16>();
                    let (first, second) = blocks.split_at(blocks.len() / 2);
                    let state = &mut states.put(&[begun], side)[0];
                    let pieces = || {
                        let mut powers = Powers::Unknown;
                        for blocks in [first, second] {
                            row.kernel.run(Message::Piece { state, powers: &mut powers, blocks });
                        }
                        state.tag().to_le_bytes()
                    };
                    cases.case(format!("{len} bytes in pieces, {side:?}"), pieces, right);
                }
            }
        }
    }
}

impl Between for Xn {
    fn cases(row: &Row<Self>, cases: &mut Cases<'_>) {
        let mut run = Run {
            row,
            cases,
            truth: Macs::new(Extent::Whole),
            keys: Guarded::new(32 * MOST),
            list: Guarded::new(16 * MOST),
            tags: Guarded::new(16 * MOST),
            each: (0..MOST).map(|_| Guarded::new(LONGEST)).collect(),
        };
        let group = 2 * row.lanes + 1;
        for len in lengths() {
            for lengths in [vec![len], vec![len; group], (len..len + group).collect()] {
                run.batch(&lengths.iter().map(|&len| len.min(LONGEST)).collect::<Vec<_>>());
            }
        }
        let mut random = Random(15);
        for count in counts() {
            for lengths in ragged_lengths(count, row.lanes, &mut random) {
                run.batch(&lengths);
            }
        }
    }
}

struct Run<'a, 'b> {
    row: &'a Row<Xn>,
    cases: &'a mut Cases<'b>,
    truth: Macs,
    keys: Guarded,
    /// The slices.
    list: Guarded,
    tags: Guarded,
    /// The messages.
    each: Vec<Guarded>,
}

impl Run<'_, '_> {
    /// Messages of these lengths, each under one of the keys.
    fn batch(&mut self, lengths: &[usize]) {
        let Run { row, cases, truth, keys, list, tags, each } = self;
        let texts: Vec<(usize, Text)> = lengths
            .iter()
            .enumerate()
            .map(|(i, &len)| (i % truth.keys.len(), Text::at(Pool::RANDOM, len)))
            .collect();
        let right: Vec<[u8; 16]> = texts.iter().map(|&(key, text)| truth.tag(key, text)).collect();
        let numbers: Vec<Key> = texts.iter().map(|&(key, _)| Key::from_bytes(&truth.keys[key])).collect();
        let count = lengths.len();
        let longest = lengths.iter().max().unwrap_or(&0);
        for side in Side::BOTH {
            let slices: Vec<&[u8]> = each
                .iter_mut()
                .zip(&texts)
                .map(|(place, &(_, text))| &*place.put(truth.pool.text(text), side))
                .collect();
            let messages = &*list.put(&slices, side);
            let keys = &*keys.put(&numbers, side);
            let tags = tags.put(&vec![[0x55; 16]; count], side);
            let run = || {
                row.kernel.run(Batch { keys, messages, tags });
                tags.to_vec()
            };
            cases.case(format!("{count} messages of at most {longest} bytes, {side:?}"), run, right.clone());
        }
    }
}

impl Between for Parts {
    fn cases(row: &Row<Self>, cases: &mut Cases<'_>) {
        let pool = Pool::shared();
        let count = 2 * row.lanes + 1;
        let mut each: Vec<[Guarded; 2]> =
            (0..count).map(|_| [Guarded::new(LONGEST), Guarded::new(LONGEST)]).collect();
        let (mut keys, mut list, mut tags) =
            (Guarded::new(32 * count), Guarded::new(32 * count), Guarded::new(16 * count));
        let bytes = [0x3d; 32];
        for len in lengths() {
            for step in [0, 1, 17] {
                let lengths: Vec<[usize; 2]> =
                    (0..count).map(|i| [(len + i) % 67, (len + step * i).min(LONGEST)]).collect();
                let texts: Vec<[&[u8]; 2]> = lengths
                    .iter()
                    .map(|lengths| lengths.map(|len| pool.text(Text::at(Pool::RANDOM, len))))
                    .collect();
                let right: Vec<[u8; 16]> = texts
                    .iter()
                    .map(|parts| {
                        let mut message = Vec::new();
                        for part in parts {
                            message.extend(*part);
                            message.resize(message.len().next_multiple_of(16), 0);
                        }
                        parts.iter().for_each(|part| message.extend((part.len() as u64).to_le_bytes()));
                        spec::poly1305(&bytes, &message)
                    })
                    .collect();
                for side in Side::BOTH {
                    let slices: Vec<[&[u8]; 2]> = each
                        .iter_mut()
                        .zip(&texts)
                        .map(|([aad, text], parts)| [&*aad.put(parts[0], side), &*text.put(parts[1], side)])
                        .collect();
                    let packets = &*list.put(&slices, side);
                    let keys = &*keys.put(&vec![Key::from_bytes(&bytes); count], side);
                    let tags = tags.put(&vec![[0x55; 16]; count], side);
                    let run = || {
                        row.kernel.run(Packets { keys, packets, tags });
                        tags.to_vec()
                    };
                    cases.case(format!("{len} bytes and {step} more for each, {side:?}"), run, right.clone());
                }
            }
        }
    }
}
