//! Every row of SipHash and HalfSipHash whose algorithm is generic, on terms.
//!
//! A test is named after its row. Rows that differ in their instructions only are one run. `quick` runs at every commit:
//! each number of messages up to two groups, each remainder of a word and of a tile. `full` runs before a release: all
//! lengths up to 300 bytes, and large mixed batches.

use keylane::arch::generic::{dup, lanes::Lanes, vertical};
use keylane::arch::portable::{interleave, siphash_x1 as x1};
use keylane::job::siphash::{Batch, Counted, Fixed, Fused, Rotation, Rounds, Separate, State};
use keylane_symbols::terms::Symbol;
use keylane_symbols::terms::batch::{Function, Kernel, SymbolWord, bytes, integers, small};
use keylane_symbols::terms::lanes::{HalfOfAvx2, HalfOfAvx512, Of128, OfAvx2, OfAvx512, Symbols};
use keylane_symbols::terms::one::{self, WordsKernel, words};
use std::sync::OnceLock;

const FUNCTIONS: [Function; 3] = [Function::F13, Function::F24_DOUBLE, Function::F12_FOLD];

/// Rounds for which scalar kernels have constants, and others.
const ROUNDS: [[u8; 2]; 5] = [[1, 1], [1, 2], [1, 3], [2, 4], [3, 5]];

/// Bytes around the messages of a batch: so many that no message is at an edge.
const ROOM: usize = 80;

/// Lengths from 0 to `most`, in no order.
fn mixed(count: usize, most: usize) -> Vec<usize> {
    (0..count).map(|i| (i * 37 + i * i / 3) % (most + 1)).collect()
}

/// A row for many messages, `group` at a time.
fn lanes_quick<const B: u32>(kernel: Kernel<B>, group: usize)
where
    Symbol<B>: SymbolWord<B>,
{
    let size = B as usize / 8;
    // Numbers of messages: all up to a group, and one around two and three groups.
    let most = 2 * group + group / 4 + 1;
    for count in 0..=most {
        integers(kernel, FUNCTIONS[count % 2], count);
        // Short messages, with all remainders of a word.
        let lengths = mixed(count, 7 * size + size / 2);
        bytes(kernel, FUNCTIONS[count % 3], &lengths, ROOM * (count % 2));
        bytes(kernel, Function::F13, &vec![count % (2 * size); count], 0);
    }
    // Lengths: all equal, and one that is unlike the others.
    for length in 0..=9 * size {
        let function = FUNCTIONS[length % 3];
        bytes(kernel, function, &vec![length; group], ROOM * (length % 2));
        let mut lengths = vec![length; group];
        lengths[length % group] = (length * 5 + 3) % (9 * size);
        bytes(kernel, function, &lengths, ROOM * (length / 2 % 2));
    }
    // Tiles of four words: several, with each number of words of the first.
    for words in 8..=13 {
        let length = words * size + words % size;
        let mut lengths = vec![length; group + group / 2];
        for (i, place) in lengths.iter_mut().enumerate() {
            *place -= i % (4 * size);
        }
        bytes(kernel, FUNCTIONS[words % 3], &lengths, ROOM * (words % 2));
    }
    // Sorting: more messages than a chunk, with many idle words.
    let lengths: Vec<usize> = (0..300).map(|i| if i % 7 == 0 { i % 90 + 40 } else { i % 13 }).collect();
    bytes(kernel, Function::F13, &lengths, ROOM);
}

