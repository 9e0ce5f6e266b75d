//! Every command with every standard stream closed, full or broken. No output is lost with success.
#![cfg(target_os = "linux")]

use crate::tool::{Dir, KEY, Run, keylane};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::process::Stdio;

/// What a command does with the streams.
struct Case {
    line: &'static str,
    /// It reads standard input, which is the file `m`.
    reads: bool,
    /// It writes to standard output.
    writes: bool,
    /// It warns, on standard error.
    warns: bool,
}

/// Every command, in every way that it reads and writes. `f` in a line is a new file.
fn cases() -> Vec<Case> {
    let case = |line, [reads, writes, warns]: [bool; 3]| Case { line, reads, writes, warns };
    const IN: bool = true;
    const OUT: bool = true;
    const WARNS: bool = true;
    let mut cases = vec![
        case("sum --key-file key m", [false, OUT, false]),
        case("sum --key-file key -z --tag m", [false, OUT, false]),
        case("sum --key-file key --no-names m", [false, OUT, false]),
        case("sum --key-file key --num-threads 1 -r t", [false, OUT, false]),
        case("sum --key-file key", [IN, OUT, false]),
        case("sum --key-file key -r -", [IN, OUT, false]),
        case("sum --key-file key /dev/stdin", [IN, OUT, false]),
        case("sum --key-file open m", [false, OUT, WARNS]),
        case("sum --key-file key --check list", [false, OUT, false]),
        case("sum --key-file key --check --status list", [false, false, false]),
        case("sum --key-file key --check --quiet comments", [false, false, WARNS]),
        case("mac siphash-2-4-128 --key-file key m", [false, OUT, false]),
        case("mac siphash-2-4-128 --key-file key", [IN, OUT, false]),
        case("mac siphash-2-4-128 --key-file key --verify TAG m", [false, OUT, false]),
        case("mac siphash-2-4-128 --key-file open m", [false, OUT, WARNS]),
        case("keygen", [false, OUT, false]),
        case("keygen -o f", [false, false, false]),
        case("key check --key-file key", [false, OUT, false]),
        case("key check --key-file open", [false, OUT, WARNS]),
        case("key derive a --key-file key -o -", [false, OUT, false]),
        case("key derive a --key-file key -o f", [false, false, false]),
        case("kernels", [false, OUT, false]),
        case("kernels --json", [false, OUT, false]),
        case("selftest", [false, OUT, false]),
        case("--help", [false, OUT, false]),
        case("--version", [false, OUT, false]),
        case("help", [false, OUT, false]),
        case("sum --help", [false, OUT, false]),
    ];
    if !cfg!(debug_assertions) {
        cases.push(case("bench --quick --samples 1 poly1305-batch", [false, OUT, false]));
        cases.push(case("bench --quick --samples 1 --json poly1305-batch", [false, OUT, false]));
    }
    if cfg!(feature = "column") {
        cases.extend([
            case("column --key-file key --columns a -o - m.csv", [false, OUT, false]),
            case("column --key-file key --columns a --from csv -o - -", [IN, OUT, false]),
            case("column --key-file key --columns a --from csv -o f -", [IN, false, false]),
            case("column --key-file key --columns a -o f m.csv", [false, false, false]),
            case("column --key-file open --columns a -o f m.csv", [false, false, WARNS]),
            case("column --key-file key --columns a --explain m.csv", [false, OUT, false]),
        ]);
    }
    cases
}

/// A folder with what the cases read.
fn dir() -> Dir {
    let dir = Dir::new();
    dir.write("m", "a\nb\n");
    dir.write("m.csv", "a\nb\n");
    dir.write("t/1", "1");
    dir.write("t/2", "2");
    let list = dir.run("sum --key-file key m t/1").ok();
    dir.write("list", &list);
    dir.write("comments", format!("{list}no sum\n"));
    dir.shell("cp key open; chmod 644 open").ok();
    dir
}

/// Runs a case with these redirections behind it. No file is left of the run before.
fn run(dir: &Dir, case: &Case, redirections: &str) -> Run {
    let tag = dir.run("sum --key-file key --no-names m").ok();
    let line = case.line.replace("TAG", tag.trim());
    dir.shell(&format!("rm -f f; $keylane {line} < m {redirections}"))
}

/// The table has every command.
#[test]
fn every_command_is_among_the_cases() {
    let mut found = BTreeSet::new();
    let cases = cases();
    for command in keylane_cli::command().get_subcommands() {
        let nested: Vec<_> = command.get_subcommands().collect();
        let names: Vec<String> = match &nested[..] {
            [] => vec![command.get_name().to_owned()],
            all => all.iter().map(|nested| format!("{} {}", command.get_name(), nested.get_name())).collect(),
        };
        for name in names {
            let is_absent = name == "column" && !cfg!(feature = "column");
            let is_slow = name == "bench" && cfg!(debug_assertions);
            let has =
                cases.iter().any(|case| case.line.starts_with(&format!("{name} ")) || case.line == name);
            assert!(has || is_absent || is_slow, "{name}");
            found.insert(name);
        }
    }
    assert!(found.len() >= 9, "{found:?}");
}

