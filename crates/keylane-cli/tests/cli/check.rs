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
    dir.write("list", lines.join("\n") + "\n");
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
        dir.write("list", format!("{line}\n"));
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
    passes(lines.join("\n") + "\n");
    passes(lines.join("\r\n") + "\r\n");
    passes(lines.join("\n").replace("  ", " *") + "\n");
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
        format!("\\{tag}  a\\x"),
        format!("\\{tag}  a\\xf"),
        format!("\\{tag}  a\\xfg"),
        format!("\\{tag}  a\\X1b"),
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
        dir.write("list", format!("{b}\n{line}\n"));
        let run = dir.run(&format!("{CHECK} --strict list"));
        assert_eq!((run.code, &run.out[..], &run.err[..]), (Some(1), "b: OK\n", warning), "{shown:?}");
        // The same line, ended by the end of the file.
        dir.write("list", format!("{b}\n{line}"));
        dir.run(&format!("{CHECK} list")).is(1, "b: OK\n", &cut_off(2, "newline"));
    }
}

fn cut_off(line: usize, end: &str) -> String {
    format!(
        "keylane: list: {line}: this line was not checked: the list ends without a {end}, so it may have been cut \
         short\n"
    )
}

/// A list passes if it ends with a whole line, and only then. Nothing is said about the file of a line that is
/// cut: its name may be another file's.
#[test]
fn a_list_that_ends_within_a_line() {
    let dir = Dir::new();
    // What remains of a name may be a file's name too.
    let names = ["a.t", "b\\c"];
    for name in ["a", names[0], names[1]] {
        dir.write(name, "same");
    }
    for (style, end) in [("", "\n"), ("--tag", "\n"), ("-z", "\0")] {
        let sum = |style: &str| {
            run(dir.command().args(["sum", "--key-file", "key"]).args(style.split_whitespace()).args(names))
                .ok()
        };
        let mut list = format!("#{end}{end}{}# {end}", sum(style));
        if style.is_empty() {
            list += &list.replace('\n', "\r\n");
        }
        let whole = dir.write("list", &list);
        let (zero, word) = if end == "\0" { ("-z", "NUL") } else { ("", "newline") };
        let report = dir.run(&format!("{CHECK} {zero} {}", whole.display())).ok();
        for cut in 0..list.len() {
            dir.write("list", &list[..cut]);
            let lines: Vec<_> = list[..cut].split_inclusive(end).collect();
            let sums = lines.iter().filter(|line| line.ends_with(end) && line.len() > 12).count();
            let reported: String = report.split_inclusive('\n').take(sums).collect();
            let mut err = String::new();
            if lines.last().is_some_and(|line| !line.ends_with(end)) {
                err += &cut_off(lines.len(), word);
            }
            let whole = err.is_empty() && sums > 0;
            if sums == 0 {
                err += "keylane: list: no properly formatted checksum lines found\n";
            }
            // The other options change what is printed, not what is found.
            let (options, out) = match cut % 3 {
                0 => ("--quiet", ""),
                1 => ("--status --ignore-missing", ""),
                _ => ("", &reported[..]),
            };
            let run = dir.run(&format!("{CHECK} {zero} {options} list"));
            run.is(if whole { 0 } else { 1 }, out, &err);
        }
    }
}

/// A list whose lines end in the other way has no line that ends.
#[test]
fn a_list_with_ends_of_another_kind() {
    let (dir, lines) = listed();
    let none = "keylane: list: no properly formatted checksum lines found\n";
    dir.run(&format!("{CHECK} -z list")).is(1, "", &(cut_off(1, "NUL") + none));
    dir.write("list", lines.join("\0") + "\0");
    dir.run(&format!("{CHECK} list")).is(1, "", &(cut_off(1, "newline") + none));
}

/// Both sides of the longest line that is read.
#[test]
fn the_longest_lines() {
    let (dir, lines) = listed();
    let warning = "keylane: WARNING: 1 line is improperly formatted\n";
    for len in [65_534, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073] {
        let long = "x".repeat(len);
        dir.write("list", format!("{}\n{long}\n{}\n", lines[0], lines[1]));
        dir.run(&format!("{CHECK} list")).is(0, "a: OK\nb: OK\n", warning);
        dir.write("list", format!("{}\n{long}", lines[0]));
        dir.run(&format!("{CHECK} list")).is(1, "a: OK\n", &cut_off(2, "newline"));
        // Comments are as long as they like to be.
        dir.write("list", format!("{}\n#{}\n", lines[0], "x".repeat(60_000)));
        dir.run(&format!("{CHECK} --strict list")).is(0, "a: OK\n", "");
    }
}

