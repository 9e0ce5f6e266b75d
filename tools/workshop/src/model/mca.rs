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

/// The cores. The table of Cortex-A57 is put right (`lines`). Some tables of LLVM are left out as wrong. Its apple-* are
/// from 2013. In sapphirerapids a xor takes two cycles. In znver4 a block of Poly1305 in base 2^64 takes 25 cycles, and on
/// Zen 4 it takes 15 (docs/research/RADIX.md). znver5 is a copy of znver4.
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
    let lines: Vec<String> = trace.iter().flat_map(|instruction| lines(isa, core, instruction)).collect();
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

/// An instruction in lines of assembly, with what a core's table has wrong put right.
///
/// LLVM's Cortex-A57 begins a product of 64 bits in each cycle. By Arm's guide a product of low halves keeps the multiplier
/// for 3 cycles and one of high halves for 4 [A57-guide]. So further products of the same factors, whose results nobody
/// reads, take the multiplier for the other cycles. They stand behind the product, or before it if it replaces a factor.
fn lines(isa: Isa, core: &str, instruction: &Instruction) -> Vec<String> {
    let own = line(isa, instruction);
    let Instruction { mnemonic, operands, .. } = instruction;
    let further = match (core, mnemonic.as_str()) {
        ("cortex-a57", "mul" | "mneg" | "madd" | "msub") => 2,
        ("cortex-a57", "umulh" | "smulh") => 3,
        _ => 0,
    };
    let [to, a, b, ..] = &operands[..] else { return vec![own] };
    if further == 0 || !to.starts_with('x') {
        return vec![own];
    }
    let mut lines = vec![format!("mul xzr, {a}, {b}"); further];
    let replaces = a == to || b == to;
    lines.insert(if replaces { further } else { 0 }, own);
    lines
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
    fn a_product_of_64_bits_keeps_the_multiplier_of_cortex_a57() {
        let of = |core, text: &str| {
            let instruction = Instruction::parse(Isa::Aarch64, &format!("1000:\t{text}"));
            lines(Isa::Aarch64, core, &instruction.expect("an instruction"))
        };
        let mul = ["mul x1, x2, x3", "mul xzr, x2, x3", "mul xzr, x2, x3"];
        assert_eq!(of("cortex-a57", "mul x1, x2, x3"), mul);
        assert_eq!(of("cortex-a57", "madd x1, x2, x3, x4").len(), 3);
        let umulh = ["mul xzr, x2, x3", "mul xzr, x2, x3", "mul xzr, x2, x3", "umulh x2, x2, x3"];
        assert_eq!(of("cortex-a57", "umulh x2, x2, x3"), umulh);
        for text in ["mul w1, w2, w3", "umull x1, w2, w3", "mul v1.4s, v2.4s, v3.4s", "add x1, x2, x3"] {
            assert_eq!(of("cortex-a57", text).len(), 1, "{text}");
        }
        assert_eq!(of("neoverse-n1", "umulh x1, x2, x3").len(), 1);
    }

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
