//! The conformance suite with sanitizers, which a nightly compiler has.
//!
//! AddressSanitizer sees reads and writes outside of what was allocated, on the heap and on the stack, and after it was
//! freed. ThreadSanitizer sees two threads that use memory without order; std itself is not instrumented, so it sees
//! nothing that happens inside std alone. Each must see a planted fault (`sanitizer_probe`).

use crate::run;
use anyhow::{Context, Result, bail};
use keylane_conformance::target;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Sanitizer {
    name: &'static str,
    flags: &'static str,
    /// The tests of the conformance suite. Those that look at memory that is not theirs, or start other programs that
    /// do, are left out: `guards`, `wiped`, `taint`.
    tests: &'static [&'static str],
    /// For the tests' own `main`.
    arguments: &'static [&'static str],
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
        arguments: &[],
        planted: ["overrun", "AddressSanitizer: heap-buffer-overflow"],
    },
    Sanitizer {
        name: "thread",
        // The precompiled std has no instrumentation, which the compiler calls another ABI.
        flags: "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer",
        tests: &["batch", "dispatch", "mask"],
        // The threads of tests tell their results through std's channels, whose order it does not see.
        arguments: &["--test-threads=1"],
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
        cargo.args(self.tests.iter().flat_map(|test| ["--test", test]));
        run(root, cargo.arg("--").args(self.arguments))?;
        let probe = builds.join(target::NAME).join("release/sanitizer_probe");
        let [fault, report] = self.planted;
        let output = Command::new(&probe).arg(fault).output().with_context(|| probe.display().to_string())?;
        if output.status.success() || !String::from_utf8_lossy(&output.stderr).contains(report) {
            bail!("the planted fault {fault} was not seen");
        }
        println!("sanitize: {} passed: {}; {fault} seen", self.name, self.tests.join(" "));
        Ok(())
    }
}
