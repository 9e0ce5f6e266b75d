//! Faults in the environment while the command runs: changing files, closed outputs, signals, missing
//! permissions. No output is lost, the message names what failed, and the exit status reports it.
#![cfg(target_os = "linux")]

use crate::tool::{Dir, Run, has, hex, keylane, run, words};
use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, chown};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

fn line(name: &str, message: &[u8]) -> String {
    let key: [u8; 16] = std::array::from_fn(|i| i as u8);
    format!("{}  {name}\n", hex(&keylane_ref::siphash128(2, 4, &key, message).to_le_bytes()))
}

/// A named pipe: opening one end waits until the other end is open.
fn pipe(dir: &Dir, name: &str) {
    assert!(Command::new("mkfifo").arg(dir.path().join(name)).status().unwrap().success());
}

/// The result of a child process, once it ends.
fn end(child: Child) -> Run {
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Waits until something is true, at most a minute.
#[track_caller]
fn wait_until(mut what: impl FnMut() -> bool) {
    for _ in 0..60_000 {
        if what() {
            return;
        }
        sleep(Duration::from_millis(1));
    }
    panic!("still not true after a minute");
}

/// The position of a process in a file that it has open.
fn place(child: &Child, file: &Path) -> Option<u64> {
    let proc = Path::new("/proc").join(child.id().to_string());
    let mut descriptors = fs::read_dir(proc.join("fd")).ok()?.flatten();
    let is_open = |target| target == file;
    let number = descriptors.find(|number| fs::read_link(number.path()).is_ok_and(is_open))?.file_name();
    let text = fs::read_to_string(proc.join("fdinfo").join(number)).ok()?;
    text.lines().find_map(|line| line.strip_prefix("pos:"))?.trim().parse().ok()
}

fn send(signal: &str, child: &Child) {
    let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

/// Whether every thread of a process has stopped, or ended before it could be stopped.
fn has_stopped(child: &Child) -> bool {
    let tasks = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
    tasks.flatten().all(|task| {
        let stat = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['T', 'Z', 'X']))
    })
}

/// Waits until the file system's clock has moved on since the last change of a file.
fn wait_for_the_clock(file: &Path) {
    let scratch = file.with_extension("clock");
    let changed = |file: &Path| fs::metadata(file).map(|file| (file.ctime(), file.ctime_nsec())).unwrap();
    let last = changed(file);
    wait_until(|| {
        fs::write(&scratch, "").unwrap();
        changed(&scratch) > last
    });
    fs::remove_file(scratch).unwrap();
}

/// A command stopped in the middle of the file `huge`, and the file's length. If the command is too fast, the
/// file is made longer. Any change from now on is at a later time by the file system's clock.
fn in_the_middle(dir: &Dir, args: &str) -> (Child, u64) {
    let path = fs::canonicalize(dir.path()).unwrap().join("huge");
    for len in (24..34).map(|bits| 1 << bits) {
        let huge = File::create(&path).unwrap();
        huge.set_len(len).unwrap();
        huge.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let mut child = keylane();
        child.current_dir(dir.path()).args(args.split_whitespace());
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        while child.try_wait().unwrap().is_none() {
            if place(&child, &path).is_some_and(|place| place > 0) {
                send("STOP", &child);
                wait_until(|| has_stopped(&child));
                if place(&child, &path).is_some_and(|place| place < len) {
                    wait_for_the_clock(&path);
                    return (child, len);
                }
                send("CONT", &child);
                break;
            }
        }
        child.wait().unwrap();
    }
    panic!("the command always ends before it can be stopped");
}

const CHANGED: &str = "keylane: huge: it has changed while it was read\n";

