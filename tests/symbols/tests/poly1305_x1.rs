//! Poly1305 in scalar code: poly1305_x1_u64, poly1305_x1_u32, poly1305_x2_u64, and what the vector kernels do in words.
//!
//! A block is checked from any accumulator, so the number of blocks does not matter. The code around it chooses blocks by
//! lengths alone. It runs with random keys and messages, where a wrong choice gives another polynomial in r.

use keylane::arch::portable::{poly1305_x1_u32, poly1305_x1_u64, poly1305_x2_u64, scalar};
use keylane::job::poly1305::{Batch, Key, last_block};
use keylane_symbols::numbers::scalar::checks;
use keylane_symbols::numbers::{check, points};

#[test]
fn poly1305_x1_u64_block() {
    check([0, 1], |&whole| checks::x1_u64(whole));
}

#[test]
fn poly1305_x1_u32_block() {
    check([0, 1], |&whole| checks::x1_u32(whole));
    checks::x1_u32_words();
}

#[test]
fn base_2_26_and_base_2_64() {
    check([()], |()| checks::base_26());
}

#[test]
fn base_2_44_and_base_2_64() {
    check([()], |()| checks::base_44());
}

/// A random key, and a random message.
fn input(len: usize) -> ([u8; 32], Vec<u8>) {
    let mut key = [0; 32];
    key.as_chunks_mut::<8>().0.iter_mut().for_each(|word| *word = points::word().to_le_bytes());
    (key, (0..len).map(|_| points::word() as u8).collect())
}

#[test]
fn poly1305_x1_all_lengths() {
    points::begin();
    for len in 0..=300 {
        let (key, message) = input(len);
        let expected = keylane_ref::poly1305(&key, &message);
        let key = Key::from_bytes(&key);
        let tags = [
            scalar::tag(&key, &message, poly1305_x1_u64::absorb),
            scalar::tag(&key, &message, poly1305_x1_u32::absorb),
        ];
        assert_eq!(tags.map(u128::to_le_bytes), [expected; 2], "{len} bytes");
    }
}

/// Two messages whose lengths differ, and a third that has no partner.
#[test]
fn poly1305_x2_u64_all_lengths() {
    points::begin();
    for len in 0..=300 {
        for other in [len, 0, 15, 16, 17, 300 - len, 7 * len % 301] {
            let inputs = [input(len), input(other), input(len)];
            let keys = inputs.each_ref().map(|(key, _)| Key::from_bytes(key));
            let messages = inputs.each_ref().map(|(_, message)| &message[..]);
            let mut tags = [[0; 16]; 3];
            poly1305_x2_u64::many(Batch { keys: &keys, messages: &messages, tags: &mut tags });
            let expected = inputs.each_ref().map(|(key, message)| keylane_ref::poly1305(key, message));
            assert_eq!(tags, expected, "{len} and {other} bytes");
        }
    }
}

/// `last_block` moves bits by the length alone, so it is linear in them: each bit of a message alone, and no bit.
#[test]
fn last_block_bit_by_bit() {
    for len in (0..=33).filter(|len| len % 16 != 0) {
        let part = len % 16;
        for bit in 0..=8 * len {
            let mut message = vec![0u8; len];
            if let Some(byte) = message.get_mut(bit / 8) {
                *byte = 1 << (bit % 8);
            }
            let mut block = [0; 16];
            block[..part].copy_from_slice(&message[len - part..]);
            block[part] = 1;
            assert_eq!(last_block(&message), u128::from_le_bytes(block), "{len} bytes, bit {bit}");
        }
    }
}
