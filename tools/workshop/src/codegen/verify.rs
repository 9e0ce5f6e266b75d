//! The machine code of `verify`, above all on CPUs where a tag is several words: no branch may depend on a part of a tag.
//!
//! `tests/tags` has each comparison as a function that returns a `bool`. The compiler prints it as assembly, for which no
//! linker and no disassembler of the target is needed. A conditional branch there would be one on a part of a tag, or on
//! the answer; neither is needed, so none is allowed. Nor is a call, for instance of `memcmp`. `planted` ends at the
//! first difference, and must be refused.

use crate::cross::toolchain::Toolchain;
use crate::run;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::Path;

/// The targets, and how their conditional branches and calls are written.
const TARGETS: [(&str, Family); 8] = [
    ("x86_64-unknown-linux-gnu", Family::X86),
    ("aarch64-unknown-linux-gnu", Family::Aarch64),
    ("i686-unknown-linux-gnu", Family::X86),
    ("armv7-unknown-linux-gnueabihf", Family::Arm),
    ("thumbv7em-none-eabi", Family::Arm),
    ("riscv32imac-unknown-none-elf", Family::RiscV),
    ("riscv64gc-unknown-linux-gnu", Family::RiscV),
    ("wasm32-unknown-unknown", Family::Wasm),
];

/// The functions that compare.
const COMPARISONS: usize = 4;

#[derive(Clone, Copy, PartialEq)]
enum Family {
    X86,
    Aarch64,
    Arm,
    RiscV,
    Wasm,
}

/// Compiles the comparisons for each target and judges them.
pub fn verify(root: &Path) -> Result<()> {
    let toolchain = Toolchain::find(root)?;
    let mut faults = Vec::new();
    for (target, family) in TARGETS {
        let found = judge(family, &assembly(root, &toolchain, target)?);
        let (planted, compared): (Vec<_>, Vec<_>) =
            found.iter().partition(|function| function.name.contains("planted"));
        ensure!(
            compared.len() == COMPARISONS && planted.len() == 1,
            "{target}: {} comparisons and {} planted, instead of {COMPARISONS} and 1",
            compared.len(),
            planted.len()
        );
        if planted[0].faults.is_empty() {
            faults.push(format!("{target}: the planted comparison was not refused"));
        }
        for function in &compared {
            faults.extend(function.faults.iter().map(|it| format!("{target}: {it} in {}", function.name)));
        }
        let instructions: usize = compared.iter().map(|function| function.instructions).sum();
        println!(
            "{target}: {COMPARISONS} comparisons of {instructions} instructions, the planted one refused"
        );
    }
    for fault in &faults {
        eprintln!("{fault}");
    }
    if !faults.is_empty() {
        bail!("{} faults of tag comparison", faults.len());
    }
    println!("codegen: tags are compared without a branch or a call on {} targets", TARGETS.len());
    Ok(())
}

/// The assembly of `tests/tags`.
fn assembly(root: &Path, toolchain: &Toolchain, target: &str) -> Result<String> {
    let path = toolchain.builds.join(format!("tags-{target}.s"));
    let mut cargo = toolchain.cargo();
    cargo.env("CARGO_PROFILE_RELEASE_LTO", "off");
    cargo.args(["rustc", "--release", "--package", "keylane-tags", "--lib", "--target", target]);
    cargo.args(["-Zbuild-std=core", "--", "-Ccodegen-units=1"]);
    run(root, cargo.arg(format!("--emit=asm={}", path.display())))?;
    fs::read_to_string(&path).with_context(|| path.display().to_string())
}

/// A function of the assembly.
struct Function {
    name: String,
    instructions: usize,
    faults: Vec<String>,
}

/// The functions of `tests/tags`, from their label to where the compiler marks their end.
fn judge(family: Family, assembly: &str) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    let mut is_inside = false;
    for line in assembly.lines() {
        let text = line.trim();
        if let Some(name) = line.strip_suffix(':').filter(|name| !name.starts_with(['.', ' ', '\t'])) {
            is_inside = ["compare_", "planted"].iter().any(|ours| name.contains(ours));
            if is_inside {
                functions.push(Function { name: name.into(), instructions: 0, faults: Vec::new() });
            }
        } else if text.starts_with(".Lfunc_end") || text.starts_with("end_function") {
            is_inside = false;
        } else if let Some(function) = functions.last_mut().filter(|_| is_inside) {
            let mnemonic = text.split_whitespace().next().unwrap_or_default();
            if mnemonic.is_empty() || mnemonic.starts_with(['.', '#', '@', '/']) || mnemonic.ends_with(':') {
                continue;
            }
            function.instructions += 1;
            if is_refused(family, mnemonic) {
                function.faults.push(format!("`{}`", text.split_whitespace().collect::<Vec<_>>().join(" ")));
            }
        }
    }
    functions.retain(|function| function.instructions > 0);
    functions
}

