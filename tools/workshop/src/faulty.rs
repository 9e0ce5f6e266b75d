//! Plants wrong kernels into the command, and kernels whose features are not the detected ones.
//!
//! The library's tests make slots of wrong kernels (tests/conformance/tests/dispatch.rs). Here a copy of the sources gets wrong
//! kernels, and the whole command is built from it. The command must pass over them, report them, and give the same
//! answers.

use crate::plant::copy_sources;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use walkdir::WalkDir;

/// The beginning of a row's code in the macro that declares all rows, and the file of that macro.
const ENTRY: &str = "fn entry($job: $type) {";
const DECLARED: &str = "crates/keylane/src/job/kernel.rs";

/// Pairs of features. The second brings the first with it, for the compiler and for the CPU.
const IMPLIED: [(&str, &str); 2] = [("avx512f", "avx512bw"), ("avx512bw", "avx512vbmi")];

/// Plants each fault, and fails if the command or the compiler does not notice it.
pub fn faulty(root: &Path) -> Result<()> {
    let target = env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    let builds = std::path::absolute(target)?.join("faulty");
    let copy = Copy { copy: builds.join("copy"), root, builds };
    let right = copy.command(&[])?;
    let answers = right.answers()?;
    let active = right.kernels("active")?;
    some_are_wrong(
        &copy.command(&active.values().map(String::as_str).collect::<Vec<_>>())?,
        &active,
        &answers,
    )?;
    all_are_wrong(&copy.command(&["*"])?)?;
    features_differ(&copy)
}

/// Makes the active kernels do nothing. Others must take their places and give the same answers, and the command must
/// report each wrong one.
fn some_are_wrong(wrong: &Keylane, were: &BTreeMap<String, String>, answers: &[String]) -> Result<()> {
    let (active, failed) = (wrong.kernels("active")?, wrong.kernels("failed self-test")?);
    if active.len() != were.len() || active.values().any(|kernel| were.values().any(|were| were == kernel)) {
        bail!("the command uses wrong kernels: {active:?}");
    }
    if wrong.answers()? != answers {
        bail!("wrong kernels change the answers");
    }
    let (code, told, _) = wrong.run(&["selftest"], "")?;
    if code != Some(1) || !told.contains(" failed") {
        bail!("the self-test does not fail: {told}");
    }
    for (slot, kernel) in were {
        if failed.get(slot) != Some(kernel) {
            bail!("keylane kernels does not say that {kernel} of {slot} is wrong: {failed:?}");
        }
        if !told.lines().any(|line| line == format!("{slot} {kernel}: FAILED")) {
            bail!("keylane selftest does not say that {kernel} of {slot} is wrong: {told}");
        }
        let (code, out, err) = wrong.run(&["kernels"], &format!("{slot}={kernel}"))?;
        if (code, &*out) != (Some(2), "") || !err.contains("failed its self-test and is not used") {
            bail!("{kernel} of {slot} may be forced: {code:?} {err}");
        }
        println!("{slot}: {kernel} is wrong, so {} is used", active.get(slot).context("an active kernel")?);
    }
    Ok(())
}

/// Makes every kernel do nothing. The command must compute nothing.
fn all_are_wrong(wrong: &Keylane) -> Result<()> {
    for arguments in COMMANDS {
        let (code, out, err) = wrong.run(arguments, "")?;
        if (code, &*out) != (Some(1), "") || !err.contains("no kernel passes its self-test on this machine") {
            bail!("{arguments:?} with wrong kernels alone: {code:?} {out} {err}");
        }
    }
    let (code, told, _) = wrong.run(&["selftest"], "")?;
    if code != Some(1) || !wrong.kernels("active")?.is_empty() || !wrong.kernels("ready")?.is_empty() {
        bail!("all kernels are wrong, and the command does not report all of them: {told}");
    }
    println!("where all kernels are wrong, nothing is computed");
    Ok(())
}

/// Takes features from the lists of kernels and from detection. Neither may compile.
fn features_differ(copy: &Copy<'_>) -> Result<()> {
    let mut features: Vec<&str> = Vec::new();
    let kernels = copy.kernels_with_features()?;
    for (_, text) in &kernels {
        features.extend(required(text));
    }
    features.sort_unstable();
    features.dedup();
    // Taking away a feature that every CPU of this architecture has makes no difference.
    features.retain(|feature| !["sse2", "neon"].contains(feature));
    if features.is_empty() {
        println!("no kernel here requires a feature that a CPU may lack");
    }
    for feature in features {
        copy.restore()?;
        let mut planted = Vec::new();
        for (path, text) in &kernels {
            let required = required(text);
            let is_implied = IMPLIED.iter().any(|&(less, more)| less == feature && required.contains(&more));
            if required.contains(&feature) && !is_implied {
                let quoted = format!("\"{feature}\"");
                let (before, list) = text.split_once("requires [").context("a list of features")?;
                let (list, behind) = list.split_once(']').context("the end of a list")?;
                let list: Vec<&str> = list.split(", ").filter(|name| *name != quoted).collect();
                fs::write(copy.copy.join(path), format!("{before}requires [{}]{behind}", list.join(", ")))?;
                planted.push(path);
            }
        }
        let errors = copy.errors()?;
        for path in planted {
            if !errors.contains(&*path.to_string_lossy()) {
                bail!("{} compiles without {feature} in its list:\n{errors}", path.display());
            }
            println!("{}: does not compile without {feature} in its list", path.display());
        }
        copy.restore()?;
        let cpu = copy.copy.join("crates/keylane/src/job/cpu/mod.rs");
        let text = fs::read_to_string(&cpu)?;
        fs::write(&cpu, text.replace(&format!("\"{feature}\""), "\"sse4.1\""))?;
        if !copy.errors()?.contains("job/cpu does not detect this target feature") {
            bail!("kernels compile with {feature}, which is not detected");
        }
        println!("job/cpu: kernels do not compile where {feature} is not detected");
    }
    copy.restore()
}