#[test]
fn names_that_no_file_can_have_fail() {
    let (dir, lines) = listed();
    let (tag, b) = (&lines[0][..32], &lines[1]);
    for (line, out) in [
        (format!("{tag}  a\0"), "\\a\\x00"),
        (format!("\\{tag}  a\\x00b"), "\\a\\x00b"),
        (format!("SipHash-2-4-128 (a\0\u{fc}) = {tag}"), "\\a\\x00\u{fc}"),
    ] {
        dir.write("list", format!("{line}\n{b}\n"));
        dir.run(&format!("{CHECK} list")).is(
            1,
            &format!("{out}: FAILED open or read\nb: OK\n"),
            "keylane: list: 1: no file on this system can have this name\n\
             keylane: WARNING: 1 listed file could not be read\n",
        );
    }
}

/// Lists of other tools have names as they are, whatever their bytes. U+FFFD stands for nothing else.
#[test]
#[cfg(unix)]
fn names_that_are_not_escaped_in_a_list() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let (dir, lines) = listed();
    let tag = &lines[0][..32];
    for (name, shown) in [
        (&b"y\xffy"[..], "\\y\\xffy"),
        (b"\x1b[31m", "\\\\x1b[31m"),
        (b"t\tt", "\\t\\x09t"),
        (b"c\rr", "\\c\\rr"),
        ("r\u{fffd}".as_bytes(), "r\u{fffd}"),
    ] {
        dir.write("list", [tag.as_bytes(), b"  ", name, b"\n"].concat());
        let missing = dir.run(&format!("{CHECK} list"));
        assert_eq!((missing.code, missing.out), (Some(1), format!("{shown}: FAILED open or read\n")));
        dir.write(OsStr::from_bytes(name), "a");
        dir.run(&format!("{CHECK} --strict list")).is(0, &format!("{shown}: OK\n"), "");
        fs::remove_file(dir.path().join(OsStr::from_bytes(name))).unwrap();
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
#[cfg(unix)]
fn the_report_escapes_names_as_lists_do() {
    let dir = Dir::new();
    let names = ["n\nl", "n\\nl", "\\n\\nl", "b\\s", "both\\\n", "\u{1b}[31mred", "x1b", "\\x1b"];
    for name in names {
        dir.write(name, name);
    }
    let shown = [
        "\\n\\nl",
        "\\n\\\\nl",
        "\\\\\\n\\\\nl",
        "\\b\\\\s",
        "\\both\\\\\\n",
        "\\\\x1b[31mred",
        "x1b",
        "\\\\\\x1b",
    ];
    let list = run(dir.command().args(["sum", "--key-file", "key"]).args(names)).ok();
    let listed = list.lines().map(|line| {
        line.strip_prefix('\\').map_or(line[34..].to_owned(), |line| format!("\\{}", &line[34..]))
    });
    assert!(listed.eq(shown));
    dir.write("list", list);
    let report: String = shown.iter().map(|shown| format!("{shown}: OK\n")).collect();
    dir.run(&format!("{CHECK} list")).is(0, &report, "");
    for name in names {
        dir.write(name, "changed");
    }
    let warning = "keylane: WARNING: 8 computed checksums did NOT match\n";
    dir.run(&format!("{CHECK} list")).is(1, &report.replace("OK", "FAILED"), warning);
    names.into_iter().skip(1).for_each(|name| fs::remove_file(dir.path().join(name)).unwrap());
    let run = dir.run(&format!("{CHECK} --ignore-missing list"));
    run.is(
        1,
        "\\n\\nl: FAILED\n",
        &(warning.replace("8", "1").replace("checksums", "checksum")
            + "keylane: list: no file was verified\n"),
    );
    fs::remove_file(dir.path().join("n\nl")).unwrap();
    let run = dir.run(&format!("{CHECK} --quiet list"));
    assert_eq!(run.out, report.replace("OK", "FAILED open or read"));
    assert!(run.err.starts_with("keylane: $'n\\nl': No such file or directory\n"), "{}", run.err);
}

#[test]
fn zero_applies_to_lists() {
    let (dir, _) = listed();
    let list = dir.run("sum --key-file key -z a b c").ok();
    dir.write("list", &list);
    dir.run(&format!("{CHECK} -z list")).is(0, "a: OK\nb: OK\nc: OK\n", "");
    dir.write("list", list.trim_end_matches('\0'));
    dir.run(&format!("{CHECK} --zero list")).is(1, "a: OK\nb: OK\n", &cut_off(3, "NUL"));
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
