//! The archive, in programs that have more than it.

#![cfg(target_os = "linux")]

use crate::library::{CRATE, GCC, LANGUAGES, Library, run};
use std::path::Path;
use std::process::Command;

/// Another library in Rust, with all of the standard library that it uses within its own object file.
#[test]
fn another_rust_library_may_stand_beside_it() {
    let library = Library::new();
    let other = library.file("libother.a");
    let mut rustc = Command::new("rustc");
    rustc.args([
        "--edition",
        "2024",
        "--crate-type",
        "staticlib",
        "-C",
        "lto=fat",
        "-C",
        "opt-level=1",
        "-o",
    ]);
    run(rustc.arg(&other).arg(Path::new(CRATE).join("tests/c/other.rs")));
    let other = other.to_str().expect("a path");
    for language in LANGUAGES.into_iter().take(2) {
        for files in [["-l:libkeylane.a", other], [other, "-l:libkeylane.a"]] {
            let folder = format!("-L{}", library.folder.path().display());
            let more = [&folder, "-Wl,--as-needed", files[0], files[1]];
            if let Some(program) = library.compile(language, "beside.c", &more) {
                let linked = run(Command::new("readelf").arg("-d").arg(&program.path));
                assert!(!linked.contains("libkeylane.so"), "{linked}");
                run(&mut program.command(&[]));
            }
        }
    }
}

/// A program without shared libraries has no part of Rust's standard library that looks up names of users or hosts. The
/// linker would warn of them.
#[test]
fn programs_may_be_static() {
    let library = Library::new();
    let static_only = ["-static", "-Wl,--fatal-warnings"];
    let program = library.compile(GCC, "static.c", &static_only).expect("gcc");
    for (value, status) in [("siphash-xn=siphash_x1", "0"), ("siphash-xn=siphash_x9", "13")] {
        run(program.command(&[]).env("KEYLANE_KERNEL", value).arg(status));
    }
}