fn lanes_full<const B: u32>(kernel: Kernel<B>, group: usize)
where
    Symbol<B>: SymbolWord<B>,
{
    let size = B as usize / 8;
    for count in 0..=4 * group + 3 {
        for rounds in ROUNDS {
            for double in [false, true] {
                let function = Function { rounds, double, fold: false };
                integers(kernel, function, count);
            }
        }
        for most in [3, size, 3 * size, 8 * size - 1, 8 * size, 20 * size] {
            for (i, function) in FUNCTIONS.into_iter().enumerate() {
                bytes(kernel, function, &mixed(count, most), ROOM * (i % 2));
            }
        }
    }
    for length in 0..=300 {
        for (i, function) in FUNCTIONS.into_iter().enumerate() {
            bytes(kernel, function, &vec![length; group], ROOM * (i % 2));
        }
        for count in [1, 2, 3, group / 2 + 1, group + 1] {
            bytes(kernel, Function::F13, &vec![length; count], 0);
        }
        let mut lengths = vec![length; group];
        for other in [0, 1, size, 4 * size + 1, 8 * size, 150, 299] {
            lengths[(length + other) % group] = other;
            bytes(kernel, Function::F13, &lengths, ROOM * (other % 2));
        }
    }
    // All pairs of lengths of short messages, in any lane.
    for length in 0..8 * size {
        for other in 0..8 * size + 2 {
            let mut lengths = vec![length; group];
            lengths[(length + 3 * other) % group] = other;
            bytes(kernel, FUNCTIONS[(length + other) % 3], &lengths, ROOM * (other % 2));
        }
    }
    // Large batches: chunks, sorting, a message that is hashed by itself.
    for (count, most) in [(257, 100), (512, 40), (513, 300), (600, 90), (600, 31), (777, 12)] {
        bytes(kernel, Function::F13, &mixed(count, most.min(64_000 / count)), ROOM);
    }
    let mut lengths = mixed(600, 60);
    for i in [0, 100, 255, 256, 511, 599] {
        lengths[i] = 1000 + i;
    }
    for function in FUNCTIONS {
        bytes(kernel, function, &lengths, ROOM);
        bytes(kernel, function, &lengths, 0);
    }
}

/// A register entry for integers of N bytes.
type Entry<const B: u32, const N: usize> = fn(&State<Symbol<B>>, Counted, &[[u8; N]], &mut [Symbol<B>]);

/// The register entry.
fn small_batches<const B: u32>(of_4: Entry<B, 4>, of_8: Entry<B, 8>, of_16: Entry<B, 16>)
where
    Symbol<B>: SymbolWord<B>,
{
    for count in 0..=64 {
        small(of_4, ROUNDS[count % 5], count);
        small(of_8, ROUNDS[(count + 1) % 5], count);
        small(of_16, ROUNDS[(count + 2) % 5], count);
    }
}

/// Tests of a row, or of several that are the same on terms: they share one run.
macro_rules! rows {
    ($run:ident: $($row:ident),+ => $quick:expr, $full:expr;) => {$(
        mod $row {
            use super::*;

            #[test]
            fn quick() {
                static RUN: &OnceLock<()> = &super::$run::QUICK;
                RUN.get_or_init(|| $quick);
            }

            #[test]
            #[ignore = "all lengths"]
            fn full() {
                static RUN: &OnceLock<()> = &super::$run::FULL;
                RUN.get_or_init(|| $full);
            }
        }
    )+
        mod $run {
            use std::sync::OnceLock;

            pub static QUICK: OnceLock<()> = OnceLock::new();
            pub static FULL: OnceLock<()> = OnceLock::new();
        }
    };
}

