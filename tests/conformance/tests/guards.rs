//! Walks the table: every row that can run here works between inaccessible pages.
//!
//! `cargo test -p keylane-conformance --test guards` prints a line for each row. A row that accesses a byte
//! outside its job's memory ends its process. So each row runs in a child process: this program, started
//! again, which prints each case before it begins. Rows with a planted defect must end their process; this
//! proves that the test detects defects.

#![allow(unsafe_code)]

use keylane::dispatch::select::{AnySlot, Runnable, Slot};
use keylane::dispatch::table;
use keylane::job::cpu::Features;
use keylane_conformance::guards::{Between, Cases, public_calls};
use keylane_conformance::parallel::failures;
use keylane_conformance::rows::Row;
use keylane_conformance::target;
use std::io::{BufRead, BufReader, Write};
use std::process::{ExitCode, ExitStatus, Stdio};
use std::{env, fmt, io};

/// The first argument of a child; its slot and kernel follow.
const CHILD: &str = "--child";

/// The name used instead of a slot if no kernel is called by name.
const PUBLIC: &str = "public";

/// The name used instead of a slot if the kernel has a planted defect.
const PLANTED: &str = "planted";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [child, slot, kernel] = &arguments[..]
        && child == CHILD
    {
        return self::child(slot, kernel);
    }
    let mut rows: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for slot in table::SLOTS {
        for info in (0..).map_while(|row| slot.info(row)) {
            let missing = info.requires.without(Features::available()).names().collect();
            rows.push((slot.name(), info.id, missing));
        }
    }
    rows.push((PUBLIC, "calls", Vec::new()));
    rows.extend(planted::SLOT.runnable().map(|kernel| (PLANTED, kernel.id(), Vec::new())));
    let failed = failures(&rows, |(slot, kernel, missing)| judge(slot, kernel, missing));
    println!("guards: {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a row if nothing is missing for it. Prints a line, and returns whether all is well.
fn judge(slot: &str, kernel: &str, missing: &[&str]) -> bool {
    if !missing.is_empty() {
        println!("{slot} {kernel} not run here: missing {}", missing.join(" "));
        return true;
    }
    let outcome = run(slot, kernel);
    let good = if slot == PLANTED { matches!(outcome, Outcome::Touched { .. }) } else { outcome.is_good() };
    println!("{slot} {kernel} {}{outcome}", if good { "" } else { "FAILED: " });
    good
}

/// How a child ended.
enum Outcome {
    /// Normally, with its result: whether all was well, and a description.
    Ended { good: bool, found: String },
    /// By a panic in this case. Its message is above.
    Panicked { case: String },
    /// By the operating system, in this case.
    Touched { case: String, status: ExitStatus },
}

impl Outcome {
    fn is_good(&self) -> bool {
        matches!(self, Outcome::Ended { good: true, .. })
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Ended { found, .. } => write!(f, "ran ({found})"),
            Outcome::Panicked { case } => write!(f, "panicked in the case: {case}"),
            Outcome::Touched { case, status } => {
                write!(f, "touched memory outside ({status}) in the case: {case}")
            }
        }
    }
}

/// Runs a row in a child process.
fn run(slot: &str, kernel: &str) -> Outcome {
    let program = env::current_exe().expect("this program");
    let mut child = target::command(program)
        .args([CHILD, slot, kernel])
        .stdout(Stdio::piped())
        .spawn()
        .expect("this program, once more");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let (mut case, mut found, mut line) = ("none yet".to_owned(), String::new(), Vec::new());
    while output.read_until(b'\n', &mut line).expect("the pipe") > 0 {
        let text = String::from_utf8_lossy(&line);
        match text.trim_end().split_once(' ') {
            Some(("case", name)) => case = name.to_owned(),
            Some(("end", what)) => found = what.to_owned(),
            _ => found.push_str(&format!("\n  {}", text.trim_end())),
        }
        line.clear();
    }
    let status = child.wait().expect("the child");
    match status.code() {
        Some(0) => Outcome::Ended { good: true, found },
        Some(1) => Outcome::Ended { good: false, found },
        Some(101) => Outcome::Panicked { case },
        _ => Outcome::Touched { case, status },
    }
}

