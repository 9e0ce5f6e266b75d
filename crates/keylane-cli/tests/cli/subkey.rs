//! `keylane key`

use crate::tool::{Dir, KEY};
use serde_json::Value;
use std::fs;

fn cases(mode: &str) -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/testdata/kce1.json");
    let file: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let all = file["cases"].as_array().unwrap().iter().filter(|case| case["mode"] == mode);
    all.cloned().collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The vectors of KCE-1, and what was made is a key.
#[test]
fn subkeys_and_check_values_are_those_of_the_page() {
    let dir = Dir::new();
    let cases_of_derive = cases("derive");
    assert!(cases_of_derive.len() >= 3 && cases("check").len() >= 2);
    for (number, case) in cases_of_derive.iter().enumerate() {
        let context = text(&case["context"]);
        // Not to be had in an argument.
        if context.contains('\0') {
            continue;
        }
        dir.write("k", text(&case["key"]));
        let name = format!("sub{number}");
        let mut command = dir.command();
        command.args(["key", "derive", "--key-file", "k", "-o", &name, "--", context]);
        if case["error"]["kind"] == "reserved" {
            let refused = "keylane: CONTEXT: those that begin with KCE- are reserved\n";
            crate::tool::run(&mut command).is(2, "", refused);
            assert!(!dir.path().join(&name).exists());
            continue;
        }
        command.assert().success().stdout("").stderr("");
        let subkey = fs::read_to_string(dir.path().join(&name)).unwrap();
        assert_eq!(subkey, format!("{}\n", text(&case["subkey"])));
        assert_eq!(dir.run(&format!("key check --key-file {name}")).ok().len(), 9);
    }
    for case in cases("check") {
        dir.write("k", text(&case["key"]));
        assert_eq!(dir.run("key check --key-file k").ok(), format!("{}\n", text(&case["check"])));
    }
}

#[test]
fn a_subkey_goes_to_a_new_file_of_its_owner() {
    let dir = Dir::new();
    assert_eq!(dir.run("key derive users.email --key-file key -o email").ok(), "");
    let path = dir.path().join("email");
    let first = fs::read(&path).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        dir.shell("umask 0; $keylane key derive b --key-file key -o b").is(0, "", "");
        assert_eq!(fs::metadata(dir.path().join("b")).unwrap().permissions().mode() & 0o7777, 0o600);
    }
    // Never the key's own file, and no other file either. There is no --force.
    dir.run("key derive users.phone --key-file key -o email").is(1, "", "keylane: email: File exists\n");
    dir.run("key derive users.phone --key-file key -o key").is(1, "", "keylane: key: File exists\n");
    dir.run("key derive a --key-file key -o email --force").is_usage_error("--force");
    assert_eq!(fs::read(&path).unwrap(), first);
    assert_eq!(fs::read_to_string(dir.path().join("key")).unwrap(), format!("{KEY}\n"));
    assert_eq!(dir.run("key derive users.email --key-file key -o -").ok().into_bytes(), first);
    dir.run("key derive a --key-file key").is_usage_error("--output <FILE>");
    dir.run("key derive a --key-file key -o no/such/k").is(
        1,
        "",
        "keylane: no/such/k: No such file or directory\n",
    );
}

#[test]
fn contexts_that_are_refused() {
    let dir = Dir::new();
    let refused = |context: &str| {
        let mut command = dir.command();
        command.args(["key", "derive", "--key-file", "key", "-o", "new", "--", context]);
        let run = crate::tool::run(&mut command);
        run.is_usage_error("keylane: CONTEXT: ");
        assert!(context.is_empty() || !run.err.contains(context));
    };
    for context in ["", &"a".repeat(256), "KCE-1 row", "KCE-x"] {
        refused(context);
    }
    for context in ["a".repeat(255), "\u{e9}".repeat(127), "kce-1".into()] {
        let mut command = dir.command();
        command.args(["key", "derive", "--key-file", "key", "-o", "-", &context]);
        assert_eq!(crate::tool::run(&mut command).ok().len(), 33);
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let mut command = dir.command();
        command.args(["key", "derive", "--key-file", "key", "-o", "new"]);
        command.arg(std::ffi::OsStr::from_bytes(b"a\xff"));
        crate::tool::run(&mut command).is(2, "", "keylane: CONTEXT: it is not UTF-8\n");
    }
    assert!(!dir.path().join("new").exists());
}

#[test]
fn keys_that_are_refused() {
    let dir = Dir::new();
    for args in ["key check", "key derive a -o new"] {
        dir.run(args).is_usage_error("--key-file");
        dir.run(&format!("{args} --key-file nowhere")).is_usage_error("is not shown");
        dir.write("short", &KEY[..30]);
        dir.run(&format!("{args} --key-file short"))
            .is_usage_error("not a key for siphash-4-8-128: expected 32 hex digits, found 30 hex digits");
    }
    assert!(!dir.path().join("new").exists());
}
