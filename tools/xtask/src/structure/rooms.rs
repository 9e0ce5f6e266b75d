//! Where `unsafe` may stand. The compiler denies `unsafe_code` everywhere; this checks where that is lifted.

use super::syntax::Fault;
use anyhow::{Result, anyhow};
use proc_macro2::{TokenStream, TokenTree};

/// Folders of kernels. Their `portable/` is not one.
const FOLDERS: [&str; 2] = ["crates/keylane/src/arch/", "bench/lab/src/arch/"];

/// Other files that may have `unsafe`, and why.
const FILES: &[(&str, &str)] = &[
    ("bench/native/src/lib.rs", "a function for C"),
    ("bench/src/engine/poly1305/reading.rs", "calls of loops with vector instructions that were detected"),
    ("bench/src/foreign/aead.rs", "calls of peers in C"),
    ("bench/src/foreign/mod.rs", "calls of peers in C"),
    ("bench/src/foreign/poly1305/mod.rs", "calls of peers in C"),
    ("bench/src/foreign/poly1305/stream.rs", "calls of peers in C"),
    ("contrib/openssl/src/abi.rs", "OpenSSL's provider interface"),
    ("crates/keylane-capi/src/memory.rs", "the memory of callers in C, and functions for C"),
    ("crates/keylane-capi/tests/c/other.rs", "a function for C"),
    (
        "crates/keylane-cli/src/streams.rs",
        "a function that the loader calls before Rust's runtime opens streams",
    ),
    ("crates/keylane-cli/tests/heap.rs", "an allocator that keeps every block"),
    ("crates/keylane-duckdb/src/capi.rs", "DuckDB's C API, and the memory of its vectors"),
    ("crates/keylane-duckdb/src/capi/entry.rs", "functions for DuckDB"),
    ("crates/keylane-map/src/prefetch.rs", "prefetches"),
    ("crates/keylane-measure/src/chain.rs", "the chain of additions that calibrates, in assembly"),
    ("crates/keylane/src/dispatch/loader.rs", "the environment at the start of the process"),
    ("crates/keylane/src/dispatch/select.rs", "the one call of a row, whose features were detected"),
    (
        "crates/keylane/src/job/barrier.rs",
        "assembly blocks without instructions, which hold the compiler back",
    ),
    ("crates/keylane/src/job/chacha20/text.rs", "bytes in place, or a source and its destination"),
    ("crates/keylane/src/job/cpu/cpuid.rs", "CPUID"),
    ("crates/keylane/src/job/cpu/midr.rs", "MIDR_EL1"),
    ("crates/keylane/src/job/dit.rs", "PSTATE.DIT, in assembly"),
    ("crates/keylane/src/job/fold.rs", "the case fold in vectors"),
    ("crates/keylane/src/job/kernel.rs", "the type of a row's function, and its call"),
    ("crates/keylane/src/job/plain.rs", "memory as another type"),
    ("crates/keylane/src/job/poly1305/mod.rs", "the choice between the entries of a row"),
    ("crates/keylane/src/job/prefetch.rs", "prefetches"),
    ("crates/keylane/src/job/proof.rs", "values that prove instructions"),
    ("crates/keylane/src/job/siphash/batch.rs", "the choice between the entries of a row"),
    ("crates/keylane/src/job/wipe.rs", "volatile zeros"),
    ("python/rust/ffi.rs", "Python's buffers, and Arrow's C data interface in capsules"),
    ("python/rust/ffi/fast.rs", "functions that Python calls"),
    ("python/rust/plugin.rs", "functions for Polars"),
    ("tests/fuzz/src/capi.rs", "calls of the C library, and the memory for them"),
    ("tests/no-panic/src/lib.rs", "a function with a name for the linker"),
    ("tests/symbols/src/terms/lanes.rs", "the trait of vectors, whose methods read addresses"),
    ("tests/conformance/src/bin/sanitizer_probe.rs", "planted faults, which sanitizers must see"),
    ("tests/conformance/src/guards/memory.rs", "inaccessible pages, and the memory between them"),
    ("tests/conformance/src/secret/memcheck.rs", "a request to valgrind, in assembly"),
    ("tests/conformance/src/secret/planted.rs", "a planted kernel's function"),
    ("tests/conformance/tests/defects.rs", "a planted kernel's function"),
    (
        "tests/conformance/tests/guards.rs",
        "planted kernels that read outside their input, which the guards must see",
    ),
    ("tests/conformance/tests/wiped.rs", "reads what a dropped secret leaves behind"),
    ("tests/wasm/random/src/lib.rs", "functions with names for JavaScript, and one of JavaScript's"),
    ("tests/wasm/src/lib.rs", "functions with names for JavaScript"),
];

/// Checks one Rust file of the repository.
pub fn check(file: &str, text: &str, faults: &mut Vec<Fault>) -> Result<()> {
    let mut lines = Vec::new();
    // Most files do not even have the word, and need not be parsed.
    if text.contains("unsafe") {
        let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{file}: {error}"))?;
        find(tokens, &mut lines);
    }
    let listed = FILES.iter().any(|(path, _)| *path == file);
    let folder = FOLDERS
        .iter()
        .any(|folder| file.strip_prefix(folder).is_some_and(|rest| !rest.starts_with("portable/")));
    if listed && lines.is_empty() {
        let what = "has no `unsafe`: remove its line from tools/xtask/src/structure/rooms.rs".into();
        faults.push(Fault { file: file.into(), line: 1, what });
    }
    if !listed && !folder {
        faults.extend(lines.into_iter().map(|(line, word)| Fault {
            file: file.into(),
            line,
            what: format!("`{word}` is for arch/ and the files of tools/xtask/src/structure/rooms.rs: move it, or list the file"),
        }));
    }
    Ok(())
}

/// The lines with `unsafe`, or with an attribute that lifts the denial.
fn find(tokens: TokenStream, lines: &mut Vec<(usize, &'static str)>) {
    let mut level = String::new();
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                if name == "unsafe" {
                    lines.push((name.span().start().line, "unsafe"));
                }
                level = name.to_string();
            }
            TokenTree::Group(group) => {
                let lifts = ["allow", "expect", "warn"].contains(&level.as_str());
                let names =
                    |token: TokenTree| matches!(&token, TokenTree::Ident(name) if name == "unsafe_code");
                if lifts && group.stream().into_iter().any(names) {
                    lines.push((group.span_open().start().line, "unsafe_code"));
                }
                find(group.stream(), lines);
                level.clear();
            }
            _ => level.clear(),
        }
    }
}
