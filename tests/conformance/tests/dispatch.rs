//! Which kernel runs: by default, by force, by the environment, and if a kernel is wrong.
//!
//! The environment is read once per process and a forced kernel stays. So a child process, `dispatch_probe`,
//! answers the questions that concern a whole process.

use keylane::dispatch::select::{AnySlot, Runnable, Slot};
use keylane::dispatch::selftest::SelfTest;
use keylane::dispatch::table;
use keylane::job::cpu::{Features, Uarch};
use keylane::job::kernel::Kernel;
use keylane::job::poly1305::{Blocks, Key, Message, Pn, State, X1};
use keylane::kernels::{self, ForceErrorKind, Status};
use keylane_conformance::target;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The output of `dispatch_probe` for these commands, under this `KEYLANE_KERNEL`.
fn probe(variable: Option<&OsStr>, commands: &str) -> Vec<String> {
    let mut command = target::command(env!("CARGO_BIN_EXE_dispatch_probe"));
    command.args(commands.split_whitespace()).env_remove("KEYLANE_KERNEL");
    if let Some(value) = variable {
        command.env("KEYLANE_KERNEL", value);
    }
    let output = command.output().expect("dispatch_probe");
    assert!(output.status.success(), "{commands}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").lines().map(String::from).collect()
}

fn probe_with(variable: &str, commands: &str) -> Vec<String> {
    probe(Some(OsStr::new(variable)), commands)
}

/// The rows of a list: slot, kernel, status.
fn rows(lines: &[String]) -> Vec<(String, String, String)> {
    let row = |line: &String| {
        let mut words = line.strip_prefix("row: ")?.splitn(3, ' ').map(String::from);
        Some((words.next()?, words.next()?, words.next()?))
    };
    lines.iter().filter_map(row).collect()
}

/// The active kernel of each slot; there must be exactly one.
fn active(lines: &[String]) -> BTreeMap<String, String> {
    let mut active = BTreeMap::new();
    for (slot, kernel, status) in rows(lines) {
        if status == "active" {
            assert_eq!(active.insert(slot.clone(), kernel), None, "{slot} has one active kernel");
        }
    }
    let slots: Vec<&str> = table::SLOTS.iter().map(|slot| slot.name()).collect();
    assert_eq!(active.len(), slots.len(), "each slot has an active kernel: {lines:?}");
    active
}

/// The line that begins with this word.
fn line<'a>(lines: &'a [String], word: &str) -> &'a str {
    let line = lines.iter().find_map(|line| line.strip_prefix(word)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no {word} in {lines:?}"))
}

/// The rows of the table that run here, by the slot's name.
fn runnable() -> Vec<(&'static str, Vec<&'static str>)> {
    let name = |slot: &&'static dyn AnySlot| {
        let rows = (0..).map_while(|row| slot.info(row)).filter(|row| row.status != Status::NotOnThisCpu);
        (slot.name(), rows.map(|row| row.id).collect())
    };
    table::SLOTS.iter().map(name).collect()
}

/// The kernels that should be active on a CPU with these marks and with this CPU's features, or none. In each
/// slot it is the first row that suits, else the first that runs.
fn preferred(uarch: Uarch, features: bool) -> BTreeMap<String, String> {
    fn of<S: SelfTest>(slot: &Slot<S>, uarch: Uarch, features: bool) -> (String, String) {
        let portable = |id| {
            let mut infos = (0..).map_while(|row| slot.info(row));
            infos.any(|info| info.id == id && info.requires.is_empty())
        };
        let mut rows: Vec<Runnable<S>> =
            slot.runnable().filter(|row| features || portable(row.id())).collect();
        rows.sort_by_key(|row| !row.suits(uarch));
        (S::SLOT.into(), rows[0].id().into())
    }
    BTreeMap::from([
        of(&table::SIPHASH_X1_LONG, uarch, features),
        of(&table::SIPHASH_XN, uarch, features),
        of(&table::HALFSIPHASH_XN, uarch, features),
        of(&table::POLY1305_X1, uarch, features),
        of(&table::POLY1305_PN, uarch, features),
        of(&table::POLY1305_XN, uarch, features),
        of(&table::POLY1305_PARTS, uarch, features),
        of(&table::CHACHA20_PN, uarch, features),
        of(&table::CHACHA20_XN, uarch, features),
        of(&table::CHACHA20POLY1305_PN, uarch, features),
    ])
}

