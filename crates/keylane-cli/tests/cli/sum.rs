//! `keylane sum`

use crate::tool::{Dir, hex, keylane, run};
use std::fs;
use std::process::{Command, Stdio};

const COUNTING: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

fn siphash128(message: &[u8]) -> String {
    hex(&keylane_ref::siphash128(2, 4, &COUNTING, message).to_le_bytes())
}

#[test]
fn every_algorithm_gives_its_own_tags() {
    let dir = Dir::new();
    let half_key: [u8; 8] = COUNTING[..8].try_into().unwrap();
    dir.write("half", hex(&half_key));
    // One buffer and a bit more: the end of a read falls within a word.
    for len in [0, 1, 7, 8, 15, 16, 63, 128 * 1024 + 5] {
        let message: Vec<u8> = (0..len).map(|i| i as u8).collect();
        dir.write("message", &message);
        for (c, d) in [(1, 1), (1, 3), (2, 4), (4, 8), (3, 5), (255, 255)] {
            if c == 255 && len > 100 {
                continue;
            }
            let sum =
                |alg: &str, key: &str| dir.run(&format!("sum --alg {alg} --key-file {key} message")).ok();
            let siphash64 = keylane_ref::siphash64(c, d, &COUNTING, &message);
            let siphash128 = keylane_ref::siphash128(c, d, &COUNTING, &message);
            let halfsiphash32 = keylane_ref::halfsiphash32(c, d, &half_key, &message);
            let halfsiphash64 = keylane_ref::halfsiphash64(c, d, &half_key, &message);
            for (alg, key, tag) in [
                (format!("siphash-{c}-{d}-64"), "key", hex(&siphash64.to_le_bytes())),
                (format!("siphash-{c}-{d}-128"), "key", hex(&siphash128.to_le_bytes())),
                (format!("halfsiphash-{c}-{d}-32"), "half", hex(&halfsiphash32.to_le_bytes())),
                (format!("halfsiphash-{c}-{d}-64"), "half", hex(&halfsiphash64.to_le_bytes())),
            ] {
                assert_eq!(sum(&alg, key), format!("{tag}  message\n"), "{alg}, {len} bytes");
            }
        }
    }
}

#[test]
fn the_authors_answer_comes_out_in_their_order() {
    let dir = Dir::new();
    dir.write("message", &COUNTING[..15]);
    let out = dir.run("sum --alg siphash-2-4-64 --key-file key message").ok();
    assert_eq!(out, "e545be4961ca29a1  message\n");
    assert_eq!(dir.run("sum --key-file key message").ok(), "5493e99933b0a8117e08ec0f97cfc3d9  message\n");
}

#[test]
fn only_real_algorithms_are_known() {
    let dir = Dir::new();
    for alg in [
        "siphash",
        "siphash-2-4",
        "siphash-2-4-32",
        "siphash-0-4-64",
        "siphash-2-0-64",
        "siphash-256-4-64",
        "siphash-02-4-64",
        "siphash-+2-4-64",
        "siphash-2-4-64-",
        "siphash-2-4-64-1",
        "halfsiphash-2-4-128",
        "SipHash-2-4-64",
        "sha256",
        "",
        "-",
        "siphash--4-64",
        "siphash-2-4-064",
    ] {
        let run = run(dir.command().args(["sum", "--key-file", "key", "--alg", alg]));
        run.is_usage_error("none of siphash-C-D-64, siphash-C-D-128");
    }
    dir.run("sum --alg poly1305 --key-file key").is_usage_error("use keylane mac");
}

#[test]
fn standard_input_is_the_default() {
    let dir = Dir::new();
    let expected = format!("{}  -\n", siphash128(b"message"));
    assert_eq!(dir.run_with("sum --key-file key", "message").ok(), expected);
    assert_eq!(dir.run_with("sum --key-file key -", "message").ok(), expected);
    // The second `-` finds nothing left to read.
    let twice = dir.run_with("sum --key-file key - -", "message");
    twice.is(1, &expected, "keylane: -: standard input has been read already\n");
}

