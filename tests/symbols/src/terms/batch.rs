//! Runs kernels of SipHash and HalfSipHash on batches of symbols, and compares every tag with the specification's.
//!
//! The bytes of a batch are labels (see [`Symbol`]). Up to 255 of them are all different. More are run twice, with
//! the two digits of a byte's index in base 255 as labels: a byte in a wrong place has another digit in one of the runs.

use super::specification::{Scalar, siphash};
use super::{Symbol, Two, forget};
use keylane::job::siphash::{Batch, Counted, Layout, Messages, State, Tags, Word};
use std::num::NonZeroU8;

/// A kernel for many messages.
pub type Kernel<const B: u32> = fn(Batch<'_, Symbol<B>>);

/// The register entry of a kernel: messages of SIZE bytes.
pub type SmallKernel<const B: u32, const SIZE: usize> =
    fn(&State<Symbol<B>>, Counted, &[[u8; SIZE]], &mut [Symbol<B>]);

/// Words that are symbols, of 64 or 32 bits.
pub trait SymbolWord<const B: u32>: Word<Double = Two<B>> + Scalar {}
impl<const B: u32> SymbolWord<B> for Symbol<B> where Symbol<B>: Word<Double = Two<B>> + Scalar {}

/// What all messages of a batch share.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// The rounds of a word and at the end.
    pub rounds: [u8; 2],
    /// Whether tags have two words.
    pub double: bool,
    /// Whether capitals are folded.
    pub fold: bool,
}

impl Function {
    /// SipHash-1-3.
    pub const F13: Self = Function { rounds: [1, 3], double: false, fold: false };
    /// SipHash-2-4 with double tags.
    pub const F24_DOUBLE: Self = Function { rounds: [2, 4], double: true, fold: false };
    /// SipHash-1-2 after the case fold.
    pub const F12_FOLD: Self = Function { rounds: [1, 2], double: false, fold: true };

    /// The rounds as kernels take them.
    pub fn counted(self) -> Counted {
        let [c, d] = self.rounds.map(|n| NonZeroU8::new(n).expect("at least one round"));
        Counted::new(c, d)
    }

    /// The tag of a message after the specification.
    pub fn tag<const B: u32>(self, message: &[u8]) -> [Symbol<B>; 2]
    where
        Symbol<B>: SymbolWord<B>,
    {
        siphash(key(), self.rounds.map(u32::from), self.double, self.fold, message)
    }
}

/// The free key.
pub fn key<const B: u32>() -> [Symbol<B>; 2] {
    [Symbol::free(0), Symbol::free(1)]
}

/// Fails unless a tag is the specification's.
#[track_caller]
pub fn compare<const B: u32>(tag: [Symbol<B>; 2], wanted: [Symbol<B>; 2], what: impl FnOnce() -> String) {
    let equal = tag.iter().zip(wanted).all(|(tag, wanted)| tag.is(wanted));
    assert!(
        equal,
        "{}: the tag is\n{}\n{}\nand should be\n{}\n{}",
        what(),
        tag[0].text(),
        tag[1].text(),
        wanted[0].text(),
        wanted[1].text()
    );
}

/// The labels of `n` bytes: once if all can be different, else twice.
pub fn labellings(n: usize) -> Vec<Vec<u8>> {
    assert!(n <= 255 * 255, "more bytes than two digits tell apart");
    let digit = |base: usize| (0..n).map(|i| 1 + (i / base % 255) as u8).collect();
    if n <= 255 { vec![digit(1)] } else { vec![digit(1), digit(255)] }
}

