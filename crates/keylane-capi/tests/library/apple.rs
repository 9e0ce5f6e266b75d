//! `keylane_inline.h` on Apple's cores, where a xor with a rotated operand costs more than its parts.

use crate::library::{CRATE, run, there};
use std::path::Path;
use std::process::Command;

/// The lines of assembly that clang makes of contrib/redis/siphash.c for a target.
fn assembly(target: &str) -> Vec<String> {
    let source = Path::new(CRATE).join("../../contrib/redis/siphash.c");
    let mut clang = Command::new("clang");
    clang.args(["-std=c99", "-O3", "-ffreestanding", "-S", "-o", "-", &format!("--target={target}")]);
    let text = run(clang.arg(format!("-I{CRATE}/include")).arg(source));
    text.lines().map(str::to_owned).collect()
}

#[test]
fn rotations_are_apart_on_apple_and_joined_elsewhere() {
    if !there("clang") {
        return;
    }
    for (target, is_apart) in [("arm64-apple-macos11", true), ("aarch64-linux-gnu", false)] {
        let lines = assembly(target);
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
