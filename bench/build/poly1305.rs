//! Poly1305: what calls Intel's library, and shared objects of peers that must not meet their like in one
//! program.

use anyhow::{Context, Result, anyhow, ensure};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles what calls Intel's library.
pub fn ipsec_mb() -> Result<()> {
    let mut compilation = cc::Build::new();
    compilation.no_default_flags(true).inherit_rustflags(false).warnings(true).flag("-O2").flag("-fPIC");
    compilation.file("c/ipsec_mb.c").try_compile("keylane_bench_ipsec_mb")?;
    Ok(())
}

/// Builds the newest OpenSSL, unless an earlier run has, and makes a shared object of its Poly1305 that
/// shows nothing else of it. Gives its version for the record, or nothing if its build cannot run here.
pub fn openssl_newest() -> Result<Option<String>> {
    if ["perl", "make"].iter().any(|tool| super::output(tool, &["--version"]).is_none()) {
        return Ok(None);
    }
    let (out, shared) = (PathBuf::from(env::var("OUT_DIR")?), shared()?);
    let (version, name) = (openssl_src::version(), "keylane_bench_openssl");
    let root = shared.join(format!("openssl-{version}"));
    let archive = root.join("install/lib/libcrypto.a");
    if !archive.exists() {
        openssl_src::Build::new().out_dir(&root).try_build().map_err(|error| anyhow!(error))?;
    }
    let compiler = cc::Build::new().no_default_flags(true).inherit_rustflags(false).try_get_compiler()?;
    let mut link = compiler.to_command();
    link.args(["-O2", "-fPIC", "-shared", "-o"])
        .arg(out.join(format!("lib{name}.so")))
        .arg("c/openssl.c")
        .arg(archive);
    link.args(["-Wl,--exclude-libs,ALL", "-Wl,--gc-sections", "-lpthread", "-ldl"]);
    run(&mut link)?;
    load(&out, name);
    Ok(Some(format!("openssl-newest: the crate openssl-src {version}, its own flags")))
}

/// Builds RustCrypto's Poly1305 for this very CPU as a shared object. Gives the flags for the record.
pub fn rustcrypto_native() -> Result<String> {
    let (target, flags) = (shared()?.join("native"), "-Ctarget-cpu=native");
    let mut cargo = Command::new(env::var("CARGO")?);
    cargo.args(["build", "--release", "--locked", "--package", "keylane-bench-native", "--target-dir"]);
    // What cargo tells this program of its own build is not meant for another.
    cargo.arg(&target).env("CARGO_ENCODED_RUSTFLAGS", flags).env_remove("RUSTC_WORKSPACE_WRAPPER");
    run(&mut cargo)?;
    println!("cargo::rerun-if-changed=native");
    println!("cargo::rerun-if-changed=Cargo.lock");
    load(&target.join("release"), "keylane_bench_native");
    Ok(format!("RustCrypto native: {flags}"))
}

/// Where what takes long is built: the folder of all profiles, since each of them, and clippy in each, would
/// otherwise build it for itself.
fn shared() -> Result<PathBuf> {
    let out = PathBuf::from(env::var("OUT_DIR")?);
    // target/PROFILE/build/PACKAGE/out
    Ok(out.ancestors().nth(4).context("a folder of all profiles")?.to_owned())
}

/// Makes this package's programs load a shared object from a folder.
fn load(folder: &Path, name: &str) {
    println!("cargo::rustc-link-search=native={}", folder.display());
    println!("cargo::rustc-link-lib=dylib={name}");
    println!("cargo::rustc-link-arg=-Wl,-rpath,{}", folder.display());
}

/// Runs a command, whose own messages are shown if it fails.
fn run(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
