//! The oldest glibc that a shared library runs with, by the versions of the symbols that it takes from there.

use crate::output;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The promise of docs/INSTALL.md: Debian 12, Ubuntu 22.04, RHEL 9 and all that is newer.
pub const FLOOR: Version = Version(2, 34, 0);

/// A version of glibc. The last number is 0 if there are only two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(u32, u32, u32);

impl std::fmt::Display for Version {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{}", self.0, self.1)?;
        if self.2 == 0 { Ok(()) } else { write!(formatter, ".{}", self.2) }
    }
}

/// The options of `cargo xtask glibc`.
#[derive(Args)]
pub struct Options {
    /// The shared library
    #[arg(default_value = "target/prefix/lib/libkeylane.so")]
    library: PathBuf,
}

/// Fails if a symbol of the library needs a newer glibc than the floor.
pub fn glibc(root: &Path, options: &Options) -> Result<()> {
    check(&root.join(&options.library))
}

/// Fails if a symbol of this library needs a newer glibc than the floor, and names it.
pub fn check(library: &Path) -> Result<()> {
    let listing = output(Command::new("readelf").args(["--dyn-syms", "--wide"]).arg(library))?;
    let needed = needed(&listing)?;
    let newest = needed.iter().max_by_key(|(_, version)| *version);
    let (symbol, version) = newest.with_context(|| format!("{}: no symbol of glibc", library.display()))?;
    println!("{}: glibc {version} for {symbol}; the floor is {FLOOR}", library.display());
    let over: Vec<&str> =
        needed.iter().filter(|(_, version)| *version > FLOOR).map(|(name, _)| *name).collect();
    if !over.is_empty() {
        bail!("newer than glibc {FLOOR}: {}", over.join(" "));
    }
    Ok(())
}

/// The symbols that a listing of `readelf --dyn-syms --wide` takes from glibc, each with its version.
fn needed(listing: &str) -> Result<Vec<(&str, Version)>> {
    let mut needed = Vec::new();
    for line in listing.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        // Number, value, size, type, binding, visibility, section, name@version, index of the version.
        let [_, _, _, _, _, _, "UND", name, ..] = words[..] else { continue };
        let Some((symbol, version)) = name.split_once("@GLIBC_") else { continue };
        let version = parse(version.trim_start_matches('@')).with_context(|| line.trim().to_owned())?;
        needed.push((symbol, version));
    }
    Ok(needed)
}

/// A version such as 2.34 or 2.2.5.
fn parse(text: &str) -> Result<Version> {
    let numbers = text.split('.').map(str::parse).collect::<Result<Vec<u32>, _>>()?;
    match numbers[..] {
        [major, minor] => Ok(Version(major, minor, 0)),
        [major, minor, patch] => Ok(Version(major, minor, patch)),
        _ => bail!("{text}: not a version of glibc"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "
Symbol table '.dynsym' contains 4 entries:
   Num:    Value          Size Type    Bind   Vis      Ndx Name
     0: 0000000000000000     0 NOTYPE  LOCAL  DEFAULT  UND 
     1: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND memcpy@GLIBC_2.14 (4)
     2: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND malloc@GLIBC_2.2.5 (2)
     3: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND _Unwind_Resume@GCC_3.0 (3)
     4: 0000000000009f30    12 FUNC    GLOBAL DEFAULT   11 keylane_version
";

    #[test]
    fn symbols_of_glibc_have_their_versions() {
        let expected = vec![("memcpy", Version(2, 14, 0)), ("malloc", Version(2, 2, 5))];
        assert_eq!(needed(LISTING).unwrap(), expected);
    }

    #[test]
    fn versions_are_compared_by_number() {
        assert!(parse("2.9").unwrap() < parse("2.34").unwrap());
        assert!(parse("2.2.5").unwrap() < parse("2.3").unwrap());
        assert_eq!(parse("2.2.5").unwrap().to_string(), "2.2.5");
        assert_eq!(parse("2.34").unwrap().to_string(), "2.34");
    }

    #[test]
    fn a_version_that_is_none_is_an_error() {
        for text in ["PRIVATE", "2", "2.3.4.5", "2.x"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
