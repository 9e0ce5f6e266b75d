//! `keylane sum --check`

use crate::tool::{Dir, run};
use std::fs;

/// A directory with the files a, b and c, and their sums in `list`.
fn listed() -> (Dir, Vec<String>) {
    let dir = Dir::new();
    for name in ["a", "b", "c"] {
        dir.write(name, name);
    }
    let list = dir.run("sum --key-file key a b c").ok();
    dir.write("list", &list);
    (dir, list.lines().map(str::to_owned).collect())
}

const CHECK: &str = "sum --key-file key --check";

#[test]
fn what_is_unchanged_passes() {
    let (dir, _) = listed();
    dir.run(&format!("{CHECK} list")).is(0, "a: OK\nb: OK\nc: OK\n", "");
    dir.run(&format!("{CHECK} --quiet list")).is(0, "", "");
    dir.run(&format!("{CHECK} --status list")).is(0, "", "");
    let list = fs::read(dir.path().join("list")).unwrap();
    dir.run_with(CHECK, list.clone()).is(0, "a: OK\nb: OK\nc: OK\n", "");
    dir.run_with(&format!("{CHECK} -"), list).is(0, "a: OK\nb: OK\nc: OK\n", "");
    dir.run(&format!("{CHECK} list list --quiet --num-threads 2")).is(0, "", "");
}

#[test]
fn what_has_changed_fails_and_the_right_tag_is_not_told() {
    let (dir, _) = listed();
    dir.write("b", "B");
    let right = dir.run("sum --key-file key b").ok();
    let right = right.split(' ').next().unwrap();
    let warning = "keylane: WARNING: 1 computed checksum did NOT match\n";
    for (options, out) in [
        ("", "a: OK\nb: FAILED\nc: OK\n"),
        ("--quiet", "b: FAILED\n"),
        ("--warn", "a: OK\nb: FAILED\nc: OK\n"),
    ] {
        let run = dir.run(&format!("{CHECK} {options} list"));
        run.is(1, out, warning);
        assert!(!run.out.contains(right) && !run.err.contains(right));
    }
    dir.run(&format!("{CHECK} --status list")).is(1, "", "");
    // The last of --quiet, --status and --warn counts.
    dir.run(&format!("{CHECK} --status --quiet list")).is(1, "b: FAILED\n", warning);
    dir.run(&format!("{CHECK} --quiet --status list")).is(1, "", "");
}

#[test]
fn another_key_or_algorithm_fails_everything() {
    let (dir, _) = listed();
    dir.write("other", "000102030405060708090a0b0c0d0e10");
    let warning = "keylane: WARNING: 3 computed checksums did NOT match\n";
    let out = "a: FAILED\nb: FAILED\nc: FAILED\n";
    dir.run("sum --key-file other --check list").is(1, out, warning);
    dir.run(&format!("{CHECK} --alg siphash-2-5-128 list")).is(1, out, warning);
    // Tags of another length are improper.
    let none = "keylane: list: no properly formatted checksum lines found\n";
    dir.run(&format!("{CHECK} --alg siphash-2-4-64 list")).is(1, "", none);
}

#[test]
fn equal_files_may_change_places_and_names() {
    // A check proves the bytes of files; the help says that it does not authenticate names.
    let dir = Dir::new();
    dir.write("a", "same");
    dir.write("b", "same");
    dir.write("c", "other");
    let list = dir.run("sum --key-file key a b c").ok();
    let mut lines: Vec<_> = list.lines().collect();
    lines.reverse();
    dir.write("list", lines.join("\n"));
    dir.run(&format!("{CHECK} list")).is(0, "c: OK\nb: OK\na: OK\n", "");
    // A check finds swapped names only if the contents differ.
    dir.write("list", list.replace("  a", "  x").replace("  b", "  a").replace("  x", "  b"));
    dir.run(&format!("{CHECK} --quiet list")).is(0, "", "");
    dir.write("list", list.replace("  a", "  x").replace("  c", "  a").replace("  x", "  c"));
    let two = "keylane: WARNING: 2 computed checksums did NOT match\n";
    dir.run(&format!("{CHECK} --quiet list")).is(1, "c: FAILED\na: FAILED\n", two);
    // A renamed file is missing under its old name.
    fs::rename(dir.path().join("c"), dir.path().join("d")).unwrap();
    dir.write("list", &list);
    dir.run(&format!("{CHECK} list")).is(
        1,
        "a: OK\nb: OK\nc: FAILED open or read\n",
        "keylane: c: No such file or directory\nkeylane: WARNING: 1 listed file could not be read\n",
    );
}

