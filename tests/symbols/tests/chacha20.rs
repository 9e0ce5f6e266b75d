//! Every row of ChaCha20, and HChaCha20, on terms.
//!
//! A test is named after its row. Rows that differ in their instructions only are one run. The choice of a row between
//! lanes and rows of blocks is in its own file, with its instructions; it is copied here.

use keylane::arch::generic::chacha20::{self, Rows32, Vectors32};
use keylane::job::chacha20::{Key, Run, Seal, Stream};
use keylane_symbols::seed;
use keylane_symbols::terms::keystream::{
    ManyKernel, Message, OneKernel, SealKernel, derived_key, many, one, sealed,
};
use keylane_symbols::terms::vectors32::{OneSymbol, Symbols32};

/// AVX-512 and NEON, and the portable row.
const ROOMY: Symbols32<true> = Symbols32;
/// SSE2, AVX2 and WebAssembly.
const NARROW: Symbols32<false> = Symbols32;

/// Blocks of one message, by the choice of a row. `choose` does the next blocks.
fn choose(job: Stream<'_>, choose: impl Fn(usize, &Key, &mut Run<'_>)) {
    let Stream { key, mut run } = job;
    while run.blocks() > 0 {
        let before = run.blocks();
        choose(before, key, &mut run);
        assert!(run.blocks() < before, "a call that does no block");
    }
}

fn rows<C: Rows32<N>, const N: usize, const G: usize>(cpu: C, key: &Key, run: &mut Run<'_>) {
    chacha20::few::<_, N, G>(cpu, key, run);
}

fn lanes<C: Vectors32<N>, const N: usize>(cpu: C, key: &Key, run: &mut Run<'_>, rest: usize) {
    chacha20::one::<_, N>(cpu, key, run, rest);
}

fn p16_avx512(job: Stream<'_>) {
    choose(job, |blocks, key, run| match blocks {
        1..=4 => rows::<_, 16, 1>(ROOMY, key, run),
        5..=8 => lanes::<_, 8>(ROOMY, key, run, 0),
        _ => lanes::<_, 16>(ROOMY, key, run, 8),
    });
}

fn p8_avx512(job: Stream<'_>) {
    choose(job, |blocks, key, run| match blocks {
        1 | 2 => rows::<_, 8, 1>(ROOMY, key, run),
        3 | 4 => rows::<_, 8, 2>(ROOMY, key, run),
        _ => lanes::<_, 8>(ROOMY, key, run, 4),
    });
}

fn p8_avx2(job: Stream<'_>) {
    choose(job, |blocks, key, run| match blocks {
        1 | 2 => rows::<_, 8, 1>(NARROW, key, run),
        3 | 4 => rows::<_, 8, 2>(NARROW, key, run),
        5 | 6 | 9 | 10 => rows::<_, 8, 3>(NARROW, key, run),
        7 | 8 => lanes::<_, 8>(NARROW, key, run, 0),
        _ => lanes::<_, 8>(NARROW, key, run, 10),
    });
}

fn p4_narrow(job: Stream<'_>) {
    choose(job, |_, key, run| lanes::<_, 4>(NARROW, key, run, 0));
}

fn p4_roomy(job: Stream<'_>) {
    choose(job, |_, key, run| lanes::<_, 4>(ROOMY, key, run, 0));
}

fn p1(job: Stream<'_>) {
    choose(job, |_, key, run| lanes::<_, 1>(OneSymbol, key, run, 0));
}

/// One message: every number of blocks up to `most`, and lengths around the last border.
fn one_quick(kernel: OneKernel, most: usize) {
    for blocks in 0..=most {
        let length = (64 * blocks).saturating_sub([0, 1, 63, 20][blocks % 4]);
        let message =
            Message { length, counter: blocks as u32, one_time: blocks % 2 == 1, copied: blocks % 3 == 1 };
        one(kernel, seed(), message);
    }
    // Numbers of blocks that wrap.
    one(kernel, seed(), Message { length: 64 * most, counter: 0xffff_fffd, one_time: false, copied: false });
    for length in 0..=64 {
        let message = Message { length, counter: 1, one_time: length % 2 == 0, copied: length % 3 == 0 };
        one(kernel, seed(), message);
    }
}

/// One message: every length up to `most` blocks near a border, and every length of a last block.
fn one_full(kernel: OneKernel, most: usize) {
    for _ in 0..3 {
        for one_time in [false, true] {
            for copied in [false, true] {
                for blocks in 0..=most {
                    for less in [0, 1, 2, 16, 31, 63] {
                        let length = (64 * blocks).saturating_sub(less);
                        one(kernel, seed(), Message { length, counter: 1, one_time, copied });
                    }
                }
                for length in 0..=300 {
                    one(kernel, seed(), Message { length, counter: 0, one_time, copied });
                }
                // Numbers of blocks that wrap.
                one(kernel, seed(), Message { length: 1500, counter: 0xffff_fffd, one_time, copied });
            }
        }
    }
}