#[test]
fn the_first_row_that_runs_and_suits_is_active() {
    let lines = probe(None, "list environment");
    assert_eq!(active(&lines), preferred(Uarch::current(), true));
    assert_eq!(line(&lines, "environment"), "good");
}

/// A CPU as an argument of `dispatch_probe`, and its marks.
fn x86(vendor: &str, family: u32, model: u32) -> (String, Uarch) {
    let letters = vendor.as_bytes().try_into().expect("12 letters");
    (format!("x86 {vendor} {family} {model}"), Uarch::x86(letters, family, model))
}

fn arm(implementer: u8, part: u16) -> (String, Uarch) {
    (format!("arm {implementer} {part}"), Uarch::arm(implementer, part))
}

/// On each of these CPUs, limited to this one's features, the suitable rows are active. All others are
/// listed, and the answers are the same.
#[test]
fn other_cpus_have_other_rows() {
    let here = probe(None, "answers list");
    for (cpu, uarch) in [
        x86("GenuineIntel", 6, 0x55),
        x86("GenuineIntel", 6, 0x6a),
        x86("AuthenticAMD", 0x19, 0x11),
        x86("AuthenticAMD", 0x1a, 0x02),
        x86("HygonGenuine", 0x18, 0x01),
        arm(b'A', 0xd07),
        arm(b'A', 0xd4f),
        arm(b'a', 0x23),
    ] {
        let lines = probe(None, &format!("assume {cpu} answers list"));
        assert_eq!(lines[0], here[0], "{cpu}");
        assert_eq!(active(&lines), preferred(uarch, true), "{cpu}");
        let listed = |lines: &[String]| rows(lines).into_iter().map(|row| (row.0, row.1)).collect::<Vec<_>>();
        assert_eq!(listed(&lines), listed(&here));
    }
}

/// On AArch64 the CPU decides how one long message is hashed.
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
#[test]
fn a_long_message_on_arm() {
    for (cpu, implementer, part, kernel) in [
        ("Cortex-A57", b'A', 0xd07, "siphash_x1"),
        ("Neoverse N1", b'A', 0xd0c, "siphash_x1"),
        ("Neoverse V1", b'A', 0xd40, "siphash_x1_fused"),
        ("Neoverse V2", b'A', 0xd4f, "siphash_x1_fused"),
        ("Firestorm", b'a', 0x23, "siphash_x1_separate"),
    ] {
        let lines = probe(None, &format!("assume {} answers list", arm(implementer, part).0));
        assert_eq!(active(&lines)["siphash-x1-long"], kernel, "{cpu}");
    }
}

#[test]
fn marks_of_known_cpus() {
    let unknown = Uarch::default();
    let slow_512 = Uarch { prefers_256_bit: true, ..unknown };
    let wide = Uarch { six_alus: true, ..unknown };
    let fast_512 = Uarch { fast_512_bit: true, ..unknown };
    for (cpu, vendor, family, model, expected) in [
        ("Skylake-SP, Cascade Lake", b"GenuineIntel", 6, 0x55, slow_512),
        ("Cannon Lake", b"GenuineIntel", 6, 0x66, slow_512),
        ("Ice Lake-SP", b"GenuineIntel", 6, 0x6a, unknown),
        ("Sapphire Rapids", b"GenuineIntel", 6, 0x8f, fast_512),
        ("Emerald Rapids", b"GenuineIntel", 6, 0xcf, fast_512),
        ("Zen 4", b"AuthenticAMD", 0x19, 0x11, unknown),
        ("Zen 5, server", b"AuthenticAMD", 0x1a, 0x02, wide),
        ("Zen 5, client", b"AuthenticAMD", 0x1a, 0x44, wide),
        ("another vendor's family 6", b"CentaurHauls", 6, 0x55, unknown),
        ("another vendor's family 26", b"GenuineIntel", 0x1a, 0x02, unknown),
    ] {
        assert_eq!(Uarch::x86(vendor, family, model), expected, "{cpu}");
    }
    let free = Uarch { free_rotated_operand: true, ..unknown };
    let slow = Uarch { slow_rotated_operand: true, ..unknown };
    for (cpu, implementer, part, expected) in [
        ("Cortex-A53", b'A', 0xd03, unknown),
        ("Cortex-A57", b'A', 0xd07, unknown),
        ("Cortex-A76", b'A', 0xd0b, unknown),
        ("Neoverse N1", b'A', 0xd0c, unknown),
        ("Neoverse N2", b'A', 0xd49, unknown),
        ("Neoverse V1", b'A', 0xd40, free),
        ("Neoverse V2", b'A', 0xd4f, free),
        ("Cortex-X1", b'A', 0xd44, free),
        ("Cortex-X4", b'A', 0xd82, free),
        ("Firestorm", b'a', 0x23, slow),
        ("not known", b'a', 0, slow),
        ("another implementer's part", b'Q', 0xd40, unknown),
        ("an emulator's", 0, 0x51, unknown),
    ] {
        assert_eq!(Uarch::arm(implementer, part), expected, "{cpu}");
    }
}

