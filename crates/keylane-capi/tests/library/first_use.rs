//! The first use of the kernels: nothing that happens within it makes it hang, crash or give another tag.

#![cfg(target_os = "linux")]

use crate::library::{CRATE, GCC, Library, run};
use std::path::Path;
use std::process::Command;

/// Programs with a `getenv` that is slow and tells that it was called: no first use may call it.
#[test]
fn forks_signals_and_setenv_are_harmless() {
    let library = Library::new();
    let program = library.compile(GCC, "first_use.c", &["-pthread"]).expect("gcc");
    let slow = library.file("slow_getenv.so");
    let source = Path::new(CRATE).join("tests/c/slow_getenv.c");
    run(Command::new("gcc").args(["-shared", "-fPIC", "-o"]).arg(&slow).arg(source));
    for (what, tries) in [("fork", "100"), ("signal", "100"), ("setenv", "300")] {
        for preload in [None, Some(&slow)] {
            let mut command = program.command(&[]);
            if let Some(library) = preload {
                command.env("LD_PRELOAD", library);
            }
            let told = run(command.args([what, tries]));
            assert!(!told.contains("getenv"), "a first use calls getenv: {told}");
            print!("{told}");
        }
    }
}

/// A library that is loaded late follows the environment at the start of the process. It does not look at a string that
/// is no longer there.
#[test]
fn the_environment_is_that_of_the_start() {
    let library = Library::new();
    let program = library.compile(GCC, "late.c", &["-ldl", "-Wl,--as-needed"]).expect("gcc");
    let mut command = program.command(&[]);
    command.env("KEYLANE_KERNEL", "siphash-xn=siphash_x1").env("GONE", "1");
    let told = run(command.arg(library.file("libkeylane.so")));
    assert!(told.lines().any(|line| line == "siphash-xn=siphash_x1"), "{told}");
}
