//! Builds this bench with the crates of this tree, and with those of another commit.

use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// This package.
const BENCH: &str = env!("CARGO_MANIFEST_DIR");

/// What is taken from this tree for both programs: the bench, how it measures, and the crate of the kernels' records.
const OURS: [&str; 3] = ["bench", "crates/keylane-measure", "tools/keylane-records"];

/// The records of measurements, which are not.
const NOT_OURS: &str = ":(exclude)bench/record";

/// Where a commit has ChaCha20-Poly1305, if it does.
const AEAD: &str = "crates/keylane/src/aead";

/// The programs: with the crates of this tree, and with those of `commit`.
///
/// Both are built alike, without peers and without what looks inside keylane: only calls that a user makes must compile
/// with the other commit. Its tree is a worktree below `bench/target`, which the next build of that commit uses again.
///
/// # Errors
/// There is no such commit, or this bench does not compile with its crates.
pub fn programs(commit: &str) -> Result<[PathBuf; 2]> {
    let bench = Path::new(BENCH);
    let root = bench.parent().context("the bench is in a repository")?;
    let commit = git(root, &["rev-parse", "--verify", "--quiet", &format!("{commit}^{{commit}}")])
        .with_context(|| format!("no commit {commit:?}"))?;
    let folder = bench.join("target/pair");
    fs::create_dir_all(&folder)?;
    let tree = folder.join(short(&commit)?);
    check_out(root, &tree, &commit)?;
    copy(root, &tree)?;
    let features = if tree.join(AEAD).exists() { "aead" } else { "" };
    let new = build(bench, &folder, features, "new")?;
    let old = build(&tree.join("bench"), &folder, features, "old");
    Ok([new, old.with_context(|| format!("this bench does not compile with the crates of {commit}"))?])
}

/// The name of a commit's folder.
fn short(commit: &str) -> Result<&str> {
    commit.get(..12).with_context(|| format!("not a commit: {commit:?}"))
}

/// Makes the worktree, or one that an earlier run has made, that of the commit.
fn check_out(root: &Path, tree: &Path, commit: &str) -> Result<()> {
    if tree.join(".git").exists() {
        git(tree, &["reset", "--quiet", "--hard", commit])?;
        return Ok(());
    }
    // Whoever deletes bench/target leaves git with a worktree that is gone.
    git(root, &["worktree", "prune"])?;
    let tree = tree.to_str().context("a path that is not Unicode")?;
    git(root, &["worktree", "add", "--quiet", "--force", "--detach", tree, commit])?;
    Ok(())
}

/// Puts the sources of this bench in the place of the commit's.
fn copy(root: &Path, tree: &Path) -> Result<()> {
    let mut list = vec!["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"];
    list.extend(OURS);
    list.push(NOT_OURS);
    let files = git(root, &list)?;
    let files: Vec<&str> = files.split('\0').filter(|file| !file.is_empty()).collect();
    for folder in OURS {
        let there = tree.join(folder);
        if there.exists() {
            fs::remove_dir_all(&there).with_context(|| there.display().to_string())?;
        }
    }
    for file in files {
        let (from, to) = (root.join(file), tree.join(file));
        // A file that was deleted but not yet committed is still in the list.
        if from.is_file() {
            fs::create_dir_all(to.parent().context("a file in a folder")?)?;
            fs::copy(&from, &to).with_context(|| from.display().to_string())?;
        }
    }
    Ok(())
}

/// Builds a bench, and puts the program in the folder under this name.
fn build(bench: &Path, folder: &Path, features: &str, name: &str) -> Result<PathBuf> {
    let target = folder.join("target");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args([
            "build",
            "--release",
            "--no-default-features",
            "--features",
            features,
            "--bin",
            "bench",
            "--target-dir",
        ])
        .arg(&target);
    let status = cargo.current_dir(bench).status().context("cargo")?;
    ensure!(status.success(), "cargo build in {}: {status}", bench.display());
    let program = folder.join(format!("bench-{name}"));
    // A program that still runs cannot be written to, but its name can be given to another.
    let copied = folder.join(format!("bench-{name}.new"));
    fs::copy(target.join("release/bench"), &copied)?;
    fs::rename(&copied, &program)?;
    Ok(program)
}

/// The output of git, without the end of its last line.
fn git<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Result<String> {
    let output = Command::new("git").current_dir(folder).args(arguments).output().context("git")?;
    if !output.status.success() {
        let arguments: Vec<_> =
            arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect();
        bail!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_commit_is_named() {
        let error = programs("no-such-commit").unwrap_err();
        assert_eq!(error.to_string(), "no commit \"no-such-commit\"");
        assert!(short("abc").is_err());
    }

    /// Records are no sources, and a target folder is none either.
    #[test]
    fn what_is_copied_is_what_is_built() {
        let root = Path::new(BENCH).parent().unwrap();
        let tree = Path::new(BENCH).join("target/pair/copied");
        // A file of the other commit that is no longer there must not be built.
        let stale = tree.join("bench/src/stale.rs");
        fs::create_dir_all(stale.parent().unwrap()).unwrap();
        fs::write(&stale, "").unwrap();
        copy(root, &tree).unwrap();
        assert!(!stale.exists());
        for file in
            ["bench/Cargo.toml", "bench/src/pair/build.rs", "bench/.cargo/config.toml", "bench/inline-all"]
        {
            assert!(tree.join(file).is_file(), "{file}");
        }
        assert!(tree.join("crates/keylane-measure/src/sample.rs").is_file());
        assert!(tree.join("tools/keylane-records/Cargo.toml").is_file());
        for folder in ["bench/record", "bench/target", "crates/keylane"] {
            assert!(!tree.join(folder).exists(), "{folder}");
        }
        fs::remove_dir_all(tree).unwrap();
    }
}
