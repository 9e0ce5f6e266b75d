//! Where a key stands in memory while the messages are read.
//!
//! A pipe gives the command a part of a message. When the command has read it and waits for more, its memory is
//! searched for the key: heap, stacks and data.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

use crate::forms::{copies, forms, key};
use crate::tool::{Dir, hex, keylane};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// The contents of all memory of a process that it can write to.
fn memory(id: u32) -> Vec<u8> {
    let memory = File::open(format!("/proc/{id}/mem")).expect("the memory of a child process");
    let maps = fs::read_to_string(format!("/proc/{id}/maps")).unwrap();
    let mut all = Vec::new();
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let (range, rights) = (words.next().unwrap(), words.next().unwrap());
        let (start, end) = range.split_once('-').unwrap();
        let [start, end] = [start, end].map(|digits| u64::from_str_radix(digits, 16).unwrap());
        if rights.starts_with("rw") {
            let mut bytes = vec![0; (end - start) as usize];
            memory.read_exact_at(&mut bytes, start).unwrap_or_else(|error| panic!("{line}: {error}"));
            all.extend(bytes);
        }
    }
    all
}

/// Asserts how many copies of a key of `len` bytes are in the command's memory while it reads its standard input or,
/// with a list, the pipe `p`. The forms of some names do not count.
#[track_caller]
fn copies_during(args: &str, len: usize, expected: &[(&str, usize)], ignored: &[&str]) {
    // More than a pipe holds: the command has read some of it when all is written.
    copies_with(args, &vec![b'm'; 1 << 20], &key(len), &key(len), expected, ignored);
}

/// The same for copies of `secret`, with this key and this input.
#[track_caller]
fn copies_with(
    args: &str,
    input: &[u8],
    key: &[u8],
    secret: &[u8],
    expected: &[(&str, usize)],
    ignored: &[&str],
) {
    let dir = Dir::new();
    dir.write("key", hex(key));
    dir.write("upper", hex(key).to_uppercase() + "\r\n");
    dir.write("raw", key);
    dir.write("m", "message");
    dir.write("list", format!("{}  m\n{0}  p\n", "0".repeat(32)));
    let by_name = args.contains("list");
    assert!(Command::new("mkfifo").arg(dir.path().join("p")).status().unwrap().success());
    let mut child = keylane();
    child.current_dir(dir.path()).args(args.split(' ')).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = child.stderr(Stdio::null()).spawn().unwrap();
    let mut pipe: Box<dyn Write> = match child.stdin.take() {
        Some(stdin) if !by_name => Box::new(stdin),
        _ => Box::new(File::options().write(true).open(dir.path().join("p")).unwrap()),
    };
    pipe.write_all(input).unwrap();

    let (expected, forms) = (expected.iter().copied().collect::<BTreeMap<_, _>>(), forms(secret));
    let mut found = BTreeMap::new();
    // It may still be at work on what it has read.
    for _ in 0..50 {
        found = copies(&memory(child.id()), &forms);
        found.retain(|name, _| !ignored.contains(name));
        if found == expected {
            break;
        }
        sleep(Duration::from_millis(20));
    }
    drop(pipe);
    child.wait().unwrap();
    assert_eq!(found, expected, "{args}");
}

#[test]
fn only_the_prepared_key_stays() {
    if keylane().get_args().next().is_some() {
        println!("skipped: the program runs under an emulator, whose own memory would be searched");
        return;
    }
    // One key for all files.
    for args in [
        "sum --key-file key",
        "sum --key-file upper",
        "sum --key-file raw --key-format raw",
        "sum --alg siphash-1-3-64 --key-file key",
        "sum --key-file key m - m",
        "sum --key-file key --num-threads 1 m - m",
        "sum --key-file key --check list",
    ] {
        copies_during(args, 16, &[("prepared", 1)], &[]);
    }
    // The state that begins the only message is the prepared key, and the message has changed it.
    for args in ["mac siphash-2-4-128 --key-file key", "mac siphash-1-3-64 --key-file raw --key-format raw"] {
        copies_during(args, 16, &[], &[]);
    }
    // The tag needs one half of the key as it is. The kernels hold the other half, r, in registers and on the stack.
    copies_during("mac poly1305 --key-file key", 32, &[("raw", 1)], &["prepared"]);
}

/// While columns are hashed, the key lies in one place, and the subkey of each column in one.
#[cfg(feature = "column")]
#[test]
fn a_column_has_one_copy_of_its_key() {
    use keylane::siphash::{Key, SipHashX48};
    if keylane().get_args().next().is_some() {
        println!("skipped: the program runs under an emulator, whose own memory would be searched");
        return;
    }
    let table = "a,b\n".to_owned() + &"text,7\n".repeat(1 << 18);
    let key: [u8; 16] = key(16).try_into().unwrap();
    let run = |args: &str, secret: &[u8], expected: &[(&str, usize)]| {
        // The kernels hold the prepared key, in registers and on the stack.
        copies_with(args, table.as_bytes(), &key, secret, expected, &["prepared"]);
    };
    let subkey = |key: &[u8; 16], context: &str| {
        let mut subkey = [0; 16];
        Key::from_bytes(*key).derive_bytes(context, &mut subkey).unwrap();
        subkey
    };
    let args = "column --key-file key --columns a,b:int64 --row r=a,b --from csv -o out.csv -";
    run(args, &key, &[("raw", 1)]);
    run(args, &subkey(&key, "a"), &[("raw", 1)]);
    run(args, &subkey(&key, "r"), &[("raw", 1)]);
    // That of rows is made for each block, and wiped.
    let row = Key::from_bytes(subkey(&key, "r"));
    run(args, &SipHashX48::new(&row).hash(b"keylane subkey 1\0KCE-1 row").to_le_bytes(), &[]);
    // Where it hashes columns itself, it lies in the column too.
    run("column --key-file key --columns a --context none --from csv -o out.csv -", &key, &[("raw", 2)]);
}