/// No tag is printed for bytes that were never in the file at one time.
#[test]
fn a_file_that_is_written_to_while_it_is_read() {
    let dir = Dir::new();
    dir.write("a", "one");
    let writes: [fn(&File, u64) -> io::Result<()>; 7] = [
        |file, _| file.set_len(0),
        |file, len| file.set_len(len - 1),
        |file, len| file.set_len(len + 1),
        |mut file, _| file.write_all(b"new"),
        // The length and the modification time are as before.
        |file, len| {
            file.write_all_at(b"head", 0)?;
            file.write_all_at(b"tail", len - 4)?;
            file.set_modified(SystemTime::UNIX_EPOCH)
        },
        |file, len| {
            file.set_len(len - 1)?;
            file.set_len(len)?;
            file.set_modified(SystemTime::UNIX_EPOCH)
        },
        |file, _| file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_nanos(1)),
    ];
    for (i, write) in writes.into_iter().enumerate() {
        let (child, len) = in_the_middle(&dir, "sum --key-file key huge a");
        write(&File::options().write(true).open(dir.path().join("huge")).unwrap(), len).unwrap();
        send("CONT", &child);
        assert_eq!(
            end(child),
            Run { code: Some(1), out: line("a", b"one"), err: CHANGED.into() },
            "write {i}"
        );
    }
    let (child, _) = in_the_middle(&dir, "mac siphash-2-4-64 --key-file key huge");
    File::create(dir.path().join("huge")).unwrap();
    send("CONT", &child);
    assert_eq!(end(child), Run { code: Some(1), out: String::new(), err: CHANGED.into() });

    dir.write("list", line("huge", b"") + &line("a", b"one"));
    let (child, _) = in_the_middle(&dir, "sum --key-file key --check list");
    File::create(dir.path().join("huge")).unwrap();
    send("CONT", &child);
    let err = format!("{CHANGED}keylane: WARNING: 1 listed file could not be read\n");
    assert_eq!(end(child), Run { code: Some(1), out: "huge: FAILED open or read\na: OK\n".into(), err });
}

/// The change time tells that something about a file is new, not what. So a new mode, owner or name counts as a
/// change. A file that is replaced is reported, even though its old bytes were read to the end.
#[test]
fn a_file_that_gets_another_mode_or_name_while_it_is_read() {
    let dir = Dir::new();
    let changes: [fn(&Path) -> io::Result<()>; 5] = [
        |huge| fs::set_permissions(huge, Permissions::from_mode(0o400)),
        |huge| fs::hard_link(huge, huge.with_extension("link")),
        |huge| fs::rename(huge, huge.with_extension("old")),
        |huge| fs::remove_file(huge),
        |huge| {
            fs::write(huge.with_extension("new"), "new")?;
            fs::rename(huge.with_extension("new"), huge)
        },
    ];
    for (i, change) in changes.into_iter().enumerate() {
        let (child, _) = in_the_middle(&dir, "sum --key-file key huge");
        change(&dir.path().join("huge")).unwrap();
        send("CONT", &child);
        assert_eq!(end(child), Run { code: Some(1), out: String::new(), err: CHANGED.into() }, "change {i}");
        let _ = fs::remove_file(dir.path().join("huge"));
    }
}

/// The sum is that of the file that the name stood for when it was opened. Readers do not change a file.
#[test]
fn what_is_no_change_of_the_file_that_is_read() {
    let dir = Dir::new();
    let (child, _) = in_the_middle(&dir, "sum --key-file key huge");
    File::open(dir.path().join("huge")).unwrap().read_exact(&mut [0; 100]).unwrap();
    let copy = fs::copy(dir.path().join("huge"), dir.path().join("copy")).unwrap();
    send("CONT", &child);
    let sum = end(child).ok();
    assert_eq!(sum, dir.run("sum --key-file key copy").ok().replace("  copy", "  huge"), "{copy} bytes");

    // The name leads elsewhere now.
    dir.write("one/huge", "");
    let (child, _) = in_the_middle(&dir, "sum --key-file key one/../huge");
    fs::remove_dir_all(dir.path().join("one")).unwrap();
    send("CONT", &child);
    assert_eq!(end(child).ok().len(), sum.len() + "one/../".len());
}

