//! Every function of the header, called with right and wrong arguments, and on a painted stack.
//!
//! The header's prototypes become a table in C: a line for each function with the role of each argument.
//! [`ROLES`] tells the role from the argument's type and name. So a new function is in the table by itself, and
//! an argument without a role fails the test.

use crate::header::{Prototype, prototypes, symbols, text};
use crate::library::{CRATE, GCC, Library, run};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Types and names of arguments, and their roles: a value of `enum role` in `calls.h`, with the size and the
/// alignment of what a pointer points to.
const ROLES: &[(&str, &[&str], &str)] = &[
    ("int", &["nocase", "status"], "NUMBER, 0, 0"),
    ("uint32_t", &["integer", "timestamp"], "NUMBER, 0, 0"),
    ("uint64_t", &["integer", "word"], "NUMBER, 0, 0"),
    ("unsigned int", &["c", "d"], "ROUNDS, 0, 0"),
    ("unsigned int", &["bits"], "BITS, 0, 0"),
    ("size_t", &["width"], "WIDTH, 0, 0"),
    ("size_t", &["length", "size", "aad_length"], "LENGTH, 0, 0"),
    ("size_t", &["client_length"], "ADDRESS_LENGTH, 0, 0"),
    ("size_t", &["count", "capacity"], "COUNT, 0, 0"),
    ("size_t", &["buffer_count"], "BUFFER_COUNT, 0, 0"),
    ("uint32_t", &["tag"], "TAG, 4, 0"),
    ("uint64_t", &["tag"], "TAG, 8, 0"),
    ("const uint8_t [16]", &["tag", "server_cookie"], "IN_TAG, 16, 1"),
    ("const uint8_t [8]", &["key", "client_cookie"], "IN, 8, 1"),
    ("const uint8_t [12]", &["nonce"], "IN, 12, 1"),
    ("const uint8_t [16]", &["key", "integer", "secret", "aes_key", "r", "nonce"], "IN, 16, 1"),
    ("const uint8_t [32]", &["key", "block"], "IN, 32, 1"),
    ("const void *", &["message", "piece", "client", "bytes", "aad"], "BYTES, 1, 1"),
    ("const uint32_t *", &["integers"], "ARRAY, 4, 4"),
    ("const uint64_t *", &["integers"], "ARRAY, 8, 8"),
    ("const uint8_t *", &["integers"], "ARRAY, 16, 1"),
    ("const uint8_t *", &["keys"], "ARRAY, 32, 1"),
    ("const uint8_t *", &["tags"], "IN_TAGS, 16, 1"),
    ("const int32_t *", &["offsets"], "OFFSETS, 4, 4"),
    ("const int64_t *", &["offsets"], "OFFSETS, 8, 8"),
    ("const keylane_message *", &["messages"], "MESSAGES, sizeof(keylane_message), sizeof(void *)"),
    ("void *", &["data"], "DATA, 1, 1"),
    ("const keylane_packet *", &["packets"], "PACKETS, sizeof(keylane_packet), sizeof(void *)"),
    ("const void *", &["views"], "VIEWS, 16, 1"),
    ("const keylane_message *", &["buffers"], "BUFFERS, sizeof(keylane_message), sizeof(void *)"),
    ("const char *", &["slot", "kernel"], "TEXT, 1, 1"),
    ("uint32_t *", &["tag"], "OUT, 4, 1"),
    ("uint64_t *", &["tag"], "OUT, 8, 1"),
    ("uint8_t [16]", &["tag", "server_cookie"], "OUT, 16, 1"),
    ("size_t *", &["count"], "OUT, sizeof(size_t), 1"),
    ("void *", &["bytes"], "OUT_BYTES, 1, 1"),
    ("char *", &["message"], "OUT_BYTES, 1, 1"),
    ("uint32_t *", &["tags"], "OUT_ARRAY, 4, 4"),
    ("uint64_t *", &["tags"], "OUT_ARRAY, 8, 8"),
    ("keylane_tag128 *", &["tags"], "OUT_ARRAY, 16, 16"),
    ("uint8_t *", &["tags"], "OUT_ARRAY, 16, 1"),
    ("uint8_t *", &["good"], "OUT_ARRAY, 1, 1"),
    ("keylane_kernel *", &["kernels"], "OUT_ARRAY, sizeof(keylane_kernel), sizeof(size_t)"),
];

