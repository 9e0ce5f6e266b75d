//! The trait of an instruction set, for lanes of terms: each method does what its comment in the library says.
//!
//! Methods are not inlined: the kernels are, and would take minutes to compile.

#![allow(unsafe_code)]

use super::word::{Symbol, Two};
use keylane::arch::generic::lanes::{Lanes, Work};
use keylane::arch::generic::quad::quad_within;
use keylane::arch::generic::tile::{Column, WINDOW, stage};
use keylane::job::buffer::LeInt;
use keylane::job::siphash::Word;
use std::array::from_fn;

/// An instruction set whose lanes are terms. Its constants are those of the instruction set that it stands for:
/// `Lanes::RESTARTS_ALWAYS`, `Lanes::JUSTIFIED`, `Lanes::WHOLE_LENGTHS`.
#[derive(Clone, Copy, Default)]
pub struct Symbols<const RESTARTS: bool, const JUSTIFIED: bool, const WHOLE: bool>;

/// AVX-512 for SipHash.
pub type OfAvx512 = Symbols<true, false, true>;
/// AVX-512 for HalfSipHash.
pub type HalfOfAvx512 = Symbols<true, false, false>;
/// AVX2 for SipHash.
pub type OfAvx2 = Symbols<true, true, true>;
/// AVX2 for HalfSipHash.
pub type HalfOfAvx2 = Symbols<true, true, false>;
/// SSE2, NEON and WebAssembly.
pub type Of128 = Symbols<false, true, false>;

/// The first name of the free words that stand for values of which the contract says nothing.
const ANY: u32 = 1 << 30;

/// Such a value: a new free word, which no other cancels.
fn any<const BITS: u32>() -> Symbol<BITS> {
    Symbol::free(ANY + super::count() as u32)
}

fn each<const B: u32, const N: usize>(
    a: [Symbol<B>; N],
    b: [Symbol<B>; N],
    f: impl Fn(Symbol<B>, Symbol<B>) -> Symbol<B>,
) -> [Symbol<B>; N] {
    from_fn(|i| f(a[i], b[i]))
}

/// A signed number of BITS bits.
fn signed<const BITS: u32>(a: Symbol<BITS>) -> i64 {
    (a.value() << (64 - BITS)) as i64 >> (64 - BITS)
}