#[test]
fn missing_files() {
    let (dir, lines) = listed();
    fs::remove_file(dir.path().join("a")).unwrap();
    fs::remove_file(dir.path().join("b")).unwrap();
    dir.run(&format!("{CHECK} list")).is(
        1,
        "a: FAILED open or read\nb: FAILED open or read\nc: OK\n",
        "keylane: a: No such file or directory\nkeylane: b: No such file or directory\n\
         keylane: WARNING: 2 listed files could not be read\n",
    );
    dir.run(&format!("{CHECK} --ignore-missing list")).is(0, "c: OK\n", "");
    dir.write("list", format!("{}\n{}\n", lines[0], lines[1]));
    dir.run(&format!("{CHECK} --ignore-missing list")).is(1, "", "keylane: list: no file was verified\n");
    dir.run(&format!("{CHECK} --ignore-missing --status list")).is(1, "", "");
    // A directory is there; it cannot be read.
    fs::create_dir(dir.path().join("a")).unwrap();
    dir.run(&format!("{CHECK} --ignore-missing list")).is(
        1,
        "a: FAILED open or read\n",
        "keylane: a: Is a directory\nkeylane: WARNING: 1 listed file could not be read\n\
         keylane: list: no file was verified\n",
    );
}

#[test]
fn lists_that_cannot_be_read_or_have_no_lines() {
    let (dir, _) = listed();
    dir.write("empty", "");
    let out = "a: OK\nb: OK\nc: OK\n";
    dir.run(&format!("{CHECK} empty list")).is(
        1,
        out,
        "keylane: empty: no properly formatted checksum lines found\n",
    );
    dir.run(&format!("{CHECK} missing list")).is(1, out, "keylane: missing: No such file or directory\n");
    dir.run(&format!("{CHECK} . list")).is(1, out, "keylane: .: Is a directory\n");
    dir.run(CHECK).is(1, "", "keylane: 'standard input': no properly formatted checksum lines found\n");
}

#[test]
fn improper_lines_are_counted_and_fail_if_strict() {
    let (dir, lines) = listed();
    dir.write("list", format!("{}\nrubbish\n\n# comment\n{}\n", lines[0], lines[1]));
    let warning = "keylane: WARNING: 1 line is improperly formatted\n";
    let out = "a: OK\nb: OK\n";
    dir.run(&format!("{CHECK} list")).is(0, out, warning);
    dir.run(&format!("{CHECK} --strict list")).is(1, out, warning);
    dir.run(&format!("{CHECK} --strict --status list")).is(1, "", "");
    let here = "keylane: list: 2: improperly formatted SipHash-2-4-128 checksum line\n";
    dir.run(&format!("{CHECK} -w list")).is(0, out, &format!("{here}{warning}"));
}

#[test]
fn a_line_does_not_choose_the_algorithm() {
    let (dir, _) = listed();
    let forged = [
        // This tag does not even depend on the key.
        "SipHash-0-0-64 (a) = 1a2b3c4d5e6f7081".to_owned(),
        dir.run("sum --key-file key --alg siphash-1-1-128 --tag a").ok(),
        dir.run("sum --key-file key --alg siphash-2-4-64 --tag a").ok(),
        "SHA256 (a) = ca978112ca1bbdcafac231b39a23dc4da786eff8147c4ff1c5ad2a17b21f3a0f".to_owned(),
        "siphash-2-4-128 (a) = 00".to_owned(),
        "SipHash-2-4-128x (a) = rubbish".to_owned(),
    ];
    let good = dir.run("sum --key-file key --tag b").ok();
    for line in forged {
        let line = line.trim_end();
        dir.write("list", format!("{good}{line}\n"));
        let err = "keylane: list: 2: line names another algorithm than SipHash-2-4-128\n\
                   keylane: WARNING: 1 line names another algorithm\n";
        dir.run(&format!("{CHECK} list")).is(1, "b: OK\na: FAILED\n", err);
        dir.run(&format!("{CHECK} --status list")).is(1, "", "");
        dir.run(&format!("{CHECK} --ignore-missing list")).is(1, "b: OK\na: FAILED\n", err);
        dir.write("list", line);
        let err = err.replace(" 2: line", " 1: line");
        dir.run(&format!("{CHECK} list")).is(1, "a: FAILED\n", &err);
    }
    // The right algorithm, chosen by --alg.
    let list = dir.run("sum --key-file key --alg siphash-1-3-64 --tag a b").ok();
    dir.write("list", list);
    dir.run(&format!("{CHECK} --alg siphash-1-3-64 list")).is(0, "a: OK\nb: OK\n", "");
    dir.run(&format!("{CHECK} list")).is(
        1,
        "a: FAILED\nb: FAILED\n",
        "keylane: list: 1: line names another algorithm than SipHash-2-4-128\n\
         keylane: list: 2: line names another algorithm than SipHash-2-4-128\n\
         keylane: WARNING: 2 lines name another algorithm\n",
    );
}

