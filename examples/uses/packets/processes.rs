//! The program as its users run it: two processes.

use std::process::Command;

#[test]
fn every_datagram_arrives() {
    for arguments in [["200", "1200"], ["1", "0"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_packets")).args(arguments).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let count = arguments[0];
        let rows: Vec<&str> =
            said.lines().filter(|line| line.ends_with(&format!(" {count} of {count}"))).collect();
        assert_eq!(rows.len(), 1 + usize::from(cfg!(feature = "ring")), "{said}");
    }
}

#[test]
fn bad_arguments_are_errors() {
    for arguments in [&["many"][..], &["1", "3000"], &["receive", "rot13", "1"], &["receive", "keylane", "x"]]
    {
        let output = Command::new(env!("CARGO_BIN_EXE_packets")).args(arguments).output().expect("it starts");
        assert!(!output.status.success() && !output.stderr.is_empty(), "{arguments:?}");
    }
}
