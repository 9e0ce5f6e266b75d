//! Numbers on their way through memory.
//!
//! Generic code stores a lane's number as a `u64` and loads it later. It only moves these words, so a word here is a
//! random handle: [`load`] finds the number of a handle, and takes any other word for a constant. Code that computed with
//! a handle would make a constant of it, which no comparison passes. A branch on a handle is not seen here: that is what
//! `cargo xtask taint` finds in the machine code.
//!
//! The bytes of a message are random labels. Generic code moves them too, and a word of them is a variable.

use super::{Number, Value, points};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

#[derive(Default)]
struct Handles {
    numbers: HashMap<u64, Number>,
    /// Arrays of numbers whose words are too small to tell them from constants.
    arrays: HashMap<Vec<u64>, Vec<Number>>,
    /// The words of messages, which may look like constants, are apart.
    messages: HashMap<u64, Number>,
    sums: Vec<Number>,
}

thread_local! {
    static HANDLES: RefCell<Handles> = RefCell::default();
}

fn with<T>(f: impl FnOnce(&mut Handles) -> T) -> T {
    HANDLES.with_borrow_mut(f)
}

/// Forgets all handles.
pub fn begin() {
    with(|handles| *handles = Handles::default());
}

/// Makes a word the handle of a number.
pub fn name(word: u64, number: Number) {
    let old = with(|handles| handles.numbers.insert(word, number));
    assert!(old.is_none_or(|old| old.is(number)), "two numbers with one handle");
}

/// Makes an array the handle of numbers.
pub fn name_array(words: &[u64], numbers: &[Number]) {
    let old = with(|handles| handles.arrays.insert(words.to_vec(), numbers.to_vec()));
    let same = |old: Vec<Number>| old.iter().zip(numbers).all(|(old, &number)| old.is(number));
    assert!(old.is_none_or(same), "two arrays of numbers with one handle");
}

/// A handle of a number; a constant is its own.
#[inline(never)]
pub fn store(number: Number) -> u64 {
    if let Some(c) = number.as_constant() {
        return u64::try_from(c).expect("a constant of a lane");
    }
    // Without the highest bit, so that concrete code can add some handles without an overflow.
    let handle = points::word() >> 1 | 1 << 62;
    name(handle, number);
    handle
}

/// The number of a handle, or a constant.
#[inline(never)]
pub fn load(word: u64) -> Number {
    with(|handles| handles.numbers.get(&word).copied()).unwrap_or_else(|| Number::constant(word))
}

/// The numbers of an array.
#[inline(never)]
pub fn load_array<const N: usize>(words: &[u64; N]) -> [Number; N] {
    let known = with(|handles| handles.arrays.get(&words[..]).cloned());
    known.and_then(|numbers| numbers.try_into().ok()).unwrap_or_else(|| words.map(load))
}

/// A word of a message: a variable, and 0 where its bytes are.
#[inline(never)]
pub fn message_word(word: u64) -> Number {
    if word == 0 {
        return Number::constant(0u64);
    }
    let known = with(|handles| handles.messages.get(&word).copied());
    known.unwrap_or_else(|| {
        let number = Number::any(u64::MAX.into());
        with(|handles| handles.messages.insert(word, number));
        number
    })
}

/// Notes sums that leave the vectors: `number`s of the result.
pub fn leave(sums: &[Number]) {
    with(|handles| handles.sums.extend(sums));
}

/// The sums that have left since the last call.
pub fn taken() -> Vec<Number> {
    with(|handles| std::mem::take(&mut handles.sums))
}

/// The value of numbers that stand `bits` bits apart.
pub fn joined(limbs: &[Number], bits: u32) -> Value {
    limbs.iter().rev().fold(Value::ZERO, |sum, limb| sum.shifted(bits) + limb.value())
}

thread_local! {
    static FORGETS: Cell<bool> = const { Cell::new(false) };
}

/// Runs a check in which each loop forgets its accumulator, at the head of every turn. What follows is then right after any
/// number of turns.
pub fn forgetting(check: impl FnOnce()) {
    FORGETS.set(true);
    check();
    FORGETS.set(false);
}

/// The limbs of an accumulator at the head of a loop, each at most `most`. When [forgetting], any limbs up to that of the
/// same number modulo p: all but the last are new variables, and the last is what remains.
pub fn forgotten<const N: usize>(limbs: [Number; N], bits: u32, most: u128) -> [Number; N] {
    if !FORGETS.get() || limbs.iter().all(|limb| limb.as_constant().is_some()) {
        return limbs;
    }
    let mut value = joined(&limbs, bits);
    let last = N - 1;
    std::array::from_fn(|i| {
        limbs[i].at_most(most);
        if i == last {
            return Number::known(most, value.divided(bits * i as u32));
        }
        let limb = Number::any(most);
        value = value - limb.value().shifted(bits * i as u32);
        limb
    })
}
