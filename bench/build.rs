//! Compiles the C engines with every compiler that is here, finds the system's libraries, and writes
//! down which compilers and flags made this program.

use anyhow::{Context, Result};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// A way to compile the C engines.
struct Build {
    compiler: &'static str,
    level: &'static str,
    native: bool,
    /// The end of its functions' names; see `reference!` in src/foreign.rs.
    suffix: &'static str,
}

const BUILDS: [Build; 4] = [
    Build { compiler: "gcc", level: "2", native: false, suffix: "gcc_o2" },
    Build { compiler: "gcc", level: "3", native: true, suffix: "gcc_o3_native" },
    Build { compiler: "clang", level: "2", native: false, suffix: "clang_o2" },
    Build { compiler: "clang", level: "3", native: true, suffix: "clang_o3_native" },
];

/// Changes when a package is installed: the moment to look again for what was absent.
const PACKAGES: &str = "/var/lib/dpkg/status";

fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=c");
    if Path::new(PACKAGES).exists() {
        println!("cargo::rerun-if-changed={PACKAGES}");
    }
    println!("cargo::rustc-check-cfg=cfg(inline_all)");
    println!(
        "cargo::rustc-check-cfg=cfg(engine, values(\"gcc\", \"clang\", \"libsodium\", \"highwayhash\"))"
    );

    let mut made = String::new();
    let rustc = env::var("RUSTC")?;
    writeln!(made, "{}", output(&rustc, &["-vV"]).context("rustc -vV")?)?;
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\x1f', " ");
    let (level, debug) = (env::var("OPT_LEVEL")?, env::var("DEBUG")?);
    writeln!(made, "opt-level {level}, debug {debug}, RUSTFLAGS \"{flags}\"\n")?;

    // Cargo has read .cargo/config.toml only if it was started in this directory.
    println!("cargo::rerun-if-env-changed=RUSTC_WORKSPACE_WRAPPER");
    if env::var("RUSTC_WORKSPACE_WRAPPER").is_ok_and(|wrapper| wrapper.ends_with("inline-all")) {
        println!("cargo::rustc-cfg=inline_all");
        println!("cargo::rerun-if-changed=inline-all");
        writeln!(made, "{}", fs::read_to_string("inline-all")?)?;
    }

    for compiler in ["gcc", "clang"] {
        let Some(version) = output(compiler, &["--version"]) else {
            writeln!(made, "{compiler}: not installed\n")?;
            continue;
        };
        writeln!(made, "{}", version.lines().next().unwrap_or(compiler))?;
        println!("cargo::rustc-cfg=engine=\"{compiler}\"");
        for build in BUILDS.iter().filter(|build| build.compiler == compiler) {
            let flags = reference(build).with_context(|| format!("the C engines by {compiler}"))?;
            writeln!(made, "  {}: {flags}", build.suffix)?;
        }
        writeln!(made)?;
    }

    match pkg_config::Config::new().cargo_metadata(true).probe("libsodium") {
        Ok(library) => {
            println!("cargo::rustc-cfg=engine=\"libsodium\"");
            writeln!(made, "libsodium {}", library.version)?;
        }
        Err(_) => writeln!(made, "libsodium: not installed")?,
    }
    // The package has no .pc file, and dpkg alone knows its version.
    if is_linkable("libhighwayhash.so") {
        println!("cargo::rustc-cfg=engine=\"highwayhash\"");
        println!("cargo::rustc-link-lib=dylib=highwayhash");
        let version = output("dpkg-query", &["-W", "-f", "${Version}", "libhighwayhash-dev"]);
        writeln!(made, "highwayhash {}", version.as_deref().unwrap_or("of unknown version"))?;
    } else {
        writeln!(made, "highwayhash: not installed")?;
    }

    let directory = env::var("OUT_DIR")?;
    fs::write(Path::new(&directory).join("made.txt"), made)?;
    Ok(())
}

/// Compiles the C files for 1-2, 1-3 and 2-4. Gives the flags for the record.
fn reference(build: &Build) -> Result<String> {
    let mut flags = vec![format!("-O{}", build.level)];
    if build.native {
        let arm = env::var("CARGO_CFG_TARGET_ARCH")? == "aarch64";
        flags.push(if arm { "-mcpu=native" } else { "-march=native" }.to_owned());
    }
    for (c, d) in [("1", "2"), ("1", "3"), ("2", "4")] {
        let suffix = format!("{c}{d}_{}", build.suffix);
        let mut compilation = cc::Build::new();
        // No flag but those in the record: neither cc's own, nor CFLAGS.
        compilation.compiler(build.compiler).no_default_flags(true).inherit_rustflags(false).warnings(true);
        compilation.flag("-std=c11").flag("-fPIC").flag("-Wextra").flag("-Wno-implicit-fallthrough");
        for flag in &flags {
            compilation.flag(flag);
        }
        compilation.define("SIP_C", c).define("SIP_D", d).define("SIP_SUFFIX", &*suffix);
        compilation.files(["c/siphash.c", "c/siphash_batch.c", "c/halfsiphash.c"]);
        compilation.try_compile(&format!("siphash_{suffix}"))?;
    }
    Ok(flags.join(" "))
}

/// Whether the linker would find a library: the compiler answers with its path, or else its name.
fn is_linkable(library: &str) -> bool {
    let path = output("cc", &[&format!("-print-file-name={library}")]);
    path.is_some_and(|path| Path::new(path.trim()).is_absolute())
}

/// What a command prints, if it is there and succeeds.
fn output(command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
