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
