//! C programs that check other things than answers: misuse, and the registers that calls must preserve.

use crate::library::{GCC, LANGUAGES, Library, run, there};
use std::collections::BTreeSet;

#[test]
fn misuse_is_a_status() {
    let library = Library::new();
    for language in LANGUAGES {
        if let Some(program) = library.compile(language, "misuse.c", &[]) {
            print!("{}: {}", language.compiler, run(&mut program.command(&[])));
            run(program.command(&[]).arg("wiping"));
        }
    }
    if there("valgrind") {
        let program = library.compile(GCC, "misuse.c", &[]).expect("gcc");
        let memcheck = ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full"];
        print!("valgrind: {}", run(&mut program.command(&memcheck)));
    }
}

/// Each fault of `KEYLANE_KERNEL` is reported, and a valid entry is obeyed.
#[test]
fn the_environment_is_checked() {
    let library = Library::new();
    let program = library.compile(GCC, "misuse.c", &[]).expect("gcc");
    for (value, status, text) in [
        ("", "0", ""),
        ("siphash-xn=siphash_x1", "0", ""),
        ("siphash-yn=siphash_x1", "12", "\"siphash-yn=siphash_x1\": there is no such slot"),
        ("siphash-xn=siphash_x9", "13", "\"siphash-xn=siphash_x9\": siphash-xn has no such kernel"),
        ("siphash_x1", "16", "\"siphash_x1\": an entry must be slot=kernel"),
    ] {
        run(program.command(&[]).env("KEYLANE_KERNEL", value).args([status, text]));
    }
}

/// With every kernel, every call preserves the callee-saved registers. Calls that break the rule are
/// detected.
#[test]
fn registers_survive() {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        println!("not run: registers (written for x86-64 Linux)");
        return;
    }
    let library = Library::new();
    let program = library.compile(GCC, "registers.c", &[]).expect("gcc");
    let told = run(&mut program.command(&[]));
    let called: BTreeSet<&str> = told.lines().filter_map(|line| line.strip_prefix("call ")).collect();
    let recorded: BTreeSet<&str> = include_str!("../../symbols.txt").lines().collect();
    assert_eq!(called, recorded, "calls that registers.c makes (left) and symbols.txt (right)");
    println!("{}", told.lines().last().unwrap_or_default());
}