#[test]
fn lists_that_other_tools_or_systems_made() {
    let (dir, lines) = listed();
    let passes = |list: String| {
        dir.write("list", list);
        dir.run(&format!("{CHECK} --strict list")).is(0, "a: OK\nb: OK\nc: OK\n", "");
    };
    passes(lines.join("\n"));
    passes(lines.join("\r\n"));
    passes(lines.join("\n").replace("  ", " *"));
    passes(lines.iter().map(|line| format!("  \t{line}\n")).collect());
    passes(lines.iter().map(|line| format!("{}  {}\n", line[..32].to_uppercase(), &line[34..])).collect());
    passes(
        lines.iter().map(|line| format!("SipHash-2-4-128 ({}) = {}\n", &line[34..], &line[..32])).collect(),
    );
    passes(lines.iter().map(|line| format!("\\{line}\n")).collect());
}

#[test]
fn hostile_lines() {
    let (dir, lines) = listed();
    let good = &lines[0];
    let (tag, b) = (&good[..32], &lines[1]);
    let long = "x".repeat(3_000_000);
    let improper = [
        long.clone(),
        format!("{tag}  {long}"),
        "0".repeat(3_000_000),
        format!("{}  {}", &tag[..31], "a"),
        format!("{tag}0  a"),
        format!("{tag}{tag}  a"),
        format!("{}g  a", &tag[..31]),
        format!("{}\u{e9}  a", &tag[..30]),
        format!("{tag} a"),
        format!("{tag}\ta"),
        format!("{tag}  "),
        tag.to_owned(),
        format!("{tag}  ").trim_end().to_owned() + " ",
        format!("\\{tag}  a\\"),
        format!("\\{tag}  \\a"),
        format!("\\{tag}  a\\x41"),
        format!("\\\\{tag}  a"),
        "\\".to_owned(),
        " ".to_owned(),
        "\t\r".to_owned(),
        "\0".to_owned(),
        "\0\0\0\0".repeat(100),
        format!("SipHash-2-4-128 (a) = {}", &tag[..30]),
        format!("SipHash-2-4-128 (a) = {tag} "),
        format!("SipHash-2-4-128 (a) = {tag}00"),
        format!("SipHash-2-4-128 (a) = {}zz", &tag[..30]),
        format!("SipHash-2-4-128 (a = {tag}"),
        format!("SipHash-2-4-128 () = {tag}"),
        format!("SipHash-2-4-128(a)= {tag}"),
        format!("SipHash-2-4-128 (a)= {tag}"),
        "SipHash-2-4-128 (".to_owned(),
        "\u{feff}".to_owned() + good,
    ];
    for line in improper {
        dir.write("list", format!("{line}\n{b}\n"));
        let shown = &line[..line.len().min(60)].to_owned();
        let run = dir.run(&format!("{CHECK} -w list"));
        let here = "keylane: list: 1: improperly formatted SipHash-2-4-128 checksum line\n";
        let warning = "keylane: WARNING: 1 line is improperly formatted\n";
        assert_eq!(
            (run.code, &run.out[..], run.err),
            (Some(0), "b: OK\n", format!("{here}{warning}")),
            "{shown:?}"
        );
        // The same line, ended by the end of the file.
        dir.write("list", format!("{b}\n{line}"));
        let run = dir.run(&format!("{CHECK} --strict list"));
        assert_eq!((run.code, &run.out[..], &run.err[..]), (Some(1), "b: OK\n", warning), "{shown:?}");
    }
    // A list that ends within a line.
    for cut in 1..good.len() {
        dir.write("list", &good[..cut]);
        let run = dir.run(&format!("{CHECK} list"));
        assert_eq!((run.code, &run.out[..]), (Some(1), ""), "{cut}");
    }
}

#[test]
fn names_that_stand_for_no_single_file_fail() {
    let (dir, lines) = listed();
    let (tag, b) = (&lines[0][..32], &lines[1]);
    let mut invalid = format!("{tag}  y").into_bytes();
    invalid.extend(b"\xffy");
    for (line, out) in [
        (format!("{tag}  r\u{fffd}").into_bytes(), "r\u{fffd}"),
        (invalid, "y\u{fffd}y"),
        (format!("{tag}  a\0").into_bytes(), "a\0"),
        (format!("SipHash-2-4-128 (a\0b) = {tag}").into_bytes(), "a\0b"),
    ] {
        // A file of this name exists, and it has the tag.
        let _ = fs::write(dir.path().join(out), "a");
        dir.write("list", [&line[..], b"\n", b.as_bytes()].concat());
        dir.run(&format!("{CHECK} list")).is(
            1,
            &format!("{out}: FAILED open or read\nb: OK\n"),
            "keylane: list: 1: not the name of one file: it has U+FFFD or NUL or is not UTF-8\n\
             keylane: WARNING: 1 listed file could not be read\n",
        );
    }
}