/// Files disappear and appear after the walk through a folder and before they are read.
#[test]
fn a_folder_that_changes_after_it_was_walked_through() {
    let dir = Dir::new();
    for name in ["t/a", "t/b", "t/c", "t/d", "t/e"] {
        dir.write(name, name);
    }
    pipe(&dir, "pipe");
    let mut child = keylane();
    child.current_dir(dir.path()).args("sum --key-file key --num-threads 1 -r pipe t".split(' '));
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The pipe is read first, by the only thread.
    let mut writer = File::options().write(true).open(dir.path().join("pipe")).unwrap();
    writer.write_all(b"piped").unwrap();
    fs::remove_file(dir.path().join("t/b")).unwrap();
    fs::remove_file(dir.path().join("t/c")).unwrap();
    fs::create_dir(dir.path().join("t/c")).unwrap();
    fs::write(dir.path().join("t/d"), "replaced").unwrap();
    fs::write(dir.path().join("t/dd"), "late").unwrap();
    drop(writer);
    let out = [line("pipe", b"piped"), line("t/a", b"t/a"), line("t/d", b"replaced"), line("t/e", b"t/e")];
    let err = "keylane: t/b: No such file or directory\nkeylane: t/c: Is a directory\n";
    assert_eq!(end(child), Run { code: Some(1), out: out.concat(), err: err.into() });
}

/// A failure of one output does not suppress what goes to the other.
#[test]
fn nobody_reads_the_complaints() {
    let dir = Dir::new();
    dir.write("a", "one");
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let mut child = keylane();
    child.current_dir(dir.path()).args(["sum", "--key-file", "key", "missing", "a", "missing"]);
    let output = child.stderr(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), line("a", b"one"));
}

/// Whether a file system of a few KiB can be made.
fn can_mount() -> bool {
    has("unshare", "-rm mount -t tmpfs -o size=64k none /mnt")
}

/// Runs a script with a disk of 64 KiB at `full` and the program in `$keylane`.
fn with_small_disk(dir: &Dir, script: &str) -> Run {
    fs::create_dir(dir.path().join("full")).unwrap();
    let script = format!("mount -t tmpfs -o size=64k none full && {script}");
    let mut shell = assert_cmd::Command::new("unshare");
    run(shell.current_dir(dir.path()).env("keylane", words()).args(["-rm", "sh", "-c", &script]))
}

#[test]
fn a_list_that_fills_the_disk() {
    if !can_mount() {
        return;
    }
    let dir = Dir::new();
    let names: Vec<String> = (0..800).map(|i| format!("t/{i:03}{}", "x".repeat(100))).collect();
    names.iter().for_each(|name| _ = dir.write(name, name));
    let whole: String = names.iter().map(|name| line(name, name.as_bytes())).collect();
    for check in ["", "--check whole"] {
        let dir_of_disk = dir.path().join("full");
        if dir_of_disk.exists() {
            fs::remove_dir(dir_of_disk).unwrap();
        }
        dir.write("whole", &whole);
        let files = if check.is_empty() { "-r t" } else { check };
        let script =
            format!("$keylane sum --key-file key {files} > full/list; code=$?; cat full/list; exit $code");
        let run = with_small_disk(&dir, &script);
        assert_eq!(
            (run.code, run.err.as_str()),
            (Some(1), "keylane: write error: No space left on device\n")
        );
        // The part that fits is written, and is right.
        let report: String = names.iter().map(|name| format!("{name}: OK\n")).collect();
        let expected = if check.is_empty() { &whole } else { &report };
        assert!(run.out.len() > 60_000 && expected.starts_with(&run.out), "{} bytes", run.out.len());
    }
}

/// A key that does not fit is not written in part, and the old key stays.
#[test]
fn a_key_on_a_full_disk() {
    if !can_mount() {
        return;
    }
    let dir = Dir::new();
    let script = "echo old > full/old; head -c 100k /dev/zero 2> /dev/null > full/filler; \
        $keylane keygen --force -o full/old; echo $?; $keylane keygen -o full/new; echo $?; \
        cat full/old; ls -A full";
    let run = with_small_disk(&dir, script);
    let space = "No space left on device";
    run.is(
        0,
        "1\n1\nold\nfiller\nold\n",
        &format!("keylane: full/old: {space}\nkeylane: full/new: {space}\n"),
    );
}