/// Whether an instruction is a conditional branch, a branch by a table, or a call.
fn is_refused(family: Family, mnemonic: &str) -> bool {
    match family {
        Family::X86 => {
            mnemonic.starts_with('j') && mnemonic != "jmp"
                || ["call", "loop"].iter().any(|begin| mnemonic.starts_with(begin))
        }
        Family::Aarch64 => {
            mnemonic.starts_with("b.")
                || ["bl", "blr", "cbz", "cbnz", "tbz", "tbnz", "br"].contains(&mnemonic)
        }
        Family::Arm => {
            let name = mnemonic.split('.').next().unwrap_or_default();
            let conditions = "eq ne hs cs lo cc mi pl vs vc hi ls ge lt gt le";
            // A return can be conditional too.
            let is_conditional = ["b", "bx", "pop"].iter().any(|transfer| {
                name.strip_prefix(transfer).is_some_and(|end| conditions.split(' ').any(|it| it == end))
            });
            is_conditional || ["bl", "blx", "cbz", "cbnz", "tbb", "tbh"].contains(&name)
        }
        // All that begin with b are conditional; a jump is `j`.
        Family::RiscV => {
            let name = mnemonic.strip_prefix("c.").unwrap_or(mnemonic);
            name.starts_with('b') || ["call", "tail", "jal", "jalr"].contains(&name)
        }
        Family::Wasm => ["br_if", "br_table", "if"].contains(&mnemonic) || mnemonic.starts_with("call"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn judged(family: Family, code: &str, faults: &[&str]) {
        let text =
            format!("\t.text\n_RNv12keylane_tags17compare_siphash64:\n{code}\n.Lfunc_end0:\n\tcall x\n");
        let [function] = &judge(family, &text)[..] else { panic!("one function") };
        assert_eq!(function.faults, faults.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>());
    }

    #[test]
    fn branches_and_calls_are_seen() {
        judged(Family::X86, "\txorl\t%eax, %ecx\n\tsete\t%al\n\tretl", &[]);
        judged(
            Family::X86,
            "\tjne\t.LBB0_2\n\tjmp\t.LBB0_1\n.LBB0_2:\n\tcalll\tbcmp@PLT",
            &["jne .LBB0_2", "calll bcmp@PLT"],
        );
        judged(
            Family::Arm,
            "\torr\tr0, r0, r1\n\tclz\tr0, r0\n\tmoveq\tr1, #1\n\tbic\tr0, r1\n\tbx\tlr",
            &[],
        );
        judged(
            Family::Arm,
            "\tbne\t.LBB0_2\n\tcbz\tr0, .LBB0_2\n\tbeq.w\t.LBB0_2\n\tb\t.LBB0_1\n\tpopne\t{r7, pc}\n\tbl\tmemcmp",
            &["bne .LBB0_2", "cbz r0, .LBB0_2", "beq.w .LBB0_2", "popne {r7, pc}", "bl memcmp"],
        );
        judged(Family::Aarch64, "\tcmp\tx8, #0\n\tcset\tw0, eq\n\tret", &[]);
        judged(
            Family::Aarch64,
            "\tb.ne\t.LBB0_2\n\tb\t.LBB0_1\n\tcbz\tw8, .LBB0_2\n\tbl\tbcmp",
            &["b.ne .LBB0_2", "cbz w8, .LBB0_2", "bl bcmp"],
        );
        judged(Family::RiscV, "\tor\ta0, a0, a1\n\tseqz\ta0, a0\n\tret", &[]);
        judged(
            Family::RiscV,
            "\tbnez\ta0, .LBB0_2\n\tc.beqz\ta0, .LBB0_2\n\tj\t.LBB0_1\n\ttail\tmemcmp",
            &["bnez a0, .LBB0_2", "c.beqz a0, .LBB0_2", "tail memcmp"],
        );
        judged(Family::Wasm, "\t.functype\tx\n\tlocal.get\t0\n\ti64.eqz\n\tend_function", &[]);
        judged(Family::Wasm, "\tbr_if\t0\n\tbr\t0\n\tcall\tmemcmp", &["br_if 0", "call memcmp"]);
    }
}
