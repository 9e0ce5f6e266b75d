//! Runs the jobs of one row with secrets. `tests/taint.rs` starts it as a child under valgrind;
//! `cargo xtask steps` starts it to compare its single steps.
//!
//! * `list` prints every row of the table, `list lab` every row of the lab, one per line: slot, kernel, and
//!   the features that the CPU lacks.
//! * `taint SLOT KERNEL`: much work by the row, then by the public calls with the row forced.
//! * `taint public calls`: the public calls that use no slot.
//! * `taint planted KERNEL`: a row with a planted leak.
//! * `steps SLOT KERNEL NUMBER`: little work by the row with the secrets of that number. It prints the
//!   address of [`mark`], waits for a line, and works between two calls of `mark`.
//! * `time SLOT KERNEL SAMPLES`: times the same little work with zeros and with random secrets.
//!
//! `taint` and `steps` print the number of results at the end.

use keylane::dispatch::select::{AnySlot, Slot};
use keylane::dispatch::table;
use keylane::job::cpu::Features;
use keylane::kernels;
use keylane_conformance::rows::Row;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
use keylane_conformance::secret::timing;
use keylane_conformance::secret::{Secretive, Secrets, Work, planted, public_calls, public_calls_of};
use keylane_lab::table as lab;
use std::env;
use std::hint::black_box;
use std::io::stdin;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["list"] => list(&table::SLOTS),
        ["list", "lab"] => {
            list(&[&lab::SIPHASH_X1_STEPS, &lab::SIPHASH_X1_ABLATION, &lab::SIPHASH_XN, &lab::POLY1305_X1])
        }
        ["taint", slot, kernel] => {
            let mut secrets = Secrets::new(2, Work::Much);
            taint(slot, kernel, &mut secrets);
            println!("{} results", secrets.taken());
        }
        ["steps", slot, kernel, number] => {
            let mut secrets = Secrets::new(number.parse().expect("a number"), Work::Little);
            let mut run = row(slot, kernel).expect("a row that runs here");
            println!("{:p}", mark as fn());
            stdin().read_line(&mut String::new()).expect("standard input");
            mark();
            run(&mut secrets);
            mark();
            println!("{} results", secrets.taken());
        }
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        ["time", slot, kernel, samples] => {
            let run = row(slot, kernel).expect("a row that runs here");
            timing::time(run, samples.parse().expect("a number")).expect("standard output");
        }
        _ => panic!(
            "secret_probe list [lab] | taint SLOT KERNEL | steps SLOT KERNEL NUMBER | time SLOT KERNEL SAMPLES"
        ),
    }
}

/// Marks the begin and end of the work for a debugger.
#[inline(never)]
fn mark() {
    black_box(());
}

fn taint(slot: &str, kernel: &str, secrets: &mut Secrets) {
    if slot == "public" {
        return public_calls(secrets);
    }
    row(slot, kernel).expect("a row that runs here")(secrets);
    // The lab's rows and the planted ones are never selected.
    if kernels::force(slot, kernel).is_ok() {
        public_calls_of(slot, secrets);
    }
}

fn list(slots: &[&dyn AnySlot]) {
    for slot in slots {
        for row in (0..).map_while(|row| slot.info(row)) {
            let missing: Vec<&str> = row.requires.without(Features::available()).names().collect();
            println!("{} {} {}", slot.name(), row.id, missing.join(" "));
        }
    }
}

/// The work of one row.
type Run = Box<dyn FnMut(&mut Secrets)>;

/// The row of this slot, or of the lab's slot of the same name, if it runs here.
fn row(slot: &str, id: &str) -> Option<Run> {
    None.or_else(|| of(&table::SIPHASH_X1_LONG, slot, id))
        .or_else(|| of(&table::SIPHASH_XN, slot, id))
        .or_else(|| of(&table::HALFSIPHASH_XN, slot, id))
        .or_else(|| of(&table::POLY1305_X1, slot, id))
        .or_else(|| of(&table::POLY1305_PN, slot, id))
        .or_else(|| of(&table::POLY1305_XN, slot, id))
        .or_else(|| of(&table::POLY1305_PARTS, slot, id))
        .or_else(|| of(&table::CHACHA20_PN, slot, id))
        .or_else(|| of(&table::CHACHA20_XN, slot, id))
        .or_else(|| of(&table::CHACHA20POLY1305_PN, slot, id))
        .or_else(|| of(&lab::SIPHASH_X1_STEPS, slot, id))
        .or_else(|| of(&lab::SIPHASH_X1_ABLATION, slot, id))
        .or_else(|| of(&lab::SIPHASH_XN, slot, id))
        .or_else(|| of(&lab::POLY1305_X1, slot, id))
        .or_else(|| if slot == "planted" { of(&planted::SLOT, planted::SLOT.name(), id) } else { None })
}

fn of<S: Secretive>(slot: &'static Slot<S>, name: &str, id: &str) -> Option<Run> {
    let lanes = (0..).map_while(|row| slot.info(row)).find(|info| info.id == id)?.lanes;
    let kernel = slot.runnable().find(|kernel| kernel.id() == id).filter(|_| slot.name() == name)?;
    let row = Row { kernel, lanes };
    Some(Box::new(move |secrets| S::jobs(&row, secrets)))
}
