//! Runs the code for one message of SipHash and HalfSipHash on symbols: whole, in pieces, and the kernels for the words
//! of a long message.

use super::batch::{Function, SymbolWord, compare, key, labellings};
use super::specification;
use super::{Symbol, Two, forget};
use keylane::arch::portable::siphash_x1;
use keylane::dispatch::select::Slot;
use keylane::dispatch::selftest::Answers;
use keylane::dispatch::words::Dispatched;
use keylane::job::buffer::LeInt;
use keylane::job::siphash::{Rounds, State, Xn};
use keylane::job::wipe::Zero;
use keylane::siphash::Prepared;

impl<const B: u32> From<Symbol<B>> for u128 {
    fn from(word: Symbol<B>) -> u128 {
        word.value().into()
    }
}

impl<const B: u32> From<Two<B>> for u128 {
    fn from(Two(low, high): Two<B>) -> u128 {
        u128::from(low) | u128::from(high) << B
    }
}

impl<const B: u32> Zero for Two<B> {
    const ZERO: Self = Two(Symbol::NONE, Symbol::NONE);

    fn overwrite(&mut self) {
        *self = Self::ZERO;
    }
}

/// Symbols have no self-test and no slot for batches. Their kernel for long messages is `siphash_x1`; [`words`] runs the
/// others.
macro_rules! dispatched {
    ($bits:literal) => {
        impl Answers for Symbol<$bits> {
            const OF_ONE_WORD: [u64; 6] = [0; 6];
            const OF_TWO_WORDS: [u64; 6] = [0; 6];
            const OF_PATHS: u64 = 0;
        }

        impl Dispatched for Symbol<$bits> {
            fn xn() -> &'static Slot<Xn<Self>> {
                panic!("a batch of symbols is given to a kernel, not to a slot")
            }

            fn absorb_long<R: Rounds, const FOLD: bool>(
                state: &mut State<Self>,
                rounds: R,
                words: &[<Self as LeInt>::Bytes],
            ) {
                siphash_x1::absorb::<Self, R, FOLD>(state, rounds, words);
            }
        }
    };
}
dispatched!(64);
dispatched!(32);

/// A prepared key, for single and for double tags.
type One<const B: u32, R> = Prepared<Symbol<B>, R, Symbol<B>>;
type OneDouble<const B: u32, R> = Prepared<Symbol<B>, R, Two<B>>;

/// The tag of one message, in one piece, with each choice of rounds.
pub fn whole<const B: u32>(length: usize)
where
    Symbol<B>: SymbolWord<B> + Dispatched,
{
    use keylane::job::siphash::Fixed;
    for labels in labellings(length) {
        forget();
        let what = || format!("one message of {length} bytes");
        let single = |rounds, fold| {
            let function = Function { rounds, double: false, fold };
            function.tag::<B>(&labels)
        };
        let double = |rounds| Function { rounds, double: true, fold: false }.tag::<B>(&labels);
        macro_rules! fixed {
            ($($c:literal - $d:literal),*) => {$(
                let h = One::<B, _>::from_words(key(), Fixed::<$c, $d>::NEW);
                compare([h.hash(&labels), Symbol::NONE], single([$c, $d], false), what);
                compare([h.hash_nocase(&labels), Symbol::NONE], single([$c, $d], true), what);
                let h = OneDouble::<B, _>::from_words(key(), Fixed::<$c, $d>::NEW);
                let Two(low, high) = h.hash(&labels);
                compare([low, high], double([$c, $d]), what);
            )*};
        }
        fixed!(1 - 3, 2 - 4);
        for rounds in [[1, 2], [1, 3], [3, 5]] {
            let counted = Function { rounds, double: false, fold: false }.counted();
            let h = One::<B, _>::from_words(key(), counted);
            compare([h.hash(&labels), Symbol::NONE], single(rounds, false), what);
            let h = OneDouble::<B, _>::from_words(key(), counted);
            let Two(low, high) = h.hash(&labels);
            compare([low, high], double(rounds), what);
        }
    }
}

/// The tag of one message that comes in pieces of these lengths. It is asked for after every piece.
pub fn pieces<const B: u32>(lengths: &[usize])
where
    Symbol<B>: SymbolWord<B> + Dispatched,
{
    use keylane::job::siphash::Fixed;
    for labels in labellings(lengths.iter().sum()) {
        forget();
        let single = One::<B, _>::from_words(key(), Fixed::<1, 3>::NEW);
        let double = OneDouble::<B, _>::from_words(key(), Function::F24_DOUBLE.counted());
        let (mut single, mut double) = (single.stream(), double.stream());
        let mut done = 0;
        for length in lengths {
            let piece = &labels[done..done + length];
            done += length;
            single.update(piece);
            double.update(piece);
            let what = || format!("the first {done} bytes of pieces of {lengths:?}");
            compare([single.finish(), Symbol::NONE], Function::F13.tag(&labels[..done]), what);
            let Two(low, high) = double.finish();
            compare([low, high], Function::F24_DOUBLE.tag(&labels[..done]), what);
        }
    }
}

/// A kernel for the words of one long message.
pub type WordsKernel<const B: u32> = fn(&mut State<Symbol<B>>, &[<Symbol<B> as LeInt>::Bytes]);

/// Whole words from any state, with c rounds each.
pub fn words(kernel: WordsKernel<64>, c: u32, fold: bool, count: usize) {
    for labels in labellings(8 * count) {
        forget();
        let start = [10, 11, 12, 13].map(Symbol::free);
        let mut state = State { v: start };
        kernel(&mut state, labels.as_chunks().0);
        let mut wanted = start;
        for word in labels.chunks(8) {
            let word = specification::Scalar::of_bytes(word, fold);
            wanted = specification::absorb(wanted, c, word);
        }
        for (i, (v, wanted)) in state.v.iter().zip(wanted).enumerate() {
            let equal = v.is(wanted);
            assert!(equal, "v{i} after {count} words, c = {c}: {} for {}", v.text(), wanted.text());
        }
    }
}
