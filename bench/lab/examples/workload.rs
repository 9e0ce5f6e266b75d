//! Does a known amount of work with one kernel, so that its instructions can be traced. `cargo xtask model`
//! runs this as its child process.
//!
//! Without arguments it lists every work of every kernel in the table and in the lab, one per line:
//! * slot, kernel, lanes, and the features that the kernel requires;
//! * the work's name, its unit, and how many more units TIMES = 3 has than TIMES = 1. If the kernel does not run here:
//!   the reason.
//!
//! With SLOT KERNEL LANES WORK TIMES it does that work. TIMES, 1 or 3, multiplies the work. It prints the
//! address of [`mark`], waits for a line, and works between two calls of `mark`. No row is self-tested here,
//! since that would be traced as well.

use keylane::dispatch::select::{AnySlot, Runnable, Slot};
use keylane::dispatch::selftest::SelfTest;
use keylane::dispatch::table;
use keylane::job::cpu::{Features, Uarch};
use keylane::job::kernel::Shape;
use keylane::job::poly1305::{self, Blocks, Key, Message, Pn, X1};
use keylane::job::siphash::{self, Counted, Layout, Long, Messages, State, Tags, Word, X1Long, Xn};
use keylane_lab::ablation::{self, Wholes};
use keylane_lab::steps::{self, Whole};
use std::hint::black_box;
use std::io::stdin;
use std::num::NonZeroU8;
use std::process::ExitCode;

/// One kind of work for the kernels of a slot.
struct Work<S: Shape> {
    name: &'static str,
    unit: &'static str,
    /// How many more units TIMES = 3 has than TIMES = 1, by the kernel's lanes.
    more: fn(lanes: usize) -> usize,
    run: fn(kernel: &Runnable<S>, lanes: usize, times: usize),
}

/// One message of 64 words, times TIMES.
const SIPHASH_X1_LONG: [Work<X1Long>; 2] = [
    Work { name: "1-3", unit: "word", more: |_| 2 * 64, run: |kernel, _, times| long(kernel, 1, 3, times) },
    Work { name: "2-4", unit: "word", more: |_| 2 * 64, run: |kernel, _, times| long(kernel, 2, 4, times) },
];

/// SipHash-2-4 with more and more of the steps, in the order of [`steps::STEPS`]. The work is one message of 64 words,
/// and 4 messages of 15 bytes, times TIMES.
const SIPHASH_X1_STEPS: [Work<steps::X1>; 14] = {
    macro_rules! works {
        ($($last:literal, $steps:literal;)*) => {
            [$(
                Work {
                    name: concat!("2-4, ", $last),
                    unit: "word",
                    more: |_| 2 * 64,
                    run: |kernel, _, times| one_whole(kernel, $steps, 64 * times),
                },
                Work {
                    name: concat!("2-4 of 15 bytes, ", $last),
                    unit: "hash",
                    more: |_| 2 * 4,
                    run: |kernel, _, times| short_wholes(kernel, $steps, 4 * times),
                },
            )*]
        };
    }
    works! {
        "no step", 0;
        "to pairs", 0b1;
        "to ldnp", 0b11;
        "to separate", 0b111;
        "to abreast", 0b1111;
        "to overlap", 0b1_1111;
        "to beside", 0b11_1111;
    }
};

/// One message of 64 words, and 4 messages of 13 bytes, times TIMES.
const SIPHASH_X1_ABLATION: [Work<ablation::X1>; 3] = [
    Work {
        name: "1-3",
        unit: "word",
        more: |_| 2 * 64,
        run: |kernel, _, times| wholes(kernel, ablation::Rounds::R13, 1, 64 * 8 * times),
    },
    Work {
        name: "2-4",
        unit: "word",
        more: |_| 2 * 64,
        run: |kernel, _, times| wholes(kernel, ablation::Rounds::R24, 1, 64 * 8 * times),
    },
    Work {
        name: "2-4 of 13 bytes",
        unit: "hash",
        more: |_| 2 * 4,
        run: |kernel, _, times| wholes(kernel, ablation::Rounds::R24, 4 * times, 13),
    },
];

/// Rows of 8 words, integers, and short messages of different lengths, times TIMES.
const SIPHASH_XN: [Work<Xn<u64>>; 5] = [
    rows_13(),
    rows_24(),
    U64_13,
    U64_24,
    Work {
        name: "1-3 of 4..20 bytes",
        unit: "hash",
        more: |lanes| 2 * group(lanes),
        run: |kernel, lanes, times| ragged(kernel, 1, 3, lanes, times),
    },
];

const fn rows_13<W: Word + Default>() -> Work<Xn<W>> {
    Work {
        name: "1-3",
        unit: "word",
        more: |lanes| 2 * 8 * group(lanes),
        run: |kernel, lanes, times| rows(kernel, 1, 3, lanes, times),
    }
}