/// Messages of these lengths.
fn messages(lengths: &[usize]) -> Vec<Message> {
    let message = |(i, &length): (usize, &usize)| Message {
        length,
        counter: (i % 3) as u32,
        one_time: i % 5 < 3,
        copied: i % 2 == 1,
    };
    lengths.iter().enumerate().map(message).collect()
}

/// Many messages: lanes that are filled from message to message.
fn many_quick(kernel: ManyKernel, lanes: usize) {
    for count in 0..=lanes + 2 {
        let lengths: Vec<usize> = (0..count).map(|i| (i * 41 + count * 7) % 150).collect();
        many(kernel, seed(), &messages(&lengths), count % 2 == 0);
    }
    for length in [0, 64, 64 * lanes, 64 * lanes + 1, 128 * lanes + 40] {
        many(kernel, seed(), &messages(&[length, 0, length / 2, 1]), false);
    }
}

fn many_full(kernel: ManyKernel, lanes: usize) {
    for _ in 0..3 {
        for one_key in [false, true] {
            for count in 0..=2 * lanes + 1 {
                for most in [64, 130, 300] {
                    let lengths: Vec<usize> = (0..count).map(|i| (i * 41 + count * 7) % (most + 1)).collect();
                    many(kernel, seed(), &messages(&lengths), one_key);
                }
            }
            for length in (0..=300).chain((300..64 * (2 * lanes + 2)).step_by(31)) {
                many(kernel, seed(), &messages(&[length, 65, length / 2, 0, 1, length]), one_key);
            }
            for blocks in 0..=2 * lanes + 1 {
                many(kernel, seed(), &messages(&[64 * blocks, 64 * blocks, 10]), one_key);
            }
        }
    }
}

/// A packet of calls of `lanes` blocks, in one pass: one job, and two of every kind.
fn sealed_quick(kernel: SealKernel, lanes: usize) {
    for calls in [[0, 1], [1, 2], [1, 4], [2, 3]] {
        for copied in [false, true] {
            sealed(kernel, seed(), calls.map(|calls| 64 * lanes * calls), copied);
        }
    }
}

macro_rules! one {
    ($kernel:expr, $most:literal) => {
        #[test]
        fn quick() {
            one_quick($kernel, $most);
        }

        #[test]
        #[ignore = "all lengths"]
        fn full() {
            one_full($kernel, 2 * $most);
        }
    };
}

macro_rules! many {
    ($kernel:expr, $lanes:literal) => {
        #[test]
        fn quick() {
            many_quick($kernel, $lanes);
        }

        #[test]
        #[ignore = "all lengths"]
        fn full() {
            many_full($kernel, $lanes);
        }
    };
}

/// A folder of tests for each row, or for rows that are the same on terms.
macro_rules! folders {
    ($($(#[$doc:meta])* $name:ident { $($test:tt)* })*) => {$(
        $(#[$doc])*
        mod $name {
            use super::*;
            $($test)*
        }
    )*};
}

folders! {
    chacha20_p16_avx512 { one!(p16_avx512, 25); }
    chacha20_p8_avx512 { one!(p8_avx512, 13); }
    chacha20_p8_avx2 { one!(p8_avx2, 19); }
    /// `chacha20_p4_simd128`, too.
    chacha20_p4_sse2 { one!(p4_narrow, 9); }
    chacha20_p4_neon { one!(p4_roomy, 9); }
    chacha20_p1 { one!(p1, 4); }
    chacha20_x16_avx512 { many!(|job| chacha20::many::<_, _, 16, 8>(ROOMY, ROOMY, job), 16); }
    chacha20_x8_avx512 { many!(|job| chacha20::many::<_, _, 8, 8>(ROOMY, ROOMY, job), 8); }
    chacha20_x8_avx2 { many!(|job| chacha20::many::<_, _, 8, 8>(NARROW, NARROW, job), 8); }
    /// `chacha20_x4_simd128`, too.
    chacha20_x4_sse2 { many!(|job| chacha20::many::<_, _, 4, 4>(NARROW, NARROW, job), 4); }
    chacha20_x4_neon { many!(|job| chacha20::many::<_, _, 4, 4>(ROOMY, ROOMY, job), 4); }
    chacha20_x1 { many!(|job| chacha20::many::<_, _, 1, 1>(OneSymbol, OneSymbol, job), 1); }
}

/// `chacha20_p8_avx2` in the slot `chacha20poly1305-pn`.
#[test]
fn chacha20poly1305_p8_avx2() {
    sealed_quick(|job: Seal<'_>| chacha20::seal::<_, 8>(NARROW, job), 8);
}

/// `chacha20_x1` there.
#[test]
fn chacha20poly1305_x1() {
    sealed_quick(|job: Seal<'_>| chacha20::seal::<_, 1>(OneSymbol, job), 1);
}

#[test]
fn hchacha20() {
    derived_key(seed());
}
