//! A hidden feature is as good as a feature that the CPU lacks. The mask concerns the whole process, so this
//! is a separate program and runs one test at a time.

#![cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]

use keylane::dispatch::select::{AnySlot, Runnable, Slot};
use keylane::dispatch::table;
use keylane::job::cpu::{Features, mask};
use keylane::job::kernel::Kernel;
use keylane::job::poly1305::{Blocks, Key, State, X1};
use keylane::kernels::{ForceErrorKind, Status};
use keylane_conformance::target;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Runs one test at a time, with nothing hidden at its beginning. Returns the features then available.
fn lock() -> (MutexGuard<'static, ()>, Features) {
    static ONE: Mutex<()> = Mutex::new(());
    static ALL: OnceLock<Features> = OnceLock::new();
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let all = *ALL.get_or_init(Features::available);
    mask(all);
    (guard, all)
}

const FEATURE: &str = if cfg!(target_arch = "x86_64") { "sse2" } else { "sha3" };

fn right(job: Blocks<'_>) {
    table::POLY1305_X1.run(job);
}

static VECTOR: Kernel<X1> = Kernel::<X1>::new("vector", Features::named(&[FEATURE]), 1, right);
static PORTABLE: Kernel<X1> = Kernel::<X1>::new("portable", Features::NONE, 1, right);
static SLOT: Slot<X1> = Slot::new(&[&VECTOR, &PORTABLE]);

fn statuses() -> [Status; 2] {
    [0, 1].map(|row| SLOT.info(row).expect("two rows").status)
}

#[test]
fn a_row_that_requires_a_hidden_feature_does_not_run_here() {
    let (_lock, detected) = lock();
    mask(Features::NONE);
    assert!(Features::available().is_empty());
    assert_eq!(statuses(), [Status::NotOnThisCpu, Status::Active]);
    assert!(Runnable::new(&VECTOR).is_none());
    assert_eq!(SLOT.runnable().map(|row| row.id()).collect::<Vec<_>>(), ["portable"]);
    let error = ForceErrorKind::NotOnThisCpu { slot: "poly1305-x1", kernel: "vector" };
    assert_eq!(SLOT.force("vector"), Err(error));
    assert_eq!(statuses(), [Status::NotOnThisCpu, Status::Active]);

    let mut state = State::new(Key::from_bytes(&[9; 32]));
    SLOT.run(Blocks { state: &mut state, blocks: &[[1; 16]; 5], tail: &[2; 7] });
    let message = [[1; 80].as_slice(), &[2; 7]].concat();
    assert_eq!(state.tag().to_le_bytes(), keylane_ref::poly1305(&[9; 32], &message));

    // Hidden features come back; the mask cannot add what the CPU lacks.
    mask(Features::named(&[FEATURE]));
    let left = Features::available();
    assert!(left.without(detected).is_empty());
    let is_there = !left.is_empty();
    assert_eq!(statuses()[0], if is_there { Status::Ready } else { Status::NotOnThisCpu });
    assert_eq!(SLOT.force("vector").is_ok(), is_there);
    assert_eq!(statuses()[0] == Status::Active, is_there);
}

/// Every subset of this CPU's features gives the same answers. A selection depends only on which rows run, so
/// this tests one subset for each choice of rows, each in a child process. There, each slot has one active
/// row: the first that runs and suits.
#[test]
fn every_subset_of_features_gives_the_same_answers() {
    let (_lock, detected) = lock();
    let names: Vec<&str> = detected.names().collect();
    let rows = table::SLOTS.iter().flat_map(|slot| (0..).map_while(|row| slot.info(row)));
    let required: Vec<Features> = rows.map(|row| row.requires).collect();
    // Whether each row runs: a selection depends on nothing else.
    let mut choices = BTreeMap::new();
    for subset in 0..1u32 << names.len() {
        let visible =
            names.iter().enumerate().filter(|(bit, _)| subset >> bit & 1 == 1).map(|(_, name)| *name);
        let visible: Vec<&str> = visible.collect();
        mask(Features::named(&visible));
        let runs = |row: &Features| row.without(Features::available()).is_empty();
        choices.entry(required.iter().map(runs).collect::<Vec<bool>>()).or_insert(visible);
    }
    mask(detected);
    let probe = |visible: &str| {
        let mut command = target::command(env!("CARGO_BIN_EXE_dispatch_probe"));
        let output = command.args(["mask", visible, "answers", "list"]).env_remove("KEYLANE_KERNEL").output();
        let output = output.expect("dispatch_probe");
        assert!(output.status.success(), "{visible}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let all = probe(&names.join(","));
    let answers = all.lines().next().expect("answers");
    assert!(answers.starts_with("answers: "), "{answers}");
    for (rows_that_run, visible) in &choices {
        let told = probe(&visible.join(","));
        let (answers_here, rows) = told.split_once('\n').expect("a list");
        assert_eq!(answers_here, answers, "{visible:?}");
        let is_here: Vec<bool> = rows.lines().map(|row| !row.ends_with(" not on this cpu")).collect();
        assert_eq!(&is_here, rows_that_run, "{visible:?}");
        let active = rows.lines().filter(|row| row.ends_with(" active")).count();
        assert_eq!(active, table::SLOTS.len(), "{visible:?}: {told}");
    }
    println!("{} subsets of {names:?} are {} choices of rows", 1u64 << names.len(), choices.len());
    assert!(names.is_empty() || choices.len() > 1, "features make a difference");
}
