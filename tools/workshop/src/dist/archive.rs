//! Archives whose bytes depend on nothing but names, contents, and which files are programs.

use super::folder::{FILE, PROGRAM};
use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tar::{Builder, EntryType, Header};
use walkdir::WalkDir;

/// A .tar.gz of what is in `folder`, under the name `top`. Entries are sorted, have one time, and belong to root.
pub fn archive(folder: &Path, top: &str, epoch: u64) -> Result<Vec<u8>> {
    // The header of gzip gets no name and no time.
    let mut builder = Builder::new(GzBuilder::new().write(Vec::new(), Compression::best()));
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        let name = Path::new(top).join(entry.path().strip_prefix(folder)?);
        let mut header = Header::new_gnu();
        header.set_mtime(epoch);
        header.set_uid(0);
        header.set_gid(0);
        header.set_size(0);
        if entry.file_type().is_symlink() {
            header.set_entry_type(EntryType::Symlink);
            header.set_mode(0o777);
            builder.append_link(&mut header, &name, fs::read_link(entry.path())?)?;
        } else if entry.file_type().is_dir() {
            header.set_entry_type(EntryType::Directory);
            header.set_mode(PROGRAM);
            builder.append_data(&mut header, &name, &[][..])?;
        } else {
            let bytes = fs::read(entry.path()).with_context(|| entry.path().display().to_string())?;
            let program = entry.metadata()?.permissions().mode() & 0o100 != 0;
            header.set_mode(if program { PROGRAM } else { FILE });
            header.set_size(bytes.len() as u64);
            builder.append_data(&mut header, &name, &bytes[..])?;
        }
    }
    Ok(builder.into_inner()?.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::folder::Folder;
    use std::fs::Permissions;
    use std::os::unix::fs::symlink;

    fn folder(at: &Path, names: &[&str], mode: u32) -> Folder {
        let folder = Folder::empty(at).unwrap();
        for name in names {
            folder.write(name, name.as_bytes()).unwrap();
            fs::set_permissions(at.join(name), Permissions::from_mode(mode)).unwrap();
        }
        folder.executable("bin/run").unwrap();
        symlink("a", at.join("link")).unwrap();
        folder
    }

    #[test]
    fn the_order_of_writing_the_place_and_the_umask_do_not_matter() {
        let at = tempfile::tempdir().unwrap();
        let one = folder(&at.path().join("one"), &["a", "z/y", "bin/run", "z/x"], 0o640);
        let two = folder(&at.path().join("another"), &["z/x", "bin/run", "z/y", "a"], 0o644);
        let archives = [one, two].map(|folder| archive(folder.path(), "top", 1_700_000_000).unwrap());
        assert_eq!(archives[0], archives[1]);
    }

    #[test]
    fn entries_are_sorted_and_belong_to_root_at_one_time() {
        let at = tempfile::tempdir().unwrap();
        let folder = folder(&at.path().join("one"), &["z/y", "a", "bin/run"], 0o600);
        let bytes = archive(folder.path(), "top", 1_700_000_000).unwrap();
        let mut found = Vec::new();
        for entry in tar::Archive::new(flate2::read::GzDecoder::new(&bytes[..])).entries().unwrap() {
            let entry = entry.unwrap();
            let header = entry.header();
            assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0));
            assert_eq!(header.mtime().unwrap(), 1_700_000_000);
            found.push((entry.path().unwrap().display().to_string(), header.mode().unwrap()));
        }
        let expected = [
            ("top/", 0o755),
            ("top/a", 0o644),
            ("top/bin", 0o755),
            ("top/bin/run", 0o755),
            ("top/link", 0o777),
            ("top/z", 0o755),
            ("top/z/y", 0o644),
        ];
        assert_eq!(found, expected.map(|(name, mode)| (name.to_owned(), mode)));
    }
}
