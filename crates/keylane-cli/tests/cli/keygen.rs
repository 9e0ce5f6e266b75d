//! `keylane keygen`

use crate::tool::Dir;
use std::collections::HashSet;
use std::fs;

#[test]
fn keys_are_fresh_and_of_the_right_length() {
    let dir = Dir::new();
    for (alg, digits) in
        [("", 32), ("--alg siphash-1-3-64", 32), ("--alg halfsiphash-2-4-32", 16), ("--alg poly1305", 64)]
    {
        let keys: HashSet<_> = (0..5).map(|_| dir.run(&format!("keygen {alg}")).ok()).collect();
        assert_eq!(keys.len(), 5);
        for key in keys {
            let key = key.strip_suffix('\n').unwrap();
            assert_eq!(key.len(), digits);
            assert!(key.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
        }
    }
    assert_eq!(dir.run("keygen -o -").ok().len(), 33);
    dir.run("keygen --alg md5").is_usage_error("poly1305");
}

#[test]
fn an_existing_file_is_kept() {
    let dir = Dir::new();
    assert_eq!(dir.run("keygen -o new").ok(), "");
    let path = dir.path().join("new");
    let first = fs::read(&path).unwrap();
    assert_eq!(first.len(), 33);
    dir.run("keygen -o new").is(1, "", "keylane: new: File exists\n");
    assert_eq!(fs::read(&path).unwrap(), first);
    assert_eq!(dir.run("keygen --force --output new").ok(), "");
    assert_ne!(fs::read(&path).unwrap(), first);
    dir.run("keygen --force").is_usage_error("--output <FILE>");
    // No other file is left.
    let names: HashSet<_> =
        fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, HashSet::from(["key".into(), "new".into()]));
}

#[test]
fn files_that_cannot_be_made() {
    let dir = Dir::new();
    dir.run("keygen -o no/such/directory/k").is(
        1,
        "",
        "keylane: no/such/directory/k: No such file or directory\n",
    );
    dir.run("keygen -o .").is(1, "", "keylane: .: File exists\n");
    dir.run("keygen --force -o .").is(1, "", "keylane: .: not a regular file\n");
    fs::create_dir(dir.path().join("sub")).unwrap();
    assert_eq!(dir.run("keygen -o sub/k").ok(), "");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_it() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = Dir::new();
    let mode = |name: &str| fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o7777;
    dir.shell("umask 0; $keylane keygen -o new").is(0, "", "");
    assert_eq!(mode("new"), 0o600);
    dir.write("open", "");
    dir.shell("umask 0; chmod 666 open; $keylane keygen --force -o open").is(0, "", "");
    assert_eq!(mode("open"), 0o600);
    // A link is neither followed nor replaced.
    symlink("target", dir.path().join("link")).unwrap();
    dir.run("keygen -o link").is(1, "", "keylane: link: File exists\n");
    dir.run("keygen --force -o link").is(1, "", "keylane: link: not a regular file\n");
    assert!(!dir.path().join("target").exists());
    dir.run("keygen --force -o /dev/null").is(1, "", "keylane: /dev/null: not a regular file\n");
}

#[test]
fn what_is_made_can_be_used() {
    let dir = Dir::new();
    dir.write("m", "message");
    for (alg, sum) in [("siphash-2-4-128", true), ("halfsiphash-1-3-64", true), ("poly1305", false)] {
        assert_eq!(dir.run(&format!("keygen --force --alg {alg} -o k")).ok(), "");
        let tag = dir.run(&format!("mac {alg} --key-file k m")).ok();
        if sum {
            assert_eq!(dir.run(&format!("sum --alg {alg} --key-file k m")).ok(), tag.replace('\n', "  m\n"));
        }
        dir.run(&format!("mac {alg} --key-file k m --verify {tag}")).is(0, "OK\n", "");
    }
}
