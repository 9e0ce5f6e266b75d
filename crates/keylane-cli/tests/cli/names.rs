//! Names of any bytes: every list can be checked, every line tells which file it means, and nothing but lists
//! with --zero has characters that do not show.
#![cfg(target_os = "linux")]

use crate::tool::{Dir, KEY};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What a terminal, a shell or a reader of lists might take for something else.
const PIECES: [&[u8]; 51] = [
    b"a",
    b"n",
    b"x41",
    b"xff",
    b"\\",
    b"\\n",
    b"\n",
    b"\r",
    b"\t",
    b" ",
    b"  ",
    b"\x01",
    b"\x08",
    b"\x0b",
    b"\x1b",
    b"\x1b[31m",
    b"\x1b]0;title\x07",
    b"\x7f",
    b"\x80",
    b"\xc2",
    b"\xff",
    b"\xed\xa0\x80",
    "\u{85}".as_bytes(),
    "\u{9b}".as_bytes(),
    "\u{fc}".as_bytes(),
    "\u{fffd}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{2066}".as_bytes(),
    "\u{200f}".as_bytes(),
    "\u{10ffff}".as_bytes(),
    "\u{fe0f}".as_bytes(),
    "\u{34f}".as_bytes(),
    "\u{180b}".as_bytes(),
    "\u{17b4}".as_bytes(),
    "\u{2065}".as_bytes(),
    "\u{e0100}".as_bytes(),
    "\u{fff9}".as_bytes(),
    "\u{1d173}".as_bytes(),
    "\u{a0}".as_bytes(),
    "\u{3000}".as_bytes(),
    "\u{2800}".as_bytes(),
    b": OK",
    b": FAILED",
    b"SipHash-2-4-128 (",
    b") = ",
    b"#",
    b"*",
    b"-",
    b"'",
    b"\"",
];

/// Names of one byte, of one piece up to the longest name, and of some pieces in random order.
fn names() -> BTreeSet<Vec<u8>> {
    let mut names: BTreeSet<Vec<u8>> = (1..=255).map(|byte| vec![byte]).collect();
    for piece in PIECES {
        names.extend([piece.to_vec(), [b"a", piece].concat(), [piece, b"a"].concat()]);
        names.insert(piece.repeat(255 / piece.len()));
        // Names that are spelled as others are shown.
        let hex: String = piece.iter().map(|byte| format!("\\x{byte:02x}")).collect();
        for spelled in [&hex[..], &hex.to_uppercase().replace('X', "x"), &piece.escape_ascii().to_string()] {
            names.extend([spelled.into(), format!("\\{spelled}").into(), format!("$'{spelled}'").into()]);
            names.extend([format!("a {spelled}").into(), format!("$'a {spelled}'").into()]);
        }
        names.insert([b"a ", piece].concat());
        names.insert([b"a' ", piece].concat());
        names.insert([b"a\\ ", piece].concat());
    }
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    for _ in 0..1500 {
        names.insert((0..1 + random(6)).flat_map(|_| PIECES[random(PIECES.len())]).copied().collect());
    }
    names.retain(|name| !name.contains(&b'/') && name != b".");
    names
}

/// The name that a report or a list shows, by the rules that the help states.
fn meant(shown: &str) -> Vec<u8> {
    let Some(escaped) = shown.strip_prefix('\\') else {
        assert!(!shown.contains('\\'), "{shown:?}");
        return shown.into();
    };
    let mut name = Vec::new();
    let mut pieces = escaped.split('\\');
    name.extend(pieces.next().unwrap().bytes());
    while let Some(piece) = pieces.next() {
        let (byte, rest) = match piece.chars().next() {
            Some('n') => (b'\n', &piece[1..]),
            Some('r') => (b'\r', &piece[1..]),
            Some('x') => (u8::from_str_radix(&piece[1..3], 16).unwrap(), &piece[3..]),
            None => (b'\\', pieces.next().unwrap()),
            _ => panic!("{shown:?}"),
        };
        name.push(byte);
        name.extend(rest.bytes());
    }
    name
}

