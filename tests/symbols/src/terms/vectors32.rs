//! The traits of an instruction set for ChaCha20, for lanes of terms.
//!
//! ChaCha20's words pass through memory as integers of 32 bits. So a term is there as its *mark*: a random integer that
//! stands for this term only. Code that copies integers copies terms. Arithmetic on them is that of this file, which
//! looks the terms up. Bytes of a last block are joined by integers' own xor: the result is the xor of two marks, bytes
//! in their places. Marks are random, so a wrong byte goes unseen with a probability of 1 / 256 in each run.

use super::arena::{self, Id, Value};
use super::word::Symbol;
use keylane::arch::generic::chacha20::{Blocks, Rows32, Vectors32};
use keylane::siphash::{Key, SipHash24};
use std::array::from_fn;
use std::cell::RefCell;
use std::collections::HashMap;

/// The marks of this thread's terms.
struct Marks {
    random: SipHash24,
    drawn: u64,
    marks: HashMap<Id, u32>,
    terms: HashMap<u32, Symbol<32>>,
}

thread_local!(static MARKS: RefCell<Option<Marks>> = const { RefCell::new(None) });

/// Numbers that kernels have as such are no marks: the constants of a block, and counters near 0 and 2^32.
fn is_reserved(x: u32) -> bool {
    let constants = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
    x.wrapping_add(0x1000) < 0x2000 || constants.contains(&x)
}

/// Forgets all terms and marks of this thread, and draws marks from this seed.
pub fn begin(seed: [u8; 16]) {
    arena::forget();
    let random = SipHash24::new(&Key::from_bytes(seed));
    let marks = Marks { random, drawn: 0, marks: HashMap::new(), terms: HashMap::new() };
    MARKS.set(Some(marks));
}

/// The integer that stands for a term; a number stands for itself.
pub fn mark(word: Symbol<32>) -> u32 {
    MARKS.with_borrow_mut(|marks| {
        let marks = marks.as_mut().expect("`begin` was called");
        let id = match word.0 {
            Value::Number(x) => {
                assert!(!marks.terms.contains_key(&(x as u32)), "a number that is a mark, too");
                return x as u32;
            }
            Value::Term(id) => id,
        };
        if let Some(&mark) = marks.marks.get(&id) {
            return mark;
        }
        loop {
            let mark = marks.random.hash_u64(marks.drawn) as u32;
            marks.drawn += 1;
            if !is_reserved(mark) && !marks.terms.contains_key(&mark) {
                marks.marks.insert(id, mark);
                marks.terms.insert(mark, word);
                return mark;
            }
        }
    })
}

/// The term that an integer stands for; an integer that is no mark stands for itself.
pub fn meaning(x: u32) -> Symbol<32> {
    MARKS.with_borrow(|marks| {
        let marks = marks.as_ref().expect("`begin` was called");
        marks.terms.get(&x).copied().unwrap_or(Symbol::number(x.into()))
    })
}

/// An operation on two words, for integers that stand for them.
fn on(a: u32, b: u32, f: impl Fn(Symbol<32>, Symbol<32>) -> Symbol<32>) -> u32 {
    mark(f(meaning(a), meaning(b)))
}

/// An instruction set whose lanes are terms. ROOMY is that of the instruction set that it stands for.
#[derive(Clone, Copy)]
pub struct Symbols32<const ROOMY: bool>;

impl<const R: bool, const N: usize> Vectors32<N> for Symbols32<R> {
    type V = [u32; N];
    const ROOMY: bool = R;

    fn splat(self, word: u32) -> [u32; N] {
        [word; N]
    }

    #[inline(never)]
    fn add(self, a: [u32; N], b: [u32; N]) -> [u32; N] {
        from_fn(|i| on(a[i], b[i], Symbol::plus))
    }

    #[inline(never)]
    fn xor(self, a: [u32; N], b: [u32; N]) -> [u32; N] {
        from_fn(|i| on(a[i], b[i], |a, b| a ^ b))
    }

    #[inline(never)]
    fn rotl(self, a: [u32; N], bits: u32) -> [u32; N] {
        a.map(|a| mark(meaning(a).rotate(bits)))
    }

    #[inline(never)]
    fn transpose(self, words: [[u32; N]; 16]) -> Blocks<[u32; N]> {
        let mut blocks = [[[0; N]; 4]; 4];
        for (i, place) in blocks.as_flattened_mut().as_flattened_mut().iter_mut().enumerate() {
            *place = words[i % 16][i / 16];
        }
        blocks
    }
}

impl<const R: bool, const N: usize> Rows32<N> for Symbols32<R> {
    #[inline(never)]
    fn row(self, words: [u32; 4]) -> [u32; N] {
        from_fn(|i| words[i % 4])
    }

    #[inline(never)]
    fn word1_first(self, a: [u32; N]) -> [u32; N] {
        from_fn(|i| a[i / 4 * 4 + (i + 1) % 4])
    }

    #[inline(never)]
    fn word2_first(self, a: [u32; N]) -> [u32; N] {
        from_fn(|i| a[i / 4 * 4 + (i + 2) % 4])
    }

    #[inline(never)]
    fn word3_first(self, a: [u32; N]) -> [u32; N] {
        from_fn(|i| a[i / 4 * 4 + (i + 3) % 4])
    }

    #[inline(never)]
    fn join(self, rows: [[u32; N]; 4]) -> [[u32; N]; 4] {
        let mut blocks = [[0; N]; 4];
        for (i, place) in blocks.as_flattened_mut().iter_mut().enumerate() {
            *place = rows[i / 4 % 4][i / 16 * 4 + i % 4];
        }
        blocks
    }
}

/// One word at a time, as `chacha20_x1`.
#[derive(Clone, Copy)]
pub struct OneSymbol;

impl Vectors32<1> for OneSymbol {
    type V = u32;
    const ROOMY: bool = true;

    fn splat(self, word: u32) -> u32 {
        word
    }

    #[inline(never)]
    fn add(self, a: u32, b: u32) -> u32 {
        on(a, b, Symbol::plus)
    }

    #[inline(never)]
    fn xor(self, a: u32, b: u32) -> u32 {
        on(a, b, |a, b| a ^ b)
    }

    #[inline(never)]
    fn rotl(self, a: u32, bits: u32) -> u32 {
        mark(meaning(a).rotate(bits))
    }

    #[inline(never)]
    fn transpose(self, words: [u32; 16]) -> Blocks<u32> {
        let mut blocks = [[0; 4]; 4];
        blocks.as_flattened_mut().copy_from_slice(&words);
        blocks
    }
}