/// As it is without faults: the table says whether something is read, written and warned of.
#[test]
fn the_cases_do_what_they_say() {
    let dir = dir();
    for case in cases() {
        let run = run(&dir, &case, "");
        let found = (run.code, !run.out.is_empty(), !run.err.is_empty());
        assert_eq!(found, (Some(0), case.writes, case.warns), "{}: {run:?}", case.line);
        // A command that reads nothing needs no standard input.
        let closed = self::run(&dir, &case, "<&-");
        if case.reads {
            let has_said = closed.err.contains("standard input is closed");
            assert_eq!((closed.code, &closed.out[..], has_said), (Some(1), "", true), "{}", case.line);
        } else {
            assert_eq!((closed.code, !closed.out.is_empty()), (Some(0), case.writes), "{}", case.line);
        }
    }
}

/// Standard input is a folder, or cannot be read.
#[test]
fn an_input_that_cannot_be_read() {
    let dir = dir();
    for case in cases().iter().filter(|case| case.reads) {
        for (input, text) in [("< t", "Is a directory"), ("0> g", "standard input is closed")] {
            let run = run(&dir, case, input);
            // What has another name is read anyway.
            let is_named = case.line.contains("/dev/stdin") && input == "0> g";
            assert!(is_named || (run.code == Some(1) && run.err.contains(text)), "{}: {run:?}", case.line);
        }
    }
}

#[test]
fn an_output_that_takes_nothing() {
    let dir = dir();
    for case in cases() {
        for (output, text) in [
            (">&-", "standard output is closed"),
            ("1< m", "standard output is closed"),
            ("> /dev/full", "No space left on device"),
        ] {
            let run = run(&dir, &case, output);
            if case.writes {
                let expected = format!("keylane: write error: {text}\n");
                assert_eq!((run.code, &run.out[..]), (Some(1), ""), "{} {output}: {run:?}", case.line);
                assert!(run.err.ends_with(&expected), "{} {output}: {run:?}", case.line);
                assert_eq!(run.err.lines().count(), 1 + usize::from(case.warns), "{}: {run:?}", case.line);
            } else {
                assert_eq!((run.code, !run.err.is_empty()), (Some(0), case.warns), "{} {output}", case.line);
            }
        }
        // A file is whole, whatever becomes of the other output.
        let has_file = run(&dir, &case, "> /dev/null").code == Some(0) && dir.path().join("f").exists();
        assert_eq!(has_file, case.line.contains(" f"), "{}", case.line);
    }
}

/// Nobody reads the output any more. The command ends without a message, and not with success.
#[test]
fn an_output_that_nobody_reads() {
    let dir = dir();
    for case in cases() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let tag = dir.run("sum --key-file key --no-names m").ok();
        let mut child = keylane();
        child.current_dir(dir.path()).args(case.line.replace("TAG", tag.trim()).split(' '));
        let input = fs::File::open(dir.path().join("m")).unwrap();
        let _ = fs::remove_file(dir.path().join("f"));
        let child = child.stdin(input).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        let found = (output.status.code(), !output.stderr.is_empty());
        assert_eq!(found, (Some(i32::from(case.writes)), case.warns), "{}", case.line);
    }
}

/// A warning that cannot be written is no success. Without a warning, nobody needs standard error.
#[test]
fn messages_that_cannot_be_written() {
    let dir = dir();
    for case in cases() {
        for errors in ["2>&-", "2> /dev/full", "2< m"] {
            let run = run(&dir, &case, errors);
            let found = (run.code, !run.out.is_empty());
            assert_eq!(found, (Some(i32::from(case.warns)), case.writes), "{} {errors}", case.line);
        }
        let all = run(&dir, &case, ">&- 2>&-");
        assert_eq!(all.code, Some(i32::from(case.writes || case.warns)), "{}", case.line);
        let none = run(&dir, &case, "<&- >&- 2>&-");
        let is_failure = case.reads || case.writes || case.warns;
        assert_eq!(none.code, Some(i32::from(is_failure)), "{}", case.line);
    }
    // Errors of the command line, too.
    for errors in ["2>&-", "2> /dev/full"] {
        assert_eq!(dir.shell(&format!("$keylane sum --no-such-option {errors}")).code, Some(2));
    }
}

