//! Gives each test a new directory, and runs the command in it.

use assert_cmd::Command;
use assert_cmd::cargo::CommandCargoExt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use tempfile::TempDir;

/// 00 01 02 ..., the key in the file `key` of each directory.
pub const KEY: &str = "000102030405060708090a0b0c0d0e0f";

/// The program, run by cargo's runner for its target (an emulator), if there is one.
pub fn keylane() -> process::Command {
    process::Command::cargo_bin("keylane").unwrap()
}

/// The words of [`keylane`], for a shell.
pub fn words() -> String {
    let command = keylane();
    let words = [command.get_program()].into_iter().chain(command.get_args());
    words.map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
}

/// The results of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    /// The exit status.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Run {
    /// Asserts the exit status and both outputs, and that no output shows the key.
    #[track_caller]
    pub fn is(&self, code: i32, out: &str, err: &str) {
        assert_eq!(self, &Run { code: Some(code), out: out.to_owned(), err: err.to_owned() });
    }

    /// Asserts success and returns standard output.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{self:?}");
        self.out
    }

    /// Asserts a usage error that contains this text.
    #[track_caller]
    pub fn is_usage_error(&self, text: &str) {
        assert_eq!((self.code, self.out.as_str()), (Some(2), ""), "{self:?}");
        assert!(self.err.contains(text), "{self:?}");
    }
}

/// A directory that contains the file `key`.
pub struct Dir(TempDir);

impl Dir {
    pub fn new() -> Self {
        let dir = Dir(TempDir::new().unwrap());
        dir.write("key", format!("{KEY}\n"));
        dir
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file that only its owner can read.
    pub fn write(&self, name: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap();
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        path
    }

    pub fn command(&self) -> Command {
        let mut command = Command::from_std(keylane());
        command.current_dir(self.path());
        command
    }

    /// Runs with these arguments, separated by spaces.
    pub fn run(&self, args: &str) -> Run {
        self.run_with(args, "")
    }

    /// Runs with these arguments, separated by spaces, and with this standard input.
    pub fn run_with(&self, args: &str, stdin: impl Into<Vec<u8>>) -> Run {
        run(self.command().args(args.split_whitespace()).write_stdin(stdin))
    }

    /// Runs a shell line, with the program in `$keylane`.
    #[cfg(unix)]
    pub fn shell(&self, line: &str) -> Run {
        let mut shell = Command::new("sh");
        run(shell.current_dir(self.path()).env("keylane", words()).args(["-c", line]))
    }
}

/// Runs a command that prints text, and asserts that it does not print the key.
#[track_caller]
pub fn run(command: &mut Command) -> Run {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let run = Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
    for text in [&run.out, &run.err] {
        assert!(!text.to_lowercase().contains(&KEY[..16]), "the key is in {run:?}");
    }
    run
}

/// Whether another program works here, with these arguments. If not, what needs it is not tested.
pub fn has(program: &str, args: &str) -> bool {
    let found = process::Command::new(program)
        .args(args.split(' '))
        .output()
        .is_ok_and(|output| output.status.success());
    if !found {
        not_run(&format!("{program} {args} does not work here"));
    }
    found
}

/// Says why something is not tested. With `CI=true` that fails on Linux, where every program can be had.
pub fn not_run(why: &str) {
    assert!(!cfg!(target_os = "linux") || std::env::var("CI").as_deref() != Ok("true"), "not run: {why}");
    println!("not run: {why}");
}

/// Lowercase hex digits.
pub fn hex(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}
