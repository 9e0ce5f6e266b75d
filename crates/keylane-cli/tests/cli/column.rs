//! `keylane column`

use crate::tool::Dir;

#[cfg(not(feature = "column"))]
#[test]
fn a_program_without_it_says_so() {
    let dir = Dir::new();
    dir.run("column --key-file key --columns a -o out.csv in.csv").is_usage_error("--features column");
    assert!(dir.run("column --help").ok().contains("keylane column --key-file my.key"));
}

#[cfg(feature = "column")]
mod built {
    use super::Dir;
    use crate::tool::{KEY, keylane, run, words};
    use std::fs;
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Stdio};

    const PEOPLE: &str = "id,email,note\r\n1,a@example.com,\"x, \"\"y\"\"\"\r\n2,,\r\n-3,\"b@example.com\",z";

    /// The tags of `id` and `email` of PEOPLE under KEY and their names as contexts, by tests/kce1/kce1.py.
    const IDS: [&str; 3] = [
        "6390eb9c77dcfad8c54d15061f06e9ba",
        "77fa8517a19afc1de990f5fc3e5ccc00",
        "fd70f947f795198234eef997f495807b",
    ];
    const EMAILS: [&str; 2] = ["f6e6a28c7420ba7b1d851ee660151907", "92f5da9d1ea0e0660c85b2623acb97d6"];

    fn dir() -> Dir {
        let dir = Dir::new();
        dir.write("people.csv", PEOPLE);
        dir
    }

    fn read(dir: &Dir, name: &str) -> String {
        fs::read_to_string(dir.path().join(name)).unwrap()
    }

    /// The names of the files in a folder.
    fn names(dir: &Path) -> Vec<String> {
        let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        names
    }

    fn sample(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../keylane-files/tests/samples").join(name)
    }

    #[test]
    fn columns_in_place() {
        let dir = dir();
        dir.run("column --key-file key --columns email,id:int64 -o out.csv people.csv").is(0, "", "");
        let [a, b] = EMAILS;
        let [one, two, three] = IDS;
        let expected = format!("id,email,note\r\n{one},{a},\"x, \"\"y\"\"\"\r\n{two},,\r\n{three},\"{b}\",z");
        assert_eq!(read(&dir, "out.csv"), expected);
        // The same through pipes, and of tabs.
        let piped = "column --key-file key --columns email,id:int64 --from csv -o - -";
        assert_eq!(dir.run_with(piped, PEOPLE).ok(), expected);
        dir.write("people.tsv", "id\temail\n1\ta@example.com\n");
        assert_eq!(
            dir.run("column --key-file key --columns email -o - people.tsv").ok(),
            format!("id\temail\n1\t{a}\n")
        );
        // No file but the output, whose mode is that of any new file.
        assert_eq!(names(dir.path()), ["key", "out.csv", "people.csv", "people.tsv"]);
    }

    #[test]
    fn new_columns_rows_and_the_manifest() {
        let dir = dir();
        let args = "column --key-file key --columns email --suffix _tag --row who=id:int64,email --manifest \
             -o out.csv people.csv";
        dir.run(args).is(0, "", "");
        let out = read(&dir, "out.csv");
        assert!(
            out.starts_with(
                "id,email,note,email_tag,who\r\n1,a@example.com,\"x, \"\"y\"\"\",@email0,"
                    .replace("@email0", EMAILS[0])
                    .as_str()
            )
        );
        let manifest: serde_json::Value = serde_json::from_str(&read(&dir, "out.csv.keylane.json")).unwrap();
        let check = dir.run("key check --key-file key").ok();
        let line = |mode: &str, context: &str| {
            format!("KCE-1; siphash-2-4-128; {mode}; key=key; check={}; context={context}", check.trim())
        };
        assert_eq!(manifest["keylane"]["email_tag"], line("plain", "email"));
        assert_eq!(manifest["keylane"]["who"], line("row", "who"));
        // Neither file is replaced unless asked for.
        dir.run(args).is(1, "", "keylane: out.csv.keylane.json: File exists; --force replaces it\n");
        fs::remove_file(dir.path().join("out.csv.keylane.json")).unwrap();
        dir.run(args).is(1, "", "keylane: out.csv: File exists; --force replaces it\n");
        assert_eq!(names(dir.path()), ["key", "out.csv", "people.csv"]);
        dir.run(&args.replace("-o", "--force -o")).is(0, "", "");
        assert_eq!(read(&dir, "out.csv"), out);
        dir.run("column --key-file key --columns email --manifest -o - people.csv")
            .is_usage_error("--manifest");
    }

    #[test]
    fn what_would_be_hashed() {
        let dir = dir();
        let check = dir.run("key check --key-file key").ok();
        let out = dir
            .run("column --key-file key --key-name users --columns email --explain -o out.csv people.csv")
            .ok();
        assert_eq!(
            out,
            format!(
                "email: text -> email (in place, hex)\n  KCE-1; siphash-2-4-128; plain; key=users; check={}; context=email\n",
                check.trim()
            )
        );
        assert!(!dir.path().join("out.csv").exists());
        // A name moves no terminal's cursor.
        dir.write("odd.csv", "a\x1b[31m,b\n");
        let mut command = dir.command();
        let odd = ["column", "--key-file", "key", "--columns", "a\x1b[31m", "--explain", "odd.csv"];
        assert!(run(command.args(odd)).ok().starts_with("a\\x1b[31m: text -> a\\x1b[31m (in place, hex)\n"));
        let args = "column --key-file key --columns name,id --row all=name,list --explain";
        for name in ["people.parquet", "people.arrow", "people.arrows"] {
            let mut command = dir.command();
            let out = run(command.args(args.split(' ')).arg(sample(name))).ok();
            assert!(
                out.starts_with("name: Utf8 -> name (in place, hex)\n")
                    && out.contains("row of (name: Utf8, list: "),
                "{out}"
            );
        }
    }

    /// A column has the same tags in every format.
    #[test]
    fn every_format() {
        let dir = dir();
        let check = dir.run("key check --key-file key").ok();
        dir.write("people.csv", "name,id\nsecret-a,1\n,2\nsecret-b,3\n");
        let csv = dir.run("column --key-file key --columns name,id:int64 -o - people.csv").ok();
        let tags: Vec<&str> =
            csv.lines().skip(1).flat_map(|line| line.split(',')).filter(|tag| !tag.is_empty()).collect();
        assert_eq!(tags.len(), 5);
        for (name, to) in [
            ("people.parquet", "out.parquet"),
            ("people.arrow", "out.arrow"),
            ("people.arrow", "out.arrows"),
            ("people.arrows", "out2.arrows"),
            ("people.arrows", "out2.arrow"),
        ] {
            let mut command = dir.command();
            command.args(["column", "--key-file", "key", "--columns", "name,id", "-o", to]).arg(sample(name));
            run(&mut command).is(0, "", "");
            let out = fs::read(dir.path().join(to)).unwrap();
            let has = |text: &str| out.windows(text.len()).any(|part| part == text.as_bytes());
            // Pages and batches of so few values hold them as they are, or compressed to what still shows the digits.
            assert!(tags.iter().all(|tag| has(&tag[..8])), "{to}");
            assert!(
                has(&format!("KCE-1; siphash-2-4-128; plain; key=key; check={}; context=name", check.trim())),
                "{to}"
            );
            assert!(!has("secret"), "{to}");
        }
        // A pipe has no end to read from, but a stream needs none.
        let stream = fs::read(sample("people.arrows")).unwrap();
        let mut command = dir.command();
        command.args("column --key-file key --columns name --from arrow-stream -o out3.arrows -".split(' '));
        run(command.write_stdin(stream)).is(0, "", "");
        for format in ["parquet", "arrow"] {
            dir.run_with(&format!("column --key-file key --columns a --from {format} -o o -"), "x").is(
                1,
                "",
                "keylane: 'standard input': this format is read from its end: it cannot come from a pipe\n",
            );
        }
    }

    #[test]
    fn what_is_refused() {
        let dir = dir();
        let refused = |args: &str, text: &str| {
            dir.run(&format!("column --key-file key {args}")).is_usage_error(text);
        };
        refused("-o out.csv people.csv", "no column is named");
        refused("--columns email people.csv", "--output <FILE>");
        refused("--columns email -o out.csv people", "give --from");
        refused("--columns email -o out.parquet people.csv", "a table of csv is not written as parquet");
        refused("--columns email --as uint64 -o out.csv people.csv", "choose an algorithm of 64 bits");
        // Those with 4-8 make subkeys.
        for alg in ["siphash-3-5-64", "siphash-4-8-64", "siphash-4-8-128", "halfsiphash-2-4-64"] {
            let args = format!("--columns email --alg {alg} -o out.csv people.csv");
            refused(&args, "--alg: columns are hashed by siphash-1-3 or siphash-2-4, ");
        }
        refused("--columns email --as binary -o out.csv people.csv", "choose hex");
        refused(
            "--columns email, -o out.csv people.csv",
            "keylane: --columns: the name of a column is empty",
        );
        refused("--row email -o out.csv people.csv", "keylane: --row: a row is written as");
        refused("--columns email --context KCE-1 -o out.csv people.csv", "are reserved");
        refused(
            "--columns email --manifest -o out.parquet people.parquet",
            "--manifest: parquet has metadata",
        );
        refused("--columns email --no-header -o out.parquet people.parquet", "--no-header: only for CSV");
        // Never the table that is read, nor the key.
        refused(
            "--columns email --force -o people.csv people.csv",
            "it is the table or the key that is read",
        );
        refused("--columns email --force -o key people.csv", "it is the table or the key that is read");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("people.csv", dir.path().join("link.csv")).unwrap();
            fs::hard_link(dir.path().join("people.csv"), dir.path().join("hard.csv")).unwrap();
            refused(
                "--columns email --force -o link.csv people.csv",
                "it is the table or the key that is read",
            );
            refused(
                "--columns email --force -o hard.csv people.csv",
                "it is the table or the key that is read",
            );
            // Nor may the manifest be one of them.
            for (read, output) in [("people.csv", "new"), ("key", "other")] {
                let manifest = dir.path().join(format!("{output}.csv.keylane.json"));
                fs::hard_link(dir.path().join(read), manifest).unwrap();
                refused(
                    &format!("--columns email --manifest --force -o {output}.csv people.csv"),
                    "it is the table or the key that is read",
                );
            }
        }
        dir.run_with("column --key-file - --columns a --from csv -o out -", KEY)
            .is_usage_error("both the key and");
        assert_eq!(read(&dir, "people.csv"), PEOPLE);
        assert!(!dir.path().join("out.csv").exists());
    }

    /// TSV has no quotes. Delimiters and quotes can be chosen, and a hint says when.
    #[test]
    fn dialects() {
        let dir = dir();
        let tags = |args: &str, table: &str| {
            dir.write("t.tsv", table);
            dir.run(&format!("column --key-file key --columns email -o - {args} t.tsv")).ok()
        };
        let [a, _] = EMAILS;
        let table = "id\temail\tnote\n1\ta@example.com\t\"5 inch\n2\ta@example.com\t6 inch\"\n";
        let expected = table.replace("a@example.com", a);
        assert_eq!(tags("", table), expected);
        for (args, delimiter) in [
            ("--delimiter ;", ";"),
            ("--delimiter , --no-quote", ","),
            ("--from csv --no-quote", ","),
            ("--from csv --no-quote --delimiter \\t", "\t"),
        ] {
            let found = tags(args, &table.replace('\t', delimiter));
            assert_eq!(found, expected.replace('\t', delimiter), "{args}");
        }
        let quoted = "id\temail\n\"1\t2\"\t\"a@example.com\"\n";
        for args in ["--quote \"", "--from csv --delimiter \\t"] {
            assert_eq!(tags(args, quoted), quoted.replace("a@example.com", a), "{args}");
        }
        let single = quoted.replace('"', "'");
        assert_eq!(tags("--quote '", &single), single.replace("a@example.com", a));
        let refused = |args: &str, text: &str| {
            let args = format!("column --key-file key --columns email {args} -o out.csv people.csv");
            dir.run(&args).is_usage_error(text);
        };
        refused("--delimiter ;;", "one character of ASCII");
        refused("--delimiter \u{e9}", "one character of ASCII");
        refused("--delimiter 7", "no letter, digit, minus or line end");
        refused("--delimiter \"", "the delimiter cannot be the quote too");
        refused("--quote ' --no-quote", "cannot be used with");
        for option in ["--delimiter ;", "--quote '", "--no-quote"] {
            let args =
                format!("column --key-file key --columns email {option} -o out.parquet people.parquet");
            dir.run(&args).is_usage_error("only for CSV and TSV");
        }
        dir.write("t.csv", "id;email\n");
        let text = "keylane: t.csv: there is no column email; all of it is one column: is --delimiter ';' missing?\n";
        dir.run("column --key-file key --columns email -o out.csv t.csv").is(1, "", text);
        dir.write("t.csv", b"\x1f\x8b\x08\0");
        let text = "keylane: t.csv: the file is compressed by gzip: decompress it first\n";
        dir.run("column --key-file key --columns email -o out.csv t.csv").is(1, "", text);
        for end in ["gz", "zst", "bz2", "xz"] {
            let args = format!("column --key-file key --columns email -o out.csv people.csv.{end}");
            dir.run(&args).is_usage_error("decompress it first, as in");
        }
        assert_eq!(names(dir.path()), ["key", "people.csv", "t.csv", "t.tsv"]);
    }

    /// An error names row and column, and leaves no file.
    #[test]
    fn nothing_is_written_if_something_fails() {
        let dir = dir();
        let fails = |table: &str, args: &str, err: &str| {
            dir.write("t.csv", table);
            let out = dir.run(&format!("column --key-file key {args} -o out.csv t.csv"));
            out.is(1, "", &format!("keylane: t.csv: {err}\n"));
            assert_eq!(names(dir.path()), ["key", "people.csv", "t.csv"]);
        };
        let long = "a,b\n".to_owned() + &"1,2\n".repeat(100_000);
        fails(&(long.clone() + "secret\n"), "--columns a", "row 100001: it has 1 field instead of 2");
        fails(
            &(long.clone() + "secret,1\n"),
            "--columns a:int64",
            "column a, row 100001: it is not of the type int64",
        );
        fails(&(long + ",secret\n"), "--columns a --nulls error", "column a, row 100001: a null");
        let types = "text, utf8, string, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool, float32, \
                     float64, date, timestamp, decimal";
        let unknown = format!("there is no column x:integer; integer is none of the types {types}");
        fails("secret,x\n1,2\n", "--columns x:integer", &unknown);
        // In quotes a known type is a part of the name.
        fails("secret,x\n1,2\n", "--columns \"x:int64\"", "there is no column x:int64");
        fails("secret,x\n1,2\n", "--columns email", "there is no column email");
        fails("", "--columns email", "the file is empty: it has no header");
        dir.run("column --key-file key --columns a -o no/such/out.csv people.csv").is(
            1,
            "",
            "keylane: no/such/out.csv: No such file or directory\n",
        );
        dir.run("column --key-file key --columns a -o out.csv nowhere.csv").is(
            1,
            "",
            "keylane: nowhere.csv: No such file or directory\n",
        );
    }

    /// A program that waits for its table.
    #[cfg(target_os = "linux")]
    fn started(dir: &Dir, args: &str) -> Child {
        // A signal that is ignored here, as under nohup, would be ignored by the program too.
        let (command, mut child) = (keylane(), Command::new("env"));
        child.arg("--default-signal").arg(command.get_program()).args(command.get_args());
        child.current_dir(dir.path()).args(args.split(' '));
        child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// A program in the middle of its work, which waits for more of its table.
    #[cfg(target_os = "linux")]
    fn in_the_middle(dir: &Dir) -> Child {
        let mut child = started(dir, "column --key-file key --columns a --from csv -o out.csv -");
        let table = "a\n".to_owned() + &"x\n".repeat(1 << 20);
        child.stdin.as_mut().unwrap().write_all(table.as_bytes()).unwrap();
        child
    }

    /// However the command ends, nothing is left.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_command_that_is_stopped_leaves_nothing() {
        for signal in ["KILL", "INT", "TERM", "HUP"] {
            let dir = dir();
            let child = in_the_middle(&dir);
            let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
            assert!(kill.unwrap().success());
            assert!(!child.wait_with_output().unwrap().status.success());
            assert_eq!(names(dir.path()), ["key", "people.csv"], "{signal}");
        }
        // Left alone, it ends well.
        let dir = dir();
        assert!(in_the_middle(&dir).wait_with_output().unwrap().status.success());
        assert_eq!(read(&dir, "out.csv").lines().count(), (1 << 20) + 1);
    }

    /// A manifest is that of the table beside it, or not there.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_manifest_and_its_table() {
        let dir = dir();
        let manifest = dir.path().join("out.csv.keylane.json");
        let line = |columns: &str| format!("column --key-file key --columns {columns} --force -o out.csv");
        dir.run(&format!("{} --manifest people.csv", line("email"))).is(0, "", "");
        assert!(read(&dir, "out.csv.keylane.json").contains("email"));
        dir.run(&format!("{} --manifest people.csv", line("id"))).is(0, "", "");
        assert!(!read(&dir, "out.csv.keylane.json").contains("email"));
        // A table that fails replaces neither.
        let null = "keylane: people.csv: column email, row 2: a null\n";
        dir.run(&format!("{} --manifest --nulls error people.csv", line("email"))).is(1, "", null);
        assert!(manifest.exists() && read(&dir, "out.csv").contains("a@example.com"));
        // One that replaces the table without a manifest leaves none that is wrong.
        dir.run(&format!("{} people.csv", line("email"))).is(0, "", "");
        assert_eq!(names(dir.path()), ["key", "out.csv", "people.csv"]);
        fs::remove_file(dir.path().join("out.csv")).unwrap();
        // The manifest cannot have its name, so there is no table either.
        let mut child = started(&dir, "column --key-file key --columns a --from csv --manifest -o out.csv -");
        child.stdin.as_mut().unwrap().write_all("a\n1\n".repeat(1 << 20).as_bytes()).unwrap();
        fs::write(&manifest, "mine").unwrap();
        let out = child.wait_with_output().unwrap();
        let text = "keylane: out.csv.keylane.json: File exists; --force replaces it\n";
        assert_eq!((out.status.code(), String::from_utf8(out.stderr).unwrap().as_str()), (Some(1), text));
        assert_eq!(names(dir.path()), ["key", "out.csv.keylane.json", "people.csv"]);
        assert_eq!(read(&dir, "out.csv.keylane.json"), "mine");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk() {
        let dir = dir();
        dir.write("t.csv", "a\n".to_owned() + &"x\n".repeat(100_000));
        // The limit on the size of files stands for a full disk.
        let line = "ulimit -f 100; $keylane column --key-file key --columns a -o out.csv t.csv";
        dir.shell(line).is(1, "", "keylane: out.csv: File too large\n");
        assert_eq!(names(dir.path()), ["key", "people.csv", "t.csv"]);
        for (name, out) in [("people.parquet", "out.parquet"), ("people.arrow", "out.arrow")] {
            let sample = sample(name);
            let line = format!(
                "ulimit -f 0; $keylane column --key-file key --columns name -o {out} {}",
                sample.display()
            );
            dir.shell(&line).is(1, "", &format!("keylane: {out}: File too large\n"));
        }
        dir.shell("$keylane column --key-file key --columns a -o - t.csv > /dev/full").is(
            1,
            "",
            "keylane: write error: No space left on device\n",
        );
        assert_eq!(names(dir.path()), ["key", "people.csv", "t.csv"]);
        assert!(!words().is_empty());
    }

    /// A key that is read from a pipe.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_key_from_a_pipe() {
        let dir = dir();
        let line = "mkfifo pipe; ($keylane column --key-file pipe --columns email -o out.csv people.csv; echo $? > code) & \
             exec 3> pipe; cat key >&3; exec 3>&-; wait; cat code";
        dir.shell(line).is(0, "0\n", "");
    }

    /// The examples of the page, in their order.
    #[cfg(unix)]
    #[test]
    fn the_examples_of_the_page() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/COLUMN_COMMAND.md");
        let page = fs::read_to_string(page).unwrap();
        let blocks = |kind: &str| -> Vec<String> {
            let begin = format!("```{kind}\n");
            page.split(&begin).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
        };
        let dir = Dir::new();
        dir.write("people.csv", &blocks("csv")[0]);
        let lines: Vec<String> = blocks("console").concat().lines().map(str::to_owned).collect();
        assert!(lines.len() >= 11);
        for line in lines {
            dir.shell(&line.replace("$ keylane", "$keylane")).ok();
        }
        let email =
            |name: &str| read(&dir, name).lines().nth(1).unwrap().split(',').nth(1).unwrap().to_owned();
        assert_eq!(email("one.csv"), email("same.csv"));
        assert_ne!(email("one.csv"), email("tagged.csv"));
        assert!(email("int.csv").parse::<i64>().is_ok());
        assert_eq!(read(&dir, "beside.csv").lines().count(), 4);
    }

    /// The key is in nothing that is written: neither as it is nor as digits, small or large, nor in base64.
    #[test]
    fn no_output_has_the_key() {
        let dir = dir();
        let args = "column --key-file key --columns email,id:int64 --row r=id,email --suffix _t --manifest";
        dir.run(&format!("{args} -o out.csv people.csv")).is(0, "", "");
        let mut command = dir.command();
        command.args("column --key-file key --columns name --row r=name,list -o out.parquet".split(' '));
        run(command.arg(sample("people.parquet"))).is(0, "", "");
        let mut command = dir.command();
        command.args("column --key-file key --columns name --row r=name,list -o out.arrow".split(' '));
        run(command.arg(sample("people.arrow"))).is(0, "", "");
        let explained = dir.run(&format!("{args} --explain -o x.csv people.csv")).ok();
        dir.write("explained", &explained);
        let raw: Vec<u8> = (0..16).collect();
        let forms = crate::forms::forms(&raw);
        let mut searched = 0;
        for name in names(dir.path()).iter().filter(|name| *name != "key") {
            let bytes = fs::read(dir.path().join(name)).unwrap();
            assert!(crate::forms::copies(&bytes, &forms).is_empty(), "{name}");
            searched += 1;
        }
        assert_eq!(searched, 6);
    }

    /// A fault that is planted in the output while it is written is found when it is read back. Then nothing is left.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_output_is_believed_only_after_it_was_read() {
        use std::os::unix::fs::FileExt;
        if keylane().get_args().next().is_some() {
            println!("skipped: the program runs under an emulator, whose files are not those of its process");
            return;
        }
        let dir = dir();
        dir.write("t.csv", "a,b\n".to_owned() + &"secret,y\n".repeat(1 << 21));
        // The first tag, and the first field that stays. The output has no name yet.
        for (place, column) in [(4, "a"), (4 + 32 + 1, "b")] {
            let args = "column --key-file key --columns a --manifest -o out.csv t.csv";
            let child = started(&dir, args);
            let files = PathBuf::from(format!("/proc/{}/fd", child.id()));
            let is_begun = |path: &PathBuf| {
                let link = fs::read_link(path).unwrap_or_default();
                let is_output = link.starts_with(fs::canonicalize(dir.path()).unwrap())
                    && link.to_string_lossy().ends_with(" (deleted)");
                is_output && fs::metadata(path).is_ok_and(|file| file.len() > 1 << 17)
            };
            let output = loop {
                let paths = fs::read_dir(&files).unwrap().filter_map(|entry| Some(entry.ok()?.path()));
                if let Some(output) = paths.into_iter().find(is_begun) {
                    break output;
                }
            };
            let output = fs::File::options().write(true).open(output).unwrap();
            output.write_all_at(b"#", place).unwrap();
            let out = child.wait_with_output().unwrap();
            let text = String::from_utf8(out.stderr).unwrap();
            let begin = format!(
                "keylane: out.csv: verification failed: column {column}, row 1: the output has another"
            );
            assert!(text.starts_with(&begin) && !text.contains("secret"), "{text}");
            assert_eq!(out.status.code(), Some(1));
            assert_eq!(names(dir.path()), ["key", "people.csv", "t.csv"]);
        }
    }

    /// Without verification, and where an input or an output can be read once only, the tables are the same.
    #[test]
    fn what_is_not_read_back() {
        let dir = dir();
        let args = "column --key-file key --columns email,id:int64 --from csv";
        dir.run(&format!("{args} -o verified.csv people.csv")).is(0, "", "");
        dir.run(&format!("{args} --no-verify -o out.csv people.csv")).is(0, "", "");
        assert_eq!(read(&dir, "out.csv"), read(&dir, "verified.csv"));
        dir.run(&format!("{args} -o - people.csv")).is(0, &read(&dir, "verified.csv"), "");
        dir.shell(&format!("cat people.csv | $keylane {args} -o piped.csv -")).is(0, "", "");
        assert_eq!(read(&dir, "piped.csv"), read(&dir, "verified.csv"));
        // Standard input that is a file, from where it stands.
        let args = "column --key-file key --columns 2 --no-header --from csv -o rest.csv -";
        dir.shell(&format!("(read header; $keylane {args}) < people.csv")).is(0, "", "");
        assert_eq!(read(&dir, "rest.csv").lines().count(), 3);
    }

    /// Memory is bounded while the output is read back too.
    #[cfg(target_os = "linux")]
    #[test]
    fn verification_in_bounded_memory() {
        let dir = dir();
        dir.write("t.csv", "a,b\n".to_owned() + &"some text,y\n".repeat(4 << 20));
        let (_, peak) =
            crate::memory::peak(&dir, "column --key-file key --columns a --row r=a,b -o out.csv t.csv");
        assert!(0 < peak && peak < crate::memory::limit(), "{peak} KiB");
    }
}
