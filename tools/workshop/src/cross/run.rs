//! One target on one CPU: built, run, and what it had to say.

use super::bochs::{self, Machine};
use super::targets::{How, Target};
use super::toolchain::Toolchain;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A target on one of its CPUs, or with some of its features.
#[derive(Clone, Copy)]
pub struct Run {
    /// The target.
    pub target: &'static Target,
    /// The CPU, or the features.
    pub variant: &'static str,
    /// Whether it is the target's last.
    pub last: bool,
}

/// The tests of the suite that run under emulation. Left out are those that take too long there (`adversarial`,
/// `properties`), and those of what does not depend on the target: another program (`openssl`), the suite itself
/// (`defects`).
const SUITE: [&str; 14] = [
    "rows",
    "fingerprint",
    "answers",
    "batch",
    "dispatch",
    "guards",
    "hash_map",
    "kats",
    "mask",
    "rustcrypto",
    "secrets",
    "streaming",
    "thresholds",
    "wiped",
];

/// Those of them that are seen at every change, with their arguments: the walk over the rows is brief.
const BRIEF: [(&[&str], &[&str]); 2] = [(&["fingerprint", "kats"], &[]), (&["rows"], &["--brief"])];

/// A row's slot and kernel.
pub type Row = (String, String);

/// What a row gave.
#[derive(Clone)]
pub enum Cell {
    /// It passed this many checks.
    Passed(usize),
    /// The CPU lacks these features.
    Missing(String),
    /// It failed.
    Failed,
}

/// What a run gave.
#[derive(Default)]
pub struct Told {
    /// The rows of this build.
    pub rows: BTreeMap<Row, Cell>,
    /// The numbers that must be the same everywhere.
    pub fingerprints: Vec<String>,
}

/// Every run of these targets.
pub fn runs(targets: &[&'static Target]) -> Vec<Run> {
    let runs = |&target: &&'static Target| {
        let variants = match target.how {
            How::Qemu { cpus, .. } => cpus,
            How::Node { features } => features,
            How::Bochs { .. } => &["bochs"],
            How::Compiles { .. } => &[""],
        };
        variants.iter().enumerate().map(move |(i, &variant)| Run {
            target,
            variant,
            last: i + 1 == variants.len(),
        })
    };
    targets.iter().flat_map(runs).collect()
}

impl Run {
    /// A short name: the architecture and the variant.
    pub fn name(&self) -> String {
        let architecture = self.target.name.split('-').next().unwrap_or_default();
        match self.target.how {
            How::Compiles { .. } => self.target.name.into(),
            _ => format!("{architecture} {}", self.variant).trim().into(),
        }
    }

    /// What tests/passed.csv calls what it ran on.
    pub fn cpu(&self) -> String {
        match self.target.how {
            How::Qemu { emulator, .. } => format!("{emulator} {}", self.variant),
            How::Node { .. } => format!("node {}", self.variant).trim().into(),
            How::Bochs { cpu, .. } => format!("{} {cpu}", bochs::NAME),
            How::Compiles { .. } => String::new(),
        }
    }

    /// Builds and runs the suite, or what is seen at every change; an error, if anything fails, names the file with
    /// the output.
    pub fn go(&self, root: &Path, toolchain: &Toolchain, brief: bool) -> (Told, Result<()>) {
        let log = toolchain.builds.join(format!("{}.log", self.name().replace(' ', "-")));
        let result = self.commands(root, toolchain, brief, &log);
        let text = fs::read_to_string(&log).unwrap_or_default();
        (told(&text), result)
    }

    /// Runs the tests of the command `keylane`, if the target's last CPU has them.
    pub fn command(&self, root: &Path, toolchain: &Toolchain) -> Result<()> {
        if !matches!(self.target.how, How::Qemu { cli: true, .. }) || !self.last {
            return Ok(());
        }
        let log = Log::new(&toolchain.builds.join(format!("{}-command.log", self.name().replace(' ', "-"))))?;
        log.run(root, self.test(toolchain, "keylane-cli").args(["--test", "cli"]))
    }

