//! Small crates with planted faults. A check must name each fault, and must pass the crates without one.

use super::syntax::{Crate, Fault};
use super::{graph, kernels, neutral, rooms};

/// A crate of four layers without a fault. The table has a row, and arch knows the job.
const SOUND: [(&str, &str); 10] = [
    ("lib.rs", "mod api;\nmod arch;\nmod dispatch;\nmod job;"),
    ("api.rs", "use crate::dispatch::table::ROWS;\npub fn rows() -> usize { ROWS.len() }"),
    ("dispatch/mod.rs", "pub mod table;\npub mod select;"),
    ("dispatch/table.rs", "use super::select::Slot;\npub static ROWS: [Slot; 1] = [Slot];"),
    ("dispatch/select.rs", "#[derive(Clone)]\npub struct Slot;"),
    ("arch/mod.rs", "pub mod x1;\npub mod x2;"),
    ("arch/x1.rs", "use crate::job::siphash::State;\npub fn one(_: &State) {}"),
    ("arch/x2.rs", "use super::x1::one;\npub fn two(state: &crate::job::siphash::State) { one(state) }"),
    ("job/mod.rs", "pub mod siphash;"),
    ("job/siphash.rs", "pub struct State;"),
];

/// Checks a sound crate with some files replaced or added. Returns the faults as `file:line: what`.
fn faults(changes: &[(&'static str, &'static str)]) -> Vec<String> {
    let kept = SOUND.iter().filter(|(file, _)| changes.iter().all(|(changed, _)| changed != file));
    let mut texts: Vec<(&str, &str)> = kept.chain(changes).copied().collect();
    texts.sort_unstable();
    let mut faults = Vec::new();
    let known = Crate::parse(&texts, "lib.rs", &mut faults).expect("the crate can be parsed");
    known.check_unreached(&mut faults);
    graph::check_layers(&known, &mut faults);
    graph::check_circles(&known, &mut faults);
    faults.iter().map(Fault::to_string).collect()
}

/// Checks that a changed crate has a fault that begins so, and that all its faults are about that file.
fn finds(begin: &str, changes: &[(&'static str, &'static str)]) {
    let faults = faults(changes);
    assert!(faults.iter().any(|fault| fault.starts_with(begin)), "{begin} is not among {faults:#?}");
    let file = begin.split(':').next().unwrap();
    assert!(faults.iter().all(|fault| fault.starts_with(file)), "more than {begin}: {faults:#?}");
}

#[track_caller]
fn passes(changes: &[(&'static str, &'static str)]) {
    assert_eq!(faults(changes), Vec::<String>::new());
}

#[test]
fn a_sound_crate_passes() {
    passes(&[]);
}

#[test]
fn an_import_upward() {
    finds(
        "arch/x1.rs:2: `crate::dispatch::table::ROWS` leads to dispatch/",
        &[("arch/x1.rs", "use core::fmt;\nuse crate::dispatch::table::ROWS;\npub fn one<T>(_: T) {}")],
    );
    finds("job/siphash.rs:1: `crate::arch`", &[("job/siphash.rs", "use crate::arch;\npub struct State;")]);
    finds(
        "dispatch/mod.rs:1: `crate::api::rows`",
        &[("dispatch/mod.rs", "use crate::{api::rows};\npub mod table;\npub mod select;")],
    );
}

#[test]
fn a_path_upward_without_an_import() {
    for body in [
        "pub fn one<T>(_: T) { crate::dispatch::table::ROWS.len(); }",
        "pub fn one<T>(_: T) -> crate::dispatch::select::Slot { todo() }",
        "pub fn one<T>(_: T) { match 1 { crate::dispatch::table::X => {} _ => {} } }",
        "pub fn one<T: crate::dispatch::select::Trait>(_: T) {}",
        "pub fn one<T>(_: T) { <u8 as crate::dispatch::select::Trait>::call() }",
        "pub fn one<T>(_: T) { use crate::dispatch::table; }",
    ] {
        let text: &'static str = String::leak(body.into());
        finds("arch/x1.rs:1: ", &[("arch/x1.rs", text)]);
    }
}

#[test]
fn an_alias() {
    let text = "use crate::dispatch as k;\npub fn one<T>(_: T) {\n    k::table::ROWS.len();\n}";
    finds("arch/x1.rs:1: `crate::dispatch`", &[("arch/x1.rs", text)]);
    finds("arch/x1.rs:3: `k::table::ROWS`", &[("arch/x1.rs", text)]);
    let of_root = "use crate as all;\npub fn one<T>(_: T) { all::dispatch::table::ROWS.len(); }";
    finds("arch/x1.rs:2: `all::dispatch::table::ROWS`", &[("arch/x1.rs", of_root)]);
}

