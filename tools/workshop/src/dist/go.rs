//! The Go module as a proxy of files: `GOPROXY=file://.../go`.

use super::release::Release;
use crate::cross::toolchain::is_here;
use crate::{output, run};
use anyhow::{Context, Result};
use keylane_records::passed::date;
use std::fs;
use std::io::{Cursor, Write};
use std::process::Command;
use xtask::install::VERSION;
use xtask::not_run;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The module's name.
const MODULE: &str = "keylane.example/go";

/// Writes the proxy, and lets Go download from it if Go is here.
pub fn module(release: &Release<'_>) -> Result<()> {
    let tracked = output(Command::new("git").args(["ls-files", "go"]).current_dir(release.root))?;
    let mut files = Vec::new();
    for name in own(&tracked) {
        let path = release.root.join("go").join(name);
        files.push((name.to_owned(), fs::read(&path).with_context(|| path.display().to_string())?));
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        files.push((name.to_owned(), fs::read(release.root.join(name))?));
    }
    let proxy = release.out.join("go");
    let folder = proxy.join(MODULE).join("@v");
    fs::create_dir_all(&folder)?;
    let version = format!("v{VERSION}");
    fs::write(folder.join("list"), format!("{version}\n"))?;
    let time = format!("{}T00:00:00Z", date(release.epoch));
    let info = serde_json::json!({"Version": version, "Time": time});
    fs::write(folder.join(format!("{version}.info")), format!("{info}\n"))?;
    fs::copy(release.root.join("go/go.mod"), folder.join(format!("{version}.mod")))?;
    fs::write(folder.join(format!("{version}.zip")), pack(&version, files)?)?;

    if !is_here("go") {
        return not_run("go mod download", "there is no Go here");
    }
    let cache = tempfile::tempdir()?;
    let mut download = Command::new("go");
    // Only this proxy, and no database that would have to know the sum.
    download.env("GOPROXY", format!("file://{}", proxy.display())).env("GONOPROXY", "none");
    download.env("GOSUMDB", "off").env("GOFLAGS", "-mod=mod -modcacherw");
    download.env("GOMODCACHE", cache.path()).env("GOTOOLCHAIN", "local");
    download.args(["mod", "download", "-json"]).arg(format!("{MODULE}@{version}"));
    // Outside a module.
    run(cache.path(), &mut download)
}

/// The files of the module itself below `go/`. A folder with its own go.mod is another module.
fn own(tracked: &str) -> Vec<&str> {
    let names: Vec<&str> = tracked.lines().filter_map(|line| line.strip_prefix("go/")).collect();
    let others: Vec<&str> = names.iter().filter_map(|name| name.strip_suffix("go.mod")).collect();
    let belongs = |name: &&str| !others.iter().any(|other| !other.is_empty() && name.starts_with(other));
    names.iter().copied().filter(belongs).collect()
}

/// The zip of a module: sorted names below `MODULE@VERSION`, no times.
fn pack(version: &str, mut files: Vec<(String, Vec<u8>)>) -> Result<Vec<u8>> {
    files.sort();
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    for (name, bytes) in files {
        writer.start_file(format!("{MODULE}@{version}/{name}"), options)?;
        writer.write_all(&bytes)?;
    }
    Ok(writer.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_inside_the_module_are_left_out() {
        let tracked = "go/asm/go.mod\ngo/asm/main.go\ngo/assembly.go\ngo/go.mod\ngo/siphash/sum.go\n";
        assert_eq!(own(tracked), ["assembly.go", "go.mod", "siphash/sum.go"]);
    }

    #[test]
    fn a_zip_does_not_depend_on_the_order_of_files() {
        let file = |name: &str| (name.to_owned(), name.as_bytes().to_vec());
        let one = pack("v1.0.0", vec![file("b"), file("a")]).unwrap();
        assert_eq!(one, pack("v1.0.0", vec![file("a"), file("b")]).unwrap());
        let mut archive = zip::ZipArchive::new(Cursor::new(one)).unwrap();
        let names: Vec<String> =
            (0..2).map(|index| archive.by_index(index).unwrap().name().to_owned()).collect();
        assert_eq!(names, ["keylane.example/go@v1.0.0/a", "keylane.example/go@v1.0.0/b"]);
    }
}
