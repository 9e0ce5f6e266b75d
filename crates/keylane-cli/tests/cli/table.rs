//! `keylane kernels` and `keylane selftest`

use crate::tool::{Dir, run};
use keylane::kernels::list;

#[test]
fn the_table_of_kernels() {
    let dir = Dir::new();
    let out = dir.run("kernels").ok();
    let mut lines = out.lines();
    let head: Vec<_> = lines.next().unwrap().split_whitespace().collect();
    assert_eq!(head, ["slot", "kernel", "lanes", "requires", "status"]);
    for (line, kernel) in lines.by_ref().zip(list()) {
        let requires: Vec<_> = kernel.requires().collect();
        let requires = if requires.is_empty() { "-".to_owned() } else { requires.join(",") };
        let expected =
            format!("{} {} {} {requires} {}", kernel.slot(), kernel.id(), kernel.lanes(), kernel.status());
        assert_eq!(line.split_whitespace().collect::<Vec<_>>().join(" "), expected);
        assert_eq!(line.trim_end(), line);
    }
    assert_eq!(out.lines().count(), 1 + list().count());

    let json: serde_json::Value = serde_json::from_str(&dir.run("kernels --json").ok()).unwrap();
    let json = json.as_array().unwrap();
    assert_eq!(json.len(), list().count());
    for (object, kernel) in json.iter().zip(list()) {
        assert_eq!(object["slot"], kernel.slot());
        assert_eq!(object["kernel"], kernel.id());
        assert_eq!(object["lanes"], kernel.lanes());
        assert_eq!(object["requires"], serde_json::Value::from_iter(kernel.requires()));
        assert_eq!(object["status"], kernel.status().to_string());
    }
}

#[test]
fn a_forced_kernel_is_active() {
    let dir = Dir::new();
    let forced = run(dir.command().arg("kernels").env("KEYLANE_KERNEL", "siphash-xn=siphash_x1")).ok();
    let line =
        forced.lines().find(|line| line.starts_with("siphash-xn ") && line.contains("siphash_x1 ")).unwrap();
    assert!(line.ends_with("active"), "{line}");
}

#[test]
fn the_self_test_names_every_row() {
    let dir = Dir::new();
    let out = dir.run("selftest").ok();
    for kernel in list() {
        assert!(out.contains(&format!("{} {}: ", kernel.slot(), kernel.id())));
    }
    let passed = out.lines().filter(|line| line.ends_with(": passed")).count();
    assert!(out.lines().last().unwrap().starts_with(&format!("{passed} passed, 0 failed")), "{out}");
    assert!(out.contains("Poly1305, RFC 8439: passed\n"));
}