/// The child: every case of one row.
fn child(slot: &str, kernel: &str) -> ExitCode {
    let mut out = io::stdout().lock();
    let mut tell = |case: &str| writeln!(out, "case {case}").expect("the pipe");
    let mut cases = Cases::new(&mut tell);
    match slot {
        PUBLIC => public_calls(&mut cases),
        PLANTED => row(&planted::SLOT, kernel, &mut cases),
        _ if slot == table::SIPHASH_X1_LONG.name() => row(&table::SIPHASH_X1_LONG, kernel, &mut cases),
        _ if slot == table::SIPHASH_XN.name() => row(&table::SIPHASH_XN, kernel, &mut cases),
        _ if slot == table::HALFSIPHASH_XN.name() => row(&table::HALFSIPHASH_XN, kernel, &mut cases),
        _ if slot == table::POLY1305_X1.name() => row(&table::POLY1305_X1, kernel, &mut cases),
        _ if slot == table::POLY1305_PN.name() => row(&table::POLY1305_PN, kernel, &mut cases),
        _ if slot == table::POLY1305_XN.name() => row(&table::POLY1305_XN, kernel, &mut cases),
        _ if slot == table::POLY1305_PARTS.name() => row(&table::POLY1305_PARTS, kernel, &mut cases),
        _ if slot == table::CHACHA20_PN.name() => row(&table::CHACHA20_PN, kernel, &mut cases),
        _ if slot == table::CHACHA20_XN.name() => row(&table::CHACHA20_XN, kernel, &mut cases),
        _ if slot == table::CHACHA20POLY1305_PN.name() => {
            row(&table::CHACHA20POLY1305_PN, kernel, &mut cases)
        }
        _ => panic!("the guards leave out the slot {slot}"),
    }
    let check = cases.check;
    writeln!(out, "end {} cases, {} failed", check.made, check.failed).expect("the pipe");
    for difference in &check.differences {
        writeln!(out, "{difference}").expect("the pipe");
    }
    if check.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs every case for the slot's row of that name.
fn row<S: Between>(slot: &'static Slot<S>, id: &str, cases: &mut Cases<'_>) {
    let lanes = (0..).map_while(|row| slot.info(row)).find(|info| info.id == id).map(|info| info.lanes);
    let kernel: Runnable<S> = slot.runnable().find(|kernel| kernel.id() == id).expect("a row that runs here");
    S::cases(&Row { kernel, lanes: lanes.expect("a row") }, cases);
}

/// Rows that read one byte outside their job's memory, but give the right tags.
mod planted {
    use keylane::dispatch::select::Slot;
    use keylane::dispatch::table;
    use keylane::job::cpu::Features;
    use keylane::job::kernel::Kernel;
    use keylane::job::siphash::{Batch, Layout, Messages, Tags, Xn};
    use std::hint::black_box;

    const fn kernel(id: &'static str, run: for<'a> unsafe fn(Batch<'a, u64>)) -> Kernel<Xn<u64>> {
        Kernel::<Xn<u64>>::new(id, Features::NONE, 1, run)
    }

    static KERNELS: [Kernel<Xn<u64>>; 6] = [
        kernel("byte_behind_the_messages", |job| read(bytes(&job).map(|bytes| bytes.end), job)),
        kernel("byte_before_the_messages", |job| {
            read(bytes(&job).map(|bytes| bytes.start.wrapping_sub(1)), job)
        }),
        kernel("behind_the_offsets", |job| match job.messages {
            Messages::Bytes(Layout::Offsets32 { offsets, .. }) => {
                read(Some(offsets.as_ptr_range().end.cast()), job)
            }
            _ => read(None, job),
        }),
        kernel("behind_the_integers", |job| match job.messages {
            Messages::U64s(integers) => read(Some(integers.as_ptr_range().end.cast()), job),
            _ => read(None, job),
        }),
        kernel("before_the_state", |job| {
            read(Some((&raw const *job.initial).cast::<u8>().wrapping_sub(1)), job)
        }),
        kernel("behind_the_tags", |job| match &job.tags {
            Tags::Single(tags) => read(Some(tags.as_ptr_range().end.cast()), job),
            Tags::Double(_) => read(None, job),
        }),
    ];

    static ROWS: [&Kernel<Xn<u64>>; KERNELS.len()] =
        [&KERNELS[0], &KERNELS[1], &KERNELS[2], &KERNELS[3], &KERNELS[4], &KERNELS[5]];

    pub static SLOT: Slot<Xn<u64>> = Slot::new(&ROWS);

    /// The addresses from the first to the last byte of the messages, if these lie one after the other.
    fn bytes(job: &Batch<'_, u64>) -> Option<std::ops::Range<*const u8>> {
        match job.messages {
            Messages::Bytes(
                Layout::Rows { bytes, .. }
                | Layout::Offsets32 { bytes, .. }
                | Layout::Offsets64 { bytes, .. },
            ) => Some(bytes.as_ptr_range()),
            _ => None,
        }
    }

    /// Reads the byte at this address, and runs the job.
    fn read(address: Option<*const u8>, job: Batch<'_, u64>) {
        if let Some(address) = address {
            // SAFETY: none. The byte is outside the job's memory: this is the defect. In a child between
            // guards it is in an unreadable page, and the process ends here.
            black_box(unsafe { address.read_volatile() });
        }
        table::SIPHASH_XN.run(job);
    }
}
