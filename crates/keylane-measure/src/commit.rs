//! The commit that a record is of.

use std::io;
use std::path::Path;
use std::process::Command;

/// What a change of these files cannot change: figures.
const TEXT: [&str; 3] = [":(top,exclude,glob)**/*.md", ":(top,exclude)docs", ":(top,exclude)bench/record"];

/// The commit of the repository that a folder is in. Nobody can repeat what uncommitted sources have measured, so a
/// tree with changes gets none. Documents and records may differ: earlier suites have written to them.
///
/// # Errors
/// git cannot be run, the folder is in no repository, or a source differs from its commit. The error names it.
pub fn committed(folder: &Path) -> io::Result<String> {
    let changed =
        git(folder, &[&["status", "--porcelain", "--untracked-files=no", "--", ":/"], &TEXT[..]].concat())?;
    if !changed.trim().is_empty() {
        let why =
            format!("sources differ from the commit; commit them before you record:\n{}", changed.trim_end());
        return Err(io::Error::other(why));
    }
    Ok(git(folder, &["rev-parse", "HEAD"])?.trim().to_owned())
}

fn git(folder: &Path, arguments: &[&str]) -> io::Result<String> {
    let output = Command::new("git").args(arguments).current_dir(folder).output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("git: {}", String::from_utf8_lossy(&output.stderr).trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_tree_with_changed_sources_has_no_commit() {
        let root = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| git(root.path(), arguments).unwrap();
        assert!(committed(root.path()).is_err());
        git(&["init", "--quiet"]);
        fs::create_dir_all(root.path().join("bench/record")).unwrap();
        for file in ["main.rs", "README.md", "bench/record/a.csv"] {
            fs::write(root.path().join(file), "1").unwrap();
        }
        git(&["add", "."]);
        git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "--quiet", "-m", "first"]);
        let commit = committed(root.path()).unwrap();
        assert_eq!(commit, git(&["rev-parse", "HEAD"]).trim());
        // Documents, records and new files do not count.
        for file in ["README.md", "bench/record/a.csv", "new.rs"] {
            fs::write(root.path().join(file), "2").unwrap();
        }
        assert_eq!(committed(root.path()).unwrap(), commit);
        fs::write(root.path().join("main.rs"), "2").unwrap();
        let refused = committed(&root.path().join("bench")).unwrap_err().to_string();
        assert!(
            refused.contains("commit them before you record") && refused.contains("main.rs"),
            "{refused}"
        );
    }
}
