//! A defect in each kernel, planted into a copy of the sources: the suite must find it on the kernel's target.

use super::bochs::Machine;
use super::run::{self, Cell, Log, Run};
use super::targets::{How, Target};
use super::toolchain::Toolchain;
use crate::plant::{Defect, Finder, copy_sources};
use anyhow::{Result, bail};
use keylane_proven::bochs;
use std::fs::{self, File};
use std::path::Path;

/// A defect in a line.
const fn defect(
    kernel: &'static str,
    on: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
) -> Defect {
    Defect { finder: Finder::Rows(kernel), on, file, from, to }
}

/// The table. The portable kernels of SipHash share what a round is; in each pair of lines the first breaks that,
/// the second the kernel's own way through messages.
#[rustfmt::skip]
pub static DEFECTS: [Defect; 23] = [
    defect("siphash_x1", "", "kernel/siphash.rs", "[13, 16, 21, 17, 32]", "[13, 16, 21, 18, 32]"),
    defect("siphash_x1", "", "arch/portable/siphash_x1.rs", "W::length(message.len())", "W::length(message.len() / 2)"),
    defect("siphash_x1_fused", "aarch64", "arch/dup.rs", "R::rotl(b, 37)", "R::rotl(b, 36)"),
    defect("siphash_x1_separate", "aarch64", "kernel/siphash.rs", "word.rotl(bits).opaque()", "word.rotl(bits ^ 1).opaque()"),
    defect("siphash_x4_sha3", "aarch64", "arch/aarch64/neon.rs", "= rotr::<47>;", "= rotr::<46>;"),
    defect("siphash_x4_sha3_hybrid", "aarch64", "arch/aarch64/halves.rs", "hidden(a.wrapping_add(b))", "hidden(a.wrapping_sub(b))"),
    defect("siphash_x4_neon", "aarch64", "arch/aarch64/neon.rs", "= insert64::<43>;", "= insert64::<44>;"),
    defect("siphash_x4_neon_hybrid", "aarch64", "arch/aarch64/halves.rs", "choices[late as usize % 4]", "choices[(late as usize + 1) % 4]"),
    defect("halfsiphash_x4_neon", "aarch64", "arch/aarch64/neon.rs", "= insert32::<19>;", "= insert32::<20>;"),
    defect("poly1305_p4_neon", "aarch64", "arch/aarch64/radix26.rs", "umlal2 {sum:v}.2d, {x:v}.4s, {f:v}.s[0]", "umlal2 {sum:v}.2d, {x:v}.4s, {f:v}.s[2]"),
    defect("poly1305_x4_neon", "aarch64", "arch/aarch64/messages26.rs", "umlal2 {high:v}.2d, {a:v}.4s, {b:v}.4s", "umlal {high:v}.2d, {a:v}.2s, {b:v}.2s"),
    defect("siphash_x4_sse2", "i686", "arch/lanes128.rs", "self.low64(a[1], b[1]), self.low64(c[1], d[1])", "self.low64(a[1], b[1]), self.low64(d[1], c[1])"),
    defect("halfsiphash_x4_sse2", "i686", "arch/x86/mod.rs", "self.number(32 - bits as i32)", "self.number(31 - bits as i32)"),
    defect("siphash_x4_simd128", "wasm32", "arch/wasm32/mod.rs", "i16x8_shuffle::<3, 0, 1, 2, 7, 4, 5, 6>", "i16x8_shuffle::<1, 0, 3, 2, 5, 4, 7, 6>"),
    defect("halfsiphash_x4_simd128", "wasm32", "arch/wasm32/mod.rs", "self.right32(a, 32 - bits)", "self.right32(a, 31 - bits)"),
    defect("siphash_x2", "", "arch/portable/interleave.rs", "state.v[0] = state.v[0] ^ word;", "state.v[1] = state.v[1] ^ word;"),
    defect("halfsiphash_x1", "", "kernel/siphash.rs", "[5, 8, 7, 13, 16]", "[5, 8, 7, 12, 16]"),
    defect("halfsiphash_x2", "", "arch/portable/interleave.rs", "words.get(common..)", "words.get(common + 1..)"),
    defect("poly1305_x1_u64", "", "arch/portable/poly1305_x1_u64.rs", "u64::from(carry1 | carry2)", "u64::from(carry1)"),
    defect("poly1305_x1_u64", "", "arch/portable/poly1305_x1_u64.rs", "h2 * self.r0 + u64::from(carry)", "h2 * self.r0"),
    defect("poly1305_x1_u32", "", "arch/portable/poly1305_x1_u32.rs", "(d4 & 3) + (t3 >> 32)", "d4 & 3"),
    defect("siphash_x8_avx512", bochs::TARGET, "arch/x86_64/avx512.rs", "self.rotl64(a, self.set64(bits.into()))", "self.rotl64(a, self.set64((bits ^ 1).into()))"),
    defect("poly1305_x2_u64", "", "arch/portable/poly1305_x2_u64.rs", "h[1] = r[1].absorb", "h[1] = r[0].absorb"),
];

