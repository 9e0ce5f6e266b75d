//! Runs the conformance suite under sanitizers, which need a nightly compiler.
//!
//! AddressSanitizer finds accesses outside of allocations on the heap and on the stack, and accesses after a free.
//! ThreadSanitizer finds data races. std is not instrumented, so ThreadSanitizer does not see the order that std's
//! locks and channels make. Reports that follow from this are suppressed by name. Each sanitizer must find a planted
//! fault (`sanitizer_probe`).

use crate::{marks, run};
use anyhow::{Context, Result, bail};
use keylane_conformance::target;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::not_run;

struct Sanitizer {
    name: &'static str,
    flags: &'static str,
    /// The tests of the conformance suite. `guards`, `wiped` and `taint` are left out: they, or programs that they
    /// start, read memory that is not theirs.
    tests: &'static [&'static str],
    /// Programs of the suite that run alone, each with an argument.
    programs: &'static [[&'static str; 2]],
    /// The reports to suppress.
    suppressed: &'static str,
    /// The planted fault, and the sanitizer's report of it.
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
        // The precompiled std has no instrumentation. The compiler calls that another ABI.
        flags: "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer",
        tests: &["batch", "mask"],
        // Sixteen threads, whose first calls of every slot come at the same time.
        programs: &[["dispatch_probe", "threads"]],
        // Tests send results through std's channels.
        suppressed: "race:std::sync::mpmc\nrace:^test::run_test$\n",
        planted: ["race", "ThreadSanitizer: data race"],
    },
];

/// Runs both sanitizers, if there is a nightly compiler. Records the run in docs/SOUNDNESS.md if `is_recorded`.
pub fn sanitize(root: &Path, is_recorded: bool) -> Result<()> {
    if !Command::new("cargo").args(["+nightly", "--version"]).output().is_ok_and(|it| it.status.success()) {
        return not_run("sanitize", "there is no nightly compiler");
    }
    let mut text = format!("{}:\n\n", marks::origin(root)?);
    for sanitizer in &SANITIZERS {
        let done = sanitizer.run(root).with_context(|| format!("the {} sanitizer", sanitizer.name))?;
        println!("sanitize: {done}");
        text += &format!("* {done}\n");
    }
    if is_recorded {
        marks::record(&root.join("docs/SOUNDNESS.md"), "sanitizers", &text)?;
    }
    Ok(())
}

impl Sanitizer {
    /// Returns what passed.
    fn run(&self, root: &Path) -> Result<String> {
        let folder =
            env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from).join("sanitize");
        let builds = folder.join(self.name);
        let mut cargo = Command::new("cargo");
        // With a target, the flags hold for the target only, not for build scripts and procedural macros.
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
            bail!("the planted fault {fault} was not found");
        }
        let programs = self.programs.concat();
        let done = [self.tests, &programs].concat().join(" ");
        Ok(format!("{} passed: {done}; {fault} seen", self.name))
    }
}
