//! `keylane_inline.h`, and contrib/redis, which stands on it: the same tags as the library, and the published ones.

use crate::answers::file;
use crate::library::{CRATE, GCC, LANGUAGES, Language, Library, Program, run, there};
use std::path::Path;

/// tests/c/redis.c with the files for Redis.
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
    // C alone, as Redis is. tests/c/answers.c has the header in C++.
    for language in LANGUAGES.into_iter().filter(|language| !language.compiler.contains("++")) {
        if let Some(program) = compile(&library, language) {
            print!("{}: {}", language.compiler, run(program.command(&[]).arg(&answers)));
        }
    }
}

/// valgrind has no AVX-512, so there `siphash_many` goes one by one; the guard pages above are for it.
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
