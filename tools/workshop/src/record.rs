//! Records every suite on this machine, and writes the docs' tables from the record.

use crate::{codegen, output, run};
use anyhow::{Context, Result, ensure};
use keylane_measure::commit::committed;
use keylane_measure::cpu::microarchitecture;
use keylane_measure::record;
use keylane_records::passed;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};
use xtask::tables;
use xtask::tables::records::Records;
use xtask::tables::records::SIZES;

/// What to do.
#[derive(clap::Args)]
pub struct Options {
    /// Suites of bench/, or code-size
    #[arg(default_values = ["all", SIZES])]
    suites: Vec<String>,
    /// The name for this CPU in the records; its microarchitecture if that is known
    #[arg(long, value_name = "NAME")]
    cpu: Option<String>,
    /// Sources of Redis, unpacked: also record contrib/redis (served.py says what)
    #[arg(long, value_name = "FOLDER")]
    redis: Option<PathBuf>,
    /// Take few samples of few cells, write to target/record, and leave the docs as they are
    #[arg(long)]
    quick: bool,
}

/// Installs the peers, measures the suites, and writes the tables.
pub fn record(root: &Path, options: &Options) -> Result<()> {
    committed(root)?;
    let folder = folder(options.cpu.as_deref())?;
    let bench = root.join("bench");
    let cargo = |arguments: &[&str]| {
        run(&bench, Command::new("cargo").args(["run", "--release", "--"]).args(arguments))
    };
    cargo(&["setup", "--install"])?;
    let folder = Path::new(if options.quick { "../target/record" } else { "record" }).join(folder);
    for suite in &options.suites {
        if suite == SIZES {
            sizes(root, &bench.join(&folder))?;
        } else {
            let quick = options.quick.then_some("--quick");
            let arguments = [Some(suite.as_str()), quick, Some("--record"), folder.to_str()];
            cargo(&arguments.into_iter().flatten().collect::<Vec<_>>())?;
        }
    }
    // It is for a reader: whether a difference is wanted, only he knows.
    for (old, new) in predecessors(root, &bench.join(&folder))? {
        println!("\n{} beside {}", new.display(), old.display());
        let arguments = [OsStr::new("compare"), old.as_os_str(), new.as_os_str()];
        let status = Command::new("cargo")
            .current_dir(&bench)
            .args(["run", "--release", "--"])
            .args(arguments)
            .status()?;
        ensure!(matches!(status.code(), Some(0 | 1)), "compare: {status}");
    }
    if let Some(sources) = &options.redis {
        let rounds = if options.quick { "1" } else { "3" };
        let mut served = Command::new(root.join("contrib/redis/served.py"));
        served.arg(sources).args(["--rounds", rounds, "--record"]).arg(bench.join(&folder).join("redis"));
        run(root, &mut served)?;
    }
    if options.quick {
        return Ok(());
    }
    tables::tables(root, false)
}

/// Each suite in a folder of records, and the record of it that this CPU's pages show so far.
fn predecessors(root: &Path, folder: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
    let cpus = Records::find(root)?;
    let name = folder.parent().and_then(Path::file_name);
    let Some(records) = cpus.iter().find(|records| name == Some(records.folder().as_ref())) else {
        return Ok(Vec::new());
    };
    let mut pairs = Vec::new();
    for new in record::files(folder)? {
        let stem = new.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
        pairs.extend(records.shown_before(&stem, folder)?.map(|old| (old, new.clone())));
    }
    Ok(pairs)
}

/// Records the bytes of code of each kernel: a CSV file, and a text with the command, the commit and the compiler.
fn sizes(root: &Path, folder: &Path) -> Result<()> {
    if cfg!(not(target_arch = "x86_64")) {
        println!("{SIZES}: not recorded: it reads x86-64 listings");
        return Ok(());
    }
    let lines = codegen::sizes(root)?.into_iter().map(|(kernel, bytes)| format!("{kernel},{bytes}\n"));
    fs::create_dir_all(folder)?;
    fs::write(folder.join(format!("{SIZES}.csv")), format!("kernel,bytes\n{}", lines.collect::<String>()))?;
    Ok(fs::write(folder.join(format!("{SIZES}.txt")), origin(root, "cargo xtask record")?)?)
}

/// The folder for records of this CPU and day, below `bench/record`.
pub fn folder(cpu: Option<&str>) -> Result<PathBuf> {
    let cpu = cpu.or(microarchitecture()).context("this CPU has no name here: --cpu NAME")?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    Ok(Path::new(cpu).join(passed::date(now)))
}

/// The origin of a record: the command, the commit and the compiler.
pub fn origin(root: &Path, command: &str) -> Result<String> {
    let rustc = output(Command::new("rustc").args(["--version", "--verbose"]))?;
    let commit = committed(root)?;
    Ok(format!("== command\n{command}\n\n== commit\n{commit}\n\n== compiler\n{rustc}"))
}
