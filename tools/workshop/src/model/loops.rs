//! The loops of a file of assembly in Apple's syntax, in the models of Firestorm: code of others that a user has.

use super::firestorm::Firestorm;
use crate::listing::{Isa, Listing};
use crate::output;
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

/// Prints a line for each innermost loop: its function, its instructions, and the cycles of a turn in both models.
pub fn print(file: &Path) -> Result<()> {
    let cores = [Firestorm::checked()?, Firestorm::checked()?.with_queues()];
    let lines = lines(&listing(&disassembled(file)?)?, &cores)?;
    ensure!(!lines.is_empty(), "{}: no loop", file.display());
    lines.iter().for_each(|line| println!("{line}"));
    Ok(())
}

fn lines(listing: &Listing, cores: &[Firestorm]) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for function in listing.functions() {
        for turn in function.loops() {
            let mut line = format!("{}\t{}", function.name, turn.len());
            for core in cores {
                line += &format!("\t{:.2}", core.turn(turn)?);
            }
            lines.push(line);
        }
    }
    Ok(lines)
}

/// What objdump says of the file's object.
fn disassembled(file: &Path) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let [plain, object] = ["plain.s", "object.o"].map(|name| folder.path().join(name));
    // The preprocessor runs here, so it must not know this system, and must know that one.
    let preprocess = ["-E", "-P", "-undef", "-D__aarch64__", "-D__APPLE__", "-x", "assembler-with-cpp"];
    output(Command::new("cc").args(preprocess).arg(file).arg("-o").arg(&plain))?;
    let assemble = ["--triple=arm64-apple-macos", "--filetype=obj"];
    output(Command::new("llvm-mc-19").args(assemble).arg(&plain).arg("-o").arg(&object))
        .context("llvm-mc-19 is in the package llvm-19")?;
    output(Command::new("llvm-objdump-19").args(["--disassemble", "--no-show-raw-insn"]).arg(&object))
}

/// Reads what LLVM's objdump prints, which has spaces after an address, and 0x before a target.
fn listing(text: &str) -> Result<Listing> {
    let gnu = |line: &str| {
        let line = match line.split_once(':') {
            Some((address, rest)) if rest.starts_with(' ') => {
                format!("{address}:{}", rest.trim_start_matches(' '))
            }
            _ => line.to_owned(),
        };
        let target = line.split_once(" <").and_then(|(start, name)| Some((start.rsplit_once("0x")?, name)));
        target.map_or_else(|| line.clone(), |((start, target), name)| format!("{start}{target} <{name}"))
    };
    let text: Vec<String> = text.lines().map(gnu).collect();
    Listing::parse(Isa::Aarch64, &text.join("\n"), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_of_llvms_listing_is_found() {
        let text = "\n0000000000000000 <_sum>:\n\
                    \x20      0:      \tcbz\tx1, 0x10 <_sum+0x10>\n\
                    \x20      4:      \tldr\tx3, [x0], #0x8\n\
                    \x20      8:      \tror\tx2, x2, #0x33\n\
                    \x20      c:      \tadd\tx2, x2, x3\n\
                    \x20     10:      \tsubs\tx1, x1, #0x1\n\
                    \x20     14:      \tb.ne\t0x4 <_sum+0x4>\n\
                    \x20     18:      \tret\n";
        let cores = [Firestorm::checked().unwrap()];
        assert_eq!(lines(&listing(text).unwrap(), &cores).unwrap(), ["_sum\t5\t2.00"]);
        assert!(lines(&listing("0 <f>:\n 0: \tret\n").unwrap(), &cores).unwrap().is_empty());
    }
}