/// The role of an argument.
fn role(function: &Prototype, at: usize) -> String {
    let (kind, name) = &function.arguments[at];
    let object = kind.trim_start_matches("const ").trim_end_matches(" *");
    if let (true, Some(alignment)) = (kind.ends_with('*'), alignment(object)) {
        let role = match (kind.starts_with("const "), &function.name) {
            (false, name) if name.ends_with("_wipe") => "WIPED",
            (false, name) if name.contains("_init") && at == 0 => "NEW",
            (false, _) => "CHANGED",
            (true, _) => "OBJECT",
        };
        return format!("{role}, sizeof({object}), {alignment}, {object}_object");
    }
    ROLES
        .iter()
        .find(|(known, names, _)| known == kind && names.contains(&name.as_str()))
        .map(|(.., role)| format!("{role}, no_object"))
        .unwrap_or_else(|| panic!("{}: no role for `{kind} {name}`: add a line to ROLES", function.name))
}

/// The alignment of an object that a function initialises.
fn alignment(object: &str) -> Option<usize> {
    let is_object = prototypes().iter().any(|function| function.name == format!("{object}_init"));
    let layout = keylane_capi::LAYOUT.iter().find(|(name, ..)| *name == object);
    layout.filter(|_| is_object).map(|&(.., alignment)| alignment)
}

/// The tag width in bits that the name of a function asks for, or 0.
fn bits(name: &str) -> &str {
    ["hash", "verify", "finish"]
        .iter()
        .filter_map(|word| name.split_once(&format!("_{word}")))
        .map(|(_, rest)| rest.split('_').next().unwrap_or(""))
        .find(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()))
        .unwrap_or("0")
}

/// The table in C: how to call each function with arguments that are all 64-bit numbers, and their roles.
fn table() -> String {
    let (mut calls, mut lines) = (String::new(), String::new());
    for function in &prototypes() {
        let Prototype { returns, name, arguments } = function;
        let given = |(at, (kind, _)): (usize, &(String, String))| {
            let kind = kind.split_once(" [").map_or(kind.clone(), |(element, _)| format!("{element} *"));
            let address = if kind.ends_with('*') { "(uintptr_t)" } else { "" };
            format!("({kind}){address}given[{at}]")
        };
        let given: Vec<String> = arguments.iter().enumerate().map(given).collect();
        let call = format!("{name}({})", given.join(", "));
        let (answer, body) = match returns.as_str() {
            "keylane_status" => ("STATUS", format!("return (int){call};")),
            "void" => ("NOTHING", format!("{call}; return 0;")),
            "const char *" => ("A_TEXT", format!("return {call} == NULL;")),
            other => panic!("{name} returns {other}"),
        };
        let unused = if given.is_empty() { "(void)given; " } else { "" };
        writeln!(calls, "static int call_{name}(const uint64_t *given) {{ {unused}{body} }}")
            .expect("a line");
        let roles: Vec<String> = (0..arguments.len())
            .map(|at| format!("{{\"{}\", {}}}", arguments[at].1, role(function, at)))
            .collect();
        let roles =
            if roles.is_empty() { "{\"\", NUMBER, 0, 0, no_object}".to_owned() } else { roles.join(", ") };
        let count = arguments.len();
        writeln!(lines, "    {{\"{name}\", call_{name}, {answer}, {}, {count}, {{{roles}}}}},", bits(name))
            .expect("a line");
    }
    format!("{calls}\nstatic const function FUNCTIONS[] = {{\n{lines}}};\n")
}

/// The library, and the table beside it.
fn library() -> Library {
    let library = Library::new();
    fs::write(library.file("functions.h"), table()).expect("a file");
    library
}

/// The names in lines `call NAME`, which must be those of all functions.
fn all_called(told: &str) {
    let called: BTreeSet<String> =
        told.lines().filter_map(|line| line.strip_prefix("call ")).map(str::to_owned).collect();
    assert_eq!(called, symbols(), "functions called (left) and symbols.txt (right)");
}

/// A bound on the stack in KiB, and patterns of the names that it is for.
type Bounds = Vec<(usize, Vec<String>)>;

