//! The packages to install for absent engines.

use crate::engine::absent;
use anyhow::{Result, ensure};
use std::process::Command;

/// The packages that the absent engines need.
pub fn packages() -> Vec<&'static str> {
    let mut packages: Vec<&str> = absent().iter().flat_map(|absent| absent.packages).copied().collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}

/// Installs the packages with apt-get. Only the superuser may do that.
///
/// # Errors
/// apt-get cannot be run or fails.
pub fn install(packages: &[&str]) -> Result<()> {
    for arguments in [&["update"][..], &[&["install", "--yes", "--no-install-recommends"], packages].concat()]
    {
        let status = Command::new("apt-get").args(arguments).status()?;
        ensure!(status.success(), "apt-get {}: {status}", arguments.join(" "));
    }
    Ok(())
}
