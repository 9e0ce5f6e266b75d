//! Computes cycles with llvm-mca, from LLVM's tables of cores.

use crate::listing::{Instruction, Isa, Transfer};
use crate::output;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// A core whose table in LLVM is sound.
pub struct Core {
    pub name: &'static str,
    /// Features that kernels require and that it lacks.
    pub lacks: &'static [&'static str],
}

/// The cores. Some tables of LLVM are left out as wrong. Its apple-* are from 2013. In sapphirerapids a xor takes two
/// cycles. In znver4 a block of Poly1305 in base 2^64 takes 25 cycles, and on Zen 4 it takes 15
/// (docs/research/RADIX.md). znver5 is a copy of znver4.
pub fn cores(isa: Isa) -> &'static [Core] {
    match isa {
        Isa::Aarch64 => &[
            Core { name: "neoverse-n1", lacks: &["sha3"] },
            Core { name: "neoverse-v1", lacks: &[] },
            Core { name: "neoverse-v2", lacks: &[] },
            Core { name: "cortex-a57", lacks: &["sha3"] },
        ],
        Isa::X86_64 => &[Core { name: "icelake-server", lacks: &[] }],
    }
}

const PROGRAM: &str = "llvm-mca-19";

/// The version that llvm-mca prints.
pub fn version() -> Result<String> {
    let text =
        output(Command::new(PROGRAM).arg("--version")).context("llvm-mca-19 is in the package llvm-19")?;
    let line = text.lines().find(|line| line.contains("version")).unwrap_or(PROGRAM);
    Ok(format!("llvm-mca, {}", line.trim()))
}

/// The cycles that a core takes for a sequence of instructions.
pub fn cycles(isa: Isa, core: &str, trace: &[&Instruction]) -> Result<u64> {
    let file = tempfile::NamedTempFile::new()?;
    let lines: Vec<String> = trace.iter().map(|instruction| line(isa, instruction)).collect();
    fs::write(file.path(), format!("here:\n{}\n", lines.join("\n")))?;
    let mut mca = Command::new(PROGRAM);
    match isa {
        Isa::Aarch64 => mca.args(["--mtriple=aarch64-unknown-linux-gnu", "--mattr=+sha3"]),
        Isa::X86_64 => mca.arg("--mtriple=x86_64-unknown-linux-gnu"),
    };
    mca.args(["--json", "--iterations=1", "--instruction-info=false", "--resource-pressure=false"]);
    let report: Value = serde_json::from_str(&output(mca.arg(format!("--mcpu={core}")).arg(file.path()))?)?;
    let total = report.pointer("/CodeRegions/0/SummaryView/TotalCycles");
    total.and_then(Value::as_u64).context("llvm-mca's report names no cycles")
}

/// A line of assembly. The target of a jump does not matter, since the trace has the order. Calls and returns become
/// jumps, because llvm-mca takes a hundred cycles for a call.
pub fn line(isa: Isa, instruction: &Instruction) -> String {
    let Instruction { mnemonic, operands, points, transfer, .. } = instruction;
    let mut operands = operands.clone();
    match (transfer, operands.last_mut()) {
        (Some(Transfer::Call | Transfer::Return), _) => {
            return if isa == Isa::X86_64 { "jmp here" } else { "b here" }.to_owned();
        }
        (_, Some(last)) if *points => *last = "here".to_owned(),
        _ => {}
    }
    format!("{mnemonic} {}", operands.join(", ")).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_one_name() {
        let of = |isa, text: &str| {
            line(isa, &Instruction::parse(isa, &format!("1000:\t{text}")).expect("an instruction"))
        };
        assert_eq!(of(Isa::X86_64, "jne    1000 <f>"), "jne here");
        assert_eq!(of(Isa::X86_64, "call   *0x10(%rip)        # 2000 <g>"), "jmp here");
        assert_eq!(of(Isa::X86_64, "lea    0x10(%rip),%rax        # 2000 <g>"), "lea 0x10(%rip), %rax");
        assert_eq!(of(Isa::X86_64, "cs nopw 0x0(%rax,%rax,1)"), "nopw 0x0(%rax,%rax,1)");
        assert_eq!(of(Isa::Aarch64, "tbz\tw8, #3, 1004 <f+0x4>"), "tbz w8, #3, here");
        assert_eq!(of(Isa::Aarch64, "adrp\tx3, 5000 <CASES>"), "adrp x3, here");
        assert_eq!(of(Isa::Aarch64, "ret"), "b here");
        assert_eq!(of(Isa::Aarch64, "nop"), "nop");
    }
}
