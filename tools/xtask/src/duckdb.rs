//! Makes the loadable extension for DuckDB: the library of `keylane-duckdb`, with the footer that DuckDB asks for.

use crate::{built, run};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of DuckDB's C API that the extension needs.
const API: &str = "v1.2.0";

/// The bytes of a field of the footer.
const FIELD: usize = 32;

/// The options of `cargo xtask duckdb`.
#[derive(Args)]
pub struct Options {
    /// What `PRAGMA platform` says in the DuckDB that will load it; by default that of this machine
    #[arg(long)]
    platform: Option<String>,
    /// Where the extension goes; its name must be keylane.duckdb_extension
    #[arg(long, default_value = "target/duckdb/keylane.duckdb_extension")]
    output: PathBuf,
}

/// Builds the extension.
pub fn duckdb(root: &Path, options: &Options) -> Result<()> {
    let platform = match &options.platform {
        Some(platform) => platform.as_str(),
        None => here()?,
    };
    // DuckDB looks for a function of the file's name.
    if options.output.file_name().is_none_or(|name| name != "keylane.duckdb_extension") {
        bail!("the file must be named keylane.duckdb_extension");
    }
    run(root, Command::new("cargo").args(["build", "--release", "--package", "keylane-duckdb"]))?;
    let name = match std::env::consts::OS {
        "macos" => "libkeylane_duckdb.dylib",
        "windows" => "keylane_duckdb.dll",
        _ => "libkeylane_duckdb.so",
    };
    let built = built("release")?.join(name);
    let mut bytes = fs::read(&built).with_context(|| built.display().to_string())?;
    bytes.extend(footer(platform)?);
    let output = root.join(&options.output);
    let folder = output.parent().context("a file in a folder")?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    // A new file: a DuckDB that has loaded the old one keeps its memory.
    if output.exists() {
        fs::remove_file(&output).with_context(|| output.display().to_string())?;
    }
    fs::write(&output, bytes).with_context(|| output.display().to_string())?;
    println!("{} for {platform}", output.display());
    Ok(())
}

/// DuckDB's name for this machine.
fn here() -> Result<&'static str> {
    Ok(match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux_amd64",
        ("linux", "aarch64") => "linux_arm64",
        ("macos", "x86_64") => "osx_amd64",
        ("macos", "aarch64") => "osx_arm64",
        ("windows", "x86_64") => "windows_amd64",
        (system, architecture) => bail!("name the platform for {system} on {architecture} by --platform"),
    })
}

/// The end of an extension: a head as in WebAssembly's custom sections, eight fields from the last to the first, and
/// room for a signature.
fn footer(platform: &str) -> Result<Vec<u8>> {
    let head = b"\x00\x93\x04\x10duckdb_signature\x80\x04";
    let fields = ["", "", "", "C_STRUCT", env!("CARGO_PKG_VERSION"), API, platform, "4"];
    let mut footer = head.to_vec();
    for field in fields {
        if field.len() > FIELD || !field.is_ascii() {
            bail!("a field of the footer has at most {FIELD} letters of ASCII: {field}");
        }
        let mut padded = [0; FIELD];
        padded[..field.len()].copy_from_slice(field.as_bytes());
        footer.extend(padded);
    }
    footer.extend([0; 256]);
    Ok(footer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_footer_has_its_length_and_fields() {
        let found = footer("linux_amd64").expect("a platform");
        assert_eq!(found.len(), 22 + 512);
        assert_eq!(&found[22 + 7 * FIELD..][..2], b"4\0");
        assert_eq!(&found[22 + 6 * FIELD..][..12], b"linux_amd64\0");
        assert!(footer(&"x".repeat(33)).is_err());
    }
}