    fn commands(&self, root: &Path, toolchain: &Toolchain, brief: bool, log: &Path) -> Result<()> {
        fs::create_dir_all(&toolchain.builds)?;
        let log = Log::new(log)?;
        let target = self.target.name;
        match self.target.how {
            How::Qemu { .. } => {
                let suites: &[(&[&str], &[&str])] = if brief { &BRIEF } else { &[(&SUITE, &[])] };
                for (tests, arguments) in suites {
                    let mut suite = self.test(toolchain, "keylane-conformance");
                    suite.args(tests.iter().flat_map(|test| ["--test", test])).arg("--").args(*arguments);
                    log.run(root, &mut suite)?;
                }
                // Each method of the vectors beside its model, and the mode of data-independent timing.
                let mut unit = self.test(toolchain, "keylane");
                if target.starts_with("aarch64") && self.variant == "max" {
                    unit.env("KEYLANE_TEST_DIT", "1");
                }
                unit.args(["--lib", "--features", "dit", "--", "models", "dit", "timing", "--nocapture"]);
                log.run(root, &mut unit)?;
            }
            How::Node { .. } => {
                let mut cargo = toolchain.cargo();
                if !self.variant.is_empty() {
                    cargo.env("RUSTFLAGS", format!("-Ctarget-feature={}", self.variant));
                }
                cargo.args(["build", "--release", "-Zbuild-std=std,panic_abort", "--target", target]);
                log.run(root, cargo.args(["--package", "keylane-conformance-wasm"]))?;
                let module = toolchain.builds.join(target).join("release/keylane_conformance_wasm.wasm");
                log.run(root, Command::new("node").arg("tests/wasm/run.mjs").arg(module))?;
                // As for other targets; a module without imports cannot say which test failed.
                cargo = toolchain.cargo();
                if !self.variant.is_empty() {
                    cargo.env("RUSTFLAGS", format!("-Ctarget-feature={}", self.variant));
                }
                let runner = format!("node {}", root.join("tests/wasm/unit.mjs").display());
                cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner);
                cargo.args(["test", "--release", "-Zbuild-std=std,panic_abort,test", "--target", target]);
                log.run(root, cargo.args(["--package", "keylane", "--lib"]))?;
            }
            How::Bochs { cpu, kernels, .. } => {
                let machine = Machine::new(toolchain, cpu)?;
                let target = toolchain.builds.parent().context("the folder of builds")?;
                let program = rows(root, target)?;
                let mut failed = Vec::new();
                for kernel in kernels {
                    if !in_bochs(&machine, &program, kernel, &log)? {
                        failed.push(*kernel);
                    }
                }
                if !failed.is_empty() {
                    bail!("{}; the output is in {}", failed.join(" "), log.path.display());
                }
            }
            How::Compiles { std, build } => {
                let mut cargo = toolchain.cargo();
                cargo.args([if build { "build" } else { "check" }, "--release", "--target", target]);
                cargo.args(["--package", "keylane"]);
                if std {
                    cargo.arg("-Zbuild-std=std,panic_abort");
                } else {
                    cargo.args(["-Zbuild-std=core", "--no-default-features"]);
                }
                log.run(root, &mut cargo)?;
            }
        }
        Ok(())
    }

    /// Tests of a package, which run under the target's emulator.
    pub fn test(&self, toolchain: &Toolchain, package: &str) -> Command {
        let mut cargo = toolchain.cargo();
        if let How::Qemu { emulator, debian, .. } = self.target.how {
            let triple = self.target.name.replace('-', "_").to_uppercase();
            cargo.env(format!("CARGO_TARGET_{triple}_LINKER"), format!("{debian}-gcc"));
            cargo.env(format!("CARGO_TARGET_{triple}_RUNNER"), emulator);
            cargo.env("QEMU_LD_PREFIX", format!("/usr/{debian}")).env("QEMU_CPU", self.variant);
            // A program of many threads that starts another one can come to a stand in qemu.
            cargo.env("RUST_TEST_THREADS", "1");
        }
        cargo.args(["test", "--release", "--no-fail-fast", "-Zbuild-std=std,panic_abort,test"]);
        cargo.args(["--target", self.target.name, "--package", package]);
        cargo
    }
}

/// Builds the walk over the rows for this machine, into a folder of only these sources: cargo takes a build of a copy
/// for a build of the original. Returns the program.
pub fn rows(root: &Path, target: &Path) -> Result<PathBuf> {
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--quiet", "--release", "--no-run", "--message-format", "json"]);
    cargo.args(["--package", "keylane-conformance", "--test", "rows"]);
    cargo.env("CARGO_TARGET_DIR", target).current_dir(root).stderr(Stdio::inherit());
    let output = cargo.output().context("cargo test")?;
    if !output.status.success() {
        bail!("cargo test: {}", output.status);
    }
    let text = String::from_utf8(output.stdout)?;
    let messages = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    // The programs that the tests start are built and named too.
    let mut rows = messages.filter(|message| message["target"]["name"] == "rows");
    let program = rows.find_map(|message| message["executable"].as_str().map(PathBuf::from));
    program.context("cargo names no program")
}

/// Runs the rows of a kernel in the machine; whether they passed.
pub fn in_bochs(machine: &Machine, program: &Path, kernel: &str, log: &Log) -> Result<bool> {
    let start = Instant::now();
    let ran = machine.run(program, &["--kernel", kernel, "--brief"])?;
    let seconds = start.elapsed().as_secs();
    let end = ran.status.map_or("it did not end".into(), |status| format!("status {status}"));
    println!("bochs: {kernel}: {end}, {seconds} s");
    writeln!(&log.file, "{}\nbochs: {kernel}: {end}, {seconds} s", ran.text)?;
    Ok(ran.status == Some(0))
}

/// The file that takes the output of commands.
pub struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    /// An empty one.
    pub fn new(path: &Path) -> Result<Self> {
        Ok(Log { path: path.to_owned(), file: File::create(path)? })
    }

    fn run(&self, root: &Path, command: &mut Command) -> Result<()> {
        command.current_dir(root).stdout(self.file.try_clone()?).stderr(self.file.try_clone()?);
        let status = command.status().with_context(|| format!("{:?}", command.get_program()))?;
        if !status.success() {
            bail!("{status}; the output is in {}", self.path.display());
        }
        Ok(())
    }
}

/// What the lines of the suite say.
pub fn told(text: &str) -> Told {
    let mut told = Told::default();
    for line in text.lines() {
        if let Some(fingerprint) = line.strip_prefix("fingerprint ") {
            told.fingerprints.push(fingerprint.into());
        }
        let [slot, kernel, what] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else { continue };
        let row = || (slot.to_owned(), kernel.to_owned());
        let checks = what.strip_prefix("ran (").and_then(|rest| rest.strip_suffix(" checks)"));
        if let Some(checks) = checks.and_then(|checks| checks.parse().ok()) {
            told.rows.entry(row()).or_insert(Cell::Passed(checks));
        } else if let Some((_, missing)) = what.split_once("not run here: missing ") {
            let missing = missing.split(';').next().unwrap_or_default();
            told.rows.entry(row()).or_insert(Cell::Missing(missing.into()));
        } else if slot.contains('-') && what.starts_with("FAILED ") {
            told.rows.insert(row(), Cell::Failed);
        }
    }
    told
}