/// A page that does not fit is not written in part, and the old page stays.
#[test]
fn a_page_on_a_full_disk() {
    if cfg!(debug_assertions) || !can_mount() {
        return;
    }
    let dir = Dir::new();
    let bench = "$keylane bench poly1305-batch --samples 1 --json --html";
    let script = format!(
        "echo old > full/old; head -c 100k /dev/zero 2> /dev/null > full/filler; \
        {bench} full/old --force > /dev/null; echo $?; {bench} full/new > /dev/null; echo $?; cat full/old; ls -A full"
    );
    let run = with_small_disk(&dir, &script);
    let space = "No space left on device";
    let err = format!("keylane: full/old: {space}\nkeylane: full/new: {space}\n");
    run.is(0, "1\n1\nold\nfiller\nold\n", &err);
}

/// A limit on file size is reached, whether or not the caller ignores the signal that tells so. The failed write
/// is reported; what was written until then is whole up to the limit.
#[test]
fn a_limit_on_file_size() {
    let dir = Dir::new();
    let names: Vec<String> = (0..200).map(|i| format!("t/{i:03}")).collect();
    names.iter().for_each(|name| _ = dir.write(name, name));
    dir.write("whole", names.iter().map(|name| line(name, name.as_bytes())).collect::<String>());
    // An emulator takes the signal for itself, and ends.
    let emulated = keylane().get_args().next().is_some();
    let signals: &[&str] = if emulated { &["trap '' XFSZ;"] } else { &["", "trap '' XFSZ;"] };
    for signal in signals {
        // The unit of the limit is 512 or 1024 bytes, as the shell pleases.
        let limited = |units: u32, command: &str| {
            let run = dir.shell(&format!(
                "(ulimit -f {units}; {signal} exec $keylane {command} 2> /dev/null) > out; echo $?"
            ));
            assert_eq!(run.err, "", "{command}");
            (run.out, fs::read_to_string(dir.path().join("out")).unwrap())
        };
        for command in ["sum -r t", "sum -z -r t", "sum --check whole", "mac siphash-2-4-64 t/000"] {
            let command = format!("{command} --key-file key");
            let whole = dir.run(&command).ok();
            for units in [0, 1, 3].into_iter().filter(|units| 1024 * units < whole.len() as u32) {
                let (code, part) = limited(units, &command);
                assert_eq!(code, "1\n", "{command}");
                assert!(whole.starts_with(&part) && part.len() < whole.len(), "{command}");
                assert!(
                    part.len() == 512 * units as usize || part.len() == 1024 * units as usize,
                    "{command}"
                );
            }
        }
        for command in
            ["kernels", "kernels --json", "selftest", "keygen", "--help", "--version", "sum --help"]
        {
            assert_eq!(limited(0, command), ("1\n".into(), String::new()), "{command}");
        }
        // The message, which has no limit.
        let run = dir.shell(&format!("(ulimit -f 0; {signal} $keylane sum --key-file key t/000 > out)"));
        run.is(1, "", "keylane: write error: File too large\n");
        // No part of a key is left, and the old one stays.
        dir.write("old", "old\n");
        let run = dir.shell(&format!("{signal} ulimit -f 0; exec $keylane keygen --force -o old"));
        run.is(1, "", "keylane: old: File too large\n");
        assert_eq!(fs::read(dir.path().join("old")).unwrap(), b"old\n");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), ["key", "old", "out", "t", "whole"].len());
    }
}

