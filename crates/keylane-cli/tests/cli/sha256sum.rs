//! Compared with sha256sum: the same shell lines give the same exit status and the same text, except for
//! tags, names of algorithms and names of programs. Lines where they are meant to differ are not among these:
//! names with a backslash in a report, and lists that end without a newline.
#![cfg(unix)]

use crate::tool::{Dir, not_run, words};
use std::process::Command;

const FILES: &str =
    "printf 1 > a; printf 2 > b; printf 3 > 'sp ace'; printf 4 > 'n\nl'; printf 5 > 'b\\s'; mkdir d; ";

/// In these lines, `sum` is either program. The files are made anew for each line.
const LINES: &[&str] = &[
    "sum a b 'sp ace'",
    "sum < a",
    "sum - < a",
    "sum a - b < a",
    "sum missing",
    "sum missing a d b",
    "sum 'n\nl' 'b\\s'",
    "sum ./a d/../a",
    "sum -- a",
    "sum --tag a 'n\nl' 'sp ace'",
    "sum -z a 'n\nl' 'b\\s' | tr '\\0' '\\n'",
    "sum --zero --tag a | tr '\\0' '\\n'",
    "rm b*s; sum * > ../list; sum -c ../list",
    "sum a b > l; sum -c l",
    "sum a b > l; sum -c < l",
    "sum a b > l; sum -c - < l",
    "sum --tag a b > l; sum -c l",
    "sum 'n\nl' 'sp ace' > l; sum -c l",
    "sum --tag 'n\nl' > l; sum -c l",
    "sum a b > l; sum -c --quiet l",
    "sum a b > l; sum -c --status l",
    "sum a b > l; sum -c l l",
    "sum a b > l; echo x > a; sum -c l",
    "sum a b > l; echo x > a; sum -c --quiet l",
    "sum a b > l; echo x > a; sum -c --status l",
    "sum a b > l; echo x > a; echo x > b; sum -c l",
    "sum a b > l; echo x > a; sum -c l l",
    "sum a b > l; rm a; sum -c l",
    "sum a b > l; rm a; sum -c --quiet l",
    "sum a b > l; rm a; sum -c --status l",
    "sum a b > l; rm a b; sum -c l",
    "sum a b > l; rm a; sum -c --ignore-missing l",
    "sum a b > l; rm a b; sum -c --ignore-missing l",
    "sum a b > l; rm a b; sum -c --ignore-missing --status l",
    "sum a b > l; rm a b; sum -c --ignore-missing --quiet l",
    "sum a b > l; rm a; echo x > b; sum -c --ignore-missing l",
    "sum a b > l; rm a; mkdir a; sum -c --ignore-missing l",
    "sum a b > l; echo rubbish >> l; sum -c l",
    "sum a b > l; echo rubbish >> l; sum -c -w l",
    "sum a b > l; echo rubbish >> l; echo rubbish >> l; sum -c --warn l",
    "sum a b > l; echo rubbish >> l; sum -c --strict l",
    "sum a b > l; echo rubbish >> l; sum -c --strict --quiet l",
    "sum a b > l; echo rubbish >> l; sum -c --strict --status l",
    "sum a b > l; echo rubbish >> l; sum -c --status --warn l",
    "sum a b > l; echo rubbish >> l; sum -c --warn --status l",
    "sum a b > l; echo rubbish >> l; sum -c --warn --quiet l",
    "sum a b > l; echo rubbish >> l; sum -c --quiet --warn l",
    "sum a b > l; echo >> l; echo '# comment' >> l; echo ' ' >> l; sum -c -w l",
    "sum a b > l; sed 's/$/\\r/' l > m; sum -c m",
    "sum a b > l; sed 's/^/ /' l > m; sum -c m",
    "sum a b > l; sed 's/  / */' l > m; sum -c m",
    "sum a b > l; sed 's/^/\\\\/' l > m; sum -c m",
    "sum a b > l; sed '1s/^./x/' l > m; sum -c m",
    "sum a b > l; sed '1s/^.//' l > m; sum -c m",
    "sum a b > l; sed '1s/^/0/' l > m; sum -c m",
    "sum a b > l; sed '1s/^/\\\\/; 1s/$/\\\\/' l > m; sum -c m",
    "sum a b > l; sed '1s/^/\\\\/; 1s/$/\\\\x/' l > m; sum -c m",
    "sum a b > l; echo rubbish > m; sum -c m",
    "sum a b > l; tr '[:lower:]' '[:upper:]' < l > m; sum -c m",
    "sum < a > l; sum -c l < a",
    "sum < a > l; sum -c l < b",
    "sum -c /dev/null",
    "sum -c < /dev/null",
    "sum -c --status /dev/null",
    "sum -c missing",
    "sum a > l; sum -c missing l",
    "sum a > l; sum -c l /dev/null",
    "head -c 100000 /dev/zero > l; echo >> l; sum -c l",
    "head -c 100000 /dev/zero | tr '\\0' x > l; sum a >> l; sum -c l",
    "head -c 100000 /dev/zero | tr '\\0' x > l; echo >> l; sum a >> l; sum -c -w l",
];

#[test]
fn the_same_lines_give_the_same() {
    let version = Command::new("sha256sum").arg("--version").output();
    let version =
        version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if !version.contains("GNU coreutils") {
        not_run("there is no GNU sha256sum to compare with");
        return;
    }
    println!("compared with {}", version.lines().next().unwrap_or_default());
    for line in LINES {
        let theirs = shape("sum() { sha256sum \"$@\"; }; ", line);
        let ours = shape(&format!("sum() {{ {} sum --key-file ../key \"$@\"; }}; ", words()), line);
        assert_eq!(ours, theirs, "left is keylane, right is sha256sum, after: {line}");
    }
}

/// Exit status, standard output and standard error of a shell line, without the parts that must differ.
fn shape(define_sum: &str, line: &str) -> (Option<i32>, String, String) {
    let dir = Dir::new();
    let work = dir.path().join("work");
    std::fs::create_dir(&work).unwrap();
    let script = format!("{define_sum}{FILES}{line}");
    let output =
        Command::new("sh").current_dir(work).env("LC_ALL", "C").args(["-c", &script]).output().unwrap();
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).replace("SipHash-2-4-128", "ALG").replace("SHA256", "ALG");
        let text = text.replace("sha256sum: ", "PROGRAM: ").replace("keylane: ", "PROGRAM: ");
        without_tags(&text)
    };
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The text, with TAG in place of every 32 or 64 hex digits.
fn without_tags(text: &str) -> String {
    let mut rest = text;
    let mut without = String::new();
    while let Some(first) = rest.chars().next() {
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        let (piece, tail) = rest.split_at(if digits > 0 { digits } else { first.len_utf8() });
        without += if matches!(digits, 32 | 64) { "TAG" } else { piece };
        rest = tail;
    }
    without
}
