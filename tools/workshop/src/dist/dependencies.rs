//! The packages that a product is made of: the tree that cargo builds, each with what its manifest and the lock say.

use crate::output;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A package from the registry.
pub struct Dependency {
    pub name: String,
    pub version: String,
    /// An expression of SPDX.
    pub licence: String,
    /// SHA-256 of the package, in hexadecimal.
    pub sum: Option<String>,
    /// Its source.
    pub folder: PathBuf,
    /// The identities of the packages that it depends on.
    pub needs: Vec<String>,
}

impl Dependency {
    /// Its identity in an SBOM.
    pub fn url(&self) -> String {
        url(&self.name, &self.version)
    }
}

fn url(name: &str, version: &str) -> String {
    format!("pkg:cargo/{name}@{version}")
}

/// The packages from the registry whose code goes into `packages` for a target, in the order of their names.
pub fn of(root: &Path, packages: &[&str], target: &str) -> Result<Vec<Dependency>> {
    let mut tree = Command::new("cargo");
    tree.args(["tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]);
    tree.args(["--target", target]).args(packages.iter().flat_map(|package| ["--package", package]));
    let tree = output(tree.current_dir(root))?;
    let metadata = ["metadata", "--locked", "--format-version", "1"];
    let metadata = output(Command::new("cargo").args(metadata).current_dir(root))?;
    let lock = fs::read_to_string(root.join("Cargo.lock"))?;
    select(&tree, &serde_json::from_str(&metadata)?, &lock)
}

/// Joins what the three say about each package.
fn select(tree: &str, metadata: &Value, lock: &str) -> Result<Vec<Dependency>> {
    let built: BTreeSet<(&str, &str)> = tree.lines().filter_map(line).collect();
    let sums = sums(lock);
    let text = |value: &Value, name: &str| -> Result<String> {
        Ok(value[name].as_str().with_context(|| format!("{name} in cargo's metadata"))?.to_owned())
    };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();

    let mut names = BTreeMap::new();
    let mut dependencies = BTreeMap::new();
    for package in list(&metadata["packages"]) {
        let (name, version) = (text(&package, "name")?, text(&package, "version")?);
        // Packages of this repository have no source.
        if package["source"].is_null() || !built.contains(&(name.as_str(), version.as_str())) {
            continue;
        }
        let manifest = PathBuf::from(text(&package, "manifest_path")?);
        let identity = text(&package, "id")?;
        names.insert(identity.clone(), url(&name, &version));
        let dependency = Dependency {
            licence: text(&package, "license").with_context(|| name.clone())?.replace('/', " OR "),
            sum: sums.get(&(name.as_str(), version.as_str())).map(|sum| (*sum).to_owned()),
            folder: manifest.parent().context("a manifest in a folder")?.to_owned(),
            needs: Vec::new(),
            name,
            version,
        };
        dependencies.insert(identity, dependency);
    }
    for node in list(&metadata["resolve"]["nodes"]) {
        let Some(dependency) = dependencies.get_mut(&text(&node, "id")?) else { continue };
        let normal = |other: &Value| list(&other["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        let needs = list(&node["deps"]).into_iter().filter(normal);
        let needs = needs.filter_map(|other| names.get(other["pkg"].as_str()?).cloned());
        dependency.needs = needs.collect::<BTreeSet<String>>().into_iter().collect();
    }
    let mut dependencies: Vec<Dependency> = dependencies.into_values().collect();
    dependencies.sort_by_key(Dependency::url);
    Ok(dependencies)
}

/// The name and the version in a line of `cargo tree`.
fn line(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(" v")?;
    Some((name, rest.split_whitespace().next()?))
}

/// The sums that a lock file has, by name and version.
fn sums(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let field = |package: &'_ str, name: &str| -> Option<(usize, usize)> {
        let start = package.find(&format!("\n{name} = \""))? + name.len() + 5;
        Some((start, start + package[start..].find('"')?))
    };
    let packages = lock.split("[[package]]").skip(1);
    let read = |package: &'_ str| {
        Some((field(package, "name")?, field(package, "version")?, field(package, "checksum")?))
    };
    packages
        .filter_map(|package| {
            let (name, version, sum) = read(package)?;
            Some(((&package[name.0..name.1], &package[version.0..version.1]), &package[sum.0..sum.1]))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const LOCK: &str = r#"
[[package]]
name = "b"
version = "2.0.0"
source = "registry"
checksum = "beef"

[[package]]
name = "ours"
version = "0.1.0"
"#;

    #[test]
    fn packages_of_the_tree_have_what_metadata_and_lock_say() {
        let package = |name: &str, version: &str, source: Value| {
            json!({"name": name, "version": version, "id": format!("{name} {version}"), "source": source,
                   "license": "MIT/Apache-2.0", "manifest_path": format!("/registry/{name}/Cargo.toml")})
        };
        let edge = |to: &str, kind: Value| json!({"pkg": to, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [
                package("c", "3.0.0", json!("registry")), package("b", "2.0.0", json!("registry")),
                package("b", "1.0.0", json!("registry")), package("ours", "0.1.0", Value::Null),
            ],
            "resolve": {"nodes": [
                {"id": "b 2.0.0", "deps": [edge("c 3.0.0", Value::Null), edge("b 1.0.0", Value::Null)]},
                {"id": "c 3.0.0", "deps": [edge("b 2.0.0", json!("dev"))]},
            ]},
        });
        let found =
            select("ours v0.1.0 (/here)\nb v2.0.0\nc v3.0.0\nb v2.0.0 (*)\n", &metadata, LOCK).unwrap();
        let urls: Vec<String> = found.iter().map(Dependency::url).collect();
        assert_eq!(urls, ["pkg:cargo/b@2.0.0", "pkg:cargo/c@3.0.0"]);
        assert_eq!(found[0].needs, ["pkg:cargo/c@3.0.0"]);
        assert_eq!(found[1].needs, [""; 0]);
        assert_eq!(found[0].sum.as_deref(), Some("beef"));
        assert_eq!(found[0].licence, "MIT OR Apache-2.0");
        assert_eq!(found[0].folder, Path::new("/registry/b"));
    }
}