/// The message tells how many threads were wanted, whether or not an option said so.
#[test]
fn no_thread_can_be_started() {
    let dir = Dir::new();
    for name in ["a", "b", "c"] {
        dir.write(name, name);
    }
    let threads = std::thread::available_parallelism().unwrap().get();
    let default = if threads == 1 { "a thread".to_owned() } else { format!("{threads} threads") };
    for (args, threads) in
        [("a b c", &default[..]), ("--num-threads 3 a b", "3 threads"), ("--num-threads 3 a", "a thread")]
    {
        // The limit has another letter in another shell. It does not hold for root.
        let limit = "ulimit -p 0 2> /dev/null || ulimit -u 0";
        let Some(run) = as_nobody(&dir, &format!("{limit}; exec $keylane sum --key-file key {args}")) else {
            return;
        };
        let err = format!("keylane: cannot start {threads}: Resource temporarily unavailable\n");
        assert_eq!(run, Run { code: Some(1), out: String::new(), err });
    }
}

/// A signal ends the command at once. The lines printed until then are complete and in order.
#[test]
fn an_interrupt_in_mid_run() {
    if !has("env", "--default-signal=INT true") {
        return;
    }
    let dir = Dir::new();
    for name in ["a", "b", "c"] {
        dir.write(name, name);
    }
    pipe(&dir, "pipe");
    let sums = [line("a", b"a"), line("b", b"b"), line("pipe", b""), line("c", b"c")];
    dir.write("list", sums.concat());
    for (args, lines) in [
        ("sum --key-file key a b pipe c", sums[..2].concat()),
        ("sum --key-file key --check list", "a: OK\nb: OK\n".into()),
    ] {
        for (signal, number) in [("INT", 2), ("TERM", 15)] {
            let out = dir.path().join("out");
            let program = keylane();
            // The caller of the tests may have set the signal to be ignored.
            let mut child = Command::new("env");
            child.arg("--default-signal=INT,TERM").arg(program.get_program()).args(program.get_args());
            child.current_dir(dir.path()).args(args.split(' ')).stdout(File::create(&out).unwrap());
            let mut child = child.stderr(Stdio::piped()).spawn().unwrap();
            let wanted = lines.len() as u64;
            wait_until(|| fs::metadata(&out).unwrap().len() >= wanted);
            assert_eq!(child.try_wait().unwrap(), None, "{args}: it waits for the pipe");
            send(signal, &child);
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.signal(), Some(number), "{args}");
            assert!(output.stderr.is_empty(), "{args}");
            assert_eq!(fs::read_to_string(&out).unwrap(), lines, "{args}");
        }
    }
}

/// Gives what is in a folder to that user.
fn give_away(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        chown(entry.path(), Some(65534), Some(65534)).unwrap();
        if entry.file_type().unwrap().is_dir() {
            give_away(&entry.path());
        }
    }
}

