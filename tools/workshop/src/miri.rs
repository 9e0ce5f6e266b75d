//! Interprets the rows that Miri knows, with the nightly compiler's component of that name.
//!
//! Miri checks every access against the rules of the language: bounds, lifetimes, aliasing, alignment, contents that
//! were never written, races. It detects the features that the program is compiled with, so AVX2's rows run too. It
//! knows too few instructions of AVX-512. The self-test does not run under it (`dispatch/select.rs`).

use crate::{marks, run};
use anyhow::{Context, Result, bail};
use keylane_conformance::target;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::not_run;

/// Runs `tests/conformance/tests/interpreted.rs`, if there is a nightly compiler with Miri. Miri must find each planted fault.
/// Records the run in docs/SOUNDNESS.md if `is_recorded`.
pub fn miri(root: &Path, is_recorded: bool) -> Result<()> {
    let version = Command::new("cargo").args(["+nightly", "miri", "--version"]).output();
    if !version.is_ok_and(|output| output.status.success()) {
        return not_run("miri", "`rustup component add miri --toolchain nightly` brings it");
    }
    let folder = env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from).join("miri");
    let interpret = |what: &[&str]| {
        let mut cargo = Command::new("cargo");
        cargo.args(["+nightly", "miri"]).args(what).args([
            "--package",
            "keylane-conformance",
            "--target-dir",
        ]);
        cargo.arg(&folder);
        if target::NAME.starts_with("x86_64") {
            cargo.env("RUSTFLAGS", "-Ctarget-feature=+avx2,+bmi2");
        }
        // An address that a kernel keeps as a number (`with_exposed_provenance`) is no fault.
        cargo.env("MIRIFLAGS", "-Zmiri-permissive-provenance");
        cargo
    };
    for (fault, report) in
        [("overrun", "at or beyond the end of the allocation"), ("race", "Data race detected")]
    {
        let mut planted = interpret(&["run", "--bin", "sanitizer_probe"]);
        let output = planted.args(["--", fault]).current_dir(root).output().context("the planted fault")?;
        let text = String::from_utf8_lossy(&output.stderr);
        if output.status.success() || !text.contains(report) {
            bail!("the planted fault {fault} was not found:\n{text}");
        }
    }
    run(root, interpret(&["test", "--test", "interpreted"]).args(["--", "--nocapture"]))?;
    println!("miri: passed; overrun and race seen");
    if is_recorded {
        let text = format!("{}: Miri passed; overrun and race seen.\n", marks::origin(root)?);
        marks::record(&root.join("docs/SOUNDNESS.md"), "miri", &text)?;
    }
    Ok(())
}
