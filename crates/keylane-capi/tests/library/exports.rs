//! The header, the recorded list of symbols and the library's exports agree.

use crate::library::{CRATE, LANGUAGES, Library, run};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

fn text(name: &str) -> String {
    fs::read_to_string(Path::new(CRATE).join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The header without comments and preprocessor lines.
fn header() -> String {
    let text = text("include/keylane.h");
    let mut code = String::new();
    for (i, part) in text.split("/*").enumerate() {
        let behind = if i == 0 { part } else { part.split_once("*/").expect("an end of the comment").1 };
        code.push_str(behind);
    }
    code.lines().filter(|line| !line.trim_start().starts_with('#')).map(|line| format!("{line}\n")).collect()
}

/// The functions that the header declares: the words before a parenthesis at the top level.
fn prototypes() -> BTreeSet<String> {
    let header = header();
    let declarations =
        header.split(';').filter(|text| !text.contains('{') && !text.contains("KEYLANE_ASSERT"));
    let name = |text: &str| {
        let name = text.split_once('(')?.0.rsplit([' ', '*', '\n']).next()?;
        name.starts_with("keylane_").then(|| name.to_owned())
    };
    declarations.filter_map(name).collect()
}

/// The structs that the header defines.
fn structs() -> BTreeSet<String> {
    let header = header();
    let name = |text: &str| Some(text.split_once('{')?.0.split_whitespace().last()?.to_owned());
    header.split("typedef struct ").skip(1).filter_map(name).collect()
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
    let recorded: BTreeSet<String> = text("symbols.txt").lines().map(str::to_owned).collect();
    assert_eq!(exports(), recorded, "exports (left) and symbols.txt (right)");
    assert_eq!(prototypes(), recorded, "keylane.h (left) and symbols.txt (right)");
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
    let types: BTreeSet<String> = structs().into_iter().collect();
    let others = ["keylane_status", "keylane_capi", "keylane_kernel_state"];
    names.retain(|name| !types.contains(name) && !others.contains(&name.as_str()));
    assert_eq!(names, prototypes(), "the sources (left) and keylane.h (right)");
}

#[test]
fn structs_and_statuses_are_those_of_the_header() {
    let names: BTreeSet<String> = keylane_capi::LAYOUT.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(names, structs(), "lib.rs (left) and keylane.h (right)");
    let enumerators = header().matches("KEYLANE_").count()
        - header().matches("KEYLANE_ALIGNED").count()
        - header().matches("KEYLANE_ASSERT").count()
        - header().matches("KEYLANE_KERNEL_").count();
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
