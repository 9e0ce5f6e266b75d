//! The specification on numbers: keys, messages, and the accumulator after a message (RFC 8439, section 2.5).

use super::{Number, Value, handles, number, points, scalar};
use keylane::job::poly1305::Key;

/// Begins a run: no numbers, no handles, a new point.
pub fn begin() {
    number::begin();
    handles::begin();
}

/// The r of a key: concrete words, whose numbers are variables with the bits that [`Key::from_bytes`] leaves.
pub struct R {
    /// The key.
    pub key: Key,
    /// The numbers of r's words.
    pub words: [Number; 2],
}

impl R {
    /// Any r.
    pub fn any() -> R {
        let mut bytes = [0; 32];
        for part in bytes.as_chunks_mut().0 {
            *part = points::word().to_le_bytes();
        }
        let key = Key::from_bytes(&bytes);
        let words = scalar::any_r();
        key.r.into_iter().zip(words).for_each(|(handle, word)| handles::name(handle, word));
        R { key, words }
    }

    /// r in F_p.
    pub fn value(&self) -> Value {
        handles::joined(&self.words, 64)
    }

    /// The words of r, r^2, r^3, r^4 as the scalar kernel computes them, and their numbers: any three words of the right
    /// number modulo p with a highest word of at most 4, which tests/poly1305_x1.rs proves. Here the highest words of
    /// the powers are not 0 and all differ, so that a vector of them in another order is unknown.
    pub fn with_powers() -> (R, Powers) {
        loop {
            begin();
            let r = R::any();
            let multiplier = keylane::arch::portable::poly1305_x1_u64::Multiplier::in_registers(r.key.r);
            let first = [r.key.r[0], r.key.r[1], 0];
            let second = multiplier.absorb(first, 0, 0);
            let third = multiplier.absorb(second, 0, 0);
            let words = [first, second, third, multiplier.absorb(third, 0, 0)];
            let tops = [second[2], third[2], words[3][2]];
            if tops.contains(&0) || tops[0] == tops[1] || tops[1] == tops[2] || tops[2] == tops[0] {
                continue;
            }
            let mut numbers = [[r.words[0], r.words[1], Number::constant(0u64)]; 4];
            let mut value = r.value();
            for (power, words) in numbers.iter_mut().zip(words).skip(1) {
                value = value * r.value();
                *power = scalar_words(words, value);
            }
            return (r, Powers { words, numbers });
        }
    }
}

/// r, r^2, r^3 and r^4 in base 2^64: concrete words, and their numbers.
pub struct Powers {
    words: [[u64; 3]; 4],
    numbers: [[Number; 3]; 4],
}

impl Powers {
    /// Names the highest words of the powers r^(i + 1), in a vector of these i. Each alone is too small for a handle.
    pub fn name_tops<const N: usize>(&self, places: [usize; N]) {
        handles::name_array(&places.map(|i| self.words[i][2]), &places.map(|i| self.numbers[i][2]));
    }
}

/// Three words that the scalar kernel computes for a number of this value. The first two are handles of their numbers.
pub fn scalar_words(words: [u64; 3], value: Value) -> [Number; 3] {
    let [low, high] = [words[0], words[1]].map(|word| {
        let number = Number::any(u64::MAX.into());
        handles::name(word, number);
        number
    });
    let top = (value - handles::joined(&[low, high], 64)).divided(128);
    [low, high, Number::known(4, top)]
}

/// An accumulator between two pieces, whose highest word is at most 7: concrete words, and their numbers.
pub fn any_accumulator() -> ([u64; 3], [Number; 3]) {
    let number = |max: u64| Number::any(max.into());
    (
        [points::word(), points::word(), 3 + points::word() % 5],
        [number(u64::MAX), number(u64::MAX), number(7)],
    )
}

/// A message whose bytes are labels: random words, and at most 64 bytes at the end that all differ and are not 0. So a
/// byte at a wrong place in the last blocks makes another word.
pub fn message(len: usize) -> Vec<u8> {
    let mut labels: Vec<u8> = (1..=255).collect();
    for i in (1..labels.len()).rev() {
        labels.swap(i, (points::word() % (i as u64 + 1)) as usize);
    }
    let mut message: Vec<u8> =
        (0..len.div_ceil(8)).flat_map(|_| points::word().to_le_bytes()).take(len).collect();
    message.iter_mut().rev().zip(labels).take(64).for_each(|(byte, label)| *byte = label);
    message
}

/// The value of a block's words.
fn block(bytes: &[u8]) -> Value {
    let mut padded = [0; 16];
    padded[..bytes.len()].copy_from_slice(bytes);
    if bytes.len() < 16 {
        padded[bytes.len()] = 1;
    }
    let [low, high] = [0, 8].map(|at| u64::from_le_bytes(std::array::from_fn(|i| padded[at + i])));
    let value = handles::joined(&[low, high].map(handles::message_word), 64);
    if bytes.len() < 16 { value } else { value + Value::constant(super::field::Fp::power_of_two(128)) }
}

/// The accumulator after a message.
pub fn specification(h: Value, r: Value, message: &[u8]) -> Value {
    message.chunks(16).fold(h, |h, bytes| (h + block(bytes)) * r)
}