#[test]
fn formats() {
    let dir = Dir::new();
    dir.write("a", "one");
    dir.write("b c", "two");
    let (one, two) = (siphash128(b"one"), siphash128(b"two"));
    let sum = |options: &str| {
        let options = options.split_whitespace();
        run(dir.command().args(["sum", "--key-file", "key"]).args(options).args(["a", "b c"])).ok()
    };
    assert_eq!(sum(""), format!("{one}  a\n{two}  b c\n"));
    assert_eq!(sum("--tag"), format!("SipHash-2-4-128 (a) = {one}\nSipHash-2-4-128 (b c) = {two}\n"));
    assert_eq!(sum("--no-names"), format!("{one}\n{two}\n"));
    assert_eq!(sum("-z"), format!("{one}  a\0{two}  b c\0"));
    assert_eq!(sum("--tag --zero"), format!("SipHash-2-4-128 (a) = {one}\0SipHash-2-4-128 (b c) = {two}\0"));
    assert_eq!(sum("--no-names --zero"), format!("{one}\0{two}\0"));

    dir.write("half", "0001020304050607");
    let out = dir.run("sum --alg halfsiphash-1-3-32 --key-file half --tag a").ok();
    let tag = keylane_ref::halfsiphash32(1, 3, &[0, 1, 2, 3, 4, 5, 6, 7], b"one");
    assert_eq!(out, format!("HalfSipHash-1-3-32 (a) = {}\n", hex(&tag.to_le_bytes())));
}

#[test]
fn raw_is_the_bytes_of_one_tag() {
    let dir = Dir::new();
    dir.write("a", "one");
    let output = dir.command().args(["sum", "--key-file", "key", "--raw", "a"]).output().unwrap();
    assert_eq!(hex(&output.stdout), siphash128(b"one"));
    assert!(output.stderr.is_empty());
    dir.run("sum --key-file key --raw a a").is(2, "", "keylane: --raw: takes only one FILE\n");
    for other in ["--tag", "--check", "--no-names", "-z", "-r"] {
        dir.run(&format!("sum --key-file key --raw {other} a")).is_usage_error("cannot be used with");
    }
}

#[test]
fn options_that_need_each_other() {
    let dir = Dir::new();
    for option in ["--status", "--strict", "--warn", "--ignore-missing"] {
        dir.run(&format!("sum --key-file key {option} a")).is_usage_error("--check");
    }
    for option in ["--tag", "--no-names", "-r"] {
        dir.run(&format!("sum --key-file key -c {option} a")).is_usage_error("cannot be used with");
    }
    dir.run("sum --key-file key --num-threads 0 a").is_usage_error("--num-threads");
    dir.run("sum --key-file key --no-such-option").is_usage_error("--no-such-option");
    dir.run("no-such-command").is_usage_error("no-such-command");
    dir.run("").is_usage_error("Usage: keylane <COMMAND>");
}

#[test]
fn what_cannot_be_read_does_not_stop_the_rest() {
    let dir = Dir::new();
    dir.write("a", "one");
    dir.write("d/b", "two");
    let expected = format!("{}  a\n{}  d/b\n", siphash128(b"one"), siphash128(b"two"));
    dir.run("sum --key-file key missing a d d/b").is(
        1,
        &expected,
        "keylane: missing: No such file or directory\nkeylane: d: Is a directory\n",
    );
}

#[test]
#[cfg(unix)]
fn no_file_has_an_empty_name() {
    let dir = Dir::new();
    dir.write("a", "one");
    let sums = format!("{}  a\n", siphash128(b"one"));
    let missing = "keylane: '': No such file or directory\n";
    dir.shell("$keylane sum --key-file key '' a").is(1, &sums, missing);
    dir.shell("$keylane mac siphash-2-4-64 --key-file key ''").is(1, "", missing);
}

