//! `keylane bench`

use crate::tool::{Dir, KEY, Run};
use keylane::kernels::{Status, list};
use serde_json::Value;
use std::fs;

/// The message of a debug build, which measures nothing.
fn refuses(run: &Run) -> bool {
    if cfg!(debug_assertions) {
        assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{run:?}");
        assert!(
            run.err.starts_with("keylane: bench: this program was compiled without optimisation"),
            "{run:?}"
        );
    }
    cfg!(debug_assertions)
}

#[test]
fn every_kernel_that_runs_here_is_measured() {
    let dir = Dir::new();
    let run = dir.run("bench poly1305-batch --samples 1 --json");
    if refuses(&run) {
        return;
    }
    let object: Value = serde_json::from_str(&run.ok()).unwrap();
    assert_eq!(object["format"], 2);
    assert!(object["noisy"].is_boolean());
    assert_eq!(object["samples"], 1);
    assert_eq!(object["command"], "keylane bench poly1305-batch --samples 1 --json");
    // On a noisy machine the one sample may be lost; the output then says so.
    let measured: Vec<&Value> =
        ["lines", "not_measured"].iter().flat_map(|member| object[member].as_array().unwrap()).collect();
    let cells = |engine: &str| measured.iter().filter(|line| line["engine"] == engine).count();
    assert_eq!(cells("keylane"), 3);
    for kernel in list().filter(|kernel| kernel.slot() == "poly1305-xn") {
        let runs = kernel.status() != Status::NotOnThisCpu;
        assert_eq!(cells(&format!("keylane {}", kernel.id())), if runs { 3 } else { 0 }, "{}", kernel.id());
        if kernel.status() == Status::Active {
            assert_eq!(object["chosen"]["poly1305-xn"], kernel.id());
        }
    }
    for line in object["lines"].as_array().unwrap() {
        assert_eq!(line["suite"], "poly1305-batch");
        assert!(line["cycles_median"].as_f64().unwrap() > 0.0, "{line}");
    }
}

