//! What a person sees on a terminal.
#![cfg(target_os = "linux")]

use crate::tool::{Dir, has, words};
use std::process::Command;

/// The output that a terminal gets from a shell line, with the program in `$keylane`. The file `seen`
/// contains the output so far.
fn on_a_terminal(dir: &Dir, line: &str) -> String {
    let mut script = Command::new("script");
    script.current_dir(dir.path()).env("keylane", words()).env("TERM", "xterm").args(["-qefc", line, "seen"]);
    String::from_utf8(script.output().unwrap().stdout).unwrap()
}

#[test]
fn a_progress_bar_for_long_work_only() {
    if !has("script", "--version") {
        return;
    }
    let dir = Dir::new();
    dir.write("a", "one");
    let sum = dir.run("sum --key-file key a").ok();
    let short = on_a_terminal(&dir, "$keylane sum --key-file key a");
    assert_eq!(short, sum.replace('\n', "\r\n"));

    // Feeds lines until a bar appears, or for much longer than it should take.
    let slow = "esc=$(printf '\\033'); (for i in $(seq 200); do echo line; sleep 0.25; \
        grep -q \"$esc\" seen && break; done) | $keylane sum --key-file key";
    let long = on_a_terminal(&dir, slow);
    assert!(long.contains(" B, ") && long.contains("\u{1b}["), "{long:?}");
    // The sum is on a separate line, and the bar is cleared at the end.
    assert!(long.contains("  -\r\n") && long.ends_with("\u{1b}[2K"), "{long:?}");
    // If standard error is a file, no bar appears and nothing is written there.
    let slow = "(for i in 1 2 3 4 5 6 7; do echo line; sleep 0.25; done) | $keylane sum --key-file key";
    let quiet = on_a_terminal(&dir, &format!("({slow}) 2> err"));
    assert!(!quiet.contains('\u{1b}'), "{quiet:?}");
    assert_eq!(std::fs::read(dir.path().join("err")).unwrap(), b"");
}

/// A terminal shows names, and none of them moves its cursor or changes its colours.
#[test]
fn names_do_nothing_to_a_terminal() {
    if !has("script", "--version") {
        return;
    }
    let dir = Dir::new();
    for (name, _) in NAMES {
        dir.write(name, "one");
    }
    let files = "\"$(printf 'e\\033[31m')\" \"$(printf 'o\\033]0;t\\007')\" \"$(printf 'c\\302\\233')\"";
    for (command, shown) in [
        (format!("$keylane sum --key-file key {files}"), 1),
        (
            format!(
                "$keylane sum --key-file key {files} | tee list; $keylane sum --key-file key --check list"
            ),
            2,
        ),
        ("rm e*; $keylane sum --key-file key --check list".to_owned(), 1),
        (format!("$keylane sum --key-file key -r missing{files}"), 0),
        (format!("$keylane sum --key-file missing{files}"), 0),
        (format!("NO_COLOR=1 $keylane sum --key-file key --{files}"), 0),
    ] {
        let seen = on_a_terminal(&dir, &command);
        let control = |char: char| char.is_control() && char != '\r' && char != '\n';
        assert!(!seen.is_empty() && !seen.contains(control), "{command}: {seen:?}");
        for (_, name) in NAMES {
            assert!(seen.matches(name).count() >= shown, "{command}: {seen:?}");
        }
    }
}

/// Names, and how they are shown.
const NAMES: [(&str, &str); 3] =
    [("e\u{1b}[31m", "e\\x1b[31m"), ("o\u{1b}]0;t\u{7}", "o\\x1b]0;t\\x07"), ("c\u{9b}", "c\\xc2\\x9b")];
