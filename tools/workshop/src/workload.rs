//! The lab's example `workload`, which runs any kernel of keylane or of the lab. The lab is a separate workspace.

use crate::cross::toolchain::Toolchain;
use crate::listing::Isa;
use crate::run;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

const EXAMPLE: [&str; 4] = ["--manifest-path", "bench/lab/Cargo.toml", "--example", "workload"];

/// Builds it in release: where it is.
pub fn build(root: &Path, isa: Isa) -> Result<PathBuf> {
    let release = match isa {
        Isa::X86_64 => {
            // Cargo puts this program into TARGET/release.
            let program = std::env::current_exe()?;
            let release = program.parent().context("a target folder")?.to_owned();
            let target = release.parent().context("a target folder")?;
            let mut cargo = Command::new("cargo");
            cargo.args(["build", "--release", "--locked", "--target-dir"]).arg(target).args(EXAMPLE);
            run(root, &mut cargo)?;
            release
        }
        Isa::Aarch64 => Toolchain::find(root)?.build_aarch64(root, &EXAMPLE)?,
    };
    Ok(release.join("examples/workload"))
}
