//! A release in the making, and the compilers that make it.

use super::front;
use anyhow::{Context, Result};
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kind of CPU.
pub struct Machine {
    pub name: &'static str,
    /// What Debian calls it.
    pub debian: &'static str,
}

/// Those that a release is made for.
pub const MACHINES: [Machine; 2] =
    [Machine { name: "x86_64", debian: "amd64" }, Machine { name: "aarch64", debian: "arm64" }];

/// A release in the making.
pub struct Release<'a> {
    pub root: &'a Path,
    /// Where the files of the release go.
    pub out: PathBuf,
    /// Where everything is built.
    pub builds: PathBuf,
    /// Seconds from 1970 to the commit: the time of every file.
    pub epoch: u64,
    pub dirty: bool,
}

impl Release<'_> {
    /// A cargo command whose products do not depend on the folders of this machine.
    pub fn cargo(&self) -> Result<Command> {
        self.reproducible(Path::new("cargo"))
    }

    /// The same for any program that runs cargo.
    ///
    /// A program in front of the compiler adds the flags that remap paths. Cargo hashes `RUSTFLAGS` into the names of
    /// object files, and a static library holds these names.
    pub fn reproducible(&self, program: &Path) -> Result<Command> {
        let home = env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo"));
        let home = env::var_os("CARGO_HOME").map(PathBuf::from).or(home).context("there is no HOME")?;
        let places = [(self.builds.as_path(), "/target"), (self.root, "/keylane"), (&home, "/cargo")];
        let flags = places.map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
        let compiler = self.builds.join("rustc-remap");
        fs::write(&compiler, front::front(&flags))?;
        fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755))?;
        let mut command = Command::new(program);
        command.current_dir(self.root);
        command.env("SOURCE_DATE_EPOCH", self.epoch.to_string());
        command.env("CARGO_TARGET_DIR", &self.builds);
        command.env("RUSTC_WRAPPER", &compiler);
        command.env("CARGO_ENCODED_RUSTFLAGS", "");
        command.env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
        // The compiler's own linker links static programs, for every CPU. A shared library needs a C compiler's.
        for Machine { name, .. } in &MACHINES {
            let name = name.to_uppercase();
            command.env(format!("CARGO_TARGET_{name}_UNKNOWN_LINUX_MUSL_LINKER"), "rust-lld");
        }
        for Machine { name, .. } in MACHINES.iter().filter(|machine| machine.name != env::consts::ARCH) {
            let linker = format!("CARGO_TARGET_{}_UNKNOWN_LINUX_GNU_LINKER", name.to_uppercase());
            command.env(linker, format!("{name}-linux-gnu-gcc"));
        }
        Ok(command)
    }
}
