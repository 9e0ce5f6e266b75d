//! The archives for the JVM, as a repository of Maven: `file://.../maven`.

use super::folder::Folder;
use super::release::Release;
use crate::cross::toolchain::is_here;
use crate::{output, run};
use anyhow::{Context, Result, ensure};
use keylane_records::passed::date;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use xtask::install::VERSION;
use xtask::not_run;
use zip::ZipArchive;

/// The modules of `java/` that are published, and the names of their artefacts.
const MODULES: [(&str, &str); 3] =
    [("keylane", "keylane"), ("vector", "keylane-vector"), ("spark", "keylane-spark_2.13")];

/// What each archive must have beside its classes.
const PAPERS: [&str; 2] = ["META-INF/LICENSE-APACHE", "META-INF/LICENSE-MIT"];

/// Builds the archives from the tracked files, and writes the repository.
pub fn jars(release: &Release<'_>) -> Result<()> {
    if !is_here("mvn") {
        return not_run("the archives for the JVM", "there is no Maven here");
    }
    let sources = Folder::empty(&release.builds.join("jvm"))?;
    let tracked = ["ls-files", "java", "LICENSE-APACHE", "LICENSE-MIT"];
    for name in output(Command::new("git").args(tracked).current_dir(release.root))?.lines() {
        sources.copy(&release.root.join(name), name)?;
    }
    let java = sources.path().join("java");
    let modules = MODULES.map(|(module, _)| module).join(",");
    let mut package = Command::new("mvn");
    package.args(["--batch-mode", "--quiet", "-Dmaven.test.skip=true", "--projects", &modules, "package"]);
    package.arg(format!("-Dproject.build.outputTimestamp={}T00:00:00Z", date(release.epoch)));
    run(&java, &mut package)?;

    let group = release.out.join("maven/example/keylane");
    place(&java.join("pom.xml"), &group, "keylane-parent", "pom")?;
    for (module, artefact) in MODULES {
        let folder = java.join(module);
        place(&folder.join("pom.xml"), &group, artefact, "pom")?;
        for kind in ["jar", "sources.jar"] {
            let dash = if kind == "jar" { "." } else { "-" };
            let archive = folder.join("target").join(format!("{artefact}-{VERSION}{dash}{kind}"));
            check(&archive)?;
            place(&archive, &group, artefact, kind)?;
        }
    }
    Ok(())
}

/// Copies a file to the place where Maven looks for it.
fn place(from: &Path, group: &Path, artefact: &str, kind: &str) -> Result<()> {
    let folder = group.join(artefact).join(VERSION);
    fs::create_dir_all(&folder)?;
    let dash = if kind.contains('.') { "-" } else { "." };
    let to = folder.join(format!("{artefact}-{VERSION}{dash}{kind}"));
    fs::copy(from, to).with_context(|| from.display().to_string())?;
    Ok(())
}

/// Fails if an archive lacks one of its papers, or has nothing else.
fn check(path: &Path) -> Result<()> {
    let file = File::open(path).with_context(|| path.display().to_string())?;
    let archive = ZipArchive::new(file)?;
    for paper in PAPERS {
        ensure!(archive.file_names().any(|name| name == paper), "{} has no {paper}", path.display());
    }
    let code = |name: &str| name.ends_with(".class") || name.ends_with(".java");
    ensure!(archive.file_names().any(code), "{} has no code", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    #[test]
    fn an_archive_has_code_and_its_papers() {
        let folder = tempfile::tempdir().unwrap();
        let archive = |names: &[&str]| {
            let path = folder.path().join("a.jar");
            let mut writer = ZipWriter::new(File::create(&path).unwrap());
            for name in names {
                writer.start_file(*name, SimpleFileOptions::default()).unwrap();
                writer.write_all(b"x").unwrap();
            }
            writer.finish().unwrap();
            check(&path).map_err(|error| error.to_string())
        };
        let [apache, mit] = PAPERS;
        assert_eq!(archive(&[apache, mit, "example/A.class"]), Ok(()));
        assert_eq!(archive(&[apache, mit, "example/A.java"]), Ok(()));
        assert!(archive(&[apache, mit]).unwrap_err().ends_with("a.jar has no code"));
        assert!(archive(&[mit, "A.class"]).unwrap_err().ends_with("a.jar has no META-INF/LICENSE-APACHE"));
    }

    #[test]
    fn files_lie_where_maven_looks() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("from");
        fs::write(&from, "x").unwrap();
        for (kind, name) in [("pom", ".pom"), ("jar", ".jar"), ("sources.jar", "-sources.jar")] {
            place(&from, folder.path(), "keylane", kind).unwrap();
            assert!(folder.path().join(format!("keylane/{VERSION}/keylane-{VERSION}{name}")).is_file());
        }
    }
}