const fn rows_24<W: Word + Default>() -> Work<Xn<W>> {
    Work {
        name: "2-4",
        unit: "word",
        more: |lanes| 2 * 8 * group(lanes),
        run: |kernel, lanes, times| rows(kernel, 2, 4, lanes, times),
    }
}

const U64_13: Work<Xn<u64>> = Work {
    name: "1-3 of u64",
    unit: "hash",
    more: |lanes| 2 * integers_of(lanes),
    run: |kernel, lanes, times| integers(kernel, 1, 3, lanes, times),
};

const U64_24: Work<Xn<u64>> = Work {
    name: "2-4 of u64",
    unit: "hash",
    more: |lanes| 2 * integers_of(lanes),
    run: |kernel, lanes, times| integers(kernel, 2, 4, lanes, times),
};

/// Bitsliced kernels are for integers.
const BITSLICED: [Work<Xn<u64>>; 2] = [U64_13, U64_24];

const HALFSIPHASH_XN: [Work<Xn<u32>>; 2] = [rows_13(), rows_24()];

/// 64 blocks, times TIMES.
const POLY1305_X1: [Work<X1>; 1] =
    [Work { name: "long", unit: "block", more: |_| 2 * 64, run: |kernel, _, times| blocks(kernel, times) }];

/// 2 KiB for each block processed at a time, times TIMES. That is long enough for any kernel's longest loop,
/// so both runs take the same path.
const POLY1305_PN: [Work<Pn>; 1] = [Work {
    name: "long",
    unit: "block",
    more: |lanes| 2 * 128 * lanes,
    run: |kernel, lanes, times| message(kernel, 128 * lanes * times),
}];

/// Messages of 8 blocks, times TIMES.
const POLY1305_XN: [Work<poly1305::Xn>; 1] = [Work {
    name: "long",
    unit: "block",
    more: |lanes| 2 * 8 * 2 * lanes,
    run: |kernel, lanes, times| messages(kernel, 2 * lanes, times),
}];

/// A number of messages that makes whole groups for a kernel of `lanes` lanes, with 1, 2, 3, 4 or 6 vectors (or
/// messages) in flight.
fn group(lanes: usize) -> usize {
    if lanes < 64 { 12 * lanes.max(2) } else { lanes }
}

/// As [`group`], for integers: a kernel may have 5 vectors of them in flight.
fn integers_of(lanes: usize) -> usize {
    if lanes < 64 { 60 * lanes } else { lanes }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let slots: [&dyn Walk; 10] = [
        &(&table::SIPHASH_X1_LONG, &SIPHASH_X1_LONG),
        &(&keylane_lab::table::SIPHASH_X1_STEPS, &SIPHASH_X1_STEPS),
        &(&keylane_lab::table::SIPHASH_X1_ABLATION, &SIPHASH_X1_ABLATION),
        &(&table::SIPHASH_XN, &SIPHASH_XN),
        &(&keylane_lab::table::SIPHASH_XN, &BITSLICED),
        &(&table::HALFSIPHASH_XN, &HALFSIPHASH_XN),
        &(&table::POLY1305_X1, &POLY1305_X1),
        &(&keylane_lab::table::POLY1305_X1, &POLY1305_X1),
        &(&table::POLY1305_PN, &POLY1305_PN),
        &(&table::POLY1305_XN, &POLY1305_XN),
    ];
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            slots.iter().for_each(|slot| slot.list());
            true
        }
        [slot, kernel, lanes, work, times] => match (lanes.parse(), times.parse()) {
            (Ok(lanes), Ok(times)) => slots.iter().any(|it| it.run(slot, kernel, lanes, work, times)),
            _ => false,
        },
        _ => false,
    };
    if done {
        return ExitCode::SUCCESS;
    }
    eprintln!("workload [SLOT KERNEL LANES WORK TIMES]: there is no such work");
    ExitCode::FAILURE
}

/// A slot of either table, and the works for its kernels.
trait Walk {
    fn list(&self);
    fn run(&self, slot: &str, kernel: &str, lanes: usize, work: &str, times: usize) -> bool;
}

impl<S: SelfTest, const N: usize> Walk for (&'static Slot<S>, &[Work<S>; N]) {
    fn list(&self) {
        let (slot, works) = self;
        for row in (0..).map_while(|row| slot.info(row)) {
            let requires = row.requires.names().collect::<Vec<_>>().join(" ");
            let head = format!("{}\t{}\t{}\t{requires}", S::SLOT, row.id, row.lanes);
            let missing: Vec<&str> = row.requires.without(Features::available()).names().collect();
            if !missing.is_empty() {
                println!("{head}\tthis cpu lacks {}", missing.join(" "));
                continue;
            }
            for work in works.iter() {
                println!("{head}\t{}\t{}\t{}", work.name, work.unit, (work.more)(row.lanes));
            }
        }
    }

    fn run(&self, slot: &str, kernel: &str, lanes: usize, work: &str, times: usize) -> bool {
        let (rows, works) = self;
        let row = rows.runnable().find(|row| S::SLOT == slot && row.id() == kernel);
        match (row, works.iter().find(|it| it.name == work)) {
            (Some(row), Some(work)) => {
                (work.run)(&row, lanes, times);
                true
            }
            _ => false,
        }
    }
}