/// The public list equals the table: all rows, in its order, with their requirements.
#[test]
fn the_list_is_the_table() {
    let listed: Vec<_> = kernels::list().map(|kernel| (kernel.slot(), kernel.id(), kernel.lanes())).collect();
    let slots = table::SLOTS
        .iter()
        .flat_map(|slot| (0..).map_while(|row| slot.info(row)).map(|row| (slot.name(), row.id, row.lanes)));
    assert_eq!(listed, slots.collect::<Vec<_>>());
    for kernel in kernels::list() {
        assert_ne!(kernel.status(), Status::FailedSelfTest, "{}", kernel.id());
        assert_eq!(kernel.missing().next().is_some(), kernel.status() == Status::NotOnThisCpu);
    }
}

/// Any forced kernel becomes active, no other slot changes, and the answers stay the same.
#[test]
fn every_row_can_be_forced() {
    let by_default = probe(None, "answers list");
    for (slot, kernels) in runnable() {
        for kernel in kernels {
            // After a first use, and before.
            for commands in ["answers force", "force"] {
                let lines = probe(None, &format!("{commands} {slot} {kernel} answers list"));
                assert_eq!(line(&lines, "force"), "good", "{slot} {kernel}");
                let answers: Vec<&String> = lines.iter().filter(|line| line.starts_with("answers")).collect();
                assert!(answers.iter().all(|answer| **answer == by_default[0]), "{slot} {kernel}");
                let mut expected = active(&by_default);
                expected.insert(slot.into(), kernel.into());
                assert_eq!(active(&lines), expected);
            }
        }
    }
}

#[test]
fn force_refuses_what_it_does_not_know() {
    let slots: Vec<String> = table::SLOTS.iter().map(|slot| slot.name().into()).collect();
    let before = probe(None, "list");
    for (command, kind, mentions) in [
        ("force siphash-x99 siphash_x1", "UnknownSlot", slots.join(" ")),
        ("force siphash-xn siphash_x99", "UnknownKernel { slot: \"siphash-xn\" }", "siphash_x1".into()),
        // A kernel of another slot.
        ("force siphash-xn halfsiphash_x1", "UnknownKernel { slot: \"siphash-xn\" }", "siphash_x1".into()),
    ] {
        let lines = probe(None, &format!("{command} list"));
        let answer = line(&lines, "force");
        assert!(answer.starts_with(&format!("{kind} None | ")), "{command}: {answer}");
        assert!(answer.contains(&mentions), "{answer} names what there is: {mentions}");
        assert_eq!(rows(&lines), rows(&before), "{command} changes nothing");
    }
    assert_eq!(kernels::force("", "").unwrap_err().kind(), ForceErrorKind::UnknownSlot);
}

/// The last row of each slot. It is not the default if there is more than one.
fn last_rows() -> Vec<(&'static str, &'static str)> {
    runnable().into_iter().map(|(slot, kernels)| (slot, *kernels.last().expect("a portable row"))).collect()
}

#[test]
fn the_environment_chooses() {
    let answers = probe(None, "answers").remove(0);
    let entries: Vec<String> = last_rows().iter().map(|(slot, kernel)| format!("{slot}={kernel}")).collect();
    // Entries may have spaces around them, and there may be empty ones.
    for value in [entries.join(","), format!(" {} ,, ", entries.join(" , "))] {
        let lines = probe_with(&value, "answers environment list");
        assert_eq!(line(&lines, "environment"), "good", "{value:?}");
        assert_eq!(lines[0], answers, "{value:?}");
        for (slot, kernel) in last_rows() {
            assert_eq!(active(&lines)[slot], kernel, "{value:?}");
        }
    }
    assert_eq!(line(&probe_with("", "environment"), "environment"), "good");
}

