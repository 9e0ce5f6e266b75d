//! Many files, and files of more than 4 GiB: every one is reported, in order, and only faulty ones fail.

use crate::tool::{Dir, has, hex, run};
use std::fs::{self, File};
use std::process::Command;

/// Number of files in one folder.
const FOLDER: usize = 1000;

/// Makes `count` files below `t`, each with its own name as contents. Returns the expected lines.
fn files(dir: &Dir, count: usize) -> Vec<String> {
    let key: [u8; 16] = std::array::from_fn(|i| i as u8);
    let line = |i: usize| {
        let (folder, file) = (i / FOLDER, i % FOLDER);
        let name = format!("t/{folder:04}/{file:03}");
        if file == 0 {
            fs::create_dir_all(dir.path().join(format!("t/{folder:04}"))).unwrap();
        }
        fs::write(dir.path().join(&name), &name).unwrap();
        let tag = keylane_ref::siphash128(2, 4, &key, name.as_bytes());
        format!("{}  {name}\n", hex(&tag.to_le_bytes()))
    };
    (0..count).map(line).collect()
}

/// Sums files and checks the sums, first without faults, then with three.
fn all_are_reported(count: usize) {
    let dir = Dir::new();
    let mut lines = files(&dir, count);
    let out = dir.run("sum --key-file key -r t").ok();
    // There are too many lines to print.
    assert!(out == lines.concat(), "{} lines of {count}", out.lines().count());
    drop(out);

    dir.write("list", lines.concat());
    dir.run("sum --key-file key --check --quiet list").is(0, "", "");

    let name = |i: usize| lines[i][34..].trim_end().to_owned();
    let (changed, lost, last) = (name(count / 3), name(count / 2), name(count - 1));
    dir.write(&changed, "another");
    dir.write(&last, "");
    fs::remove_file(dir.path().join(&lost)).unwrap();
    dir.run("sum --key-file key --check --quiet list").is(
        1,
        &format!("{changed}: FAILED\n{lost}: FAILED open or read\n{last}: FAILED\n"),
        &format!(
            "keylane: {lost}: No such file or directory\n\
             keylane: WARNING: 1 listed file could not be read\n\
             keylane: WARNING: 2 computed checksums did NOT match\n"
        ),
    );

    // One name is missing; the files before and after it are still summed.
    let names = ["t/0000", "t/missing", "t/0001"];
    lines.truncate(2 * FOLDER);
    let two = run(dir.command().args(["sum", "--key-file", "key", "-r"]).args(names));
    two.is(1, &lines.concat(), "keylane: t/missing: No such file or directory\n");
}

#[test]
fn twenty_thousand_files() {
    all_are_reported(20_000);
}

#[test]
#[ignore = "a million files take 4 GB of the disk and some minutes"]
fn a_million_files() {
    all_are_reported(1_000_000);
}

/// Around 4 GiB, where a 32-bit counter overflows, all answers agree with OpenSSL's.
#[test]
#[ignore = "reads some 50 GB"]
fn files_of_four_gibibytes() {
    if !has("openssl", "mac -help") {
        return;
    }
    let dir = Dir::new();
    let siphash_key = dir.run("keygen -o s").ok() + &fs::read_to_string(dir.path().join("s")).unwrap();
    let poly1305_key =
        dir.run("keygen --alg poly1305 -o p").ok() + &fs::read_to_string(dir.path().join("p")).unwrap();
    let huge = File::create(dir.path().join("huge")).unwrap();
    for len in [(1 << 32) - 1, 1 << 32, (1 << 32) + 17] {
        huge.set_len(len).unwrap();
        for (algorithm, file, openssl, options) in [
            ("siphash-1-3-64", "s", "SIPHASH", &["size:8", "c-rounds:1", "d-rounds:3"][..]),
            ("siphash-2-4-128", "s", "SIPHASH", &["size:16"]),
            ("poly1305", "p", "POLY1305", &[]),
        ] {
            let key = if file == "s" { &siphash_key } else { &poly1305_key };
            let mut theirs = Command::new("openssl");
            theirs.current_dir(dir.path()).args(["mac", "-macopt", &format!("hexkey:{}", key.trim())]);
            options.iter().for_each(|option| _ = theirs.args(["-macopt", option]));
            let theirs = theirs.args(["-in", "huge", openssl]).output().unwrap();
            assert!(theirs.status.success(), "{theirs:?}");
            let theirs = String::from_utf8(theirs.stdout).unwrap().to_lowercase();
            let ours = dir.run(&format!("mac {algorithm} --key-file {file} huge")).ok();
            assert_eq!(ours, theirs, "{algorithm}, {len} bytes");
        }
    }
}