/// The features in the list of a kernel's file.
fn required(text: &str) -> Vec<&str> {
    let list =
        text.split_once("requires [").and_then(|(_, rest)| rest.split_once(']')).map_or("", |(list, _)| list);
    list.split(", ").map(|name| name.trim_matches('"')).filter(|name| !name.is_empty()).collect()
}

/// A copy of the sources, and the folder where it is built.
struct Copy<'a> {
    root: &'a Path,
    builds: PathBuf,
    copy: PathBuf,
}

impl Copy<'_> {
    fn restore(&self) -> Result<()> {
        copy_sources(self.root, &self.copy)
    }

    /// Builds the command with kernels that do nothing: those with these names, or all for `*`.
    fn command(&self, wrong: &[&str]) -> Result<Keylane> {
        self.restore()?;
        if !wrong.is_empty() {
            let path = self.copy.join(DECLARED);
            let text = fs::read_to_string(&path)?;
            if text.matches(ENTRY).count() != 1 {
                bail!("not once in {DECLARED}: {ENTRY}");
            }
            let nothing = format!(
                "{ENTRY} if {wrong:?}.iter().any(|&name| name == \"*\" || name == $id) {{ return; }}"
            );
            fs::write(path, text.replace(ENTRY, &nothing))?;
        }
        let mut cargo = Command::new("cargo");
        crate::run(
            &self.copy,
            cargo.args(["build", "--package", "keylane-cli"]).env("CARGO_TARGET_DIR", &self.builds),
        )?;
        for (name, bytes) in [("key", "0f1e2d3c4b5a69788796a5b4c3d2e1f0"), ("half", "0f1e2d3c4b5a6978")] {
            fs::write(self.builds.join(name), bytes)?;
        }
        fs::write(
            self.builds.join("poly1305"),
            "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b",
        )?;
        fs::write(self.builds.join("message"), (0..100_000u32).map(|i| (i % 251) as u8).collect::<Vec<_>>())?;
        Ok(Keylane { folder: self.builds.clone() })
    }

    /// The files of kernels that require features, of this architecture.
    fn kernels_with_features(&self) -> Result<Vec<(PathBuf, String)>> {
        let arch = self.copy.join("crates/keylane/src/arch").join(env::consts::ARCH);
        let mut kernels = Vec::new();
        for entry in WalkDir::new(arch).sort_by_file_name() {
            let entry = entry?;
            if entry.path().extension() == Some(OsStr::new("rs")) {
                let text = fs::read_to_string(entry.path())?;
                if text.contains("\nkernel! {") && !required(&text).is_empty() {
                    kernels.push((entry.path().strip_prefix(&self.copy)?.to_owned(), text));
                }
            }
        }
        Ok(kernels)
    }

    /// The compiler's messages about the library.
    fn errors(&self) -> Result<String> {
        let mut cargo = Command::new("cargo");
        cargo.args(["check", "--package", "keylane", "--quiet"]).current_dir(&self.copy);
        let output = cargo.env("CARGO_TARGET_DIR", &self.builds).output().context("cargo check")?;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(if output.status.success() { String::new() } else { errors })
    }
}

/// The command from the last build.
struct Keylane {
    folder: PathBuf,
}

/// Commands that compute tags.
const COMMANDS: [&[&str]; 4] = [
    &["sum", "--key-file", "key", "message"],
    &["sum", "--alg", "siphash-1-3-64", "--key-file", "key", "message"],
    &["sum", "--alg", "halfsiphash-2-4-64", "--key-file", "half", "message"],
    &["mac", "poly1305", "--key-file", "poly1305", "message"],
];

impl Keylane {
    /// The exit status and both outputs, with a value for `KEYLANE_KERNEL`.
    fn run(&self, arguments: &[&str], kernel: &str) -> Result<(Option<i32>, String, String)> {
        let program = self.folder.join("debug").join(format!("keylane{}", env::consts::EXE_SUFFIX));
        let output = Command::new(program)
            .args(arguments)
            .env("KEYLANE_KERNEL", kernel)
            .current_dir(&self.folder)
            .output()?;
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Ok((output.status.code(), text(&output.stdout), text(&output.stderr)))
    }

    fn answers(&self) -> Result<Vec<String>> {
        let answer = |arguments: &&[&str]| match self.run(arguments, "")? {
            (Some(0), out, _) => Ok(out),
            (code, _, err) => bail!("{arguments:?}: {code:?} {err}"),
        };
        let mut answers: Vec<String> = COMMANDS.iter().map(answer).collect::<Result<_>>()?;
        let (_, told, _) = self.run(&["selftest"], "")?;
        // Published answers are also computed through batches.
        let published =
            told.lines().filter(|line| line.contains(", ") && !line.starts_with(char::is_numeric));
        answers.extend(published.map(String::from));
        Ok(answers)
    }

    /// The first kernel of each slot with this status in the table.
    fn kernels(&self, status: &str) -> Result<BTreeMap<String, String>> {
        let (_, json, err) = self.run(&["kernels", "--json"], "")?;
        let rows: Vec<Value> = serde_json::from_str(&json).with_context(|| format!("{json} {err}"))?;
        let mut kernels = BTreeMap::new();
        for row in rows.iter().filter(|row| row["status"] == status) {
            let word = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            kernels.entry(word("slot")).or_insert_with(|| word("kernel"));
        }
        Ok(kernels)
    }
}
