//! Batches of an attacker who wants a kernel of many lanes to fail or to stall.
//!
//! `cargo test -p keylane-conformance --test adversarial -- --nocapture` names the rows. The tests of
//! 1 GiB and more run with `--ignored`.

use keylane::dispatch::select::Slot;
use keylane::dispatch::table;
use keylane::job::poly1305;
use keylane::job::siphash::{Batch, Layout, Messages, State, Tags, Xn};
use keylane_conformance::input::{Random, counting};
use keylane_conformance::variants::{Family, Variant};
use keylane_ref as spec;

const KEY: [u8; 16] = *b"sixteen key byte";

/// One message among many.
const LONG_BYTES: usize = 64 << 20;

/// Every path through a kernel that may differ: rounds known at compile time or not, tag width, case.
fn variants<W: Family>() -> [(Variant, bool); 4] {
    let variant = |(c, d), double| Variant { half: W::HALF, c, d, double };
    [
        (variant((1, 3), false), false),
        (variant((2, 4), true), true),
        (variant((3, 5), false), true),
        (variant((3, 5), true), false),
    ]
}

/// The tag by keylane-ref.
fn right(variant: Variant, fold: bool, message: &[u8]) -> u128 {
    let key = &KEY[..variant.key_size()];
    if fold { variant.tag_nocase(key, message) } else { variant.tag(key, message) }
}

/// Asserts that every row of a slot that runs here gives these tags.
fn rows_give<W: Family>(
    slot: &'static Slot<Xn<W>>,
    name: &str,
    (variant, fold): (Variant, bool),
    messages: Messages<'_>,
    right: &[u128],
) {
    let initial = &State::new(W::key(&KEY[..variant.key_size()]), variant.double);
    let rounds = variant.rounds();
    for row in slot.runnable() {
        let tags: Vec<u128> = if variant.double {
            let mut tags = vec![W::UNWRITTEN_DOUBLE; right.len()];
            row.run(Batch { initial, rounds, fold, messages, tags: Tags::Double(&mut tags) });
            tags.into_iter().map(W::number).collect()
        } else {
            let mut tags = vec![W::UNWRITTEN; right.len()];
            row.run(Batch { initial, rounds, fold, messages, tags: Tags::Single(&mut tags) });
            tags.into_iter().map(W::into).collect()
        };
        if let Some(i) = tags.iter().zip(right).position(|(tag, right)| tag != right) {
            panic!("{}, {name}, {variant:?}, fold {fold}: message {i} of {}", row.id(), right.len());
        }
        println!("{}: {name}, {variant:?}, fold {fold}", row.id());
    }
}

/// The same for messages of these lengths, as slices and with offsets.
fn lengths_give<W: Family>(slot: &'static Slot<Xn<W>>, name: &str, lengths: &[usize]) {
    lengths_give_in(&variants::<W>(), slot, name, lengths);
}

/// The same on some paths only.
fn lengths_give_in<W: Family>(
    variants: &[(Variant, bool)],
    slot: &'static Slot<Xn<W>>,
    name: &str,
    lengths: &[usize],
) {
    let bytes = counting(lengths.iter().sum());
    let mut end = 0;
    let place = |&len: &usize| {
        end += len;
        end
    };
    let offsets: Vec<usize> = [0].into_iter().chain(lengths.iter().map(place)).collect();
    let slices: Vec<&[u8]> = offsets.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
    let offsets: Vec<i64> = offsets.iter().map(|&offset| offset as i64).collect();
    for &variant in variants {
        let right: Vec<u128> = slices.iter().map(|message| right(variant.0, variant.1, message)).collect();
        rows_give(slot, name, variant, Messages::Bytes(Layout::Slices(&slices)), &right);
        let layout = Layout::Offsets64 { bytes: &bytes, offsets: &offsets };
        rows_give(slot, name, variant, Messages::Bytes(layout), &right);
    }
}

/// Only empty messages.
fn empty<W: Family>(slot: &'static Slot<Xn<W>>) {
    const COUNT: usize = 100_000;
    lengths_give(slot, "100,000 empty messages", &[0; COUNT]);
    for variant in variants::<W>() {
        let right = vec![right(variant.0, variant.1, &[]); COUNT];
        let layout = Layout::Rows { bytes: &[], width: 0 };
        rows_give(slot, "100,000 rows of no bytes", variant, Messages::Bytes(layout), &right);
    }
}

/// No number of lanes divides these counts, and no two lanes end at the same time.
fn primes<W: Family>(slot: &'static Slot<Xn<W>>) {
    let mut random = Random(16);
    for count in [2, 3, 5, 7, 11, 13, 17, 31, 61, 127, 251, 509, 1021, 4093] {
        let lengths: Vec<usize> = (0..count).map(|_| random.below(200)).collect();
        lengths_give(slot, "a prime number of messages", &lengths);
    }
}

/// Half of the lanes idle all the time, at every distance; and lanes that end one after the other.
fn uneven<W: Family>(slot: &'static Slot<Xn<W>>) {
    for distance in [2, 3, 4, 8, 16, 32] {
        let lengths: Vec<usize> = (0..300).map(|i| if i % distance == 0 { 5000 } else { 0 }).collect();
        lengths_give(slot, "empty and long in turn", &lengths);
    }
    let ascending: Vec<usize> = (0..=2000).collect();
    lengths_give(slot, "ascending lengths", &ascending);
    let descending: Vec<usize> = (0..=2000).rev().collect();
    lengths_give(slot, "descending lengths", &descending);
}

