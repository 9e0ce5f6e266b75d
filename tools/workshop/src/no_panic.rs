//! Checks that no public call of keylane can panic, in the release build without std.
//!
//! `tests/no-panic` is a library with every public call. The linker leaves out functions that nothing refers to. So if
//! the panic handler is in the library, a call can reach it. A second build has a call that can panic, and must have
//! the handler.

use crate::codegen::listing;
use crate::listing::{Function, Isa, Listing};
use crate::run;
use anyhow::{Result, bail};
use keylane_conformance::target;
use std::collections::HashSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The end of the panic handler's name.
const HANDLER: &str = "rust_begin_unwind";

/// Checks the library, then the one with the planted call.
pub fn no_panic(root: &Path) -> Result<()> {
    let calls = build(root, &[])?;
    let kernels = calls.functions().filter(|function| function.name.ends_with("::entry")).count();
    if kernels < 6 || calls.address_of("keylane_calls").is_none() {
        bail!("the library has {kernels} kernels: the linker has left out what this checks");
    }
    let paths = paths(&calls);
    for path in &paths {
        eprintln!("{path}");
    }
    if !paths.is_empty() {
        bail!("{} paths to a panic", paths.len());
    }
    if self::paths(&build(root, &["--features", "planted"])?).is_empty() {
        bail!("the planted panic was not found");
    }
    println!("no-panic: {kernels} entries of kernels, no panic handler; with the planted panic there is one");
    Ok(())
}

/// Builds the library and disassembles it.
fn build(root: &Path, options: &[&str]) -> Result<Listing> {
    let folder = env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from).join("no-panic");
    let mut cargo = Command::new("cargo");
    cargo.env("RUSTFLAGS", "--cfg keylane_no_panic -Cpanic=abort");
    // With a target, the flags hold for the target only, not for build scripts and procedural macros.
    cargo.args(["build", "--release", "--package", "keylane-no-panic", "--target", target::NAME]);
    run(root, cargo.arg("--target-dir").arg(&folder).args(options))?;
    listing(Isa::X86_64, &folder.join(target::NAME).join("release/libkeylane_no_panic.so"))
}

/// keylane's functions from which a chain of calls leads to the panic handler.
fn paths(listing: &Listing) -> Vec<String> {
    let mut leads: HashSet<&str> = listing.functions().map(|function| function.name.as_str()).collect();
    leads.retain(|name| name.ends_with(HANDLER));
    if leads.is_empty() {
        return Vec::new();
    }
    loop {
        let goes = |function: &&Function| {
            let mut callees = function.code.iter().filter_map(|instruction| listing.callee(instruction));
            !leads.contains(function.name.as_str()) && callees.any(|callee| leads.contains(callee))
        };
        let more: Vec<&Function> = listing.functions().filter(goes).collect();
        if more.is_empty() {
            break;
        }
        leads.extend(more.iter().map(|function| function.name.as_str()));
    }
    let ours =
        |function: &&Function| function.name.contains("keylane") && leads.contains(function.name.as_str());
    let found: Vec<String> = listing.functions().filter(ours).map(|function| function.name.clone()).collect();
    if found.is_empty() { vec![format!("{HANDLER}, by a pointer")] } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_the_handler() {
        let text = "
0000000000001000 <keylane_calls>:
  1000:\tcall 2000 <keylane::hash>
  1001:\tcall 3000 <keylane::mac>

0000000000002000 <keylane::hash>:
  2000:\tret

0000000000003000 <keylane::mac>:
  3000:\tjmp 4000 <core::panicking::panic_bounds_check>
";
        let panics = "
0000000000004000 <core::panicking::panic_bounds_check>:
  4000:\tcall 5000 <__rustc::rust_begin_unwind>

0000000000005000 <__rustc::rust_begin_unwind>:
  5000:\tjmp 5000 <__rustc::rust_begin_unwind>
";
        let of = |text: &str| paths(&Listing::parse(Isa::X86_64, text, "").expect("functions"));
        assert_eq!(of(text), [""; 0]);
        assert_eq!(of(&format!("{text}{panics}")), ["keylane_calls", "keylane::mac"]);
        assert_eq!(of(panics).len(), 1);
    }
}
