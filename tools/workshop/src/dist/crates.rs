//! The crates, as `cargo publish` would send them.

use super::release::Release;
use crate::run;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use xtask::install::VERSION;

/// The crates that are published, each after those that it needs.
const CRATES: [&str; 8] = [
    "keylane",
    "keylane-ref",
    "keylane-measure",
    "keylane-map",
    "keylane-rustls",
    "keylane-columns",
    "keylane-files",
    "keylane-cli",
];

/// What every crate must have beside its code.
const PAPERS: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Packs the crates into `crates/`. `cargo publish --dry-run` also builds each from its package.
pub fn crates(release: &Release<'_>) -> Result<()> {
    let packages: Vec<&str> = CRATES.iter().flat_map(|name| ["--package", name]).collect();
    let mut pack = release.cargo()?;
    pack.args(["package", "--locked", "--no-verify"]).args(&packages);
    if release.dirty {
        pack.arg("--allow-dirty");
    }
    run(release.root, &mut pack)?;
    let folder = release.out.join("crates");
    fs::create_dir_all(&folder)?;
    for name in CRATES {
        let file = format!("{name}-{VERSION}.crate");
        let packed = release.builds.join("package").join(&file);
        check(&packed, &format!("{name}-{VERSION}"))?;
        fs::copy(&packed, folder.join(&file)).with_context(|| file.clone())?;
    }
    Ok(())
}

/// Fails if a package lacks one of its papers.
fn check(packed: &Path, top: &str) -> Result<()> {
    let file = fs::File::open(packed).with_context(|| packed.display().to_string())?;
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    let mut names = Vec::new();
    for entry in archive.entries()? {
        names.push(entry?.path()?.into_owned());
    }
    for paper in PAPERS {
        let path = Path::new(top).join(paper);
        anyhow::ensure!(names.contains(&path), "{top} has no {paper}");
    }
    Ok(())
}
