//! Where keys come from, and which keys are refused.

use crate::tool::{Dir, KEY, run};

const RIGHT: &str = "5493e99933b0a8117e08ec0f97cfc3d9  m\n";

fn with_message() -> Dir {
    let dir = Dir::new();
    dir.write("m", (0..15).collect::<Vec<u8>>());
    dir
}

#[test]
fn a_key_is_required_and_only_one() {
    let dir = with_message();
    for command in ["sum m", "sum --check m", "mac siphash-2-4-64 m", "mac poly1305 m"] {
        dir.run(command).is_usage_error("--key-file <FILE>|--key-env <V>|--key-fd <N>");
        dir.run(&format!("{command} --key-format raw")).is_usage_error("--key-file <FILE>");
        for two in [
            "--key-file key --key-env K",
            "--key-file key --key-fd 0",
            "--key-env K --key-fd 0",
            "--key-file key --key-file key",
        ] {
            dir.run(&format!("{command} {two}")).is_usage_error("cannot be used");
        }
    }
    // No option takes the key itself, and no error repeats such an argument.
    for args in [
        &["sum", "m", "--key", KEY][..],
        &["sum", "m", &format!("--key={KEY}")],
        &["sum", "m", "--key-fd", KEY],
        &["sum", "m", "--key-file", "key", "--alg", KEY],
        &["sum", "m", "--key-file", "key", "--num-threads", KEY],
        &["mac", KEY],
        &[KEY],
    ] {
        run(dir.command().args(args)).is_usage_error("a key is never an argument");
    }
    for place in [format!("0x{KEY}"), format!("{KEY} "), format!("K={KEY}"), KEY[1..].to_owned()] {
        for option in ["--key-file", "--key-env"] {
            run(dir.command().args(["sum", "m", option, &place])).is_usage_error("is never an argument");
        }
    }
}

/// Whatever the encoding of a key, no message repeats it from the command line.
#[test]
fn a_key_among_the_arguments_is_not_repeated() {
    let dir = with_message();
    for key in [
        KEY,
        "00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f",
        "00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F",
        "00-01-02-03-04-05-06-07",
        "{0x00,0x01,0x02,0x03,0x04,0x05,0x06,0x07}",
        "0x0706050403020100",
        "20011376718272490338853433276725592320",
        "AAECAwQFBgcICQoLDA0ODw==",
        "AAECAwQFBgcICQoLDA0ODw",
        "AAECAwQFBgc=",
        "/-_+/AQFBgcICQoLDA0ODw==",
        "--_-AAECAwQFBgcICQoLDA0ODw",
        "AAAQEAYEAUDAOCAJBIFQYDIOB4",
        "Secret\u{e9} 12",
    ] {
        let silent = |args: &[&str]| {
            let run = run(dir.command().args(args));
            assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{args:?}: {run:?}");
            let shown = run.err.contains(key) || run.err.contains(key.trim_matches(['-', '=']));
            assert!(!shown, "{args:?}: {run:?}");
            run.err
        };
        for (option, why) in
            [("--key-file", "No such file or directory"), ("--key-env", "no such environment variable")]
        {
            let err = silent(&["sum", "m", &format!("{option}={key}")]);
            let reason = "the name is not shown, since it may be a key; a key is never an argument";
            assert_eq!(err, format!("keylane: {option}: {why}; {reason}\n"), "{key}");
        }
        let long = format!("--{key}");
        let with = |option: &str| format!("{option}={key}");
        for args in [
            &["sum", "m", "--key", key][..],
            &["sum", "m", &with("--key")],
            &["sum", "m", &long],
            &["sum", "m", &with("--key-fd")],
            &["sum", "m", "--key-file", "key", &with("--alg")],
            &["sum", "m", "--key-file", "key", &with("--key-format")],
            &["sum", "m", "--key-file", "key", &with("--num-threads")],
            &["sum", "m", "--key-file", "key", &with("--check")],
            &["mac", "--key-file", "key", "--", key],
            &["mac", "--key-file", "key", "siphash-2-4-64", "m", "--", key],
            &["mac", "--key-file", "key", "siphash-2-4-64", "m", &with("--verify")],
            &["keygen", &with("--force")],
            &["keygen", "--", key],
            &["bench", &with("--samples")],
            &["bench", "--", key],
            &["--", key],
            &["help", key],
        ] {
            silent(args);
        }
    }
    // What cannot be a key is shown, and so is a file that exists.
    dir.run("sum m --key-file key --recusrive").is_usage_error("'--recusrive'");
    dir.run("checksum").is_usage_error("'checksum'");
    dir.run("keygen --alg sha3-256").is_usage_error("invalid value '...' for '--alg <ALG>': it is none of");
    dir.run("keygen --alg md5").is_usage_error("'md5'");
    dir.write("Key-1234", "no key");
    dir.run("sum m --key-file Key-1234").is_usage_error("keylane: Key-1234: not a key for SipHash-2-4-128: ");
}

