//! Debian packages: the command, the library under the name of its soname, what programs are built with, the provider
//! for OpenSSL.

use super::folder::{Folder, PROGRAM};
use super::release::{Machine, Release};
use crate::run;
use anyhow::{Context, Result};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use walkdir::WalkDir;
use xtask::glibc::FLOOR;
use xtask::install::{SOVERSION, VERSION};

/// The folder of OpenSSL's providers in an archive. Debian has it below a folder for each kind of CPU.
const MODULES: &str = "lib/ossl-modules/";

/// A package.
struct Package {
    name: String,
    section: &'static str,
    depends: String,
    description: &'static str,
    /// What it takes from the archive's folder: the beginnings of paths.
    takes: &'static [&'static str],
    /// Files for dpkg itself.
    control: Vec<(&'static str, String)>,
}

/// Makes the packages of a machine from the folder that its archive has.
pub fn packages(release: &Release<'_>, machine: &Machine, archive: &Path) -> Result<()> {
    let version = VERSION.replace('-', "~");
    let library = format!("libkeylane{SOVERSION}");
    let packages = [
        Package {
            name: "keylane".into(),
            section: "utils",
            depends: String::new(),
            description: "keyed checksums of files with SipHash, one-time tags with Poly1305",
            takes: &["bin/", "share/man/man1/", "share/bash-completion/", "share/fish/", "share/zsh/"],
            control: Vec::new(),
        },
        Package {
            name: library.clone(),
            section: "libs",
            depends: format!("libc6 (>= {FLOOR}), libgcc-s1"),
            description: "SipHash, Poly1305 and ChaCha20-Poly1305: shared library",
            takes: &["lib/libkeylane.so."],
            control: vec![
                ("shlibs", format!("libkeylane {SOVERSION} {library} (>= {version})\n")),
                ("triggers", "activate-noawait ldconfig\n".into()),
            ],
        },
        Package {
            name: "libkeylane-dev".into(),
            section: "libdevel",
            depends: format!("{library} (= {version}), libc6-dev"),
            description: "SipHash, Poly1305 and ChaCha20-Poly1305: headers and archive",
            takes: &["include/", "lib/libkeylane.a", "lib/pkgconfig/", "lib/cmake/", "share/man/man3/"],
            control: Vec::new(),
        },
        Package {
            name: "keylane-openssl".into(),
            section: "libs",
            depends: format!("libc6 (>= {FLOOR}), libgcc-s1, libssl3"),
            description: "POLY1305 and SIPHASH by keylane for programs that use OpenSSL: provider",
            takes: &[MODULES],
            control: Vec::new(),
        },
    ];
    for package in &packages {
        let folder = Folder::empty(&release.builds.join("deb").join(machine.name).join(&package.name))?;
        fill(&folder, package, machine, archive)?;
        if package.section == "libdevel" {
            symlink(format!("libkeylane.so.{SOVERSION}"), folder.path().join("usr/lib/libkeylane.so"))?;
        }
        let size = finish(&folder)?;
        folder.write("DEBIAN/control", control(package, machine, &version, size).as_bytes())?;
        for (name, text) in &package.control {
            folder.write(&format!("DEBIAN/{name}"), text.as_bytes())?;
        }
        fs::set_permissions(folder.path().join("DEBIAN"), Permissions::from_mode(PROGRAM))?;
        let file = release.out.join(format!("{}_{version}_{}.deb", package.name, machine.debian));
        let mut build = Command::new("dpkg-deb");
        // No newer file keeps its time. One thread: several would write other bytes.
        build.env("SOURCE_DATE_EPOCH", release.epoch.to_string()).env("DPKG_DEB_THREADS_MAX", "1");
        build.args(["--root-owner-group", "-Zxz", "--build"]).arg(folder.path()).arg(file);
        run(release.root, &mut build)?;
    }
    Ok(())
}

