//! A compiler that has the source of its standard library, which can so be built for any target.

use crate::run;
use anyhow::{Context, Result, bail};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What Debian calls one; others call it the component rust-src.
const PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// A cargo and the rustc beside it.
pub struct Toolchain {
    folder: PathBuf,
    /// Where everything is built: a separate folder, which keeps the standard libraries.
    pub builds: PathBuf,
}

impl Toolchain {
    /// The first of PATH whose rustc has the source.
    pub fn find(root: &Path) -> Result<Self> {
        let target = env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
        let builds = std::path::absolute(target)?.join("cross");
        let path = env::var_os("PATH").context("there is no PATH")?;
        let has_source = |folder: &PathBuf| {
            let sysroot = clean(&folder.join("rustc")).args(["--print", "sysroot"]).output();
            sysroot.is_ok_and(|output| {
                let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
                Path::new(&sysroot).join("lib/rustlib/src/rust/library/Cargo.lock").is_file()
            })
        };
        let mut folders = env::split_paths(&path).filter(|folder| folder.join("cargo").is_file());
        match folders.find(has_source) {
            Some(folder) => Ok(Toolchain { folder, builds }),
            None => bail!(
                "no rustc of PATH has the source of its standard library; apt-get install -y {}",
                PACKAGES.join(" ")
            ),
        }
    }

    /// The compiler.
    pub fn rustc(&self) -> Command {
        clean(&self.folder.join("rustc"))
    }

    /// A cargo command that may use unstable features: it builds the standard library.
    pub fn cargo(&self) -> Command {
        let mut command = clean(&self.folder.join("cargo"));
        command.env("RUSTC", self.folder.join("rustc")).env("RUSTC_BOOTSTRAP", "1");
        command.env("CARGO_TARGET_DIR", &self.builds);
        command
    }

    /// Builds something for AArch64 in release. Returns the folder of the programs.
    pub fn build_aarch64(&self, root: &Path, what: &[&str]) -> Result<PathBuf> {
        let triple = "aarch64-unknown-linux-gnu";
        if !is_here("aarch64-linux-gnu-gcc") {
            bail!("aarch64-linux-gnu-gcc is in the package gcc-aarch64-linux-gnu");
        }
        let mut cargo = self.cargo();
        cargo.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc");
        cargo.args(["build", "--release", "-Zbuild-std=std,panic_abort", "--target", triple]);
        run(root, cargo.args(what))?;
        Ok(self.builds.join(triple).join("release"))
    }
}

/// A command without what the cargo that runs this has put into the environment for its own compiler.
fn clean(program: &Path) -> Command {
    let mut command = Command::new(program);
    for name in ["CARGO", "LD_LIBRARY_PATH", "RUSTC", "RUSTFLAGS", "RUSTUP_TOOLCHAIN"] {
        command.env_remove(name);
    }
    command
}

/// Whether there is such a program.
pub fn is_here(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}