#[test]
fn hex_keys() {
    let dir = with_message();
    let upper = KEY.to_uppercase();
    for key in
        [KEY, &upper, &format!("{KEY}\n"), &format!("{KEY}\r\n"), &format!("{}{}", &upper[..16], &KEY[16..])]
    {
        dir.write("key", key);
        assert_eq!(dir.run("sum --key-file key m").ok(), RIGHT);
        assert_eq!(dir.run("sum --key-file key --key-format hex m").ok(), RIGHT);
        assert_eq!(dir.run_with("sum --key-file - m", key).ok(), RIGHT);
        assert_eq!(dir.run_with("sum --key-fd 0 m", key).ok(), RIGHT);
        assert_eq!(run(dir.command().args(["sum", "--key-env", "K", "m"]).env("K", key)).ok(), RIGHT);
    }
}

#[test]
fn what_is_not_a_hex_key() {
    let dir = with_message();
    let other = |found: &str| format!("{found} that are not all hex digits");
    for (key, found) in [
        (String::new(), "0 hex digits".to_owned()),
        ("\n".to_owned(), "0 hex digits".to_owned()),
        ("0".to_owned(), "1 hex digit".to_owned()),
        (KEY[..31].to_owned(), "31 hex digits".to_owned()),
        (KEY[..30].to_owned() + "\n", "30 hex digits".to_owned()),
        (KEY.to_owned() + "0", "33 hex digits".to_owned()),
        (KEY.to_owned() + KEY, "64 hex digits".to_owned()),
        (KEY.to_owned() + "\n\n", other("34 bytes")),
        (KEY.to_owned() + "\r", other("33 bytes")),
        (KEY.to_owned() + " ", other("33 bytes")),
        (" ".to_owned() + KEY, other("33 bytes")),
        ("\n".to_owned() + KEY, other("33 bytes")),
        ("\u{feff}".to_owned() + KEY, other("35 bytes")),
        ("0x".to_owned() + KEY, other("34 bytes")),
        (KEY[..31].to_owned() + "g", other("32 bytes")),
        (KEY[..30].to_owned() + "\u{e9}", other("32 bytes")),
        ("00:01".to_owned(), other("5 bytes")),
        ("sixteen byte key".to_owned(), other("16 bytes") + " (--key-format raw takes raw bytes)"),
        (KEY.repeat(1000), "more than 1024 hex digits".to_owned()),
        ("x".repeat(100_000), other("more than 1024 bytes")),
    ] {
        dir.write("key", &key);
        let refused = |name: &str| {
            format!("keylane: {name}: not a key for SipHash-2-4-128: expected 32 hex digits, found {found}\n")
        };
        dir.run("sum --key-file key m").is(2, "", &refused("key"));
        dir.run("mac siphash-2-4-128 --key-file key m").is(2, "", &refused("key"));
        dir.run_with("sum --key-fd 0 m", key.clone()).is(2, "", &refused("descriptor 0"));
        run(dir.command().args(["sum", "--key-env", "K", "m"]).env("K", &key)).is(2, "", &refused("K"));
    }
}