/// Plants every defect of these targets, one at a time, and fails if the suite passes over one.
pub fn planted(root: &Path, toolchain: &Toolchain, targets: &[&'static Target]) -> Result<()> {
    let copy = toolchain.builds.join("planted");
    let (mut found, mut missed) = (0, 0);
    for run in run::runs(targets).iter().filter(|run| run.last) {
        if matches!(run.target.how, How::Compiles { .. }) {
            continue;
        }
        // In Bochs only what is for it: the other kernels are not run there.
        let is_bochs = matches!(run.target.how, How::Bochs { .. });
        let on =
            |defect: &&Defect| run.target.name.starts_with(defect.on) && !(is_bochs && defect.on.is_empty());
        for defect in DEFECTS.iter().filter(on) {
            copy_sources(root, &copy)?;
            defect.plant(&copy)?;
            let kernel = defect.kernel().unwrap_or_default();
            let is_found = is_found(kernel, run, toolchain, &copy)?;
            if is_found {
                found += 1
            } else {
                missed += 1
            }
            let word = if is_found { "found" } else { "MISSED" };
            println!("{}: {kernel}: {word}: {} -> {}", run.name(), defect.from, defect.to);
        }
    }
    if missed > 0 {
        bail!("{missed} defects were not found");
    }
    if found == 0 {
        bail!("there is no defect for these targets");
    }
    Ok(())
}

/// Whether the rows of the kernel fail. A copy that does not compile has none.
fn is_found(kernel: &str, run: &Run, toolchain: &Toolchain, copy: &Path) -> Result<bool> {
    let log = toolchain.builds.join("planted.log");
    let (told, result) = match run.target.how {
        How::Qemu { .. } => {
            let mut rows = run.test(toolchain, "keylane-conformance");
            rows.args(["--test", "rows", "--", "--kernel", kernel]);
            let file = File::create(&log)?;
            let status = rows.current_dir(copy).stdout(file.try_clone()?).stderr(file).status()?;
            let told = run::told(&fs::read_to_string(&log)?);
            (told, if status.success() { Ok(()) } else { Err(anyhow::anyhow!("{status}")) })
        }
        How::Bochs { cpu, .. } => {
            let (machine, program) = (Machine::new(toolchain, cpu)?, run::rows(copy, toolchain)?);
            let passed = run::in_bochs(&machine, &program, kernel, &Log::new(&log)?)?;
            let told = run::told(&fs::read_to_string(&log)?);
            (told, if passed { Ok(()) } else { Err(anyhow::anyhow!("a row failed")) })
        }
        _ => run.go(copy, toolchain, true),
    };
    let mut rows = told.rows.iter().filter(|((_, id), _)| id == kernel).peekable();
    if rows.peek().is_none() {
        bail!("{}: the suite did not come to this kernel; {}", kernel, log.display());
    }
    Ok(result.is_err() && rows.any(|(_, cell)| matches!(cell, Cell::Failed)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plant::{assert_every_kernel, assert_unique};

    #[test]
    fn every_kernel_of_these_targets_has_a_defect() {
        assert_every_kernel(&["portable", "x86", "aarch64", "wasm32"], &DEFECTS);
    }

    #[test]
    fn what_is_planted_stands_once_in_its_file() {
        assert_unique(&DEFECTS);
    }
}
