//! `keylane_inline.h`, and contrib/redis, which builds on it: their tags are those of the library and the
//! published ones.

use crate::answers::file;
use crate::library::{CRATE, GCC, LANGUAGES, Language, Library, Program, run, there};
use std::path::Path;

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
