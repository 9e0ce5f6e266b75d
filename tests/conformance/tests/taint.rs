//! Walks the tables of keylane and of the lab. No row that valgrind can run branches on a secret or computes
//! an address from one.
//!
//! `cargo xtask taint` prints a line for each row. Each row runs its jobs in a child process (`secret_probe`)
//! under memcheck. Memcheck treats every bit of keys, messages and tags as undefined and follows these bits
//! through all instructions. It ends the process at the first branch on one or address computed from one. The
//! public calls run the same way: with the row forced, and those that use no slot. Rows with planted leaks
//! must end their process.
//!
//! Memcheck covers the code that these jobs execute, in this build. It does not see the time of an
//! instruction. It has no AVX-512, so it cannot run rows that require it (docs/CONSTANT_TIME.md).
//!
//! Without valgrind nothing is checked. The test then says so and passes; under CI=true it fails.

use keylane_conformance::parallel::failures;
use keylane_conformance::secret::planted;
use keylane_records::{Records, Secrets};
use std::env;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

/// The exit status of memcheck for a process with a leak.
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let records = Records::load(&root).expect("the records");
    let text = |output: Output| String::from_utf8(output.stdout).expect("text");
    let list = |arguments: &[&str]| text(probe(arguments));
    let here =
        Command::new(env!("CARGO_BIN_EXE_secret_probe")).arg("list").env_remove("KEYLANE_KERNEL").output();
    let here = text(here.expect("secret_probe"));
    let rows = list(&["list"]) + &list(&["list", "lab"]);
    assert!(rows.lines().count() > 30, "the rows: {rows}");
    let rows: Vec<&str> = rows.lines().chain(["public calls "]).collect();
    let kernels: Vec<&str> = planted::SLOT.runnable().map(|kernel| kernel.id()).collect();
    let failed = failures(&rows, |line| judge(line, &here, &records))
        + failures(&kernels, |kernel| judge_planted(kernel));
    println!("taint: {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints a line. Returns whether it is good.
fn tell(row: &str, good: bool, what: &str) -> bool {
    println!("{row} {}{what}", if good { "" } else { "FAILED: " });
    good
}

/// Runs a row, and returns whether it is good: its slot, its kernel, and the instructions that valgrind lacks for it.
fn judge(line: &str, here: &str, records: &Records) -> bool {
    let [slot, kernel, lacks] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
    let row = format!("{slot} {kernel}");
    if !lacks.is_empty() {
        let why = format!("not run here: valgrind, or this CPU, has no {lacks}");
        let runs_here = here.lines().any(|line| line.trim_end() == row);
        return match records.of(kernel) {
            Ok(record) if runs_here && record.secrets == Secrets::Taint => {
                let path = record.path.display();
                let what = format!("this CPU runs it, valgrind does not: {path}: write secrets = \"steps\"");
                tell(&row, false, &what)
            }
            Ok(_) => tell(&row, true, &why),
            Err(error) => tell(&row, false, &error.to_string()),
        };
    }
    let output = probe(&["taint", slot, kernel]);
    let results = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        tell(&row, true, &format!("ran ({})", results.trim()))
    } else {
        tell(&row, false, &format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
    }
}

/// Runs a kernel with a planted leak, which must be seen.
fn judge_planted(kernel: &str) -> bool {
    let output = probe(&["taint", "planted", kernel]);
    let report = String::from_utf8_lossy(&output.stderr);
    let seen = output.status.code() == Some(LEAK) && report.contains("uninitialised value");
    tell(&format!("planted {kernel}"), seen, if seen { "seen" } else { "not seen" })
}

/// The reason why nothing can be checked here, if so.
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
