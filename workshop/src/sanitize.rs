//! The conformance suite with sanitizers, which a nightly compiler has.
//!
//! AddressSanitizer sees reads and writes outside of what was allocated, on the heap and on the stack, and after it was
//! freed. ThreadSanitizer sees two threads that use memory without order. std itself is not instrumented, so it sees
//! nothing that happens inside std alone, nor the order that std's locks and channels make: what rests on these alone
//! must be suppressed. Each must see a planted fault (`sanitizer_probe`).

use crate::run;
use anyhow::{Context, Result, bail};
use keylane_conformance::target;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Sanitizer {
    name: &'static str,
    flags: &'static str,
    /// The tests of the conformance suite. Those that look at memory that is not theirs, or start other programs that
    /// do, are left out: `guards`, `wiped`, `taint`.
    tests: &'static [&'static str],
    /// Programs of the suite that are run by themselves, with an argument.
    programs: &'static [[&'static str; 2]],
    /// What it must not report.
    suppressed: &'static str,
    /// The planted fault, and what the sanitizer says of it.
    planted: [&'static str; 2],
}

const SANITIZERS: [Sanitizer; 2] = [
    Sanitizer {
        name: "address",
        flags: "-Zsanitizer=address",
        tests: &[
            "adversarial",
            "answers",
            "batch",
            "dispatch",
            "hash_map",
            "kats",
            "mask",
            "properties",
            "rows",
            "rustcrypto",
            "secrets",
            "streaming",
        ],
        programs: &[],
        suppressed: "",
        planted: ["overrun", "AddressSanitizer: heap-buffer-overflow"],
    },
    Sanitizer {
        name: "thread",
        // The precompiled std has no instrumentation, which the compiler calls another ABI.
        flags: "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer",
        tests: &["batch", "mask"],
        // Sixteen threads whose first calls of every slot come at once.
        programs: &[["dispatch_probe", "threads"]],
        // Tests tell their results through std's channels; the environment is read once, behind std's OnceLock.
        suppressed: "race:std::sync::mpmc\nrace:^test::run_test$\nrace:^keylane::dispatch::environment::\n",
        planted: ["race", "ThreadSanitizer: data race"],
    },
];

/// Runs both, if there is a nightly compiler.
pub fn sanitize(root: &Path) -> Result<()> {
    if !Command::new("cargo").args(["+nightly", "--version"]).output().is_ok_and(|it| it.status.success()) {
        println!("sanitize: not run: there is no nightly compiler");
        return Ok(());
    }
    for sanitizer in &SANITIZERS {
        sanitizer.run(root).with_context(|| format!("the {} sanitizer", sanitizer.name))?;
    }
    Ok(())
}

impl Sanitizer {
    fn run(&self, root: &Path) -> Result<()> {
        let folder =
            env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from).join("sanitize");
        let builds = folder.join(self.name);
        let mut cargo = Command::new("cargo");
        // With a target named, the flags are for it alone, and not for what is run while building.
        cargo.env("RUSTFLAGS", self.flags).arg("+nightly").args(["test", "--release", "--package"]);
        cargo.args(["keylane-conformance", "--target", target::NAME, "--target-dir"]).arg(&builds);
        fs::create_dir_all(&builds)?;
        let suppressed = builds.join("suppressed");
        fs::write(&suppressed, self.suppressed)?;
        let options = format!("suppressions={}", suppressed.display());
        cargo.env("TSAN_OPTIONS", &options);
        run(root, cargo.args(self.tests.iter().flat_map(|test| ["--test", test])))?;
        let programs = builds.join(target::NAME).join("release");
        for [program, argument] in self.programs {
            let mut program = Command::new(programs.join(program));
            run(root, program.arg(argument).env("TSAN_OPTIONS", &options))?;
        }
        let probe = programs.join("sanitizer_probe");
        let [fault, report] = self.planted;
        let mut planted = Command::new(&probe);
        let output = planted.arg(fault).env("TSAN_OPTIONS", &options).output();
        let output = output.with_context(|| probe.display().to_string())?;
        if output.status.success() || !String::from_utf8_lossy(&output.stderr).contains(report) {
            bail!("the planted fault {fault} was not seen");
        }
        let programs = self.programs.concat();
        let done = [self.tests, &programs].concat().join(" ");
        println!("sanitize: {} passed: {done}; {fault} seen", self.name);
        Ok(())
    }
}