#[test]
fn raw_keys() {
    let dir = with_message();
    let raw: Vec<u8> = (0..16).collect();
    dir.write("raw", &raw);
    assert_eq!(dir.run("sum --key-file raw --key-format raw m").ok(), RIGHT);
    assert_eq!(dir.run_with("sum --key-file - --key-format raw m", raw).ok(), RIGHT);
    let printable = dir.run_with("sum --key-file - --key-format raw m", "sixteen byte key").ok();
    let env = run(dir
        .command()
        .args(["sum", "--key-env", "K", "--key-format", "raw", "m"])
        .env("K", "sixteen byte key"));
    assert_eq!(env.ok(), printable);

    let hex = |n: usize| format!("{n} hex digits only, which is a key in hex: leave out --key-format raw");
    for (key, reason) in [
        (&b""[..], "expected 16 bytes, found 0 bytes".to_owned()),
        (b"\n", "expected 16 bytes, found 1 byte".to_owned()),
        (b"sixteen byte ke", "expected 16 bytes, found 15 bytes".to_owned()),
        (b"sixteen byte key\n", "expected 16 bytes, found 17 bytes".to_owned()),
        (&[b'z'; 5000], "expected 16 bytes, found more than 1024 bytes".to_owned()),
        (b"0123456789abcdef", hex(16)),
        (b"0123456789ABCDEF\n", hex(16)),
        (KEY.as_bytes(), hex(32)),
        (format!("{KEY}\n").as_bytes(), hex(32)),
    ] {
        let run = dir.run_with("sum --key-file - --key-format raw m", key);
        run.is(2, "", &format!("keylane: -: not a key for SipHash-2-4-128: {reason}\n"));
    }
}

#[test]
fn each_algorithm_has_its_length() {
    let dir = with_message();
    for (alg, name, digits) in [
        ("siphash-1-3-64", "SipHash-1-3-64", 32),
        ("halfsiphash-2-4-32", "HalfSipHash-2-4-32", 16),
        ("poly1305", "Poly1305", 64),
    ] {
        for len in [16, 32, 64] {
            dir.write("key", "a".repeat(len));
            let run = dir.run(&format!("mac {alg} --key-file key m"));
            if len == digits {
                run.ok();
            } else {
                let reason = format!("expected {digits} hex digits, found {len} hex digits");
                run.is(2, "", &format!("keylane: key: not a key for {name}: {reason}\n"));
            }
        }
    }
}