#[test]
fn a_list_of_bytes_without_sense_is_survived() {
    let (dir, lines) = listed();
    // Pieces of good lines, and of text that could confuse a parser, in random order.
    let tag = &lines[0][..32];
    let pieces: [&[u8]; 16] = [
        tag.as_bytes(),
        b"  ",
        b" *",
        b"a",
        b"\\",
        b"\\n",
        b"\r",
        b"\n",
        b"\0",
        b"SipHash-2-4-128 (",
        b") = ",
        b"(",
        b"\xff",
        b"\xef\xbf\xbd",
        b"#",
        b"0",
    ];
    let mut list = Vec::new();
    let mut state = 1u64;
    for _ in 0..20_000 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        list.extend(pieces[(state >> 60) as usize]);
    }
    dir.write("list", &list);
    for options in ["", "-z", "-w --strict", "--ignore-missing --status"] {
        let args = format!("{CHECK} {options} list");
        let output = dir.command().args(args.split_whitespace()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{options}");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
    }
}

#[test]
fn names_in_the_report_keep_to_one_line() {
    if cfg!(windows) {
        return;
    }
    let dir = Dir::new();
    for name in ["n\nl", "b\\s", "both\\\n"] {
        dir.write(name, name);
    }
    let list = run(dir.command().args(["sum", "--key-file", "key", "n\nl", "b\\s", "both\\\n"])).ok();
    dir.write("list", list);
    dir.run(&format!("{CHECK} list")).is(0, "\\n\\nl: OK\nb\\s: OK\n\\both\\\\\\n: OK\n", "");
    fs::remove_file(dir.path().join("n\nl")).unwrap();
    let run = dir.run(&format!("{CHECK} --quiet list"));
    run.is(
        1,
        "\\n\\nl: FAILED open or read\n",
        "keylane: $'n\\nl': No such file or directory\nkeylane: WARNING: 1 listed file could not be read\n",
    );
}

#[test]
fn zero_applies_to_lists() {
    let (dir, _) = listed();
    let list = dir.run("sum --key-file key -z a b c").ok();
    dir.write("list", &list);
    dir.run(&format!("{CHECK} -z list")).is(0, "a: OK\nb: OK\nc: OK\n", "");
    dir.write("list", list.trim_end_matches('\0'));
    dir.run(&format!("{CHECK} --zero list")).is(0, "a: OK\nb: OK\nc: OK\n", "");
    // There are no escapes, so a leading backslash is improper.
    dir.write("list", format!("\\{list}"));
    let warning = "keylane: WARNING: 1 line is improperly formatted\n";
    dir.run(&format!("{CHECK} -z list")).is(0, "b: OK\nc: OK\n", warning);
}

#[test]
fn standard_input_in_a_list() {
    let (dir, lines) = listed();
    dir.write("list", format!("{}  -\n", &lines[0][..32]));
    dir.run_with(&format!("{CHECK} list"), "a").is(0, "-: OK\n", "");
    dir.run_with(&format!("{CHECK} list"), "b").is(
        1,
        "-: FAILED\n",
        "keylane: WARNING: 1 computed checksum did NOT match\n",
    );
    // Standard input cannot be the list as well.
    let list = fs::read(dir.path().join("list")).unwrap();
    dir.run_with(CHECK, list).is(
        1,
        "-: FAILED open or read\n",
        "keylane: -: standard input has been read already\nkeylane: WARNING: 1 listed file could not be read\n",
    );
}

#[test]
fn a_long_list_is_reported_in_its_order() {
    let dir = Dir::new();
    let names: Vec<_> = (0..2000).map(|i| format!("f{i}")).collect();
    for (i, name) in names.iter().enumerate() {
        dir.write(name, vec![0; if i % 500 == 0 { 500_000 } else { i }]);
    }
    let list = run(dir.command().args(["sum", "--key-file", "key"]).args(&names)).ok();
    dir.write("list", list);
    let expected: String = names.iter().map(|name| format!("{name}: OK\n")).collect();
    dir.run(&format!("{CHECK} --num-threads 4 list")).is(0, &expected, "");
}
