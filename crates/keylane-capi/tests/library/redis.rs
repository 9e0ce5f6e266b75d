//! `keylane_inline.h`, and contrib/redis, which builds on it: their tags are those of the library and the
//! published ones.

use crate::answers::file;
use crate::library::{CRATE, GCC, LANGUAGES, Language, Library, Program, WARNINGS, run, there};
use keylane_ref::{fold, siphash64};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Compiles tests/c/redis.c together with the files for Redis.
fn compile(library: &Library, language: Language) -> Option<Program<'_>> {
    let sources = ["siphash.c", "siphash_many.c"]
        .map(|name| Path::new(CRATE).join("../../contrib/redis").join(name).display().to_string());
    let include = format!("-I{CRATE}/include");
    library.compile(language, "redis.c", &[&include, &sources[0], &sources[1]])
}

#[test]
fn inlined_code_gives_the_tags_of_the_library() {
    let library = Library::new();
    let answers = file(&library);
    // Only C, like Redis. tests/c/answers.c covers the header in C++.
    for language in LANGUAGES.into_iter().filter(|language| !language.compiler.contains("++")) {
        if let Some(program) = compile(&library, language) {
            print!("{}: {}", language.compiler, run(program.command(&[]).arg(&answers)));
        }
    }
}

/// valgrind has no AVX-512: under it `siphash_many` hashes message by message. The guard pages of the test
/// above cover the AVX-512 path.
#[test]
fn inlined_code_reads_nothing_else() {
    let library = Library::new();
    let answers = file(&library);
    let program = compile(&library, GCC).expect("gcc");
    if there("valgrind") {
        let memcheck = ["valgrind", "--quiet", "--error-exitcode=9"];
        print!("valgrind: {}", run(program.command(&memcheck).arg(&answers)));
    }
}

/// The study of Redis' SipHash has no figure for 32-bit CPUs. On x86-64 Linux runs 32-bit programs too, and gcc compiles
/// them without a library.
#[test]
fn redis_gets_the_tags_of_the_reference_in_32_bit_code() {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        println!("not run: 32-bit code (written for x86-64 Linux)");
        return;
    }
    const LENGTHS: usize = 201;
    let key = std::array::from_fn(|i| i as u8);
    let message: Vec<u8> = (0..LENGTHS).map(|i| (37 * i + 11) as u8).collect();
    let mut tags =
        format!("enum {{ LENGTHS = {LENGTHS} }};\nstatic const unsigned long long tags[LENGTHS][2] = {{\n");
    for len in 0..LENGTHS {
        let of = |message: &[u8]| siphash64(1, 2, &key, message);
        let _ = writeln!(tags, "{{{}u, {}u}},", of(&message[..len]), of(&fold(&message[..len])));
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("tags.h"), tags + "};\n").expect("tags.h");
    let sources =
        ["tests/c/redis32.c", "../../contrib/redis/siphash.c"].map(|name| Path::new(CRATE).join(name));
    for level in ["-O0", "-O2", "-O3"] {
        let program = folder.path().join(level);
        let mut gcc = Command::new("gcc");
        gcc.args([
            "-m32",
            "-std=c99",
            level,
            "-ffreestanding",
            "-nostdlib",
            "-static",
            "-fno-stack-protector",
        ]);
        gcc.args(WARNINGS).arg("-I").arg(folder.path()).arg(format!("-I{CRATE}/include"));
        run(gcc.args(&sources).arg("-o").arg(&program));
        run(&mut Command::new(&program));
    }
}
