//! Installs the C library for C programmers: header, libraries, pkg-config, CMake, manual page.

use crate::{archive, built, not_run, output, run};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The library's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The version that programs ask for. It stays as long as the calls do.
pub const SOVERSION: &str = "0";

/// The libraries that a program needs beside the archive: those below Rust's standard library on Linux.
const PRIVATE: &str = "-lutil -lrt -lpthread -lm -ldl -lc";

/// The options for every example.
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-pedantic"];

/// The options of `cargo xtask install`.
#[derive(Args)]
pub struct Options {
    /// The folder to install into: files go to include, lib and share below it
    #[arg(long)]
    prefix: PathBuf,
    /// Then compile examples/c against the installed files with every compiler here, and run them
    #[arg(long)]
    examples: bool,
}

/// Builds the library and installs it.
pub fn install(root: &Path, options: &Options) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("this installs Linux libraries only");
    }
    run(root, Command::new("cargo").args(["build", "--release", "--package", "keylane-capi"]))?;
    let prefix = std::path::absolute(&options.prefix)?;
    for path in place(root, &built("release")?, &prefix)? {
        println!("{}", path.display());
    }
    if options.examples { examples(root, &prefix) } else { Ok(()) }
}

/// Puts the library from the folder `built` below `prefix`, with all that belongs to it. Answers what it wrote.
pub fn place(root: &Path, built: &Path, prefix: &Path) -> Result<Vec<PathBuf>> {
    let here = root.join("crates/keylane-capi");
    let mut placed = Vec::new();
    let mut place = |name: &str| -> Result<PathBuf> {
        let path = prefix.join(name);
        let folder = path.parent().context("a file in a folder")?;
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        if path.is_symlink() || path.exists() {
            fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
        placed.push(path.clone());
        Ok(path)
    };
    let mut copy = |from: &Path, name: &str| -> Result<()> {
        fs::copy(from, place(name)?).with_context(|| from.display().to_string())?;
        Ok(())
    };
    let (shared, short) = (format!("libkeylane.so.{VERSION}"), format!("libkeylane.so.{SOVERSION}"));
    for header in ["include/keylane.h", "include/keylane_inline.h"] {
        copy(&here.join(header), header)?;
    }
    copy(&root.join("contrib/sodium/keylane_sodium.h"), "include/keylane_sodium.h")?;
    copy(&built.join("libkeylane_capi.so"), &format!("lib/{shared}"))?;
    copy(&here.join("package/keylane.3"), "share/man/man3/keylane.3")?;
    archive::make(root, &built.join("libkeylane_capi.a"), &place("lib/libkeylane.a")?)?;
    symlink(&shared, place(&format!("lib/{short}"))?)?;
    symlink(&short, place("lib/libkeylane.so")?)?;
    let mut fill = |template: &str, name: &str| -> Result<()> {
        let from = here.join("package").join(template);
        let text = fs::read_to_string(&from).with_context(|| from.display().to_string())?;
        let text = text.replace("@VERSION@", VERSION).replace("@SOVERSION@", SOVERSION);
        Ok(fs::write(place(name)?, text.replace("@PRIVATE@", PRIVATE))?)
    };
    fill("keylane.pc.in", "lib/pkgconfig/keylane.pc")?;
    fill("keylane-config.cmake.in", "lib/cmake/keylane/keylane-config.cmake")?;
    fill("keylane-config-version.cmake.in", "lib/cmake/keylane/keylane-config-version.cmake")?;
    Ok(placed)
}

/// Compiles and runs the examples: with pkg-config (shared library and archive) and with CMake.
fn examples(root: &Path, prefix: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let flags = |more: &[&str]| -> Result<Vec<String>> {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(["--cflags", "--libs"]).args(more);
        let flags = output(command.arg("keylane"))?;
        Ok(flags.split_whitespace().map(str::to_owned).collect())
    };
    let shared = flags(&[])?;
    let mut archive = flags(&["--static"])?;
    let library =
        archive.iter_mut().find(|flag| *flag == "-lkeylane").context("-lkeylane among the flags")?;
    *library = "-l:libkeylane.a".into();

    for (compiler, standard, sources) in [
        ("gcc", "c99", &["hash.c", "mac.c", "batch.c"][..]),
        ("clang", "c99", &["hash.c", "mac.c", "batch.c"]),
        ("g++", "c++11", &["stream.cpp"]),
        ("clang++", "c++11", &["stream.cpp"]),
    ] {
        if !there(compiler)? {
            continue;
        }
        for source in sources {
            for flags in [&shared, &archive] {
                let program = folder.path().join("example");
                let mut compile = Command::new(compiler);
                compile.arg(format!("-std={standard}")).args(WARNINGS).arg("-O2");
                compile.arg(root.join("examples/c").join(source)).args(flags);
                run(root, compile.arg("-o").arg(&program))?;
                run(root, &mut example(&program, prefix))?;
            }
        }
    }
    if there("cmake")? {
        let build = folder.path().join("cmake");
        let mut configure = Command::new("cmake");
        configure.arg("-S").arg(root.join("examples/c")).arg("-B").arg(&build);
        run(root, configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display())))?;
        run(root, Command::new("cmake").arg("--build").arg(&build))?;
        for name in ["hash", "mac", "batch", "stream", "hash_static"] {
            run(root, &mut example(&build.join(name), prefix))?;
        }
    }
    Ok(())
}

/// Runs an example with input to hash.
fn example(program: &Path, prefix: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", prefix.join("lib")).args(["one", "two"]).stdin(Stdio::null());
    command
}

/// Whether a program is here. If not, its part does not run.
fn there(name: &str) -> Result<bool> {
    let there = Command::new(name).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !there {
        not_run("the examples in C", &format!("there is no {name} here"))?;
    }
    Ok(there)
}
