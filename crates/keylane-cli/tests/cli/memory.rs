//! Memory use does not grow with the input.
#![cfg(target_os = "linux")]

use crate::tool::{Dir, keylane};
use std::fs::{self, File};
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

/// In KiB. The program alone takes a few thousand; an emulator adds its own.
pub fn limit() -> u64 {
    let emulated = keylane().get_args().next().is_some();
    if emulated { 128 * 1024 } else { 24 * 1024 }
}

/// Runs the command. Returns standard output and the peak memory in KiB.
pub fn peak(dir: &Dir, args: &str) -> (String, u64) {
    let mut child = keylane()
        .current_dir(dir.path())
        .args(args.split_whitespace())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    // The kernel records the peak; the last reading is at most a moment old.
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(&status).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(kib) = line.and_then(|line| line.trim().strip_suffix(" kB")) {
            peak = kib.parse().unwrap();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    (String::from_utf8(output.stdout).unwrap(), peak)
}

#[test]
fn five_gigabytes_in_constant_memory() {
    let dir = Dir::new();
    File::create(dir.path().join("huge")).unwrap().set_len(5_000_000_000).unwrap();
    let (out, peak) = peak(&dir, "sum --alg siphash-1-1-64 --key-file key huge");
    assert_eq!(out.len(), 16 + "  huge\n".len());
    assert!(0 < peak && peak < limit(), "{peak} KiB");
}

#[test]
fn a_huge_list_in_constant_memory() {
    let dir = Dir::new();
    dir.write("a", "");
    let line = dir.run("sum --key-file key a").ok();
    dir.write("list", line.repeat(100_000));
    // The last line goes on for very long and is then improper.
    let list = File::options().append(true).open(dir.path().join("list")).unwrap();
    list.set_len(1_000_000_000).unwrap();
    writeln!(&list).unwrap();
    let (out, peak) = peak(&dir, "sum --key-file key --check --quiet list");
    assert_eq!(out, "");
    assert!(0 < peak && peak < limit(), "{peak} KiB");
}
