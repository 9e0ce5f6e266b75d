//! Compiles the C engines with every installed compiler, finds the system's libraries, and records the
//! compilers and flags of this program.

mod poly1305;
mod siphash;

use anyhow::{Context, Result};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The engines that may be absent.
const ENGINES: [&str; 7] =
    ["gcc", "clang", "libsodium", "highwayhash", "openssl", "openssl-newest", "ipsec-mb"];

/// Changes when a package is installed: then absent engines are searched again.
const PACKAGES: &str = "/var/lib/dpkg/status";

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=c");
    if Path::new(PACKAGES).exists() {
        println!("cargo::rerun-if-changed={PACKAGES}");
    }
    println!("cargo::rustc-check-cfg=cfg(inline_all)");
    let engines = ENGINES.map(|engine| format!("\"{engine}\"")).join(", ");
    println!("cargo::rustc-check-cfg=cfg(engine, values({engines}))");

    let mut made = String::new();
    let rustc = env::var("RUSTC")?;
    writeln!(made, "{}", output(&rustc, &["-vV"]).context("rustc -vV")?)?;
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\x1f', " ");
    let (level, debug) = (env::var("OPT_LEVEL")?, env::var("DEBUG")?);
    writeln!(made, "opt-level {level}, debug {debug}, RUSTFLAGS \"{flags}\"\n")?;

    // Cargo reads .cargo/config.toml only if it was started in this directory.
    println!("cargo::rerun-if-env-changed=RUSTC_WORKSPACE_WRAPPER");
    if env::var("RUSTC_WORKSPACE_WRAPPER").is_ok_and(|wrapper| wrapper.ends_with("inline-all")) {
        println!("cargo::rustc-cfg=inline_all");
        println!("cargo::rerun-if-changed=inline-all");
        writeln!(made, "{}", fs::read_to_string("inline-all")?)?;
    }

    if cfg!(feature = "reference") {
        references(&mut made)?;
    }
    if cfg!(feature = "peers") {
        peers(&mut made)?;
    }
    let directory = env::var("OUT_DIR")?;
    fs::write(Path::new(&directory).join("made.txt"), made)?;
    Ok(())
}

/// Compiles the C engines, and writes down how.
fn references(made: &mut String) -> Result<()> {
    for compiler in ["gcc", "clang"] {
        let Some(version) = output(compiler, &["--version"]) else {
            writeln!(made, "{compiler}: not installed\n")?;
            continue;
        };
        writeln!(made, "{}", version.lines().next().unwrap_or(compiler))?;
        here(compiler);
        for (suffix, flags) in
            siphash::compile(compiler).with_context(|| format!("the C engines by {compiler}"))?
        {
            writeln!(made, "  {suffix}: {flags}")?;
        }
        writeln!(made)?;
    }
    Ok(())
}

/// Compiles and finds the peers that are not crates, and writes down how.
fn peers(made: &mut String) -> Result<()> {
    for (engine, library) in [("libsodium", "libsodium"), ("openssl", "libcrypto")] {
        match pkg_config::Config::new().cargo_metadata(true).probe(library) {
            Ok(library) => {
                here(engine);
                writeln!(made, "{engine} {}", library.version)?;
                if engine == "libsodium" {
                    poly1305::libsodium(&library.include_paths)?;
                }
            }
            Err(_) => writeln!(made, "{engine}: not installed")?,
        }
    }
    // These packages have no .pc file; only dpkg knows their versions.
    for (engine, library, package) in
        [("highwayhash", "highwayhash", "libhighwayhash-dev"), ("ipsec-mb", "IPSec_MB", "libipsec-mb-dev")]
    {
        if is_linkable(&format!("lib{library}.so")) {
            here(engine);
            println!("cargo::rustc-link-lib=dylib={library}");
            let version = output("dpkg-query", &["-W", "-f", "${Version}", package]);
            writeln!(made, "{engine} {}", version.as_deref().unwrap_or("of unknown version"))?;
            if engine == "ipsec-mb" {
                poly1305::ipsec_mb()?;
            }
        } else {
            writeln!(made, "{engine}: not installed")?;
        }
    }
    writeln!(made)?;
    match poly1305::openssl_newest()? {
        Some(how) => {
            here("openssl-newest");
            writeln!(made, "{how}")?;
        }
        None => writeln!(made, "openssl-newest: no perl or no make")?,
    }
    writeln!(made, "{}", poly1305::rustcrypto_native()?)?;
    Ok(())
}

/// Makes an engine part of the program.
fn here(engine: &str) {
    println!("cargo::rustc-cfg=engine=\"{engine}\"");
}

/// Whether the linker finds a library: if so the compiler prints its path, else only its name.
fn is_linkable(library: &str) -> bool {
    let path = output("cc", &[&format!("-print-file-name={library}")]);
    path.is_some_and(|path| Path::new(path.trim()).is_absolute())
}

/// The output of a command, if it exists and succeeds.
fn output(command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
