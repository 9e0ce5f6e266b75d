//! Walks the table and the lab's: no row that valgrind can run branches on a secret or makes an address of one.
//!
//! `cargo xtask taint` prints a line for each row. Each does its jobs in a process of its own (`secret_probe`) under
//! memcheck, which takes every bit of keys, messages and tags for undefined, follows them bit by bit through all
//! instructions, and ends the process at the first branch on one or address made of one. So do the public calls
//! with this row forced, and those that go through no slot. Rows with planted leaks must end like that.
//!
//! Memcheck sees what these jobs execute, in this build; it does not see the time of an instruction, nor any row
//! that requires AVX-512, which valgrind has not (docs/CONSTANT_TIME.md).
//!
//! Without valgrind nothing is looked at, and the test says so and passes; under CI=true it fails.

use keylane_conformance::secret::planted;
use std::env;
use std::process::{Command, ExitCode, Output};

/// How memcheck ends a process that let time depend on a secret.
const LEAK: i32 = 9;

/// A program with these arguments, under valgrind.
fn probe(arguments: &[&str]) -> Output {
    Command::new("valgrind")
        .args(["--quiet", "--exit-on-first-error=yes", &format!("--error-exitcode={LEAK}")])
        .arg(env!("CARGO_BIN_EXE_secret_probe"))
        .args(arguments)
        .env_remove("KEYLANE_KERNEL")
        .output()
        .expect("valgrind")
}

fn main() -> ExitCode {
    if let Some(why) = missing() {
        println!("taint: not run: {why}");
        return if env::var("CI").as_deref() == Ok("true") { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let mut failed = 0;
    let mut tell = |row: &str, good: bool, what: &str| {
        println!("{row} {}{what}", if good { "" } else { "FAILED: " });
        failed += usize::from(!good);
    };
    let list = |arguments: &[&str]| String::from_utf8(probe(arguments).stdout).expect("text");
    let rows = list(&["list"]) + &list(&["list", "lab"]);
    assert!(rows.lines().count() > 30, "the rows: {rows}");
    for line in rows.lines().chain(["public calls "]) {
        let [slot, kernel, lacks] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let row = format!("{slot} {kernel}");
        if !lacks.is_empty() {
            tell(&row, true, &format!("not run here: valgrind, or this CPU, has no {lacks}"));
            continue;
        }
        let output = probe(&["taint", slot, kernel]);
        let results = String::from_utf8_lossy(&output.stdout);
        if output.status.success() {
            tell(&row, true, &format!("ran ({})", results.trim()));
        } else {
            tell(&row, false, &format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr)));
        }
    }
    for kernel in planted::SLOT.runnable() {
        let output = probe(&["taint", "planted", kernel.id()]);
        let report = String::from_utf8_lossy(&output.stderr);
        let seen = output.status.code() == Some(LEAK) && report.contains("uninitialised value");
        tell(&format!("planted {}", kernel.id()), seen, if seen { "seen" } else { "not seen" });
    }
    println!("taint: {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Why nothing can be looked at here, if so.
fn missing() -> Option<&'static str> {
    if cfg!(debug_assertions) {
        return Some("this is not a release build, and so not the code that users run");
    }
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Some("valgrind is asked on x86-64 Linux only");
    }
    let found = Command::new("valgrind").arg("--version").output();
    if found.is_ok_and(|output| output.status.success()) { None } else { Some("there is no valgrind") }
}
