//! The licences of what a product is made of: the files that each package brings, and those of the standard library.

use super::dependencies::Dependency;
use crate::output;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The beginnings of names that such files have, in lower case.
const BEGINNINGS: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];

/// This licence has the same text for every package.
const APACHE: &str = include_str!("../../../../LICENSE-APACHE");

/// A name such as `libc-0.2.1/LICENSE-MIT` and a text for each licence. Fails if a package has none.
pub fn licences(dependencies: &[Dependency]) -> Result<Vec<(String, Vec<u8>)>> {
    let mut licences = Vec::new();
    for dependency in dependencies {
        let folder = format!("{}-{}", dependency.name, dependency.version);
        let found = files(&dependency.folder)?;
        if found.is_empty() && dependency.licence.split(" OR ").any(|licence| licence == "Apache-2.0") {
            licences.push((format!("{folder}/LICENSE-APACHE"), APACHE.into()));
        } else if found.is_empty() {
            bail!("{folder}: no file with its licence, {}", dependency.licence);
        }
        for path in found {
            licences.push((format!("{folder}/{}", name(&path)?), read(&path)?));
        }
    }
    let system = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let papers = Path::new(system.trim()).join("share/doc/rust");
    for file in ["COPYRIGHT-library.html", "licenses/Apache-2.0.txt", "licenses/MIT.txt"] {
        let path = papers.join(file);
        licences.push((format!("rust-standard-library/{}", name(&path)?), read(&path)?));
    }
    Ok(licences)
}

/// The files of a folder whose names are those of licences, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let lower = name(&path)?.to_lowercase();
        if path.is_file() && BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn name(path: &Path) -> Result<String> {
    let name = path.file_name().and_then(|name| name.to_str());
    Ok(name.with_context(|| path.display().to_string())?.to_owned())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(licence: &str, folder: &Path) -> Dependency {
        Dependency {
            name: "b".into(),
            version: "2.0.0".into(),
            licence: licence.into(),
            sum: None,
            folder: folder.to_owned(),
            needs: Vec::new(),
        }
    }

    #[test]
    fn every_file_of_a_licence_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["LICENSE-MIT", "COPYING", "Notice.txt", "lib.rs"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        let names: Vec<String> =
            files(folder.path()).unwrap().iter().map(|path| name(path).unwrap()).collect();
        assert_eq!(names, ["COPYING", "LICENSE-MIT", "Notice.txt"]);
    }

    #[test]
    fn a_package_without_a_licence_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = licences(&[package("MIT", folder.path())]).unwrap_err();
        assert_eq!(error.to_string(), "b-2.0.0: no file with its licence, MIT");
    }
}