/// A bad entry is reported and changes nothing; a good one next to it is still obeyed.
#[test]
fn the_environment_may_be_wrong() {
    let by_default = active(&probe(None, "list"));
    let (slot, kernel) = ("siphash-xn", "siphash_x1");
    let good = format!("{slot}={kernel}");
    for (bad, kind) in [
        ("siphash-x99=siphash_x1", "UnknownSlot"),
        ("poly1305-x1=poly1305_x99", "UnknownKernel { slot: \"poly1305-x1\" }"),
        ("poly1305-x1=", "UnknownKernel { slot: \"poly1305-x1\" }"),
        ("poly1305-x1", "NotAnEntry"),
        ("=", "UnknownSlot"),
        // The name must be complete.
        ("poly1305=poly1305_x1_u32", "UnknownSlot"),
        ("POLY1305-X1=poly1305_x1_u32", "UnknownSlot"),
    ] {
        let alone = probe_with(bad, "environment list");
        let answer = line(&alone, "environment");
        assert!(answer.starts_with(&format!("{kind} Some({bad:?}) | {bad:?}: ")), "{bad}: {answer}");
        assert_eq!(active(&alone), by_default, "{bad} changes nothing");

        for value in [format!("{bad},{good}"), format!("{good},{bad}")] {
            let lines = probe_with(&value, "environment list");
            assert!(line(&lines, "environment").starts_with(kind), "{value}");
            let mut expected = by_default.clone();
            expected.insert(slot.into(), kernel.into());
            assert_eq!(active(&lines), expected, "{value}");
        }
    }
}

/// If a slot has two entries, the first counts and the second is reported.
#[test]
fn the_environment_may_repeat_itself() {
    let lines = probe_with("siphash-xn=siphash_x1,siphash-xn=siphash_x2", "environment list");
    assert!(line(&lines, "environment").starts_with("Repeated { slot: \"siphash-xn\" }"), "{lines:?}");
    assert_eq!(active(&lines)["siphash-xn"], "siphash_x1");
}

#[cfg(unix)]
#[test]
fn the_environment_may_be_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let lines = probe(Some(OsStr::from_bytes(b"siphash-xn=siphash_x1,\xff")), "environment list");
    assert!(line(&lines, "environment").starts_with("NotUnicode None | "), "{lines:?}");
    assert_eq!(active(&lines), active(&probe(None, "list")));
}

/// `force` overrides the environment, before the first use and after it.
#[test]
fn force_overrules_the_environment() {
    for commands in ["force siphash-xn siphash_x2 list", "list force siphash-xn siphash_x2 list"] {
        let lines = probe_with("siphash-xn=siphash_x1", commands);
        let last = lines.len() - rows(&probe(None, "list")).len();
        assert_eq!(active(&lines[last..])["siphash-xn"], "siphash_x2", "{commands}");
    }
}

/// With no feature visible, the best row that requires nothing is active, with the same answers. On a CPU
/// with vectors this tests the portable code.
#[test]
fn without_features_the_portable_rows_run() {
    let lines = probe(None, "mask , answers list");
    assert_eq!(lines[0], probe(None, "answers")[0]);
    assert_eq!(active(&lines), preferred(Uarch::current(), false));
    for (row, kernel) in rows(&lines).into_iter().zip(kernels::list()) {
        assert_eq!(row.2 == "not on this cpu", kernel.requires().next().is_some(), "{row:?}");
    }
}

/// Many threads make their first call at once: they agree on one kernel and on all answers.
#[test]
fn first_calls_from_many_threads() {
    let answers = probe(None, "answers").remove(0);
    for _ in 0..10 {
        let lines = probe(None, "threads answers");
        assert_eq!(line(&lines, "threads"), "true");
        assert_eq!(lines.last(), Some(&answers));
        assert_eq!(active(&lines), active(&probe(None, "list")));
    }
}

/// Slots made for these tests, with rows that are wrong or cannot run.
mod made_slots {
    use super::*;