#[test]
fn an_alias_in_another_file() {
    let text = "pub mod siphash;\npub use crate::dispatch as k;";
    let used = "pub fn one<T>(_: T) { crate::job::k::table::ROWS.len(); }";
    let faults = faults(&[("job/mod.rs", text), ("arch/x1.rs", used)]);
    for begin in ["job/mod.rs:2: ", "arch/x1.rs:1: "] {
        assert!(faults.iter().any(|fault| fault.starts_with(begin)), "{begin}: {faults:#?}");
    }
}

#[test]
fn a_glob() {
    finds(
        "arch/x1.rs:1: `crate::dispatch`",
        &[("arch/x1.rs", "use crate::dispatch::*;\npub fn one<T>(_: T) { table::ROWS.len(); }")],
    );
    finds(
        "arch/x1.rs:2: `dispatch::table`",
        &[("arch/x1.rs", "use crate::*;\nuse dispatch::table;\npub fn one<T>(_: T) {}")],
    );
}

#[test]
fn a_chain_of_super() {
    finds(
        "arch/x1.rs:1: `super::super::dispatch::table`",
        &[("arch/x1.rs", "use super::super::dispatch::table;\npub fn one<T>(_: T) {}")],
    );
    finds(
        "arch/x1.rs:3: `super::super::super::dispatch",
        &[(
            "arch/x1.rs",
            "pub fn one<T>(_: T) {}\nmod inner {\n    use super::super::super::dispatch::select::Slot;\n}",
        )],
    );
}

#[test]
fn a_macro_body() {
    for body in [
        "macro_rules! rows {\n    () => { $crate::dispatch::table::ROWS };\n}",
        "macro_rules! rows {\n    () => { use $crate::{job::siphash, dispatch::{table, select}}; };\n}",
        "macro_rules! rows {\n    () => { crate::dispatch::table::ROWS };\n}",
        "macro_rules! rows {\n    ($x:ident) => { crate::$x::table::ROWS };\n}",
        "macro_rules! rows {\n    () => { use crate::dispatch::*; };\n}",
    ] {
        let text: &'static str = String::leak(format!("{body}\npub fn one<T>(_: T) {{}}"));
        finds("arch/x1.rs:2: ", &[("arch/x1.rs", text)]);
    }
}

#[test]
fn the_arguments_of_a_macro() {
    finds(
        "arch/x1.rs:2: `crate::dispatch::table::ROWS`",
        &[("arch/x1.rs", "pub fn one<T>(_: T) {\n    assert!(crate::dispatch::table::ROWS.len() > 0);\n}")],
    );
}

#[test]
fn a_macro_that_brings_a_path_to_its_caller() {
    // `k` means nothing where the macro stands, and a layer above where it is called.
    let job =
        "pub struct State;\nmacro_rules! rows {\n    () => { k::table::ROWS };\n}\npub(crate) use rows;";
    let arch =
        "use crate::job::siphash::rows;\nuse crate::dispatch as k;\npub fn one<T>(_: T) {\n    rows!();\n}";
    finds("arch/x1.rs:4: `rows`", &[("job/siphash.rs", job), ("arch/x1.rs", arch)]);
}

#[test]
fn a_macro_from_a_layer_above() {
    let select =
        "#[derive(Clone)]\npub struct Slot;\nmacro_rules! slot {\n    () => {};\n}\npub(crate) use slot;";
    let arch = "use crate::dispatch::select::slot;\npub fn one<T>(_: T) {\n    slot!();\n}";
    finds(
        "arch/x1.rs:1: `crate::dispatch::select::slot`",
        &[("dispatch/select.rs", select), ("arch/x1.rs", arch)],
    );
}

#[test]
fn a_name_that_the_root_or_another_layer_exports_again() {
    let root = ("lib.rs", "mod api;\nmod arch;\nmod dispatch;\nmod job;\npub use job::siphash::State;");
    finds(
        "arch/x1.rs:1: `crate::State`",
        &[root, ("arch/x1.rs", "use crate::State;\npub fn one(_: &State) {}")],
    );
    finds(
        "arch/x1.rs:1: `crate::dispatch::State`",
        &[
            ("dispatch/mod.rs", "pub mod table;\npub mod select;\npub use crate::job::siphash::State;"),
            ("arch/x1.rs", "use crate::dispatch::State;\npub fn one(_: &State) {}"),
        ],
    );
}

