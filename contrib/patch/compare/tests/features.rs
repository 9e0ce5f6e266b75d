//! The packages have the versions and features of those that they replace.

use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// The features of a package: those that it names, and the dependencies that a program can ask for like one.
fn features(package: &Value) -> BTreeSet<String> {
    package["features"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn versions_and_features() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--locked", "--format-version", "1", "--manifest-path", manifest])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let mut compared = Vec::new();
    for ours in packages.iter().filter(|package| package["source"].is_null()) {
        for theirs in packages.iter().filter(|package| !package["source"].is_null()) {
            if (&ours["name"], &ours["version"]) == (&theirs["name"], &theirs["version"]) {
                let name = format!("{} {}", ours["name"], ours["version"]);
                assert_eq!(features(ours), features(theirs), "{name}");
                compared.push(name);
            }
        }
    }
    assert_eq!(compared.len(), 5, "{compared:?}");
}