/// The lines of an output. Asserts that they are text which shows as it is.
#[track_caller]
fn lines(output: &[u8]) -> Vec<&str> {
    let text = str::from_utf8(output).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "{text:?}");
    let moves = |char: char| {
        "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}".contains(char)
            || ('\u{202a}'..='\u{202e}').contains(&char)
            || ('\u{2066}'..='\u{2069}').contains(&char)
    };
    let hides = |char: char| {
        "\u{fe0f}\u{34f}\u{180b}\u{17b4}\u{2065}\u{e0100}\u{fff9}\u{1d173}\u{a0}\u{3000}\u{2800}"
            .contains(char)
    };
    for line in text.lines() {
        assert!(!line.chars().any(|char| char.is_control() || moves(char) || hides(char)), "{line:?}");
    }
    text.lines().collect()
}

/// A directory with these files below `t`, each with its own name as contents.
fn files(names: &BTreeSet<Vec<u8>>) -> Dir {
    let dir = Dir::new();
    for name in names {
        dir.write(Path::new("t").join(OsStr::from_bytes(name)), name);
    }
    dir
}

fn tag(name: &[u8]) -> String {
    let key = base16ct::lower::decode_vec(KEY).unwrap().try_into().unwrap();
    base16ct::lower::encode_string(&keylane_ref::siphash128(2, 4, &key, name).to_le_bytes())
}

#[test]
fn what_is_summed_is_checked_and_told_apart() {
    let names = names();
    let dir = files(&names);
    let run = |args: &str| dir.command().args(args.split_whitespace()).output().unwrap();
    let below_t = |name: &Vec<u8>| [b"t/", &name[..]].concat();
    for mode in ["", "--tag", "-z", "--tag -z"] {
        let sum = run(&format!("sum --key-file key {mode} -r t"));
        assert_eq!((sum.status.code(), &sum.stderr[..]), (Some(0), &b""[..]), "{mode}");
        let tagged = |name: &[u8], tag: &str| [b"SipHash-2-4-128 (", name, b") = ", tag.as_bytes()].concat();
        if mode.contains("-z") {
            let expected = names.iter().map(|name| match mode {
                "-z" => [tag(name).as_bytes(), b"  t/", name, b"\0"].concat(),
                _ => [tagged(&below_t(name), &tag(name)), b"\0".to_vec()].concat(),
            });
            assert!(sum.stdout == expected.flatten().collect::<Vec<_>>(), "{mode}");
        } else {
            let found: Vec<_> = lines(&sum.stdout)
                .into_iter()
                .map(|line| {
                    let (mark, line) =
                        if let Some(rest) = line.strip_prefix('\\') { ("\\", rest) } else { ("", line) };
                    let (name, tag) = if mode.is_empty() {
                        (&line[34..], &line[..32])
                    } else {
                        let name = line.strip_prefix("SipHash-2-4-128 (").unwrap();
                        name.rsplit_once(") = ").unwrap()
                    };
                    (meant(&format!("{mark}{name}")), tag.to_owned())
                })
                .collect();
            assert!(
                found.iter().eq(&names.iter().map(|name| (below_t(name), tag(name))).collect::<Vec<_>>()),
                "{mode}"
            );
        }
        dir.write("list", &sum.stdout);
        let zero = if mode.contains("-z") { "-z" } else { "" };
        let check = run(&format!("sum --key-file key --check --strict {zero} list"));
        assert_eq!((check.status.code(), &check.stderr[..]), (Some(0), &b""[..]), "{mode}");
        let reported = lines(&check.stdout).into_iter().map(|line| meant(line.strip_suffix(": OK").unwrap()));
        assert!(reported.eq(names.iter().map(below_t)), "{mode}");
        let quiet = run(&format!("sum --key-file key --check --quiet {zero} list"));
        assert_eq!((quiet.status.code(), quiet.stdout, quiet.stderr), (Some(0), Vec::new(), Vec::new()));
    }

    // Half of the files change, the others disappear. The last list has every name as it is.
    for (i, name) in names.iter().enumerate() {
        let path = dir.path().join("t").join(OsStr::from_bytes(name));
        if i % 2 == 0 { fs::write(path, "another").unwrap() } else { fs::remove_file(path).unwrap() }
    }
    let check = run("sum --key-file key --check -z list");
    assert_eq!(check.status.code(), Some(1));
    let reported = lines(&check.stdout).into_iter().enumerate().map(|(i, line)| {
        let status = if i % 2 == 0 { ": FAILED" } else { ": FAILED open or read" };
        meant(line.strip_suffix(status).unwrap())
    });
    assert!(reported.eq(names.iter().map(below_t)));
    let complaints = lines(&check.stderr);
    assert_eq!(complaints.len(), names.len() / 2 + 2);
    assert_eq!(complaints.iter().collect::<BTreeSet<_>>().len(), complaints.len());

    // A line with another algorithm shows the same names.
    let check = run("sum --key-file key --check --alg siphash-1-3-64 -z list");
    let reported = lines(&check.stdout).into_iter().map(|line| meant(line.strip_suffix(": FAILED").unwrap()));
    assert_eq!(check.status.code(), Some(1));
    assert!(reported.eq(names.iter().map(below_t)));
    lines(&check.stderr);
}

