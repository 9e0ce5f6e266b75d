//! Shows the command's use on real files.

use crate::{built, run};
use anyhow::Result;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

/// Builds the command as quickly as it can be built, makes a key, hashes the repository's own files, and verifies them.
pub fn demo(root: &Path) -> Result<()> {
    run(root, Command::new("cargo").args(["build", "--profile", "tools", "--package", "keylane-cli"]))?;
    let program = built("tools")?.join("keylane");
    let folder = tempfile::tempdir()?;
    let (key, sums) = (folder.path().join("key"), folder.path().join("sums"));

    run(root, Command::new(&program).arg("keygen").arg("-o").arg(&key))?;
    let mut sum = Command::new(&program);
    sum.arg("sum").arg("--key-file").arg(&key).args(["-r", "crates", "docs", "tests"]);
    println!("into {}:", sums.display());
    run(root, sum.stdout(Stdio::from(File::create(&sums)?)))?;
    run(root, Command::new("head").args(["-n", "3"]).arg(&sums))?;
    let mut check = Command::new(&program);
    run(root, check.arg("sum").arg("--key-file").arg(&key).args(["--check", "--quiet"]).arg(&sums))?;
    let files = std::fs::read_to_string(&sums)?.lines().count();
    println!("{files} files hashed under a fresh key and verified");
    Ok(())
}