#[test]
fn what_only_looks_like_a_layer_above() {
    for text in [
        "pub fn one<T>(_: T) { let table = 1; let dispatch = table + 1; drop(dispatch); }",
        "pub fn one<T>(_: T) { struct S { table: u8 } S { table: 1 }.table; }",
        "pub fn one<T>(_: T) { println!(\"{}\", dispatch.table); }",
        "//! See crate::dispatch::table.\n/// `crate::dispatch::table::ROWS`\npub fn one<T>(_: T) { \"crate::dispatch::table\"; }",
        "pub mod table { pub const ROWS: u8 = 1; }\npub fn one<T>(_: T) { table::ROWS; self::table::ROWS; }",
        "use other::dispatch::table;\npub fn one<T>(_: T) { table::ROWS; ::dispatch::table::ROWS; }",
        "macro_rules! m { ($table:path) => { $table::dispatch() }; }\npub fn one<T>(_: T) { m!(::dispatch::x); }",
        "pub(in crate::arch) fn inner() {}\npub(crate) fn one<T>(_: T) {}",
    ] {
        passes(&[("arch/x1.rs", text)]);
    }
}

#[test]
fn a_circle_of_three_files() {
    let text = "use crate::arch::x3::three;\npub fn one<T>(_: T) { three() }";
    let (root, third) = (
        ("arch/mod.rs", "pub mod x1;\npub mod x2;\npub mod x3;"),
        "use super::x2::two;\npub fn three() { two() }",
    );
    let faults = faults(&[root, ("arch/x1.rs", text), ("arch/x3.rs", third)]);
    assert_eq!(faults.len(), 1, "{faults:#?}");
    assert!(faults[0].starts_with("arch/x1.rs:1: a circle of 3 files"), "{faults:#?}");
    for step in ["arch/x1.rs:1: ", "arch/x2.rs:1: ", "arch/x3.rs:1: "] {
        assert!(faults[0].contains(step), "{faults:#?}");
    }
}

#[test]
fn a_circle_through_an_export_a_glob_and_a_macro() {
    let root = ("arch/mod.rs", "pub mod x1;\npub mod x2;\npub mod x3;\npub use x3::three;");
    let third = ("arch/x3.rs", "use super::x2::*;\npub fn three() { two() }");
    for text in [
        "use super::three;\npub fn one<T>(_: T) { three() }",
        "macro_rules! m {\n () => { $crate::arch::x3::three() };\n}\npub fn one<T>(_: T) {}",
        "pub fn one<T>(_: T) { x(super::three) }",
    ] {
        let faults = faults(&[root, third, ("arch/x1.rs", text)]);
        assert!(faults.iter().any(|fault| fault.contains("a circle of 3 files")), "{text}: {faults:#?}");
    }
}

/// The circles of any crates of a repository, and how many crates it has.
fn circles_of(files: &[(&str, &str)]) -> (usize, Vec<String>) {
    let sources: Vec<(String, String)> =
        files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
    let mut faults = Vec::new();
    let (crates, _) = super::circles(&sources, &mut faults).expect("the crates can be parsed");
    (crates, faults.iter().map(Fault::to_string).collect())
}

#[test]
fn a_circle_in_any_crate_of_the_repository() {
    // The root of a program, and two files that need what it defines and each other.
    let program = [
        ("mod one;\nmod two;\nfn shared() {}", ""),
        ("use crate::two::two;\npub fn one() { two() }", "one.rs"),
        ("pub fn two() { crate::shared(); super::one::one() }", "two.rs"),
    ];
    for (manifest, root, folder) in [
        ("", "bench/src/main.rs", "bench/src/"),
        ("", "crates/a/src/bin/probe.rs", "crates/a/src/bin/"),
        ("", "crates/a/tests/whole.rs", "crates/a/tests/"),
        ("", "crates/a/tests/cli/main.rs", "crates/a/tests/cli/"),
        ("[lib]\npath = \"rust/pack.rs\"\n", "python/rust/pack.rs", "python/rust/"),
    ] {
        let names = program
            .map(|(_, name)| if name.is_empty() { root.to_owned() } else { format!("{folder}{name}") });
        let mut files: Vec<(&str, &str)> =
            names.iter().zip(program).map(|(name, (text, _))| (name.as_str(), text)).collect();
        files.push(("python/Cargo.toml", manifest));
        // Two files in a circle, and a third that names the root, which names no one.
        assert_eq!(circles_of(&files).1, Vec::<String>::new(), "{root}");
        files[0].1 = "mod one;\nmod two;\nfn shared() { one::one() }";
        let (_, circles) = circles_of(&files);
        assert_eq!(circles.len(), 1, "{circles:#?}");
        assert!(circles[0].starts_with(&format!("{root}:3: a circle of 3 files")), "{circles:#?}");
    }
}