/// Does `job` between two calls of [`mark`].
fn marked<S: Shape>(kernel: &Runnable<S>, job: S::Job<'_>) {
    between_marks(|| kernel.run(job));
}

fn between_marks(work: impl FnOnce()) {
    // Detected once per process, and not part of the kernel's work.
    black_box(Uarch::current());
    println!("{:p}", mark as fn());
    stdin().read_line(&mut String::new()).expect("a line that says go");
    mark();
    work();
    mark();
}

/// The trace begins and ends here.
#[inline(never)]
fn mark() {
    black_box(());
}

fn rounds(c: u8, d: u8) -> Counted {
    let some = |rounds| NonZeroU8::new(rounds).expect("at least one round");
    Counted::new(some(c), some(d))
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i % 251) as u8).collect()
}

fn long(kernel: &Runnable<X1Long>, c: u8, d: u8, times: usize) {
    let mut state = State::new([1, 2], false);
    let text = bytes(64 * 8 * times);
    let (words, _) = text.as_chunks();
    marked(kernel, Long { state: &mut state, rounds: rounds(c, d), fold: false, words });
}

fn one_whole(kernel: &Runnable<steps::X1>, steps: usize, words: usize) {
    let message = bytes(8 * words);
    let mut tag = 0;
    marked(kernel, Whole { steps, two_rounds: true, key: [1, 2], message: &message, tag: &mut tag });
}

fn short_wholes(kernel: &Runnable<steps::X1>, steps: usize, n: usize) {
    let mut tags = vec![0; n];
    between_marks(|| {
        for tag in &mut tags {
            kernel.run(Whole { steps, two_rounds: true, key: [1, 2], message: &[0; 15], tag });
        }
    });
}

fn wholes(kernel: &Runnable<ablation::X1>, rounds: ablation::Rounds, n: usize, len: usize) {
    let message = bytes(len);
    let (messages, mut tags) = (vec![&message[..]; n], vec![0; n]);
    marked(kernel, Wholes { rounds, key: [1, 2], messages: &messages, tags: &mut tags });
}

fn rows<W: Word + Default>(kernel: &Runnable<Xn<W>>, c: u8, d: u8, lanes: usize, times: usize) {
    let width = 8 * size_of::<W>() * times;
    let text = bytes(width * group(lanes));
    let layout = Layout::Rows { bytes: &text, width };
    batch(kernel, rounds(c, d), Messages::Bytes(layout), group(lanes));
}

fn integers(kernel: &Runnable<Xn<u64>>, c: u8, d: u8, lanes: usize, times: usize) {
    let keys: Vec<u64> = (0..(integers_of(lanes) * times) as u64).collect();
    batch(kernel, rounds(c, d), Messages::U64s(&keys), keys.len());
}

/// Messages of 4 to 20 bytes: every group has the same lengths, in no order, each about equally often.
fn ragged(kernel: &Runnable<Xn<u64>>, c: u8, d: u8, lanes: usize, times: usize) {
    let lengths = (0..times).flat_map(|_| (0..group(lanes)).map(|i| 4 + 29 * i % 17));
    let mut offsets = vec![0];
    for len in lengths {
        offsets.push(offsets.last().expect("the first") + len as i64);
    }
    let text = bytes(20 * offsets.len());
    let end = *offsets.last().expect("the last") as usize;
    let layout = Layout::Offsets64 { bytes: &text[..end], offsets: &offsets };
    batch(kernel, rounds(c, d), Messages::Bytes(layout), offsets.len() - 1);
}

fn batch<W: Word + Default>(kernel: &Runnable<Xn<W>>, rounds: Counted, messages: Messages<'_>, n: usize) {
    let initial = State { v: W::INITIAL };
    let mut tags = vec![W::default(); n];
    let tags = Tags::Single(&mut tags);
    marked(kernel, siphash::Batch { initial: &initial, rounds, fold: false, messages, tags });
}

fn key() -> Key {
    Key::from_bytes(&[0x55; 32])
}

fn blocks(kernel: &Runnable<X1>, times: usize) {
    let mut state = poly1305::State::new(key());
    let text = bytes(64 * 16 * times);
    let (blocks, tail) = text.as_chunks();
    marked(kernel, Blocks { state: &mut state, blocks, tail });
}

fn message(kernel: &Runnable<Pn>, blocks: usize) {
    let mut tag = 0;
    let message = bytes(16 * blocks);
    marked(kernel, Message::Whole { key: &key(), message: &message, tag: &mut tag });
}

fn messages(kernel: &Runnable<poly1305::Xn>, n: usize, times: usize) {
    let text = bytes(8 * 16 * times);
    let messages = vec![&text[..]; n];
    let mut tags = vec![[0; 16]; n];
    marked(kernel, poly1305::Batch { keys: &vec![key(); n], messages: &messages, tags: &mut tags });
}