macro_rules! lanes {
    ($bits:literal, $int:ty, $bytes:literal) => {
        impl<const R: bool, const J: bool, const L: bool, const N: usize> Lanes<Symbol<$bits>, N>
            for Symbols<R, J, L>
        {
            type Vector = [Symbol<$bits>; N];
            type Quad = [[u8; $bytes]; 4];
            type Prepared = ();
            const RESTARTS_ALWAYS: bool = R;
            const JUSTIFIED: bool = J;
            const WHOLE_LENGTHS: bool = L;

            #[inline(never)]
            fn call<F: Work>(self, work: F) {
                work.run();
            }

            #[inline(never)]
            fn splat(self, word: Symbol<$bits>) -> Self::Vector {
                [word; N]
            }

            #[inline(never)]
            fn load(self, words: &[Symbol<$bits>; N]) -> Self::Vector {
                *words
            }

            #[inline(never)]
            fn store(self, a: Self::Vector, words: &mut [Symbol<$bits>; N]) {
                *words = a;
            }

            #[inline(never)]
            fn store_double(self, low: Self::Vector, high: Self::Vector, integers: &mut [Two<$bits>; N]) {
                *integers = from_fn(|i| Two(low[i], high[i]));
            }

            #[inline(never)]
            fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
                each(a, b, Symbol::plus)
            }

            #[inline(never)]
            fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
                each(a, b, Symbol::minus)
            }

            #[inline(never)]
            fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
                each(a, b, |a, b| a ^ b)
            }

            #[inline(never)]
            fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
                each(a, b, Symbol::and)
            }

            #[inline(never)]
            fn and_not(self, not: Self::Vector, b: Self::Vector) -> Self::Vector {
                each(not, b, |not, b| Symbol::number(!not.value()).and(b))
            }

            #[inline(never)]
            fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
                each(a, b, |a, b| a | b)
            }

            #[inline(never)]
            fn shl(self, a: Self::Vector, bits: Self::Vector) -> Self::Vector {
                each(a, bits, |a, bits| a.shift_left(below_128(bits.value())))
            }

            #[inline(never)]
            fn shr(self, a: Self::Vector, bits: Self::Vector) -> Self::Vector {
                each(a, bits, |a, bits| a.shift_right(below_128(bits.value())))
            }

            #[inline(never)]
            fn rotl(self, a: Self::Vector, bits: u32) -> Self::Vector {
                a.map(|a| a.rotate(bits))
            }

            #[inline(never)]
            fn fold(self, a: Self::Vector) -> Self::Vector {
                a.map(Symbol::folded)
            }

            #[inline(never)]
            fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; N]) -> [Self::Vector; 4] {
                from_fn(|i| {
                    from_fn(|lane| {
                        let bytes = integers[lane].get(i * $bytes..).unwrap_or(&[]);
                        match bytes.first_chunk() {
                            Some(&word) => Symbol::from_bytes(word),
                            None => Symbol::from_short(bytes),
                        }
                    })
                })
            }

            #[inline(never)]
            fn numbers(self, numbers: &[u32; N]) -> Self::Vector {
                numbers.map(|x| Symbol::number(x.into()))
            }

            #[inline(never)]
            fn restart(
                self,
                a: Self::Vector,
                choices: &[Symbol<$bits>; N],
                late: Self::Vector,
            ) -> Self::Vector {
                from_fn(|i| match signed(late[i]) {
                    late if late < 0 => a[i],
                    late @ 0..4 => choices[late as usize],
                    _ => any(),
                })
            }

            #[inline(never)]
            unsafe fn quads_within(
                self,
                ends: &[usize; N],
                lengths: &[u32; N],
                rel: usize,
                _first: Self::Vector,
            ) -> [Self::Quad; N] {
                from_fn(|i| {
                    // SAFETY: the caller ensures the condition for each message.
                    unsafe { quad_within::<$int>(ends[i], lengths[i], rel) }.map(<$int>::into_bytes)
                })
            }

            #[inline(never)]
            unsafe fn words<const G: usize, const TINY: bool>(
                self,
                messages: &[&[u8]; N],
                _prepared: &(),
                to: &mut Column<'_, Symbol<$bits>, N, G>,
            ) {
                if J {
                    // SAFETY: the caller ensures the condition on the lengths.
                    return unsafe { stage::<Symbol<$bits>, N, G, TINY>(messages, to) };
                }
                for i in to.skip..WINDOW {
                    to.put(i, from_fn(|lane| word_of_window::<Symbol<$bits>>(messages[lane], i)));
                }
            }

            #[inline(never)]
            fn transpose(self, rows: [Self::Quad; N], first: Self::Vector) -> [Self::Vector; 4] {
                from_fn(|i| {
                    from_fn(|lane| {
                        let is_before = (i as i64) < signed(first[lane]);
                        if is_before { Symbol::NONE } else { Symbol::from_bytes(rows[lane][i]) }
                    })
                })
            }
        }
    };
}
lanes!(64, u64, 8);
lanes!(32, u32, 4);

/// The contract of shifts.
fn below_128(bits: u64) -> u32 {
    assert!(bits < 128, "a shift by {bits} bits");
    bits as u32
}

/// Word `i` of the window of a message of fewer words, with the tail in the last one.
fn word_of_window<W: Word>(message: &[u8], i: usize) -> W {
    let (words, rest) = W::split(message);
    if i == WINDOW - 1 {
        return W::from_short(rest);
    }
    let index = (words.len() + i).checked_sub(WINDOW - 1);
    index.and_then(|index| words.get(index)).map_or(W::ZERO, |&word| W::from_bytes(word))
}
