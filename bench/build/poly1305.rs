//! Poly1305 and ChaCha20-Poly1305: the calls to C libraries, and shared objects of peers that clash with others in one
//! program.

use anyhow::{Context, Result, anyhow, ensure};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles the calls to Intel's library.
pub fn ipsec_mb() -> Result<()> {
    compile(&["c/ipsec_mb.c", "c/aead_ipsec_mb.c"], &[], "keylane_bench_ipsec_mb")
}

/// Compiles the calls to libsodium, whose headers are in these folders.
pub fn libsodium(headers: &[PathBuf]) -> Result<()> {
    compile(&["c/aead_libsodium.c"], headers, "keylane_bench_libsodium")
}

/// Compiles calls to a library.
fn compile(files: &[&str], headers: &[PathBuf], name: &str) -> Result<()> {
    let mut compilation = cc::Build::new();
    compilation.no_default_flags(true).inherit_rustflags(false).warnings(true).flag("-O2").flag("-fPIC");
    compilation.includes(headers).files(files).try_compile(name)?;
    Ok(())
}

/// Builds the newest OpenSSL unless an earlier run has, and makes a shared object that exports only its
/// Poly1305 and ChaCha20. Returns the version for the record, or `None` if OpenSSL cannot be built here.
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
        .arg("-I")
        .arg(root.join("install/include"))
        .args(["c/openssl.c", "c/aead_openssl.c"])
        .arg(archive);
    link.args(["-Wl,--exclude-libs,ALL", "-Wl,--gc-sections", "-lpthread", "-ldl"]);
    run(&mut link)?;
    load(&out, name);
    Ok(Some(format!("openssl-newest: the crate openssl-src {version}, its own flags")))
}

/// Builds RustCrypto's Poly1305 for this CPU, as a shared object. Returns the flags for the record.
pub fn rustcrypto_native() -> Result<String> {
    let (target, flags) = (shared()?.join("native"), "-Ctarget-cpu=native");
    let mut cargo = Command::new(env::var("CARGO")?);
    cargo.args(["build", "--release", "--locked", "--package", "keylane-bench-native", "--target-dir"]);
    // Cargo's settings for this program must not apply to the other build.
    cargo.arg(&target).env("CARGO_ENCODED_RUSTFLAGS", flags).env_remove("RUSTC_WORKSPACE_WRAPPER");
    run(&mut cargo)?;
    println!("cargo::rerun-if-changed=native");
    println!("cargo::rerun-if-changed=Cargo.lock");
    load(&target.join("release"), "keylane_bench_native");
    Ok(format!("RustCrypto native: {flags}"))
}

/// The folder for slow builds. All profiles share it: otherwise each profile, and clippy in each, would build
/// again.
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

/// Runs a command. Its messages are shown if it fails.
fn run(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