#[test]
fn a_circle_through_a_file_of_another_folder() {
    let (crates, circles) = circles_of(&[
        (
            "a/tests/whole.rs",
            "#[path = \"../common/help.rs\"]\nmod help;\nmod one;\nfn whole() { one::one() }",
        ),
        ("a/tests/one.rs", "pub fn one() { crate::help::help() }"),
        ("a/common/help.rs", "pub fn help() { super::whole() }"),
    ]);
    // `one.rs` stands among the tests, so it counts as one too.
    assert_eq!((crates, circles.len()), (2, 1), "{circles:#?}");
    assert!(circles[0].contains("a/common/help.rs:1: `super::whole` names a/tests/whole.rs"), "{circles:#?}");
}

#[test]
fn two_files_may_name_each_other_and_a_module_its_children() {
    passes(&[("arch/x1.rs", "use super::x2::two;\npub fn one<T>(_: T) { two() }")]);
    // The children name what their parent exports again from their sisters, which is no circle with the parent.
    passes(&[
        (
            "job/mod.rs",
            "pub mod a;\npub mod b;\npub mod c;\npub mod siphash;\npub use a::A;\npub use b::B;\npub use c::C;",
        ),
        ("job/a.rs", "pub struct A;"),
        ("job/b.rs", "use super::A;\npub struct B(A);"),
        ("job/c.rs", "use super::{A, B};\npub struct C(A, B);"),
    ]);
}

#[test]
fn a_file_that_no_module_declares_or_that_hides() {
    finds("arch/x9.rs:1: no `mod` line", &[("arch/x9.rs", "")]);
    finds("arch/x1.rs:1: `mod gone` has no file", &[("arch/x1.rs", "mod gone;\npub fn one<T>(_: T) {}")]);
    finds("arch/x1.rs:2: include!", &[("arch/x1.rs", "pub fn one<T>(_: T) {}\ninclude!(\"x.txt\");")]);
    finds("arch/x1.rs:2: #[path]", &[("arch/x1.rs", "#[path = \"y.rs\"]\nmod y;\npub fn one<T>(_: T) {}")]);
}

/// The faults of one file by `rooms`.
fn unsafe_in(file: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    rooms::check(file, text, &mut faults).expect("the file can be parsed");
    faults.iter().map(Fault::to_string).collect()
}

#[test]
fn unsafe_outside_its_rooms() {
    let file = "crates/keylane/src/siphash/mod.rs";
    for text in [
        "fn f() {\n unsafe { g() } }",
        "\nunsafe fn f() {}",
        "\n#![allow(unsafe_code)]",
        "\n#[expect(unsafe_code, reason = \"none\")]\nfn f() {}",
        "\n#![cfg_attr(test, allow(unsafe_code))]",
        "\nmacro_rules! m { () => { unsafe { g() } }; }",
        "\nm!(unsafe { g() });",
        "\n#[unsafe(no_mangle)]\nfn f() {}",
        "\ntype F = unsafe fn();",
    ] {
        let faults = unsafe_in(file, text);
        assert!(
            faults
                .first()
                .is_some_and(|fault| fault.starts_with("crates/keylane/src/siphash/mod.rs:2: `unsafe"))
        );
    }
    assert_eq!(unsafe_in("crates/keylane/src/arch/portable/siphash_x1.rs", "unsafe fn f() {}").len(), 1);
}

#[test]
fn unsafe_in_its_rooms_and_words_about_it() {
    for (file, text) in [
        ("crates/keylane/src/arch/x86_64/avx2.rs", "fn f() { unsafe { g() } }"),
        ("crates/keylane/src/dispatch/select.rs", "fn f() { unsafe { g() } }"),
        ("crates/keylane/src/lib.rs", "#![deny(unsafe_code)]\n//! No unsafe.\nconst A: &str = \"unsafe\";"),
    ] {
        assert_eq!(unsafe_in(file, text), Vec::<String>::new());
    }
    let unused = unsafe_in("crates/keylane/src/dispatch/select.rs", "fn f() {}");
    assert!(unused[0].contains("has no `unsafe`"), "{unused:#?}");
}

