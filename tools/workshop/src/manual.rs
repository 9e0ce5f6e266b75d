//! Writes manual pages and shell completions from the definition of the command line.

use anyhow::{Context, Result};
use clap_complete::{Shell, generate_to};
use std::fs;
use std::path::Path;

/// Writes `man/man1/*.1` and a completion for each shell below `folder`.
pub fn manual(folder: &Path) -> Result<()> {
    let mut command = keylane_cli::command();
    let pages = folder.join("man/man1");
    fs::create_dir_all(&pages).with_context(|| pages.display().to_string())?;
    clap_mangen::generate_to(command.clone(), &pages)?;

    let completions = folder.join("completions");
    fs::create_dir_all(&completions).with_context(|| completions.display().to_string())?;
    for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
        generate_to(shell, &mut command, "keylane", &completions)?;
    }
    let count = |folder: &Path| -> Result<usize> { Ok(fs::read_dir(folder)?.count()) };
    println!(
        "{} manual pages and {} completions in {}",
        count(&pages)?,
        count(&completions)?,
        folder.display()
    );
    Ok(())
}
