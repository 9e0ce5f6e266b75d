//! The header, the recorded list of symbols and the library's exports agree.

use crate::header::{code, prototypes, structs, symbols};
use crate::library::{CRATE, LANGUAGES, Library, run};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The functions that the header declares.
fn declared() -> BTreeSet<String> {
    prototypes().into_iter().map(|prototype| prototype.name).collect()
}

/// The symbols that the library exports, according to `nm`.
fn exports() -> BTreeSet<String> {
    let library = Library::new();
    let mut nm = Command::new("nm");
    let listing = run(nm.args(["-D", "--defined-only", "--format=posix"]).arg(library.file("libkeylane.so")));
    listing.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn every_export_is_recorded_and_declared() {
    let recorded = symbols();
    assert_eq!(exports(), recorded, "exports (left) and symbols.txt (right)");
    assert_eq!(declared(), recorded, "keylane.h (left) and symbols.txt (right)");
    assert!(recorded.iter().all(|name| name.starts_with("keylane_")));
}

/// Every function of C in the sources has its prototype, even one that a linker would drop.
#[test]
fn every_function_of_the_sources_is_declared() {
    let mut names = BTreeSet::new();
    for source in fs::read_dir(Path::new(CRATE).join("src")).expect("the sources") {
        let code = fs::read_to_string(source.expect("a source").path()).expect("its text");
        let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        names.extend(words.filter(|word| word.starts_with("keylane_")).map(str::to_owned));
    }
    let types = structs();
    let others = ["keylane_status", "keylane_capi", "keylane_kernel_state"];
    names.retain(|name| !types.contains(name) && !others.contains(&name.as_str()));
    assert_eq!(names, declared(), "the sources (left) and keylane.h (right)");
}

#[test]
fn structs_and_statuses_are_those_of_the_header() {
    let names: BTreeSet<String> = keylane_capi::LAYOUT.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(names, structs(), "lib.rs (left) and keylane.h (right)");
    let enumerators = code().matches("KEYLANE_").count()
        - code().matches("KEYLANE_ALIGNED").count()
        - code().matches("KEYLANE_ASSERT").count()
        - code().matches("KEYLANE_KERNEL_").count();
    assert_eq!(enumerators, keylane_capi::STATUS.len(), "statuses");

    let mut expected = String::new();
    let (mut types, mut statuses) = (String::new(), String::new());
    for (name, size, align) in keylane_capi::LAYOUT {
        expected += &format!("{name} {size} {align}\n");
        types += &format!("SHOW({name});");
    }
    for (name, number) in keylane_capi::STATUS {
        expected += &format!("{name} {number}\n");
        statuses += &format!("STATUS({name});");
    }
    let library = Library::new();
    for language in LANGUAGES {
        let macros = [format!("-DTYPES={types}"), format!("-DSTATUSES={statuses}")];
        if let Some(program) = library.compile(language, "layout.c", &macros.each_ref().map(String::as_str)) {
            assert_eq!(run(&mut program.command(&[])), expected, "{}", language.compiler);
        }
    }
}

/// The soname, under which programs look for the library.
#[test]
#[cfg(target_os = "linux")]
fn the_library_knows_its_name() {
    let library = Library::new();
    let dynamic = run(Command::new("readelf").arg("-d").arg(library.file("libkeylane.so")));
    assert!(dynamic.contains("Library soname: [libkeylane.so.0]"), "{dynamic}");
}

/// The headers give no warning to those who ask for many.
#[test]
fn the_headers_are_quiet() {
    let library = Library::new();
    for language in LANGUAGES {
        let mut warnings = vec!["-Wconversion", "-Wsign-conversion", "-Wcast-qual", "-Wshadow", "-Wundef"];
        if language.compiler.ends_with("++") {
            warnings.extend(["-Wold-style-cast", "-Wzero-as-null-pointer-constant"]);
        }
        if language.compiler == "clang++" {
            warnings.extend(["-Weverything", "-Wno-c++98-compat", "-Wno-c++98-compat-pedantic"]);
        }
        if let Some(program) = library.compile(language, "headers.c", &warnings) {
            run(&mut program.command(&[]));
        }
    }
}