fn lanes<C, const B: u32, const N: usize, const G: usize>() -> (Kernel<B>, usize)
where
    Symbol<B>: SymbolWord<B>,
    C: Lanes<Symbol<B>, N> + Default,
{
    (|job: Batch<'_, Symbol<B>>| vertical::batch::<_, _, N, G>(C::default(), job), N * G)
}

macro_rules! batches {
    ($run:ident: $($row:ident),+ => $cpu:ty, $bits:literal, $n:literal, $g:literal $(, small $small:literal)?;) => {
        rows! {
            $run: $($row),+ => {
                let (kernel, group) = lanes::<$cpu, $bits, $n, $g>();
                lanes_quick(kernel, group);
                $(small_of::<$cpu, $bits, $small>();)?
            }, {
                let (kernel, group) = lanes::<$cpu, $bits, $n, $g>();
                lanes_full(kernel, group);
            };
        }
    };
}

fn small_of<C, const B: u32, const N: usize>()
where
    Symbol<B>: SymbolWord<B>,
    C: Lanes<Symbol<B>, N> + Default,
{
    small_batches::<B>(
        |initial, rounds, messages, tags| {
            vertical::small_batch::<_, _, N, 4>(C::default(), initial, rounds, messages, tags)
        },
        |initial, rounds, messages, tags| {
            vertical::small_batch::<_, _, N, 8>(C::default(), initial, rounds, messages, tags)
        },
        |initial, rounds, messages, tags| {
            vertical::small_batch::<_, _, N, 16>(C::default(), initial, rounds, messages, tags)
        },
    );
}

batches! { avx512: siphash_x8_avx512 => OfAvx512, 64, 8, 4, small 8; }
batches! { avx2: siphash_x4_avx2 => OfAvx2, 64, 4, 2, small 4; }
batches! { x4_by_1: siphash_x4_sse2, siphash_x4_simd128 => Of128, 64, 4, 1; }
batches! {
    x4_by_2: siphash_x4_neon, siphash_x4_neon_hybrid, siphash_x4_sha3, siphash_x4_sha3_hybrid => Of128, 64, 4, 2;
}
batches! { half_avx512: halfsiphash_x16_avx512 => HalfOfAvx512, 32, 16, 4, small 16; }
batches! { half_avx2: halfsiphash_x8_avx2 => HalfOfAvx2, 32, 8, 2, small 8; }
batches! { half_x4_by_2: halfsiphash_x4_sse2, halfsiphash_x4_simd128 => Of128, 32, 4, 2; }
batches! { half_x4_by_4: halfsiphash_x4_neon => Of128, 32, 4, 4; }

/// The row of SSE2 on 32-bit x86.
mod halfsiphash_x4_sse2_x86 {
    use super::*;

    #[test]
    fn quick() {
        let (kernel, group) = lanes::<Of128, 32, 4, 1>();
        lanes_quick(kernel, group);
    }

    #[test]
    #[ignore = "all lengths"]
    fn full() {
        let (kernel, group) = lanes::<Of128, 32, 4, 1>();
        lanes_full(kernel, group);
    }
}

/// A scalar row: it takes the messages from all layouts alike, by slices.
fn scalar_quick<const B: u32>(kernel: Kernel<B>)
where
    Symbol<B>: SymbolWord<B>,
{
    for count in 0..=5 {
        for rounds in ROUNDS {
            for double in [false, true] {
                integers(kernel, Function { rounds, double, fold: false }, count);
                bytes(kernel, Function { rounds, double, fold: false }, &mixed(count, 40), 0);
            }
        }
        for length in 0..=40 {
            for function in FUNCTIONS {
                bytes(kernel, function, &vec![length; count], 0);
            }
        }
    }
    // More than one chunk of slices.
    bytes(kernel, Function::F13, &mixed(67, 40), ROOM);
}

fn scalar_full<const B: u32>(kernel: Kernel<B>)
where
    Symbol<B>: SymbolWord<B>,
{
    for length in 0..=300 {
        for function in FUNCTIONS {
            for count in 1..=3 {
                bytes(kernel, function, &vec![length; count], 0);
            }
            for other in 0..=64 {
                bytes(kernel, function, &[length, other, length], 0);
            }
        }
    }
    bytes(kernel, Function::F24_DOUBLE, &mixed(600, 90), ROOM);
}

macro_rules! scalar {
    ($row:ident => $kernel:expr) => {
        mod $row {
            use super::*;

            #[test]
            fn quick() {
                scalar_quick($kernel);
            }

            #[test]
            #[ignore = "all lengths"]
            fn full() {
                scalar_full($kernel);
            }
        }
    };
}

scalar!(siphash_x1 => interleave::one_by_one::<Symbol<64>>);
scalar!(siphash_x2 => interleave::batch::<Symbol<64>, 2>);
scalar!(halfsiphash_x1 => interleave::one_by_one::<Symbol<32>>);
scalar!(halfsiphash_x2 => interleave::batch::<Symbol<32>, 2>);

/// The words of a long message. Each word goes from any state to any state, so the numbers here, with all remainders of a
/// turn, are all numbers.
fn long_words(kernels: [(WordsKernel<64>, u32, bool); 6]) {
    for (kernel, c, fold) in kernels {
        for count in 0..=70 {
            words(kernel, c, fold, count);
        }
    }
}

fn counted(c: u8) -> Counted {
    Function { rounds: [c, 1], double: false, fold: false }.counted()
}

/// The choice of `dup::long`.
fn dup_words<R: Rotation, const TURN_1: usize, const TURN_2: usize>() {
    long_words([
        (|state, words| dup::absorb::<_, R, _, false, TURN_1>(state, Fixed::<1, 1>::NEW, words), 1, false),
        (|state, words| dup::absorb::<_, R, _, false, TURN_2>(state, Fixed::<2, 1>::NEW, words), 2, false),
        (|state, words| dup::absorb::<_, R, _, false, 1>(state, counted(3), words), 3, false),
        (|state, words| dup::absorb::<_, R, _, true, 1>(state, Fixed::<1, 1>::NEW, words), 1, true),
        (|state, words| dup::absorb::<_, R, _, true, 1>(state, Fixed::<2, 1>::NEW, words), 2, true),
        (|state, words| dup::absorb::<_, R, _, true, 1>(state, counted(3), words), 3, true),
    ]);
}

mod siphash_x1_long {
    use super::*;

    fn absorb<R: Rounds, const FOLD: bool>(rounds: R, state: &mut State<Symbol<64>>, words: &[[u8; 8]]) {
        x1::absorb::<_, _, FOLD>(state, rounds, words);
    }

    #[test]
    fn quick() {
        long_words([
            (|state, words| absorb::<_, false>(Fixed::<1, 3>::NEW, state, words), 1, false),
            (|state, words| absorb::<_, false>(Fixed::<2, 4>::NEW, state, words), 2, false),
            (|state, words| absorb::<_, false>(counted(3), state, words), 3, false),
            (|state, words| absorb::<_, true>(Fixed::<1, 3>::NEW, state, words), 1, true),
            (|state, words| absorb::<_, true>(Fixed::<2, 4>::NEW, state, words), 2, true),
            (|state, words| absorb::<_, true>(counted(3), state, words), 3, true),
        ]);
    }
}

mod siphash_x1_dup {
    #[test]
    fn quick() {
        super::dup_words::<super::Fused, 4, 2>();
    }
}

mod siphash_x1_fused {
    #[test]
    fn quick() {
        super::dup_words::<super::Fused, 1, 1>();
    }
}

mod siphash_x1_separate {
    #[test]
    fn quick() {
        super::dup_words::<super::Separate, 1, 1>();
    }
}

/// The inlined code for one message, which is no row.
mod one_message {
    use super::*;

    #[test]
    fn quick() {
        for length in (0..=80).chain([511, 512, 513, 520]) {
            one::whole::<64>(length);
            one::whole::<32>(length);
        }
    }

    #[test]
    #[ignore = "all lengths"]
    fn full() {
        for length in (0..=300).chain(500..=530) {
            one::whole::<64>(length);
            one::whole::<32>(length);
        }
    }
}

/// A stream, which is no row.
mod stream {
    use super::*;

    fn run<const B: u32>(most: usize)
    where
        Symbol<B>: SymbolWord<B> + keylane::dispatch::words::Dispatched,
    {
        for first in 0..=most {
            for second in 0..=most {
                one::pieces::<B>(&[first, second]);
                one::pieces::<B>(&[first, second, 1, first % 9, 0, second % 5]);
            }
            one::pieces::<B>(&[first, 512 + first, 3, 511]);
        }
        one::pieces::<B>(&[1; 40]);
    }

    #[test]
    fn quick() {
        run::<64>(17);
        run::<32>(9);
    }

    #[test]
    #[ignore = "all lengths"]
    fn full() {
        run::<64>(40);
        run::<32>(40);
    }
}

/// `Symbols` as it is, for the instruction sets of the library: a change of their constants changes this.
#[test]
fn constants_of_instruction_sets() {
    fn of<const R: bool, const J: bool, const L: bool>(_: Symbols<R, J, L>) -> [bool; 3] {
        [R, J, L]
    }
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    {
        use keylane::arch::x86_64::{Avx2, Avx512};
        fn is<L: Lanes<W, N>, W: keylane::job::siphash::Word, const N: usize>() -> [bool; 3] {
            [L::RESTARTS_ALWAYS, L::JUSTIFIED, L::WHOLE_LENGTHS]
        }
        assert_eq!(is::<Avx512, u64, 8>(), of(OfAvx512::default()));
        assert_eq!(is::<Avx512, u32, 16>(), of(HalfOfAvx512::default()));
        assert_eq!(is::<Avx2, u64, 4>(), of(OfAvx2::default()));
        assert_eq!(is::<Avx2, u32, 8>(), of(HalfOfAvx2::default()));
        use keylane::arch::x86::Sse2;
        assert_eq!(is::<Sse2, u64, 4>(), of(Of128::default()));
        assert_eq!(is::<Sse2, u32, 4>(), of(Of128::default()));
    }
}