#[test]
fn places_that_have_no_key() {
    let dir = with_message();
    let not_shown = "the name is not shown, since it may be a key; a key is never an argument\n";
    let err = format!("keylane: --key-file: No such file or directory; {not_shown}");
    dir.run("sum --key-file missing m").is(2, "", &err);
    dir.run("sum --key-file no/such/folder m").is(2, "", &err);
    let err = format!("keylane: --key-file: Not a directory; {not_shown}");
    dir.run("sum --key-file m/key m").is(2, "", &err);
    let err = format!("keylane: --key-file: File name too long; {not_shown}");
    dir.run(&format!("sum --key-file {} m", "x".repeat(300))).is(2, "", &err);
    dir.run("sum --key-file . m").is(2, "", "keylane: .: Is a directory\n");
    dir.run("sum --key-env NO_SUCH_VARIABLE m").is(
        2,
        "",
        &format!("keylane: --key-env: no such environment variable; {not_shown}"),
    );
    dir.run("sum --key-fd 99 m").is(2, "", "keylane: descriptor 99: Bad file descriptor\n");
    dir.run("sum --key-fd -1 m").is_usage_error("--key-fd");
    dir.run("sum --key-fd x m").is_usage_error("--key-fd");
    dir.run("sum --key-fd 99999999999 m").is_usage_error("--key-fd");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use crate::tool::{not_run, words};
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_key_file_that_others_can_read() {
        let dir = with_message();
        dir.write("pkey", KEY.repeat(2));
        symlink("key", dir.path().join("link")).unwrap();
        let list = dir.run("sum --key-file key m").ok();
        dir.write("list", list);
        let sum = |args: &str| format!("sum {args} m");
        for mode in [0o600, 0o400, 0o700, 0o611, 0o640, 0o620, 0o604, 0o602, 0o644, 0o666] {
            for key in ["key", "pkey"] {
                fs::set_permissions(dir.path().join(key), Permissions::from_mode(mode)).unwrap();
            }
            let warning = |name: &str| match mode & 0o066 {
                0 => String::new(),
                _ => format!(
                    "keylane: {name}: warning: other users may read or change the key: its mode is {mode:o}, not 600\n"
                ),
            };
            dir.run(&sum("--key-file key")).is(0, RIGHT, &warning("key"));
            dir.run(&sum("--key-file link")).is(0, RIGHT, &warning("link"));
            dir.run("sum --key-file key --check list").is(0, "m: OK\n", &warning("key"));
            dir.run("sum --key-file key --check --warn list").is(0, "m: OK\n", &warning("key"));
            let tag = "0".repeat(32);
            let run = dir.run(&format!("mac poly1305 --key-file pkey m --verify {tag}"));
            run.is(1, "", &(warning("pkey") + "keylane: m: the tag does not match\n"));
            assert_eq!(dir.run("mac poly1305 --key-file pkey m").err, warning("pkey"));
            // Not if this is not wanted, nor if the key does not come from a file that was named.
            dir.run(&sum("--quiet --key-file key")).is(0, RIGHT, "");
            dir.run("sum --key-file key --check --quiet list").is(0, "", "");
            dir.run("sum --key-file key --check --status list").is(0, "", "");
            dir.run("mac poly1305 --quiet --key-file pkey m").ok();
            for line in [
                "$keylane sum --key-fd 3 m 3< key",
                "$keylane sum --key-file - m < key",
                "cat key | $keylane sum --key-file /dev/stdin m",
                "rm -f p; mkfifo -m 666 p; cat key > p & until test -p p; do :; done; $keylane sum --key-file p m",
            ] {
                assert_eq!(dir.shell(line).ok(), RIGHT, "{line}");
            }
        }
    }

    #[test]
    fn inherited_descriptors() {
        let dir = with_message();
        for line in [
            "$keylane sum --key-fd 3 m 3< key",
            "cat key | $keylane sum --key-fd 5 m 5<&0 < /dev/null",
            "$keylane sum --key-fd 3 m 3<< E\n$(cat key)\nE",
            "exec 3< key; rm key; $keylane sum --key-fd 3 m",
            "$keylane sum --key-fd 0 m < key",
            "$keylane sum --key-file /dev/fd/4 m 4< key",
            "$keylane sum --key-file /dev/stdin m < key",
            "cat key | $keylane sum --key-file - m",
            "mkfifo p; cat key > p & $keylane sum --key-file p m",
            "cat m | $keylane sum --key-fd 3 - 3< key | sed 's/-/m/'",
        ] {
            let dir = with_message();
            assert_eq!(dir.shell(line).ok(), RIGHT, "{line}");
        }
        let list = dir.run("sum --key-file key m").ok();
        dir.write("list", list);
        dir.shell("$keylane sum --key-fd 3 --check < list 3< key").is(0, "m: OK\n", "");
    }

    #[test]
    fn a_descriptor_may_be_all_that_is_left_of_the_permission() {
        let dir = with_message();
        let nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups";
        if dir.shell(&format!("test $(id -u) = 0 && {nobody} true")).code != Some(0) {
            not_run("it takes root and setpriv to give up rights");
            return;
        }
        // Under an emulator, if there is one.
        let words = words();
        let (runner, program) = words.rsplit_once(' ').unwrap_or(("", &words));
        let k = format!("{nobody} {runner} ./k");
        let prepare = format!("cp {program} k; chmod 755 . k; chmod 644 m; chmod 600 key");
        dir.shell(&prepare).is(0, "", "");
        dir.shell(&format!("{k} sum --key-file key m")).is(2, "", "keylane: key: Permission denied\n");
        assert_eq!(dir.shell(&format!("exec 3< key; {k} sum --key-fd 3 m")).ok(), RIGHT);
    }

    #[test]
    fn the_key_and_a_file_are_not_both_standard_input() {
        let dir = with_message();
        let refused = "keylane: -: standard input cannot be both the key and a FILE\n";
        for key in
            ["--key-fd 0", "--key-file -", "--key-file /dev/stdin", "--key-file /dev/fd/0", "--key-fd 3 3<&0"]
        {
            for command in [
                "sum",
                "sum -",
                "sum m -",
                "sum -r m -",
                "sum --check",
                "sum --check -",
                "mac siphash-2-4-64",
                "mac siphash-2-4-64 -",
            ] {
                dir.shell(&format!("cat key | $keylane {command} {key}")).is(2, "", refused);
                dir.shell(&format!("< key $keylane {command} {key}")).is(2, "", refused);
            }
        }
        // The same file under its name, and the same pipe under another name.
        dir.shell("$keylane sum --key-file key < key").is(2, "", refused);
        let run = dir.shell("cat key | $keylane sum --key-fd 0 /dev/stdin m");
        run.is(1, RIGHT, "keylane: /dev/stdin: the key has been read from it\n");
        // A pipe with a name: nobody writes to it again, and opening it would wait for that.
        dir.shell("mkfifo kf; ln -s kf link").is(0, "", "");
        for name in ["kf", "./kf", "link"] {
            for command in ["sum --key-file kf", "mac siphash-2-4-128 --key-file kf"] {
                let run = dir.shell(&format!("cat key > kf & timeout 60 $keylane {command} {name}"));
                run.is(1, "", &format!("keylane: {name}: the key has been read from it\n"));
            }
        }
        let run = dir.shell(
            "$keylane sum --key-file key m | sed s/m/-/ > list; cat key | $keylane sum --key-fd 0 -c list",
        );
        run.is(
            1,
            "-: FAILED open or read\n",
            "keylane: -: the key has been read from it\nkeylane: WARNING: 1 listed file could not be read\n",
        );
        // The key's own file can be summed like any other.
        assert!(dir.run("sum --key-file key key").ok().ends_with("  key\n"));
    }

    #[test]
    fn an_endless_or_huge_file_is_not_read_to_its_end() {
        let dir = with_message();
        let found = "expected 16 bytes, found more than 1024 bytes\n";
        let run = dir.run("sum --key-file /dev/zero --key-format raw m");
        run.is(2, "", &format!("keylane: /dev/zero: not a key for SipHash-2-4-128: {found}"));
        dir.shell("truncate -s 5G huge; chmod 600 huge");
        let run = dir.run("sum --key-file huge --key-format raw m");
        run.is(2, "", &format!("keylane: huge: not a key for SipHash-2-4-128: {found}"));
    }

    #[test]
    fn a_bad_kernel_ends_everything_before_it_begins() {
        let dir = with_message();
        for command in
            ["sum --key-file key m", "mac siphash-2-4-64 --key-file key m", "keygen", "kernels", "selftest"]
        {
            for bad in ["rubbish", "siphash-xn=siphash_x99", "no-slot=siphash_x1"] {
                let run = run(dir.command().args(command.split_whitespace()).env("KEYLANE_KERNEL", bad));
                assert_eq!((run.code, &run.out[..]), (Some(2), ""));
                assert!(
                    run.err.starts_with("keylane: KEYLANE_KERNEL: ") && run.err.lines().count() == 1,
                    "{run:?}"
                );
            }
        }
    }
}