/// A kernel file without a fault.
const KERNEL: &str = "//! Title.\n//!\n//! id  siphash_x3  slot  siphash-xn  requires  nothing\n//! does  it\n//! bounds  none\n\
    //! timing  none\n//! origin  here\n\nkernel! {\n    /// Many.\n    pub MANY: Xn<u64> = \"siphash_x3\", lanes 3, requires [], |job: B| m(job)\n}";

/// The faults by `kernels` of a crate with one kernel file and a row.
fn kernel_faults(kernel: &str, row: &str, declared: bool) -> Vec<String> {
    let table = format!("use crate::arch::*;\npub static S: Slot = slot! {{ word64: {row}; }};");
    let arch = if declared { "pub mod siphash_x3;" } else { "" };
    let root = "mod arch;\nmod table;";
    let texts =
        [("lib.rs", root), ("table.rs", &table), ("arch/mod.rs", arch), ("arch/siphash_x3.rs", kernel)];
    let mut faults = Vec::new();
    let known = Crate::parse(&texts, "lib.rs", &mut faults).expect("the crate can be parsed");
    known.check_unreached(&mut faults);
    assert_eq!(kernels::check(&known, &texts, "table.rs", &mut faults), 1);
    faults.iter().map(Fault::to_string).collect()
}

#[test]
fn files_ids_headers_and_rows_agree() {
    assert_eq!(kernel_faults(KERNEL, "siphash_x3::MANY", true), Vec::<String>::new());
    for (kernel, row, declared, begin) in [
        (
            KERNEL.into(),
            "siphash_x3::ONE",
            true,
            "arch/siphash_x3.rs:11: table.rs wants the row `siphash_x3::MANY`",
        ),
        (KERNEL.into(), "siphash_x3::MANY", false, "arch/siphash_x3.rs:1: no `mod` line"),
        (
            KERNEL.replace("//! does  it\n", ""),
            "siphash_x3::MANY",
            true,
            "arch/siphash_x3.rs:1: the header wants a line `does`",
        ),
        (
            KERNEL.replace("id  siphash_x3", "id  siphash_x4"),
            "siphash_x3::MANY",
            true,
            "arch/siphash_x3.rs:1: the header wants the line `id  siphash_x3`",
        ),
        (
            KERNEL.replace("\"siphash_x3\"", "\"siphash_x4\""),
            "siphash_x3::MANY",
            true,
            "arch/siphash_x3.rs:11: the id \"siphash_x4\"",
        ),
        (
            KERNEL.replace("kernel!", "other!"),
            "siphash_x3::MANY",
            true,
            "arch/siphash_x3.rs:1: a kernel file declares",
        ),
    ] {
        let faults = kernel_faults(&kernel, row, declared);
        assert!(faults.iter().any(|fault| fault.starts_with(begin)), "{begin} is not among {faults:#?}");
        assert_eq!(faults.len(), 1, "{faults:#?}");
    }
}

/// The faults of one file of the core that names a machine.
fn machines(file: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    neutral::check(file, text, &mut faults).expect("the file can be parsed");
    faults.iter().map(Fault::to_string).collect()
}

#[test]
fn the_api_names_no_machine() {
    for planted in [
        "pub fn few() -> bool { cfg!(target_arch = \"x86_64\") }",
        "#[cfg(target_feature = \"sse2\")]\nfn few() {}",
        "fn few() -> usize { if IS_AVX2 { 4 } else { 8 } }",
        "fn few() -> Features { Features::named(&[\"avx512ifma\"]) }",
        "fn few() { uarch.avx512_is_slow() }",
        "fn few() { neon::few() }",
    ] {
        let faults = machines("siphash/batch/mod.rs", planted);
        assert!(!faults.is_empty() && faults.iter().all(|fault| fault.contains("dispatch")), "{planted}");
        assert_eq!(machines("dispatch/plan.rs", planted), Vec::<String>::new(), "{planted}");
    }
}

#[test]
fn the_api_may_explain_and_ask() {
    let sound = "//! With AVX2, a row pays sooner.\n/// `cfg!(target_arch)` is below.\n#[cfg(target_endian = \"big\")]\n\
                 fn few() { assess(classes); passes(); /* sse2 */ }";
    assert_eq!(machines("siphash/batch/mod.rs", sound), Vec::<String>::new());
}
