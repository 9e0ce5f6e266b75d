//! What a release has, from one commit: archives and Debian packages for Linux, the Python package, crates, the Go
//! module, the archives for the JVM, their sums. The same commit and the same compilers give the same bytes in every
//! folder.

mod archive;
mod crates;
mod deb;
mod dependencies;
mod folder;
mod front;
mod go;
mod jars;
mod licences;
mod release;
mod sbom;
mod wheels;

use crate::{manual, output, run};
use anyhow::{Context, Result, bail};
use dependencies::Dependency;
use folder::Folder;
use release::{MACHINES, Machine, Release};
use sha2::{Digest, Sha256};
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::{glibc, install};

/// The packages in an archive, each list with the folder of its workspace.
const SHIPPED: [(&str, &[&str]); 2] =
    [("", &["keylane-cli", "keylane-capi"]), ("contrib/openssl", &["keylane-openssl"])];

/// What to do.
#[derive(clap::Args)]
pub struct Options {
    /// Also from files that differ from the commit or are new. Such a build is no release
    #[arg(long)]
    allow_dirty: bool,
    /// Then build the commit again in another folder, and compare every byte
    #[arg(long, conflicts_with = "allow_dirty")]
    check_reproducible: bool,
}

/// What cargo built for an archive.
struct Built {
    command: PathBuf,
    /// The folder of the C libraries.
    libraries: PathBuf,
    /// The provider for OpenSSL.
    provider: PathBuf,
}

/// Makes the release in `target/dist`.
pub fn dist(root: &Path, options: &Options) -> Result<()> {
    let git = |arguments: &[&str]| output(Command::new("git").args(arguments).current_dir(root));
    let dirty = !git(&["status", "--porcelain"])?.is_empty();
    if dirty && !options.allow_dirty {
        bail!("files differ from the commit, or are new: commit them, or give --allow-dirty");
    }
    let target = root.join("target");
    let epoch = git(&["log", "-1", "--format=%ct"])?.trim().parse().context("the time of the commit")?;
    let release = Release { root, out: target.join("dist"), builds: target.join("dist-build"), epoch, dirty };
    if release.out.exists() {
        fs::remove_dir_all(&release.out).with_context(|| release.out.display().to_string())?;
    }
    fs::create_dir_all(&release.out)?;

    let pages = release.builds.join("manual");
    if pages.exists() {
        fs::remove_dir_all(&pages)?;
    }
    manual::manual(&pages)?;
    // What takes seconds comes first, so that its faults are seen at once.
    let sources = wheels::sources(&release)?;
    go::module(&release)?;
    crates::crates(&release)?;
    jars::jars(&release)?;
    for machine in &MACHINES {
        release.machine(machine, &pages)?;
        wheels::wheel(&release, machine, &sources)?;
    }
    let sums = sums(&release.out)?;
    fs::write(release.out.join("SHA256SUMS"), &sums)?;
    print!("{sums}");
    if options.check_reproducible { again(&release, &sums) } else { Ok(()) }
}

