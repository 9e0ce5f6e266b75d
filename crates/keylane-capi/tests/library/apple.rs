//! What clang makes of C for AArch64: `keylane_inline.h` on Apple's cores, where a xor with a rotated operand costs more
//! than its parts; and a load under a guard for x86.

use crate::library::{CRATE, run, there};
use std::path::Path;
use std::process::Command;

/// The lines of assembly that clang makes of a file for a target, with some options.
fn assembly(source: &str, target: &str, options: &[&str]) -> Vec<String> {
    let mut clang = Command::new("clang");
    clang.args(["-std=c99", "-ffreestanding", "-S", "-o", "-", &format!("--target={target}")]);
    let source = Path::new(CRATE).join(source);
    let text = run(clang.args(options).arg(format!("-I{CRATE}/include")).arg(source));
    text.lines().map(str::to_owned).collect()
}

/// The study of Redis' SipHash compared whole words with bytes by a guard that permits whole words on x86 only. So on
/// AArch64 it compared a program with itself (docs/research/PRIOR.md).
#[test]
fn a_guard_for_x86_changes_nothing_on_aarch64() {
    if !there("clang") {
        return;
    }
    for (target, is_same) in [("aarch64-linux-gnu", true), ("x86_64-linux-gnu", false)] {
        let of = |options: &[&str]| assembly("tests/c/guarded.c", target, options);
        assert_eq!(of(&["-O0"]) == of(&["-O0", "-DBYTES"]), is_same, "{target}");
    }
    // Where it does change the source, the compiler joins the bytes.
    let of = |options: &[&str]| assembly("tests/c/guarded.c", "x86_64-linux-gnu", options);
    assert_eq!(of(&["-O3"]), of(&["-O3", "-DBYTES"]));
}

#[test]
fn rotations_are_apart_on_apple_and_joined_elsewhere() {
    if !there("clang") {
        return;
    }
    for (target, is_apart) in [("arm64-apple-macos11", true), ("aarch64-linux-gnu", false)] {
        let lines = assembly("../../contrib/redis/siphash.c", target, &["-O3"]);
        let of = |mnemonic: &'static str| {
            lines.iter().filter(move |line| line.split_whitespace().next() == Some(mnemonic))
        };
        let joined = of("eor").filter(|line| line.contains("ror #")).count();
        let rotations = of("ror").count();
        println!("{target}: {rotations} ror, {joined} eor with ror");
        assert_eq!(joined == 0, is_apart, "{target}: {joined} eor with ror");
        // Two functions; in each a round in the loop, one for the last word and two at the end, less a rotation.
        assert_eq!(rotations + joined, 2 * (4 * 6 - 1), "{target}");
    }
}
