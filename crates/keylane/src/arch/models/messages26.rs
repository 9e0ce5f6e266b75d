//! Vectors of four messages for Poly1305 in base 2^26.

#![forbid(unsafe_code)]

use super::{RANDOM, Random, bits_of_bytes, count_of_pairs, each, edges, number, pair};
use crate::arch::generic::messages26::MessageVectors;
use crate::job::poly1305::Key;

/// The last block of a message: its words, with a byte 1 after its bytes if it is incomplete. An empty message has none.
fn last_block(message: &[u8]) -> [u64; 2] {
    let mut block = message.chunks(16).next_back().unwrap_or_default().to_vec();
    if !block.len().is_multiple_of(16) {
        block.push(1);
    }
    block.resize(16, 0);
    [number(&block[..8]), number(&block[8..])]
}

/// Compares [`MessageVectors`] of an instruction set with arrays.
#[inline(always)]
pub fn message_vectors<M: MessageVectors>(cpu: M) {
    let (edges, mut random) = (edges(64), Random::new());
    for k in 0..count_of_pairs(64) {
        let [a, b] = pair::<4>(&edges, &mut random, k);
        let (x, y) = (cpu.load(&a), cpu.load(&b));
        // The high word only, as the order of a message's lane.
        let mask: [u64; 4] = each(|lane| if (k / 3 + lane) % 2 == 0 { u64::MAX } else { 0 });
        let chosen = cpu.choose(cpu.load(&mask), x, y);
        let expected = each(|i| if mask[i] == 0 { a[i] } else { b[i] });
        assert_eq!(cpu.store(chosen), expected, "choose: {mask:x?} {a:x?} {b:x?}");
        let bits = |is: bool| if is { u64::MAX } else { 0 };
        assert_eq!(cpu.store(cpu.equal(x, y)), each(|i| bits(a[i] == b[i])), "equal: {a:x?} {b:x?}");
        let (a, b) = (a.map(|a| a >> 1), b.map(|b| b >> 1));
        let greater = cpu.greater(cpu.load(&a), cpu.load(&b));
        assert_eq!(cpu.store(greater), each(|i| bits(a[i] > b[i])), "greater: {a:x?} {b:x?}");
        let numbers = a.map(|a| a as usize);
        assert_eq!(cpu.store(cpu.of_lanes(numbers)), numbers.map(|n| n as u64), "of_lanes: {numbers:x?}");
        let hidden = cpu.hidden([x, y, x, y, x]);
        assert_eq!(cpu.store(hidden[0]), cpu.store(x), "hidden");
        assert_eq!(cpu.store(hidden[1]), cpu.store(y), "hidden");
        assert_eq!(cpu.store(hidden[2]), cpu.store(x), "hidden");
        assert_eq!(cpu.store(hidden[3]), cpu.store(y), "hidden");
        assert_eq!(cpu.store(hidden[4]), cpu.store(x), "hidden");
    }
    for bytes in bits_of_bytes(128) {
        let rows: [[u8; 16]; 8] = each(|i| each(|j| bytes[16 * i + j]));
        let words = rows.map(|row| [number(&row[..8]), number(&row[8..])]);
        let [low, high] = cpu.words_of([&rows[0], &rows[1], &rows[2], &rows[3]]);
        assert_eq!(cpu.store(low), each(|i| words[i][0]), "words_of: {rows:x?}");
        assert_eq!(cpu.store(high), each(|i| words[i][1]), "words_of: {rows:x?}");
        assert_eq!(cpu.tags_of([low, high]), each(|i| rows[i]), "tags_of: {rows:x?}");
        let keys: [Key; 4] = each(|i| Key { r: words[2 * i], s: words[2 * i + 1] });
        let [[r0, r1], [s0, s1]] = cpu.words_of_keys([&keys[0], &keys[1], &keys[2], &keys[3]]);
        assert_eq!(cpu.store(r0), each(|i| keys[i].r[0]), "words_of_keys: {rows:x?}");
        assert_eq!(cpu.store(r1), each(|i| keys[i].r[1]), "words_of_keys: {rows:x?}");
        assert_eq!(cpu.store(s0), each(|i| keys[i].s[0]), "words_of_keys: {rows:x?}");
        assert_eq!(cpu.store(s1), each(|i| keys[i].s[1]), "words_of_keys: {rows:x?}");
    }
    // Every length to three blocks in each lane, beside other lengths.
    for k in 0..49 + RANDOM / 10 {
        let bytes = random.bytes(256);
        let messages: [&[u8]; 4] = each(|lane| &bytes[7 * lane..][..(k + lane * (1 + k / 49)) % 49]);
        let [low, high] = cpu.words_of_ends(messages);
        assert_eq!(cpu.store(low), messages.map(|m| last_block(m)[0]), "words_of_ends: {messages:x?}");
        assert_eq!(cpu.store(high), messages.map(|m| last_block(m)[1]), "words_of_ends: {messages:x?}");
    }
}