/// Copies what the package takes below `usr`, and the licences to where Debian has them.
fn fill(folder: &Folder, package: &Package, machine: &Machine, archive: &Path) -> Result<()> {
    let papers = format!("usr/share/doc/{}", package.name);
    for entry in WalkDir::new(archive).sort_by_file_name() {
        let entry = entry?;
        let name = entry.path().strip_prefix(archive)?.to_str().context("a name in UTF-8")?;
        if entry.file_type().is_dir() {
            continue;
        }
        if name.starts_with("licences/") || name.starts_with("LICENSE-") {
            folder.copy(entry.path(), &format!("{papers}/{name}"))?;
        } else if package.takes.iter().any(|beginning| name.starts_with(beginning)) {
            let modules = format!("lib/{}-linux-gnu/ossl-modules/", machine.name);
            let place = format!("usr/{}", name.replace(MODULES, &modules));
            if entry.file_type().is_symlink() {
                let path = folder.path().join(&place);
                fs::create_dir_all(path.parent().context("a link in a folder")?)?;
                symlink(fs::read_link(entry.path())?, path)?;
                continue;
            }
            folder.copy(entry.path(), &place)?;
            if name.starts_with("bin/") {
                folder.executable(&place)?;
            }
        }
    }
    let what = "keylane: MIT (LICENSE-MIT) or Apache-2.0 (LICENSE-APACHE), as you like. What is linked into it: the \
                folder licences.\n";
    folder.write(&format!("{papers}/copyright"), what.as_bytes())
}

/// Sets the modes of folders. Answers the size of all files in KiB, each rounded up, as Debian counts.
fn finish(folder: &Folder) -> Result<u64> {
    let mut size = 0;
    for entry in WalkDir::new(folder.path()) {
        let entry = entry?;
        if entry.file_type().is_dir() {
            fs::set_permissions(entry.path(), Permissions::from_mode(PROGRAM))?;
        }
        size += if entry.file_type().is_file() { entry.metadata()?.len().div_ceil(1024) } else { 1 };
    }
    Ok(size)
}

/// The text that dpkg reads.
fn control(package: &Package, machine: &Machine, version: &str, size: u64) -> String {
    let depends = &package.depends;
    let depends = if depends.is_empty() { String::new() } else { format!("Depends: {depends}\n") };
    format!(
        "Package: {}\nVersion: {version}\nSection: {}\nPriority: optional\nArchitecture: {}\n{depends}\
         Installed-Size: {size}\nMaintainer: The maintainers of keylane <maintainers@keylane.example>\n\
         Homepage: https://keylane.example\nDescription: {}\n",
        package.name, package.section, machine.debian, package.description
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::MACHINES;
    use crate::dist::folder::FILE;

    #[test]
    fn a_package_without_dependencies_has_no_such_line() {
        let mut package = Package {
            name: "name".into(),
            section: "utils",
            depends: String::new(),
            description: "what it is",
            takes: &[],
            control: Vec::new(),
        };
        let machine = &MACHINES[0];
        assert!(!control(&package, machine, "1.0", 7).contains("Depends"));
        package.depends = "libc6".into();
        let text = control(&package, machine, "1.0", 7);
        assert!(text.contains("\nArchitecture: amd64\nDepends: libc6\nInstalled-Size: 7\n"), "{text}");
    }

    #[test]
    fn a_package_takes_its_files_and_all_licences() {
        let at = tempfile::tempdir().unwrap();
        let archive = Folder::empty(&at.path().join("archive")).unwrap();
        for name in [
            "bin/keylane",
            "lib/libkeylane.a",
            "lib/ossl-modules/keylane.so",
            "LICENSE-MIT",
            "licences/b/COPYING",
        ] {
            archive.write(name, b"text").unwrap();
        }
        let package = Package {
            name: "name".into(),
            section: "utils",
            depends: String::new(),
            description: "what it is",
            takes: &["bin/", MODULES],
            control: Vec::new(),
        };
        let folder = Folder::empty(&at.path().join("package")).unwrap();
        fill(&folder, &package, &MACHINES[1], archive.path()).unwrap();
        let mode =
            |name: &str| Some(fs::metadata(folder.path().join(name)).ok()?.permissions().mode() & 0o777);
        assert_eq!(mode("usr/bin/keylane"), Some(PROGRAM));
        assert_eq!(mode("usr/lib/aarch64-linux-gnu/ossl-modules/keylane.so"), Some(FILE));
        assert_eq!(mode("usr/lib/libkeylane.a"), None);
        for paper in ["LICENSE-MIT", "licences/b/COPYING", "copyright"] {
            assert_eq!(mode(&format!("usr/share/doc/name/{paper}")), Some(FILE), "{paper}");
        }
    }
}