/// The bounds in lines like `16 KiB  keylane_*_u32s, keylane_random`, and the lines that continue them.
fn bounds(lines: &str) -> Bounds {
    let mut bounds: Bounds = Vec::new();
    for line in lines.lines() {
        let names = match line.split_once(" KiB ") {
            Some((size, names)) => {
                bounds.push((size.trim().parse().expect("a number"), Vec::new()));
                names
            }
            None => line,
        };
        let (_, patterns) = bounds.last_mut().expect("a size before the names");
        patterns.extend(names.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()));
    }
    bounds
}

/// The bounds that the header states.
fn bounds_of_header() -> Bounds {
    let text = text("include/keylane.h");
    let (_, lines) =
        text.split_once("self-tests that the first use of a kernel runs.\n *\n").expect("the bounds");
    let (lines, _) = lines.split_once("\n *\n").expect("their end");
    let lines: Vec<&str> = lines.lines().map(|line| line.trim_start().trim_start_matches('*')).collect();
    bounds(&lines.join("\n"))
}

/// The bounds in the table of docs/C.md.
fn bounds_of_table() -> Bounds {
    let text = fs::read_to_string(Path::new(CRATE).join("../../docs/C.md")).expect("docs/C.md");
    let (_, lines) = text.split_once("| Stack | Calls |\n| --- | --- |\n").expect("the table");
    let (lines, _) = lines.split_once("\n\n").expect("its end");
    bounds(&lines.replace(['|', '`'], " "))
}

/// Whether a name fits a pattern, in which `*` stands for any text.
fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
    }
}

/// Every function stays below the bound of the header.
#[test]
fn stack_is_bounded() {
    if cfg!(debug_assertions) {
        println!("not run: stack (needs a release build)");
        return;
    }
    let bounds = bounds_of_header();
    assert_eq!(bounds, bounds_of_table(), "keylane.h (left) and docs/C.md (right)");
    let bound = |name: &str| {
        let fits = |(_, patterns): &&(usize, Vec<String>)| {
            patterns.iter().any(|pattern| pattern == "all others" || fits(name, pattern))
        };
        bounds.iter().find(fits).expect("a bound").0 << 10
    };
    let library = library();
    let folder = format!("-I{}", library.folder.path().display());
    let program = library.compile(GCC, "stack.c", &[&folder, "-pthread", "-Wl,-z,now"]).expect("gcc");
    let mut failed = Vec::new();
    // The environment matters to the first call of a process, so only the first run goes on with every kernel. The last
    // one is reported by `keylane_environment` with a list of kernels.
    let runs = [
        ("", "all"),
        ("siphash-xn=siphash_x1,poly1305-pn=poly1305_x1_u64", "first"),
        ("siphash-xn=none", "first"),
    ];
    for (chosen, calls) in runs {
        let told = run(program.command(&[]).arg(calls).env("KEYLANE_KERNEL", chosen));
        all_called(&told);
        for line in told.lines().filter_map(|line| line.strip_prefix("stack ")) {
            let mut words = line.split(' ');
            let (name, used) = (words.next().expect("a name"), words.next().expect("a number"));
            println!("{line}");
            if used.parse::<usize>().expect("a number") > bound(name) {
                failed.push(line.to_owned());
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Each argument wrong in turn and in pairs: the status is that of the header, and nothing else is written.
#[test]
fn every_fault_is_its_status() {
    let library = library();
    let folder = format!("-I{}", library.folder.path().display());
    let program = library.compile(GCC, "faults.c", &[&folder]).expect("gcc");
    let told = run(&mut program.command(&[]));
    all_called(&told);
    // No test can make a kernel or the random number generator fail, or the environment change.
    let never = ["KEYLANE_CPU", "KEYLANE_SELFTEST", "KEYLANE_ENTRY", "KEYLANE_RANDOM"];
    for (name, number) in keylane_capi::STATUS.iter().filter(|(name, _)| !never.contains(name)) {
        assert!(told.contains(&format!("\nstatus {number}\n")), "no call has returned {name}");
    }
    println!("{}", told.lines().last().unwrap_or_default());
    println!("{}", run(program.command(&[]).args(["random", "1", "300000"])));
}