/// Runs a shell line, with the program in `$keylane`, as a user other than root: root may do everything.
fn as_nobody(dir: &Dir, line: &str) -> Option<Run> {
    let program = keylane();
    if program.get_args().next().is_some() {
        println!("skipped: the program runs under an emulator");
        return None;
    }
    let copy = dir.path().join("keylane");
    // By `cp`. Were it written here, a process that another test starts meanwhile would have the copy open for writing,
    // and Linux would not run it.
    assert!(Command::new("cp").arg(program.get_program()).arg(&copy).status().unwrap().success());
    let mut command = Command::new("sh");
    command.current_dir(dir.path()).env("keylane", copy).args(["-c", line]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    if fs::metadata(dir.path()).unwrap().uid() == 0 {
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
        give_away(dir.path());
        command.uid(65534).gid(65534);
    }
    Some(end(command.spawn().unwrap()))
}

#[test]
fn folders_and_files_that_may_not_be_read() {
    let dir = Dir::new();
    for name in ["t/a", "t/closed/x", "t/file", "t/listed/x", "t/z"] {
        dir.write(name, name);
    }
    let close = |name: &str, mode| {
        fs::set_permissions(dir.path().join(name), Permissions::from_mode(mode)).unwrap();
    };
    // `closed` cannot be listed. `listed` can, but its files cannot be opened.
    close("t/closed", 0o000);
    close("t/listed", 0o444);
    close("t/file", 0o000);
    let all = as_nobody(&dir, "$keylane sum --key-file key -r t t/closed t/closed/x");
    let checked = ["t/a", "t/closed/x", "t/file", "t/z"].map(|name| line(name, name.as_bytes()));
    dir.write("list", checked.concat());
    let check = as_nobody(&dir, "$keylane sum --key-file key --check --ignore-missing list");
    close("t/closed", 0o755);
    close("t/listed", 0o755);
    let (Some(all), Some(check)) = (all, check) else { return };
    let denied = |name: &str| format!("keylane: {name}: Permission denied\n");
    close(".", 0o555);
    let page = as_nobody(&dir, "$keylane bench --html page").unwrap();
    close(".", 0o755);
    assert_eq!(page, Run { code: Some(1), out: String::new(), err: denied("page") });
    let names = ["t/closed", "t/file", "t/listed/x", "t/closed", "t/closed/x"];
    let out = line("t/a", b"t/a") + &line("t/z", b"t/z");
    assert_eq!(all, Run { code: Some(1), out, err: names.map(denied).concat() });
    // An unreadable file is not a missing file.
    let failed = "FAILED open or read";
    let err =
        denied("t/closed/x") + &denied("t/file") + "keylane: WARNING: 2 listed files could not be read\n";
    let out = format!("t/a: OK\nt/closed/x: {failed}\nt/file: {failed}\nt/z: OK\n");
    assert_eq!(check, Run { code: Some(1), out, err });
}

/// The first file of the list is a pipe. Until it is read, the command reads only the next few hundred lines.
#[test]
fn a_list_that_is_written_to_while_it_is_read() {
    let dir = Dir::new();
    dir.write("a", "same");
    let lines = dir.run("sum --key-file key a").ok();
    for (change, fails) in [
        ("sh -c 'head -n 9000 list > part; cat part > list'", true),
        ("sh -c 'tail -n 1 list >> list'", true),
        ("cat list", false),
    ] {
        dir.write("list", format!("{}pipe\n{}", lines.trim_end_matches("a\n"), lines.repeat(10_000)));
        let run = dir.shell(&format!(
            "rm -f pipe; mkfifo pipe; $keylane sum --key-file key --quiet --check list 2> err & \
             exec 3> pipe; {change} > /dev/null; cat a >&3; exec 3>&-; wait $!"
        ));
        let err = fs::read_to_string(dir.path().join("err")).unwrap();
        // A list that is being written may end within a line, which is told first.
        let is_cut = |line: &&str| fails && line.contains(": the list ends without a newline");
        let err: String = err.split_inclusive('\n').filter(|line| !is_cut(line)).collect();
        let told = if fails { "keylane: list: it has changed while it was read\n" } else { "" };
        assert_eq!((run.code, &err[..]), (Some(i32::from(fails)), told), "{change}: {run:?}");
    }
}

/// The pipe of standard input has several names. Its first reader gets all of it.
#[test]
fn standard_input_by_two_names() {
    let dir = Dir::new();
    for names in ["/dev/stdin -", "- /dev/stdin", "/dev/stdin /dev/fd/0"] {
        let second = names.split(' ').nth(1).unwrap();
        let run = dir.shell(&format!("printf abc | $keylane sum --key-file key {names}"));
        assert_eq!((run.code, run.out.lines().count()), (Some(1), 1), "{names}: {run:?}");
        assert_eq!(run.err, format!("keylane: {second}: standard input has been read already\n"));
    }
    // A file can be read again.
    dir.write("a", "same");
    assert_eq!(dir.shell("$keylane sum --key-file key /dev/stdin - < a").ok().lines().count(), 2);
}

/// Only `-` is standard input or output.
#[test]
fn a_folder_with_the_name_of_standard_input() {
    let dir = Dir::new();
    dir.write("-/f", "same");
    let sum = dir.run("sum --key-file key -r -- -/").ok();
    assert!(sum.ends_with("  -/f\n"), "{sum}");
    for args in ["sum --key-file key -- -/", "keygen --output=-/", "sum --key-file=-/ key"] {
        let run = dir.run(args);
        assert!(run.code != Some(0) && run.out.is_empty(), "{args}: {run:?}");
    }
}