#[test]
fn a_page_and_tables() {
    let dir = Dir::new();
    // An older page is replaced. The page shows its own file name as text.
    let path = dir.write("<b>.html", "older");
    let run = dir.run("bench halfsiphash-batch --samples 1 --html <b>.html --force");
    if refuses(&run) {
        assert_eq!(fs::read_to_string(path).unwrap(), "older");
        return;
    }
    let out = run.ok();
    assert!(out.starts_with(&format!("keylane {} on ", env!("CARGO_PKG_VERSION"))), "{out}");
    assert!(out.contains("\nhalfsiphash-batch 1-3, u64, by messages in a call: "), "{out}");
    assert!(out.contains("* chosen on this CPU\n"), "{out}");
    let mut rows =
        out.lines().filter(|line| line.starts_with("keylane  ") || line.starts_with("halfsiphash_"));
    assert!(rows.all(|row| row.len() <= 80), "{out}");
    let page = fs::read_to_string(path).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"), "{page}");
    assert!(page.contains("--html &lt;b&gt;.html --force") && !page.contains("<b>.html"), "{page}");
    for outside in ["http:", "https:", "<script", "<link", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    for kernel in list().filter(|kernel| kernel.slot() == "halfsiphash-xn") {
        assert!(out.contains(kernel.id()) && page.contains(kernel.id()), "{}", kernel.id());
    }
    // No other file is left.
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_measured() {
    let dir = Dir::new();
    dir.run("bench md5").is_usage_error("siphash-one");
    dir.run("bench --samples 0").is_usage_error("--samples");
    dir.run("bench --peers record.csv").is_usage_error("--html");
    dir.run("bench --html -").is_usage_error("--html: needs the name of a file");
    dir.run("bench --html no/such/page").is(1, "", "keylane: no/such/page: No such file or directory\n");
    dir.run("bench --force").is_usage_error("--html");
    for force in ["", " --force"] {
        for folder in [".", "..", "new/", "new/.", "records"] {
            fs::create_dir_all(dir.path().join("records")).unwrap();
            let run = dir.run(&format!("bench --html {folder}{force}"));
            run.is(1, "", &format!("keylane: {folder}: not a regular file\n"));
        }
        let long = "x".repeat(300);
        let run = dir.run(&format!("bench --html {long}{force}"));
        run.is(1, "", &format!("keylane: {long}: File name too long\n"));
    }
    let kept = "keylane: key: File exists; --force replaces it\n";
    dir.run("bench --html key").is(1, "", kept);
    dir.run("bench --html key --peers records").is(1, "", kept);
    assert_eq!(fs::read_to_string(dir.path().join("key")).unwrap(), format!("{KEY}\n"));
    dir.run("bench --html new --peers none").is(1, "", "keylane: none: No such file or directory\n");
    dir.write("list", "no,record\n1,2\n");
    let run = dir.run("bench --html new --peers list");
    assert!(run.code == Some(1) && run.err.starts_with("keylane: list: not a record: "), "{run:?}");
    let columns = "suite,rounds,table,cell,engine,side,cycles_lower,cycles_median,cycles_upper,keylane_ratio_lower,\
        keylane_ratio_median,keylane_ratio_upper,above_keylane_lower,above_keylane_median,above_keylane_upper,kept,\
        dropped,pairs\n";
    let none = "keylane: records: has no peers in the suites to measure\n";
    dir.run("bench --html new --peers records").is(1, "", none);
    dir.write("records/empty.csv", columns);
    dir.run("bench --html new --peers records").is(
        1,
        "",
        "keylane: records/empty.csv: not a record: no line\n",
    );
    dir.write("records/empty.csv", "other,columns\n");
    let line = "siphash-one,1-3,t,8,a peer,peer,1,2,3,,,,,,,7,0,0\n";
    dir.write("records/one.csv", format!("{columns}{line}"));
    dir.run("bench poly1305-one --html new --peers records").is(1, "", none);
    let replaced = "bench --html records/one.csv --peers records";
    dir.run(replaced).is(1, "", "keylane: records/one.csv: File exists; --force replaces it\n");
    dir.run(&format!("{replaced} --force")).is_usage_error("--html: would replace a record");
    assert!(fs::read_to_string(dir.path().join("records/one.csv")).unwrap().ends_with(line));
    assert!(!dir.path().join("no").exists() && !dir.path().join("new").exists());
}

/// What is not a regular file is neither replaced nor read, and a record is not read without end.
#[cfg(unix)]
#[test]
fn links_devices_pipes_and_huge_files() {
    use std::os::unix::fs::symlink;
    let dir = Dir::new();
    for (target, link) in
        [("key", "link"), ("missing", "dangling"), ("/dev/zero", "zero"), ("/dev/stdout", "stdout")]
    {
        symlink(target, dir.path().join(link)).unwrap();
    }
    dir.shell("mkfifo pipe").is(0, "", "");
    let not_regular = |name: &str| format!("keylane: {name}: not a regular file\n");
    for name in ["link", "dangling", "zero", "stdout", "pipe", "/dev/null", "/dev/stdout"] {
        for force in ["", "--force"] {
            let run = dir.shell(&format!("timeout 60 $keylane bench --html {name} {force}"));
            run.is(1, "", &not_regular(name));
        }
    }
    assert!(!dir.path().join("missing").exists());

    // An address space of a gigabyte, and a limit to waiting for a pipe.
    let peers = |name: &str| {
        dir.shell(&format!("ulimit -v 1000000; timeout 60 $keylane bench --html new --peers {name}"))
    };
    for name in ["/dev/zero", "/dev/null", "zero", "pipe", "/dev/stdin"] {
        peers(name).is(1, "", &not_regular(name));
    }
    dir.shell("truncate -s 5G huge; mkdir records; mkfifo records/a.csv; ln -s /dev/zero records/b.csv; mkdir records/c.csv");
    peers("huge").is(1, "", "keylane: huge: not a record: larger than 4 MiB\n");
    peers("records").is(1, "", "keylane: records: has no peers in the suites to measure\n");
    dir.shell("mv huge records/d.csv");
    peers("records").is(1, "", "keylane: records: d.csv: larger than 4 MiB\n");
    assert!(!dir.path().join("new").exists());
}

/// A new page has the mode that the umask leaves. A page that replaces a file has that file's.
#[cfg(unix)]
#[test]
fn the_mode_of_a_page() {
    use std::os::unix::fs::PermissionsExt;
    let dir = Dir::new();
    for (umask, old, mode) in [
        ("022", None, 0o644),
        ("027", None, 0o640),
        ("022", Some("600"), 0o600),
        ("077", Some("4755"), 0o755),
    ] {
        _ = fs::remove_file(dir.path().join("page"));
        if let Some(old) = old {
            dir.shell(&format!("echo older > page; chmod {old} page")).is(0, "", "");
        }
        let run = dir.shell(&format!(
            "umask {umask}; $keylane bench poly1305-batch --samples 1 --json --html page --force"
        ));
        if refuses(&run) {
            return;
        }
        run.ok();
        let page = dir.path().join("page");
        assert_eq!(fs::metadata(&page).unwrap().permissions().mode() & 0o7777, mode, "{umask} {old:?}");
        assert!(fs::read_to_string(page).unwrap().starts_with("<!DOCTYPE html>"));
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away() {
    let dir = Dir::new();
    let run = dir.shell("{ $keylane bench poly1305-batch --samples 1; echo $? >&2; } | :");
    if !cfg!(debug_assertions) {
        assert_eq!(run.err, "1\n");
    }
}