/// Callers that discard the output open `/dev/null` for both directions.
#[test]
fn an_output_that_is_discarded() {
    let dir = dir();
    for case in cases() {
        for streams in ["<> /dev/null 1<> /dev/null 2<> /dev/null", "< /dev/null > /dev/null 2> /dev/null"] {
            let run = run(&dir, &case, streams);
            // An empty table has no header.
            let expected = i32::from(case.line.starts_with("column") && case.reads);
            assert_eq!(run.code, Some(expected), "{} {streams}", case.line);
        }
    }
}

/// The key cannot come from a closed stream.
#[test]
fn a_key_from_a_closed_stream() {
    let dir = dir();
    for place in ["--key-file -", "--key-file /dev/stdin", "--key-fd 0"] {
        let run = dir.shell(&format!("$keylane sum {place} m <&-"));
        assert_eq!((run.code, &run.out[..]), (Some(2), ""), "{place}: {run:?}");
    }
    let text = "keylane: --key-file: standard input is closed\n";
    dir.shell("$keylane sum --key-file - m <&-").is(2, "", text);
}

const IS_OUTPUT: &str = "it is the output of this command";

/// What a command writes to is not what it reads.
#[test]
fn an_output_that_is_the_input() {
    let dir = dir();
    let long = "a\n".to_owned() + &"b\n".repeat(1 << 20);
    let refused = |line: &str, file: &str| {
        dir.write("g.csv", &long);
        dir.write("keys", format!("{KEY}\n"));
        let run = dir.shell(&format!("$keylane {line}"));
        assert_eq!((run.code.unwrap_or(0) > 0, &run.out[..]), (true, ""), "{line}: {run:?}");
        assert!(run.err.contains(IS_OUTPUT), "{line}: {run:?}");
        let whole = fs::read_to_string(dir.path().join(file)).unwrap();
        assert!(whole == if file == "keys" { format!("{KEY}\n") } else { long.clone() }, "{line}");
    };
    refused("sum --key-file key g.csv >> g.csv", "g.csv");
    refused("sum --key-file key - < g.csv >> g.csv", "g.csv");
    refused("mac siphash-2-4-64 --key-file key g.csv >> g.csv", "g.csv");
    refused("mac siphash-2-4-64 --key-file key g.csv 1<> g.csv", "g.csv");
    refused("sum --key-file key --check g.csv >> g.csv", "g.csv");
    refused("sum --key-file keys m >> keys", "keys");
    refused("key derive a --key-file keys -o - >> keys", "keys");
    if cfg!(feature = "column") {
        refused("column --key-file key --columns a -o - g.csv >> g.csv", "g.csv");
        refused("column --key-file key --columns a --from csv -o - - < g.csv >> g.csv", "g.csv");
        refused("column --key-file key --columns a --from csv -o - - < g.csv 1<> g.csv", "g.csv");
    }
    // Errors go to the file that is read.
    dir.write("e", "some\n");
    dir.shell("$keylane sum --key-file key e 2>> e").is(1, "", "");
    assert_eq!(dir.shell("cat e").out, format!("some\nkeylane: e: {IS_OUTPUT}\n"));
    // The others are still summed.
    let run = dir.shell("$keylane sum --key-file key m t/1 g.csv t/2 > g.csv");
    run.is(1, "", &format!("keylane: g.csv: {IS_OUTPUT}\n"));
    let lines = dir.run("sum --key-file key m t/1 t/2").ok();
    assert_eq!(dir.shell("cat g.csv").out, lines);
}

/// A list inside of the folder that is summed is left out, and its check passes.
#[test]
fn a_list_inside_of_the_folder() {
    let dir = dir();
    let left_out = |name: &str| format!("keylane: {name}: left out: {IS_OUTPUT}\n");
    dir.shell("cd t; $keylane sum --key-file ../key -r . > sums").is(0, "", &left_out("./sums"));
    dir.shell("cd t; $keylane sum --key-file ../key --check sums").is(0, "./1: OK\n./2: OK\n", "");
    dir.shell("$keylane sum --key-file key -r t >> t/sums").is(0, "", &left_out("t/sums"));
    // Messages inside of the folder, too.
    dir.shell("rm t/sums; $keylane sum --key-file key -r t > t/sums 2> t/said").is(0, "", "");
    assert_eq!(dir.shell("cat t/said").out, left_out("t/said") + &left_out("t/sums"));
    dir.shell("$keylane sum --key-file key --check t/sums").is(0, "t/1: OK\nt/2: OK\n", "");
    // Whoever names the list asks for its sum.
    let run = dir.shell("$keylane sum --key-file key -r t/sums t > t/sums");
    assert_eq!(run.code, Some(1));
    assert!(run.err.starts_with(&format!("keylane: t/sums: {IS_OUTPUT}\n")), "{run:?}");
}