impl Release<'_> {
    /// Builds the command, the libraries and the provider.
    fn build(&self, machine: &Machine) -> Result<Built> {
        let build = |manifest: &str, package: &str, system: &str| -> Result<PathBuf> {
            let target = format!("{}-unknown-linux-{system}", machine.name);
            let mut build = self.cargo()?;
            if package == "keylane-capi" {
                // With several codegen units, rustc ends the names of some private symbols in a number that changes
                // with each build. A static library holds these names.
                build.env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1");
            }
            build.args(["build", "--release", "--locked", "--manifest-path", manifest]);
            run(self.root, build.args(["--package", package, "--target", &target]))?;
            Ok(self.builds.join(target).join("release"))
        };
        let command = build("Cargo.toml", "keylane-cli", "musl")?.join("keylane");
        let libraries = build("Cargo.toml", "keylane-capi", "gnu")?;
        glibc::check(&libraries.join("libkeylane_capi.so"))?;
        let provider = build("contrib/openssl/Cargo.toml", "keylane-openssl", "gnu")?;
        let provider = provider.join("libkeylane_openssl.so");
        glibc::check(&provider)?;
        Ok(Built { command, libraries, provider })
    }

    /// Makes the archive, its SBOM and the Debian packages.
    fn machine(&self, machine: &Machine, pages: &Path) -> Result<()> {
        let built = self.build(machine)?;
        let mut dependencies = Vec::new();
        for (workspace, packages) in SHIPPED {
            let target = format!("{}-unknown-linux-musl", machine.name);
            dependencies.extend(dependencies::of(&self.root.join(workspace), packages, &target)?);
        }
        dependencies.sort_by_key(Dependency::url);
        dependencies.dedup_by_key(|dependency| dependency.url());
        let folder = self.staged(machine, &dependencies, pages, &built)?;
        let name = format!("keylane-{}-{}-linux", install::VERSION, machine.name);
        let sbom = sbom::sbom(&name, install::VERSION, self.epoch, &dependencies);
        let sbom = serde_json::to_string_pretty(&sbom)? + "\n";
        folder.write("sbom.cdx.json", sbom.as_bytes())?;
        fs::write(self.out.join(format!("{name}.cdx.json")), &sbom)?;
        let archive = archive::archive(folder.path(), &name, self.epoch)?;
        fs::write(self.out.join(format!("{name}.tar.gz")), archive)?;
        deb::packages(self, machine, folder.path())
    }

    /// The folder that an archive has. Below its `bin`, `include`, `lib` and `share` it is a prefix to copy.
    fn staged(
        &self,
        machine: &Machine,
        dependencies: &[Dependency],
        pages: &Path,
        built: &Built,
    ) -> Result<Folder> {
        let folder = Folder::empty(&self.builds.join("stage").join(machine.name))?;
        folder.copy(&built.command, "bin/keylane")?;
        folder.executable("bin/keylane")?;
        install::place(self.root, &built.libraries, folder.path())?;
        folder.copy(&built.provider, "lib/ossl-modules/keylane.so")?;
        for entry in fs::read_dir(pages.join("man/man1"))? {
            let page = entry?.path();
            let name = page.file_name().and_then(|name| name.to_str()).context("a page's name")?;
            folder.copy(&page, &format!("share/man/man1/{name}"))?;
        }
        for (made, place) in [
            ("keylane.bash", "bash-completion/completions/keylane"),
            ("keylane.fish", "fish/vendor_completions.d/keylane.fish"),
            ("_keylane", "zsh/site-functions/_keylane"),
        ] {
            folder.copy(&pages.join("completions").join(made), &format!("share/{place}"))?;
        }
        for name in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            folder.copy(&self.root.join(name), name)?;
        }
        for (name, text) in licences::licences(dependencies)? {
            folder.write(&format!("licences/{name}"), &text)?;
        }
        Ok(folder)
    }
}

/// A line for each file below `folder`, as `sha256sum` writes them, in the order of their names.
fn sums(folder: &Path) -> Result<String> {
    let mut lines = String::new();
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        if entry.file_type().is_file() {
            let sum = Sha256::digest(fs::read(entry.path())?);
            let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
            writeln!(lines, "{sum}  {}", entry.path().strip_prefix(folder)?.display())?;
        }
    }
    Ok(lines)
}

/// Builds the commit again, in a folder with another name of another length, and compares.
fn again(release: &Release<'_>, sums: &str) -> Result<()> {
    let folder =
        tempfile::Builder::new().prefix("dist-of-another-folder-").tempdir_in(release.root.join("target"))?;
    let clone = folder.path().join("keylane");
    run(release.root, Command::new("git").args(["clone", "--quiet", "--no-hardlinks", "."]).arg(&clone))?;
    // The program finds its repository by this name, as cargo would set it.
    let mut dist = Command::new(env::current_exe()?);
    dist.env("CARGO_MANIFEST_DIR", clone.join("tools/workshop")).env_remove("CARGO_TARGET_DIR").arg("dist");
    run(&clone, &mut dist)?;
    let other = fs::read_to_string(clone.join("target/dist/SHA256SUMS"))?;
    let differing: Vec<&str> =
        sums.lines().filter(|line| !other.lines().any(|other| other == *line)).collect();
    if !differing.is_empty() || other.lines().count() != sums.lines().count() {
        bail!("not the same bytes in another folder:\n{}", differing.join("\n"));
    }
    println!("{} files have the same bytes in another folder", sums.lines().count());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_sha256sum_in_the_order_of_names() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("b"), "").unwrap();
        fs::write(folder.path().join("a/c"), "abc").unwrap();
        assert_eq!(
            sums(folder.path()).unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a/c\n\
             e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  b\n"
        );
    }
}