/// One message of `len` bytes at the first, a middle and the last position among messages of 3 bytes.
fn one_long<W: Family>(slot: &'static Slot<Xn<W>>, len: usize, variants: &[(Variant, bool)]) {
    const MANY: usize = 1_000_000;
    let long = counting(len);
    let short: Vec<&[u8]> = (0..MANY).map(|i| &long[i % 251..][..3]).collect();
    for &variant in variants {
        // The bytes of the text repeat with a period of 251, so the tags do too.
        let tags: Vec<u128> =
            short[..251].iter().map(|message| right(variant.0, variant.1, message)).collect();
        let tag = right(variant.0, variant.1, &long);
        for place in [0, MANY / 2, MANY] {
            let mut messages = short.clone();
            messages.insert(place, &long);
            let mut right: Vec<u128> = tags.iter().copied().cycle().take(MANY).collect();
            right.insert(place, tag);
            let messages = Messages::Bytes(Layout::Slices(&messages));
            rows_give(slot, &format!("{len} bytes at place {place}"), variant, messages, &right);
        }
    }
}

/// One message too long for a group, in a small batch and in one that is sorted.
fn oversized<W: Family>(slot: &'static Slot<Xn<W>>) {
    for count in [10, 600] {
        let mut lengths: Vec<usize> = (0..count).map(|i| i % 200).collect();
        lengths[count / 2] = (1 << 30) + 5;
        let name = format!("more than 1 GiB among {count}");
        lengths_give_in(&variants::<W>()[..1], slot, &name, &lengths);
    }
}

/// Asserts that every row for many Poly1305 messages that runs here gives these tags. The keys are used in
/// turn.
fn macs_give(name: &str, messages: &[&[u8]], right: &[[u8; 16]]) {
    let keys = mac_keys().map(|key| poly1305::Key::from_bytes(&key));
    let keys: Vec<poly1305::Key> = keys.into_iter().cycle().take(messages.len()).collect();
    for row in table::POLY1305_XN.runnable() {
        let mut tags = vec![[0x55; 16]; messages.len()];
        row.run(poly1305::Batch { keys: &keys, messages, tags: &mut tags });
        if let Some(i) = tags.iter().zip(right).position(|(tag, right)| tag != right) {
            panic!("{}, {name}: message {i} of {}", row.id(), right.len());
        }
        println!("{}: {name}", row.id());
    }
}

/// The keys. Message i has key i % 7.
fn mac_keys() -> [[u8; 32]; 7] {
    let mut random = Random(17);
    std::array::from_fn(|_| random.bytes())
}

/// The same for messages of these lengths.
fn mac_lengths_give(name: &str, lengths: &[usize]) {
    let bytes = counting(251 + lengths.iter().max().copied().unwrap_or(0));
    let messages: Vec<&[u8]> = lengths.iter().enumerate().map(|(i, &len)| &bytes[i % 251..][..len]).collect();
    let keys = mac_keys();
    let right: Vec<[u8; 16]> =
        messages.iter().zip(keys.iter().cycle()).map(|(message, key)| spec::poly1305(key, message)).collect();
    macs_give(name, &messages, &right);
}

#[test]
fn macs() {
    mac_lengths_give("100,000 empty messages", &[0; 100_000]);
    let mut random = Random(18);
    for count in [2, 3, 5, 7, 11, 13, 17, 31, 61, 127, 251, 509, 1021, 4093] {
        let lengths: Vec<usize> = (0..count).map(|_| random.below(600)).collect();
        mac_lengths_give("a prime number of messages", &lengths);
    }
    for distance in [2, 3, 4, 8, 16, 32] {
        let lengths: Vec<usize> = (0..300).map(|i| if i % distance == 0 { 5000 } else { 0 }).collect();
        mac_lengths_give("empty and long in turn", &lengths);
    }
    mac_lengths_give("ascending lengths", &(0..=2000).collect::<Vec<_>>());
    mac_lengths_give("descending lengths", &(0..=2000).rev().collect::<Vec<_>>());
}

/// One long message at the first, a middle and the last position among short ones.
#[test]
fn one_long_mac_among_many() {
    const MANY: usize = 100_000;
    for place in [0, MANY / 2, MANY] {
        let mut lengths = vec![3; MANY];
        lengths.insert(place, 1 << 22);
        mac_lengths_give(&format!("4 MiB at place {place}"), &lengths);
    }
}

#[test]
fn empty_messages() {
    empty(&table::SIPHASH_XN);
    empty(&table::HALFSIPHASH_XN);
}

#[test]
fn prime_counts() {
    primes(&table::SIPHASH_XN);
    primes(&table::HALFSIPHASH_XN);
}

#[test]
fn uneven_lengths() {
    uneven(&table::SIPHASH_XN);
    uneven(&table::HALFSIPHASH_XN);
}

#[test]
fn one_long_message_among_a_million() {
    one_long(&table::SIPHASH_XN, LONG_BYTES, &variants::<u64>()[..3]);
    one_long(&table::HALFSIPHASH_XN, LONG_BYTES, &variants::<u32>()[..2]);
}

/// Overflows counters of bytes, words or bits in 32 bits.
#[test]
#[ignore = "needs more than 1 GiB of memory"]
fn one_gibibyte_among_a_million() {
    one_long(&table::SIPHASH_XN, 1 << 30, &variants::<u64>()[..1]);
    one_long(&table::HALFSIPHASH_XN, 1 << 30, &variants::<u32>()[..1]);
}

/// Messages too long for any group.
#[test]
#[ignore = "needs more than 1 GiB of memory"]
fn more_than_one_gibibyte() {
    oversized(&table::SIPHASH_XN);
    oversized(&table::HALFSIPHASH_XN);
}
