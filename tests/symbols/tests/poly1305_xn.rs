//! Poly1305 of many messages, one in each lane: poly1305_x4_avx2, poly1305_x4_neon, and the turns of
//! poly1305_x8_avx512ifma.

use keylane::arch::generic::groups::{Costs, SORTED, run};
use keylane::arch::generic::parts26;
use keylane::job::poly1305::{Batch, Key, Packets};
use keylane_symbols::numbers::radix26::{four, four_packets};
use keylane_symbols::numbers::{check, forgetting, points};

/// Lengths around each number of blocks up to two turns, alike and mixed.
fn quick() -> impl Iterator<Item = [usize; 4]> {
    let alike = (0..=12).flat_map(|blocks| [1, 15, 16].map(|part| [16 * blocks + part; 4]));
    let mixed = (0..=200).step_by(5).map(|len| [len, 70, 129 + len % 64, 200 - len]);
    [[0; 4]].into_iter().chain(alike).chain(mixed)
}

#[test]
fn poly1305_x4_avx2() {
    check(quick(), four);
}

/// With a forgotten accumulator: every number of turns.
#[test]
fn poly1305_x4_avx2_any_number_of_turns() {
    forgetting(|| check(quick(), four));
}

/// Packets: every number of blocks of the AAD, and of a text up to three turns and a rest; lanes alike and mixed.
fn packets() -> impl Iterator<Item = [[usize; 2]; 4]> {
    let alike =
        (0..=12).flat_map(|blocks| [1, 15, 16].map(|part| [[5 * blocks + part, 16 * blocks + part]; 4]));
    let mixed = (0..=200)
        .step_by(5)
        .map(|len| [[len % 65, len], [0, 70], [64, 129 + len % 64], [len * 7 % 65, 200 - len]]);
    [[[0; 2]; 4]].into_iter().chain(alike).chain(mixed)
}

#[test]
fn packets_of_poly1305_x4_avx2() {
    check(packets(), four_packets);
}

/// With a forgotten accumulator: every number of turns.
#[test]
fn packets_of_poly1305_x4_avx2_any_number_of_turns() {
    forgetting(|| check(packets(), four_packets));
}

/// Every turn of a message or of a packet, from any accumulator.
#[cfg(target_arch = "x86_64")]
#[test]
fn turns_of_poly1305_x8_avx512ifma() {
    use keylane_symbols::numbers::radix44::{MessageTurn, message_turn};
    for fours in [false, true] {
        for half in [false, true] {
            let turns = (0..=if half { 2 } else { 4 }).flat_map(|blocks| {
                [[true, true], [true, false], [false, true], [false, false]].map(|[whole, joins]| {
                    MessageTurn { fours, half, blocks, whole, joins: joins && blocks > 0 }
                })
            });
            check(turns, message_turn);
        }
    }
}

#[test]
#[ignore = "every length"]
fn every_length_in_lanes() {
    check((0..=300).map(|len| [len; 4]), four);
    check((0..=300).map(|len| [len, len * 7 % 301, len * 91 % 301, (len + 150) % 301]), four);
    forgetting(|| check((0..=200).map(|len| [len, 70, 129 + len % 64, 200 - len]), four));
}

/// `groups::run` gives each message its own key's tag, at its own place. Here a tag is made of the key and the message's
/// length and address, and lengths alone decide.
#[test]
fn groups_of_a_batch() {
    points::begin();
    let memory = vec![0; 5000];
    let tag = |key: &Key, message: &[u8]| {
        u128::from(key.r[0]) << 64 | (message.len() as u128) << 48 | message.as_ptr().addr() as u128
    };
    let costs =
        Costs { single: |turns| (15 + 60 * turns).min(250 + 20 * turns), group: |turns| 120 + 105 * turns };
    for count in 0..=2 * SORTED + 9 {
        for most in [1, 64, 65, 200, 4500] {
            let keys: Vec<Key> = (0..count).map(|i| Key { r: [i as u64, 0], s: [0; 2] }).collect();
            let messages: Vec<&[u8]> =
                (0..count).map(|i| &memory[i..i + (points::word() % (most + 1)) as usize]).collect();
            let mut tags = vec![[0; 16]; count];
            let expected: Vec<_> =
                keys.iter().zip(&messages).map(|(key, message)| tag(key, message).to_le_bytes()).collect();
            run::<4>(Batch { keys: &keys, messages: &messages, tags: &mut tags }, &costs, tag, |group| {
                std::array::from_fn(|lane| tag(group.keys[lane], group.messages[lane]).to_le_bytes())
            });
            assert_eq!(tags, expected, "{count} messages of up to {most} bytes");
        }
    }
}

/// `parts26::many` does the same for packets, whose AADs may be too long for a lane.
#[test]
fn groups_of_packets() {
    points::begin();
    let memory = vec![0; 5000];
    let tag = |key: &Key, [aad, text]: [&[u8]; 2]| {
        let part = |bytes: &[u8]| (bytes.len() as u128) << 24 ^ bytes.as_ptr().addr() as u128;
        (u128::from(key.r[0]) << 112 ^ part(aad) << 56 ^ part(text)).to_le_bytes()
    };
    let costs =
        Costs { single: |turns| (15 + 60 * turns).min(250 + 20 * turns), group: |turns| 120 + 105 * turns };
    for count in 0..=2 * SORTED + 9 {
        for [most_aad, most] in [[0, 1], [64, 65], [66, 200], [64, 4500]] {
            let keys: Vec<Key> = (0..count).map(|i| Key { r: [i as u64, 0], s: [0; 2] }).collect();
            let part = |i: usize, most: u64| &memory[i..i + (points::word() % (most + 1)) as usize];
            let packets: Vec<[&[u8]; 2]> =
                (0..count).map(|i| [part(i, most_aad), part(count - i, most)]).collect();
            let mut tags = vec![[0; 16]; count];
            let expected: Vec<_> = keys.iter().zip(&packets).map(|(key, packet)| tag(key, *packet)).collect();
            let job = Packets { keys: &keys, packets: &packets, tags: &mut tags };
            parts26::many(
                job,
                &costs,
                |key, packet| tag(key, *packet),
                |keys, parts| std::array::from_fn(|lane| tag(keys[lane], [parts[0][lane], parts[1][lane]])),
            );
            assert_eq!(tags, expected, "{count} packets of up to {most} bytes");
        }
    }
}