#[test]
fn output_is_in_the_order_of_input_whatever_the_threads() {
    let dir = Dir::new();
    let mut expected = String::new();
    let mut names = Vec::new();
    for i in 0..1500 {
        // Long files first: the short ones would overtake them.
        let contents = vec![i as u8; if i < 4 { 3_000_000 } else { i }];
        let name = format!("f{i}");
        dir.write(&name, &contents);
        // The reference is slow, so the long files are only compared between runs.
        if i >= 4 {
            expected += &format!("{}  {name}\n", siphash128(&contents));
        }
        names.push(name);
    }
    let sum = |threads: &str| {
        run(dir.command().args(["sum", "--key-file", "key"]).args(threads.split_whitespace()).args(&names))
            .ok()
    };
    let one = sum("--num-threads 1");
    assert!(one.ends_with(&expected));
    assert_eq!(sum("--num-threads 2"), one);
    assert_eq!(sum("--num-threads 16"), one);
    // Threads beyond the useful number are not started.
    assert_eq!(sum("--num-threads 1000000000"), one);
    assert_eq!(sum(""), one);
}

#[test]
fn nothing_is_printed_besides_the_sums() {
    let dir = Dir::new();
    // Longer than the delay of a progress bar, if there were a terminal.
    let run = dir.shell("(echo a; sleep 1.2; echo b; sleep 0.2; echo c) | $keylane sum --key-file key");
    assert_eq!(run.ok(), format!("{}  -\n", siphash128(b"a\nb\nc\n")));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    #[test]
    fn directories_are_walked_in_order_and_links_in_them_are_not_followed() {
        let dir = Dir::new();
        for name in ["t/b", "t/a/z", "t/a/y", "t/c", "t/a.txt", "u"] {
            dir.write(name, name);
        }
        symlink("../u", dir.path().join("t/link")).unwrap();
        symlink("..", dir.path().join("t/loop")).unwrap();
        symlink("missing", dir.path().join("t/dangling")).unwrap();
        symlink("t", dir.path().join("top")).unwrap();
        symlink("u", dir.path().join("file")).unwrap();
        assert!(Command::new("mkfifo").arg(dir.path().join("t/pipe")).status().unwrap().success());
        let lines = |names: &[&str]| -> String {
            names
                .iter()
                .map(|name| format!("{}  {name}\n", siphash128(name.replacen("top", "t", 1).as_bytes())))
                .collect()
        };
        let t = ["t/a/y", "t/a/z", "t/a.txt", "t/b", "t/c"];
        assert_eq!(dir.run("sum --key-file key -r t").ok(), lines(&t));
        assert_eq!(dir.run("sum --key-file key -r u t").ok(), lines(&["u"]) + &lines(&t));
        assert_eq!(
            dir.run("sum --key-file key -r top").ok(),
            lines(&t.map(|name| name.replacen('t', "top", 1)).each_ref().map(String::as_str))
        );
        assert_eq!(dir.run("sum --key-file key -r file").ok(), format!("{}  file\n", siphash128(b"u")));
        let missing = dir.run("sum --key-file key -r missing u");
        missing.is(1, &lines(&["u"]), "keylane: missing: No such file or directory\n");
        assert_eq!(dir.run_with("sum --key-file key -r -", "t").ok(), format!("{}  -\n", siphash128(b"t")));
    }

    /// Small files share a room and a call, large ones are read in pieces. Neither their lengths nor their neighbours
    /// change a tag.
    #[test]
    fn files_of_every_length_in_one_folder() {
        let dir = Dir::new();
        let mut lens = vec![0, 1, 7, 8, 4094, 4095, 4096, 4097, 8191, 32_766, 32_767, 32_768, 32_769];
        lens.extend([100_000, 131_071, 131_072, 131_073, 262_144, 600_000]);
        // More than a task and its room take.
        lens.extend((0..200).map(|i| i * 331 % 33_000));
        let mut expected = String::new();
        for (number, len) in lens.iter().enumerate() {
            let contents: Vec<u8> = (0..*len).map(|at| (at * 7 + number) as u8).collect();
            let path = dir.write(format!("t/{number:03}"), &contents);
            let one = run(dir.command().args(["sum", "--key-file", "key"]).pipe_stdin(path).unwrap()).ok();
            expected += &one.replace("  -", &format!("  t/{number:03}"));
        }
        for threads in ["1", "2", "7"] {
            let args = format!("sum --key-file key --num-threads {threads} -r t");
            assert_eq!(dir.run(&args).ok(), expected, "{threads}");
        }
        for (alg, key) in
            [("siphash-1-3-64", "key"), ("halfsiphash-2-4-32", "half"), ("halfsiphash-2-4-64", "half")]
        {
            dir.write("half", "0001020304050607");
            let sum = |files: &str| dir.run(&format!("sum --alg {alg} --key-file {key} {files}")).ok();
            let names: Vec<String> = (0..lens.len()).map(|number| format!("t/{number:03}")).collect();
            let all: String = names.iter().map(|name| sum(name)).collect();
            assert_eq!(sum("-r t"), all, "{alg}");
        }
    }

    /// The kernel's files say that they are empty, or longer than they are.
    #[test]
    #[cfg(target_os = "linux")]
    fn files_whose_lengths_mean_nothing() {
        let dir = Dir::new();
        for name in [
            "/proc/version",
            "/proc/filesystems",
            "/proc/kallsyms",
            "/sys/kernel/mm/transparent_hugepage/enabled",
        ] {
            let Ok(contents) = fs::read(name) else { continue };
            let sum = dir.run(&format!("sum --key-file key {name} {name}")).ok();
            assert_eq!(sum, format!("{}  {name}\n", siphash128(&contents)).repeat(2));
        }
    }

    /// Names are looked at while others are hashed, and none twice.
    #[test]
    #[cfg(target_os = "linux")]
    fn few_system_calls() {
        if !crate::tool::has("strace", "-f -o /dev/null true") || keylane().get_args().next().is_some() {
            return;
        }
        let dir = Dir::new();
        const FILES: usize = 4000;
        for i in 0..FILES {
            dir.write(format!("t/{}/{i}", i % 10), vec![b'x'; i % 4096]);
        }
        let calls = |folder: &str| -> usize {
            let mut strace = Command::new("strace");
            strace.args(["-f", "-c", "-o", "calls"]).arg(keylane().get_program()).current_dir(dir.path());
            let status =
                strace.args(["sum", "--key-file", "key", "-r", folder]).stdout(Stdio::null()).status();
            assert!(status.unwrap().success());
            let table = fs::read_to_string(dir.path().join("calls")).unwrap();
            let total = table.lines().rfind(|line| line.ends_with("total")).unwrap();
            total.split_whitespace().nth(3).unwrap().parse().unwrap()
        };
        fs::create_dir(dir.path().join("empty")).unwrap();
        let (none, all) = (calls("empty"), calls("t"));
        // Five for a file, and some for folders and threads.
        let each = (all - none) as f64 / FILES as f64;
        assert!(each < 5.5, "{each} calls a file");
    }

    #[test]
    fn names_are_escaped() {
        let dir = Dir::new();
        let names =
            ["n\nl", "b\\s", "c\rr", "\\", "\n", " lead", "tr ", "a\\n\n", "tab\t", "\u{fc}", "'\"$(x)"];
        for name in names {
            dir.write(name, name);
        }
        let tag = |name: &str| siphash128(name.as_bytes());
        let out = run(dir.command().args(["sum", "--key-file", "key"]).args(names)).ok();
        let expected = [
            format!("\\{}  n\\nl\n", tag("n\nl")),
            format!("\\{}  b\\\\s\n", tag("b\\s")),
            format!("\\{}  c\\rr\n", tag("c\rr")),
            format!("\\{}  \\\\\n", tag("\\")),
            format!("\\{}  \\n\n", tag("\n")),
            format!("{}   lead\n", tag(" lead")),
            format!("{}  tr \n", tag("tr ")),
            format!("\\{}  a\\\\n\\n\n", tag("a\\n\n")),
            format!("\\{}  tab\\x09\n", tag("tab\t")),
            format!("{}  \u{fc}\n", tag("\u{fc}")),
            format!("{}  '\"$(x)\n", tag("'\"$(x)")),
        ];
        assert_eq!(out, expected.concat());
        // Every format reads its names back.
        for options in ["", "--tag", "-z", "--tag -z"] {
            let options: Vec<_> = options.split_whitespace().collect();
            let list = run(dir.command().args(["sum", "--key-file", "key"]).args(&options).args(names)).ok();
            dir.write("list", list);
            let zero = options.iter().filter(|&&option| option == "-z");
            let check = run(dir
                .command()
                .args(["sum", "--key-file", "key", "--check", "--quiet", "list"])
                .args(zero));
            check.is(0, "", "");
        }
        let tagged = run(dir.command().args(["sum", "--key-file", "key", "--tag", "n\nl"])).ok();
        assert_eq!(tagged, format!("\\SipHash-2-4-128 (n\\nl) = {}\n", tag("n\nl")));
        let zero = run(dir.command().args(["sum", "--key-file", "key", "-z", "n\nl", "b\\s"])).ok();
        assert_eq!(zero, format!("{}  n\nl\0{}  b\\s\0", tag("n\nl"), tag("b\\s")));
    }

    #[test]
    fn names_that_are_not_unicode() {
        let dir = Dir::new();
        let name = OsStr::from_bytes(b"y\xffy");
        dir.write(name, "contents");
        dir.write("r\u{fffd}", "contents");
        let tag = siphash128(b"contents");
        // No name stands for another, so there is nothing to warn about.
        let sum = run(dir.command().args(["sum", "--key-file", "key", "r\u{fffd}"]).arg(name));
        sum.is(0, &format!("{tag}  r\u{fffd}\n\\{tag}  y\\xffy\n"), "");
        dir.write("list", &sum.out);
        dir.run("sum --key-file key --check list").is(0, "r\u{fffd}: OK\n\\y\\xffy: OK\n", "");
        let sum = run(dir.command().args(["sum", "--key-file", "key", "--no-names"]).arg(name));
        sum.is(0, &format!("{tag}\n"), "");
        let zero =
            dir.command().args(["sum", "--key-file", "key", "-z", "r\u{fffd}"]).arg(name).output().unwrap();
        assert_eq!(
            zero.stdout,
            [tag.as_bytes(), "  r\u{fffd}\0".as_bytes(), tag.as_bytes(), b"  y\xffy\0"].concat()
        );
        assert!(zero.stderr.is_empty());
        dir.write("list", zero.stdout);
        dir.run("sum --key-file key -cz list").is(0, "r\u{fffd}: OK\n\\y\\xffy: OK\n", "");
    }

    #[test]
    fn a_full_disk_is_reported() {
        if !fs::exists("/dev/full").unwrap() {
            crate::tool::not_run("there is no /dev/full");
            return;
        }
        let dir = Dir::new();
        for command in [
            "sum",
            "sum -z",
            "sum --raw",
            "mac siphash-2-4-64",
            "kernels",
            "kernels --json",
            "selftest",
            "keygen",
            "--help",
        ] {
            let key = if command.contains("sum") || command.contains("mac") { "--key-file key" } else { "" };
            let run = dir.shell(&format!("$keylane {command} {key} < /dev/null > /dev/full"));
            run.is(1, "", "keylane: write error: No space left on device\n");
        }
    }

    #[test]
    fn a_reader_that_goes_away_ends_it_quietly() {
        let dir = Dir::new();
        for i in 0..200 {
            dir.write(format!("{i}{}", "x".repeat(200)), "");
        }
        // Another thread that reads an endless file stops too.
        let endless = "sum --key-file key --num-threads 2 key /dev/zero";
        for command in [endless, "sum --key-file key -r .", "kernels", "selftest"] {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let command_line = command.split_whitespace();
            let mut child = keylane();
            child.current_dir(dir.path()).args(command_line).stdout(writer).stderr(Stdio::piped());
            let output = child.spawn().unwrap().wait_with_output().unwrap();
            assert_eq!((output.status.code(), &output.stderr[..]), (Some(1), &b""[..]), "{command}");
        }
    }
}
