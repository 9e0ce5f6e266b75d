//! The archive of the C library: one object file, whose only global symbols are keylane's functions.
//!
//! Cargo's archive has Rust's standard library, mostly as one object file. So programs would get all of it, with warnings
//! about `getaddrinfo` if linked with `-static`. And some of its symbols would be there twice beside the archive of
//! another Rust library with `lto = "fat"`.

use crate::output;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::env::consts::ARCH;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Makes the archive `to` from cargo's archive `from`.
pub fn make(root: &Path, from: &Path, to: &Path) -> Result<()> {
    let list = root.join("crates/keylane-capi/symbols.txt");
    let list = fs::read_to_string(&list).with_context(|| list.display().to_string())?;
    let functions: BTreeSet<&str> = list.lines().collect();
    let folder = tempfile::tempdir()?;
    let from = fs::canonicalize(from).with_context(|| from.display().to_string())?;
    let prefix = prefix(&from);
    let tool = |name: &str| {
        let mut command = Command::new(format!("{prefix}{name}"));
        command.current_dir(folder.path());
        command
    };
    // The linker's plugin for LLVM does not know bitcode of later versions.
    let mut plain = tool("objcopy");
    plain.args(["--strip-debug", "--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
    output(plain.arg(&from).arg("plain.a"))?;
    let mut link = tool("ld");
    link.args(["-r", "--gc-sections", "--force-group-allocation", "-o", "linked.o"]);
    output(link.args(functions.iter().map(|function| format!("--undefined={function}"))).arg("plain.a"))?;

    let hidden = symbols(tool("nm").args(["--extern-only", "--defined-only", "linked.o"]), |_| true)?;
    let hidden: Vec<&str> =
        hidden.iter().map(String::as_str).filter(|name| !functions.contains(name)).collect();
    fs::write(folder.path().join("hidden"), hidden.join("\n"))?;
    // `ld -r --gc-sections` takes functions that may be missing for required ones.
    let weak = symbols(tool("nm").args(["--undefined-only", "plain.a"]), |kind| kind == "w")?;
    fs::write(folder.path().join("weak"), weak.into_iter().collect::<Vec<_>>().join("\n"))?;
    let mut hide = tool("objcopy");
    output(hide.args(["--localize-symbols=hidden", "--weaken-symbols=weak", "linked.o", "hidden.o"]))?;
    output(tool("objcopy").args(["--strip-unneeded", "hidden.o", "keylane.o"]))?;

    let global = symbols(tool("nm").args(["--extern-only", "--defined-only", "keylane.o"]), |_| true)?;
    if !global.iter().map(String::as_str).eq(functions) {
        bail!("{}: its functions are not those of symbols.txt: {global:?}", from.display());
    }
    output(tool("ar").args(["rcsD", "keylane.a", "keylane.o"]))?;
    fs::copy(folder.path().join("keylane.a"), to).with_context(|| to.display().to_string())?;
    Ok(())
}

/// The names in a listing of `nm` whose kind is as wanted.
fn symbols(nm: &mut Command, wanted: impl Fn(&str) -> bool) -> Result<BTreeSet<String>> {
    let listing = output(nm.arg("--format=posix"))?;
    let names = listing.lines().filter_map(|line| {
        let mut words = line.split(' ');
        let (name, kind) = (words.next()?, words.next()?);
        wanted(kind).then(|| name.to_owned())
    });
    Ok(names.collect())
}

/// What the names of the binary tools begin with: nothing, or another machine whose folder cargo has made.
fn prefix(archive: &Path) -> String {
    let folders = archive.iter().filter_map(|folder| folder.to_str());
    let target = folders.filter_map(|folder| folder.split_once("-unknown-linux-")).next();
    match target {
        Some((machine, _)) if machine != ARCH => format!("{machine}-linux-gnu-"),
        _ => String::new(),
    }
}
