//! The Python package: its source archive, and from that a wheel for each machine.

use super::folder::Folder;
use super::release::{Machine, Release};
use super::{dependencies, licences, sbom};
use crate::run;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::glibc::FLOOR;
use xtask::install::VERSION;

/// The version of maturin. Wheels depend on it.
const MATURIN: &str = "1.16.0";

/// The file with the SBOM.
const SBOM: &str = "sbom.cdx.json";

/// What a wheel may have, in bytes.
const LIMIT: u64 = 3_000_000;

/// Writes the source archive into `python/`. Answers the folder that it unpacks to.
pub fn sources(release: &Release<'_>) -> Result<PathBuf> {
    let mut pack = release.reproducible(&maturin(release)?)?;
    pack.args(["sdist", "--manifest-path", "python/Cargo.toml", "--out"]).arg(release.out.join("python"));
    run(release.root, &mut pack)?;
    let name = format!("keylane-{VERSION}");
    let packed = fs::File::open(release.out.join(format!("python/{name}.tar.gz")))?;
    let folder = Folder::empty(&release.builds.join("python"))?;
    tar::Archive::new(flate2::read::GzDecoder::new(packed)).unpack(folder.path())?;
    Ok(folder.path().join(name))
}

/// Builds a machine's wheel from the unpacked source archive. The licences of what is linked into it go in too, and the
/// SBOM. maturin's own would name the folder.
pub fn wheel(release: &Release<'_>, machine: &Machine, sources: &Path) -> Result<()> {
    let target = format!("{}-unknown-linux-gnu", machine.name);
    let python = release.root.join("python");
    let folder = Folder::empty(&release.builds.join("wheel").join(machine.name))?;
    copy(sources, &folder)?;
    let dependencies = dependencies::of(&python, &["keylane-python"], &target)?;
    for (name, text) in licences::licences(&dependencies)? {
        folder.write(&format!("licences/{name}"), &text)?;
    }
    let sbom = sbom::sbom("keylane-python", VERSION, release.epoch, &dependencies);
    folder.write(SBOM, (serde_json::to_string_pretty(&sbom)? + "\n").as_bytes())?;
    let project = folder.path().join("pyproject.toml");
    fs::write(&project, with_papers(&fs::read_to_string(&project)?)?)?;

    // maturin fails if a symbol needs a newer glibc, or a library that not every system has.
    let tag = format!("manylinux_{}", FLOOR.to_string().replace('.', "_"));
    let mut build = release.reproducible(&maturin(release)?)?;
    build.args(["build", "--release", "--locked", "--target", &target, "--compatibility", &tag]);
    build.args(["--auditwheel", "check", "--sbom-include", SBOM, "--out"]).arg(release.out.join("python"));
    run(folder.path(), &mut build)?;
    let wheel = release.out.join(format!("python/keylane-{VERSION}-cp311-abi3-{tag}_{}.whl", machine.name));
    let size = fs::metadata(&wheel).with_context(|| wheel.display().to_string())?.len();
    ensure!(size < LIMIT, "{}: {size} bytes, and may have {LIMIT}", wheel.display());
    Ok(())
}

/// maturin, which pip installs into a folder of its own.
fn maturin(release: &Release<'_>) -> Result<PathBuf> {
    let environment = release.builds.join(format!("maturin-{MATURIN}"));
    let program = environment.join("bin/maturin");
    if !program.is_file() {
        run(release.root, Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
        let mut install = Command::new(environment.join("bin/pip"));
        install.args(["install", "--quiet", "--disable-pip-version-check"]);
        run(release.root, install.arg(format!("maturin=={MATURIN}")))?;
    }
    Ok(program)
}

/// Copies all files below a folder.
fn copy(from: &Path, to: &Folder) -> Result<()> {
    for entry in walkdir::WalkDir::new(from) {
        let entry = entry?;
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(from)?.to_str().context("a name in UTF-8")?;
            to.copy(entry.path(), name)?;
        }
    }
    Ok(())
}

/// The text of `pyproject.toml`, which names the papers that a wheel has.
fn with_papers(project: &str) -> Result<String> {
    let line = "\n[project]\n";
    ensure!(project.contains(line), "pyproject.toml has no [project]");
    let files = "license-files = [\"LICENSE-*\", \"licences/**/*\"]";
    let project = project.replacen(line, &format!("{line}{files}\n"), 1);
    Ok(project + "\n[tool.maturin.sbom]\nrust = false\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_names_its_papers() {
        let named = with_papers("[build-system]\n\n[project]\nname = \"keylane\"\n").unwrap();
        let expected = "[build-system]\n\n[project]\nlicense-files = [\"LICENSE-*\", \"licences/**/*\"]\n\
                        name = \"keylane\"\n\n[tool.maturin.sbom]\nrust = false\n";
        assert_eq!(named, expected);
        assert!(with_papers("[tool.maturin]\n").is_err());
    }
}