    /// Does nothing: the accumulator stays 0.
    fn lazy(_: Blocks<'_>) {}

    /// Right except for messages with a tail.
    fn forgets_the_tail(job: Blocks<'_>) {
        table::POLY1305_X1.run(Blocks { tail: &[], ..job });
    }

    static CALLS: AtomicUsize = AtomicUsize::new(0);

    /// Right, and counts its calls.
    fn counting(job: Blocks<'_>) {
        CALLS.fetch_add(1, Relaxed);
        table::POLY1305_X1.run(job);
    }

    fn right(job: Blocks<'_>) {
        table::POLY1305_X1.run(job);
    }

    static LAZY: Kernel<X1> = Kernel::<X1>::new("lazy", Features::NONE, 1, lazy);
    static FORGETFUL: Kernel<X1> = Kernel::<X1>::new("forgetful", Features::NONE, 1, forgets_the_tail);
    static COUNTING: Kernel<X1> = Kernel::<X1>::new("counting", Features::NONE, 1, counting);
    static RIGHT: Kernel<X1> = Kernel::<X1>::new("right", Features::NONE, 1, right);

    fn statuses(slot: &dyn AnySlot) -> Vec<(&'static str, Status)> {
        (0..).map_while(|row| slot.info(row)).map(|row| (row.id, row.status)).collect()
    }

    /// The tag of some message through a slot.
    fn tag(slot: &Slot<X1>) -> [u8; 16] {
        let key = [0x77; 32];
        let mut state = State::new(Key::from_bytes(&key));
        slot.run(Blocks { state: &mut state, blocks: &[[1; 16]; 5], tail: &[2; 7] });
        assert_eq!(
            keylane_ref::poly1305(&key, &[[1; 80].as_slice(), &[2; 7]].concat()),
            state.tag().to_le_bytes()
        );
        state.tag().to_le_bytes()
    }

    /// A wrong row is skipped, reported as wrong, and cannot be forced.
    #[test]
    fn a_wrong_kernel_is_never_used() {
        static SLOT: Slot<X1> = Slot::new(&[&LAZY, &FORGETFUL, &RIGHT, &COUNTING]);
        let expected = [
            ("lazy", Status::FailedSelfTest),
            ("forgetful", Status::FailedSelfTest),
            ("right", Status::Active),
            ("counting", Status::Ready),
        ];
        tag(&SLOT);
        assert_eq!(statuses(&SLOT), expected);
        for kernel in ["lazy", "forgetful"] {
            let error = ForceErrorKind::FailedSelfTest { slot: "poly1305-x1", kernel };
            assert_eq!(SLOT.may_force(kernel), Err(error));
            assert_eq!(SLOT.force(kernel), Err(error));
        }
        assert_eq!(SLOT.force("nobody"), Err(ForceErrorKind::UnknownKernel { slot: "poly1305-x1" }));
        assert_eq!(statuses(&SLOT), expected, "a refused force changes nothing");
        tag(&SLOT);
    }

    /// A row that takes two blocks in the wrong order, and one that is wrong only where the key is in registers.
    #[test]
    fn a_wrong_order_and_a_wrong_entrance_are_seen() {
        fn swaps(job: Blocks<'_>) {
            let mut blocks = job.blocks.to_vec();
            if let [first, second, ..] = &mut blocks[..] {
                std::mem::swap(first, second);
            }
            table::POLY1305_X1.run(Blocks { blocks: &blocks, ..job });
        }
        static SWAPPING: Kernel<X1> = Kernel::<X1>::new("swapping", Features::NONE, 1, swaps);
        assert!(!Runnable::new(&SWAPPING).expect("no feature").passes());

        fn long(job: Message<'_>) {
            table::POLY1305_PN.run(job);
        }
        fn mac(r0: u64, r1: u64, s0: u64, s1: u64, message: &[u8]) -> u128 {
            let mut tag = 0;
            long(Message::Whole { key: &Key { r: [r0, r1], s: [s0, s1] }, message, tag: &mut tag });
            tag
        }
        fn wrong(r0: u64, r1: u64, s0: u64, s1: u64, message: &[u8]) -> u128 {
            mac(r0, r1, s1, s0, message)
        }
        const ROW: Kernel<Pn> = Kernel::<Pn>::new("two entries", Features::NONE, 1, long);
        static ENTRIES: [Kernel<Pn>; 2] = [ROW.with_register_entry(mac), ROW.with_register_entry(wrong)];
        let passes = |row| Runnable::new(row).expect("no feature").passes();
        assert_eq!(ENTRIES.each_ref().map(passes), [true, false]);
    }

    /// A row that does not suit this CPU is used only if all others have failed, wherever it stands. It is
    /// ready, and can be forced.
    #[test]
    fn a_row_that_does_not_suit_comes_last() {
        static UNSUITED: Kernel<X1> =
            Kernel::<X1>::new("unsuited", Features::NONE, 1, right).suiting(|_| false);
        static SLOT: Slot<X1> = Slot::new(&[&UNSUITED, &RIGHT, &COUNTING]);
        let expected = [("unsuited", Status::Ready), ("right", Status::Active), ("counting", Status::Ready)];
        tag(&SLOT);
        assert_eq!(statuses(&SLOT), expected);
        assert_eq!(SLOT.runnable().count(), 3);
        assert_eq!(SLOT.force("unsuited"), Ok(()));
        assert_eq!(statuses(&SLOT)[..2], [("unsuited", Status::Active), ("right", Status::Ready)]);

        static NOTHING_ELSE: Slot<X1> = Slot::new(&[&LAZY, &UNSUITED, &FORGETFUL]);
        tag(&NOTHING_ELSE);
        let expected = [Status::FailedSelfTest, Status::Active, Status::FailedSelfTest];
        assert_eq!(statuses(&NOTHING_ELSE).into_iter().map(|row| row.1).collect::<Vec<_>>(), expected);
    }

    /// The code of the forced row runs; it is not only listed as active.
    #[test]
    fn the_active_row_is_the_one_that_runs() {
        static SLOT: Slot<X1> = Slot::new(&[&RIGHT, &COUNTING]);
        tag(&SLOT);
        assert_eq!(SLOT.force("counting"), Ok(()));
        let before = CALLS.load(Relaxed);
        tag(&SLOT);
        // A self-test of this row by another test may count too.
        assert!(CALLS.load(Relaxed) > before);
        assert_eq!(statuses(&SLOT), [("right", Status::Ready), ("counting", Status::Active)]);
    }

    /// A slot whose rows are all wrong still gives an answer, that of its last row: no call may panic. The
    /// list reports it.
    #[test]
    fn if_all_rows_fail_none_is_active() {
        static SLOT: Slot<X1> = Slot::new(&[&LAZY, &FORGETFUL]);
        let failed = [("lazy", Status::FailedSelfTest), ("forgetful", Status::FailedSelfTest)];
        assert_eq!(statuses(&SLOT), failed);
        let mut state = State::new(Key::from_bytes(&[0x77; 32]));
        SLOT.run(Blocks { state: &mut state, blocks: &[[1; 16]; 5], tail: &[] });
        assert_eq!(state.tag().to_le_bytes(), keylane_ref::poly1305(&[0x77; 32], &[1; 80]));
        assert_eq!(statuses(&SLOT), failed);
    }

    /// What a signal handler may do within a self-test: another first use, and the choice of a row, which stays.
    #[test]
    fn a_first_use_may_come_within_another() {
        static JOBS: AtomicUsize = AtomicUsize::new(0);
        static INTERRUPTED: Kernel<X1> = Kernel::<X1>::new("interrupted", Features::NONE, 1, interrupted);
        static SLOT: Slot<X1> = Slot::new(&[&INTERRUPTED, &RIGHT]);
        fn interrupted(job: Blocks<'_>) {
            if JOBS.fetch_add(1, Relaxed) == 0 {
                tag(&SLOT);
                assert_eq!(statuses(&SLOT)[0], ("interrupted", Status::Active));
                assert_eq!(SLOT.force("right"), Ok(()));
            }
            table::POLY1305_X1.run(job);
        }
        tag(&SLOT);
        assert_eq!(statuses(&SLOT), [("interrupted", Status::Ready), ("right", Status::Active)]);
    }

    /// Simultaneous first uses of a slot whose first rows fail: no thread may see a wrong answer.
    #[test]
    fn a_wrong_kernel_is_never_used_by_any_thread() {
        static ROWS: [&Kernel<X1>; 3] = [&LAZY, &FORGETFUL, &RIGHT];
        for _ in 0..20 {
            let slot = Slot::new(&ROWS);
            let barrier = Barrier::new(8);
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        barrier.wait();
                        tag(&slot)
                    });
                }
            });
            assert_eq!(statuses(&slot)[2], ("right", Status::Active));
        }
    }
}