#[test]
fn names_given_as_arguments() {
    let mut names = names();
    names.remove(&b"-"[..]);
    let dir = files(&names);
    let run = |args: &str, names: &BTreeSet<Vec<u8>>| {
        let mut command = dir.command();
        command.current_dir(dir.path().join("t")).args(args.split_whitespace());
        command.args(names.iter().map(|name| OsStr::from_bytes(name))).output().unwrap()
    };
    let sum = run("sum --key-file ../key -z --", &names);
    let expected = names.iter().flat_map(|name| [tag(name).as_bytes(), b"  ", name, b"\0"].concat());
    assert_eq!((sum.status.code(), &sum.stderr[..]), (Some(0), &b""[..]));
    assert!(sum.stdout == expected.collect::<Vec<_>>());

    // As files that are missing, as lists, and as lists that are missing.
    let none = run("sum --key-file ../key --check --", &names);
    fs::remove_dir_all(dir.path().join("t")).unwrap();
    fs::create_dir(dir.path().join("t")).unwrap();
    for run in [
        none,
        run("sum --key-file ../key --", &names),
        run("sum --key-file ../key -r --", &names),
        run("sum --key-file ../key --check --", &names),
    ] {
        assert_eq!((run.status.code(), &run.stdout[..]), (Some(1), &b""[..]));
        let complaints = lines(&run.stderr);
        assert!(complaints.iter().all(|line| line.starts_with("keylane: ")));
        let different: BTreeSet<_> =
            complaints.iter().filter(|line| !line.contains(": this line was not checked: ")).collect();
        assert_eq!(different.len(), names.len());
    }
    for piece in PIECES {
        let name = [b"a", piece].concat();
        let mac = run("mac siphash-2-4-64 --key-file ../key --", &[name.clone()].into());
        assert_eq!((mac.status.code(), mac.stdout.len(), lines(&mac.stderr).len()), (Some(1), 0, 1));
        // As places of a key: no file, no variable, and a file that has no key.
        let place = |option: &[u8]| run("sum", &[[option, b"=", &name].concat()].into());
        let places = [place(b"--key-file"), place(b"--key-env")];
        dir.write(Path::new("t").join(OsStr::from_bytes(&name)), "");
        for output in places.into_iter().chain([place(b"--key-file")]) {
            assert_eq!(
                (output.status.code(), output.stdout.len(), lines(&output.stderr).len()),
                (Some(2), 0, 1)
            );
        }
    }
}

/// The shell makes arguments of names; some look like options.
#[test]
fn names_that_are_no_options() {
    let dir = Dir::new();
    for piece in PIECES {
        for option in [b"--", &b"-"[..], b"--num-threads=", b"--alg=", b"--zero="] {
            let argument = [option, piece, b"q"].concat();
            let mut command = dir.command();
            command.args(["sum", "--key-file", "key"]).arg(OsStr::from_bytes(&argument));
            let output = command.output().unwrap();
            assert_eq!((output.status.code(), &output.stdout[..]), (Some(2), &b""[..]), "{argument:?}");
            assert!(!lines(&output.stderr).is_empty(), "{argument:?}");
        }
    }
}
