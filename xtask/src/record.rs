//! A record of every suite on this machine, and the docs written anew from it.

use crate::{run, tables};
use anyhow::{Context, Result};
use keylane_conformance::proven;
use keylane_measure::cpu::microarchitecture;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// What to do.
#[derive(clap::Args)]
pub struct Options {
    /// What records of this CPU are filed under; its microarchitecture's name if that is known
    #[arg(long, value_name = "NAME")]
    cpu: Option<String>,
    /// Few samples and few cells, into target/record, and the docs stay as they are: for a look
    #[arg(long)]
    quick: bool,
}

/// Installs the peers, measures every suite, and writes the tables.
pub fn record(root: &Path, options: &Options) -> Result<()> {
    let cpu = options.cpu.as_deref().or(microarchitecture());
    let cpu = cpu.context("this CPU has no name here: --cpu NAME")?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let folder = Path::new(cpu).join(proven::date(now));
    let bench = root.join("bench");
    let cargo = |arguments: &[&str]| {
        run(&bench, Command::new("cargo").args(["run", "--release", "--"]).args(arguments))
    };
    cargo(&["setup", "--install"])?;
    if options.quick {
        let folder = Path::new("../target/record").join(folder);
        return cargo(&["all", "--quick", "--record", &folder.to_string_lossy()]);
    }
    cargo(&["all", "--record", &Path::new("record").join(folder).to_string_lossy()])?;
    tables::tables(root, false)
}