/// Hashes messages, and compares the tags with those that are wanted.
fn run<const B: u32>(
    kernel: Kernel<B>,
    function: Function,
    messages: Messages<'_>,
    wanted: &[[Symbol<B>; 2]],
    what: &dyn Fn(usize) -> String,
) where
    Symbol<B>: SymbolWord<B>,
{
    let initial = &State::new(key(), function.double);
    let mut single = vec![Symbol::NONE; wanted.len()];
    let mut double = vec![Two::default(); wanted.len()];
    let tags = if function.double { Tags::Double(&mut double) } else { Tags::Single(&mut single) };
    kernel(Batch { initial, rounds: function.counted(), fold: function.fold, messages, tags });
    for (i, &wanted) in wanted.iter().enumerate() {
        let Two(low, high) = if function.double { double[i] } else { Two(single[i], Symbol::NONE) };
        compare([low, high], wanted, || what(i));
    }
}

/// Messages of these lengths in every layout, with `room` bytes before and after them in layouts that have one slice.
pub fn bytes<const B: u32>(kernel: Kernel<B>, function: Function, lengths: &[usize], room: usize)
where
    Symbol<B>: SymbolWord<B>,
{
    let total: usize = lengths.iter().sum();
    for labels in labellings(total + 2 * room) {
        forget();
        let mut offsets = vec![room];
        for length in lengths {
            offsets.push(offsets.last().unwrap_or(&0) + length);
        }
        let slices: Vec<&[u8]> = offsets.windows(2).map(|pair| &labels[pair[0]..pair[1]]).collect();
        let wanted: Vec<_> = slices.iter().map(|message| function.tag::<B>(message)).collect();
        let what = |layout: &str, i: usize| {
            format!("{function:?}, {layout}, message {i} of {} bytes of {lengths:?}", lengths[i])
        };
        let run = |layout, name: &str| {
            run(kernel, function, Messages::Bytes(layout), &wanted, &|i| what(name, i));
        };
        run(Layout::Slices(&slices), "slices");
        let bytes = &labels[..];
        let narrow: Vec<i32> = offsets.iter().map(|&x| x as i32).collect();
        run(Layout::Offsets32 { bytes, offsets: &narrow }, "offsets of 32 bits");
        let wide: Vec<i64> = offsets.iter().map(|&x| x as i64).collect();
        run(Layout::Offsets64 { bytes, offsets: &wide }, "offsets of 64 bits");
        if let Some(&width) = lengths.first()
            && lengths.iter().all(|&length| length == width)
        {
            run(Layout::Rows { bytes: &labels[room..room + total], width }, "rows");
        }
    }
}

/// `count` integers of 4, of 8 and of 16 bytes.
pub fn integers<const B: u32>(kernel: Kernel<B>, function: Function, count: usize)
where
    Symbol<B>: SymbolWord<B>,
{
    macro_rules! integers {
        ($($variant:ident: $int:ty;)*) => {$(
            let size = size_of::<$int>();
            for labels in labellings(count * size) {
                forget();
                let integers: Vec<_> = labels.as_chunks().0.iter().map(|&x| <$int>::from_le_bytes(x)).collect();
                let wanted: Vec<_> = labels.chunks(size).map(|message| function.tag(message)).collect();
                let what = |i: usize| format!("{function:?}, integer {i} of {count} of {size} bytes");
                run(kernel, function, Messages::$variant(&integers), &wanted, &what);
            }
        )*};
    }
    integers! {
        U32s: u32;
        U64s: u64;
        U128s: u128;
    }
}

/// The register entry: `count` messages of SIZE bytes.
pub fn small<const B: u32, const SIZE: usize>(kernel: SmallKernel<B, SIZE>, rounds: [u8; 2], count: usize)
where
    Symbol<B>: SymbolWord<B>,
{
    let function = Function { rounds, double: false, fold: false };
    for labels in labellings(count * SIZE) {
        forget();
        let messages = labels.as_chunks().0;
        let mut tags = vec![Symbol::NONE; count];
        kernel(&State::new(key(), false), function.counted(), messages, &mut tags);
        for (i, (&tag, message)) in tags.iter().zip(messages).enumerate() {
            let what = || format!("{rounds:?}, message {i} of {count} of {SIZE} bytes");
            compare([tag, Symbol::NONE], function.tag(message), what);
        }
    }
}
