//! The machine code of the kernels, in the default release build.
//!
//! A kernel is right whatever the compiler does, but not always fast. The compiler may turn a rotation into two shifts,
//! move a state through memory, or reorder operations that were ordered with care. On AArch64 it may also join a rotation
//! with the xor after it, which some cores do for nothing and Apple's do not. The command `keylane` contains all kernels.
//! So `codegen` disassembles that program, finds the loops of each kernel, and compares them with the kernel's record. The
//! lab's ablations whose one difference a compiler could undo are checked in the same way.
//!
//! The program is this machine's, or one for AArch64, which is built here and names its kernels in an emulator.
//!
//! The functions of a kernel are its row's entry and what that calls. A loop is what lies between a jump backward and
//! its target.

mod check;
#[cfg(test)]
mod tests;
mod verify;

pub use verify::verify;

use crate::cross::toolchain::Toolchain;
use crate::listing::{Function, Isa, Listing};
use crate::{output, run, workload};
use anyhow::{Context, Result, bail};
use check::check;
use keylane_records::{Record, Records};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The programs that have the kernels in them, taken apart.
struct Programs {
    /// The command's.
    product: Listing,
    /// The lab's.
    lab: Listing,
    /// The kernels of the product's table.
    kernels: Vec<String>,
}

impl Programs {
    fn build(root: &Path, isa: Isa) -> Result<Programs> {
        let command = ["--package", "keylane-cli"];
        let (release, mut program) = match isa {
            Isa::X86_64 => {
                run(root, Command::new("cargo").args(["build", "--release"]).args(command))?;
                // Cargo puts all programs into one folder.
                let program = std::env::current_exe()?;
                let release = program.parent().context("a target folder")?.to_owned();
                (release.clone(), Command::new(release.join("keylane")))
            }
            Isa::Aarch64 => {
                let toolchain = Toolchain::find(root)?;
                let release = toolchain.build_aarch64(root, &command)?;
                let mut qemu = Command::new("qemu-aarch64");
                qemu.args(["-L", "/usr/aarch64-linux-gnu"]).arg(release.join("keylane"));
                (release, qemu)
            }
        };
        let kernels = output(program.args(["kernels", "--json"]))
            .with_context(|| format!("{}", program.get_program().display()))?;
        Ok(Programs {
            product: listing(isa, &release.join("keylane"))?,
            lab: listing(isa, &workload::build(root, isa)?)?,
            kernels: self::kernels(&kernels)?,
        })
    }
}

/// The bytes of code of each kernel of keylane, and of the lab's Poly1305 kernels. They count the row's entry and all
/// code of keylane that the entry calls. A portable kernel that a vector kernel calls does not count.
pub fn sizes(root: &Path) -> Result<Vec<(String, u64)>> {
    let programs = Programs::build(root, Isa::X86_64)?;
    let records = Records::load(root)?;
    let size = |listing: &Listing, kernel: &str| -> u64 {
        functions(kernel, listing).into_iter().map(Function::size).sum()
    };
    let product = programs.kernels.iter().map(|kernel| (kernel.clone(), size(&programs.product, kernel)));
    let mut lab: Vec<&str> =
        records.kernels.iter().filter(|record| record.is_of_the_lab()).map(|it| &*it.kernel).collect();
    lab.retain(|kernel| kernel.starts_with("poly1305_"));
    let lab = lab.into_iter().map(|kernel| (kernel.to_owned(), size(&programs.lab, kernel)));
    // Another CPU's kernel has no code here.
    Ok(product.chain(lab).filter(|&(_, size)| size > 0).collect())
}

/// Builds the command, takes it apart, and names every fault.
pub fn codegen(root: &Path, isa: Isa) -> Result<()> {
    if isa == Isa::X86_64 && cfg!(not(target_arch = "x86_64")) {
        println!("codegen: not run: this machine is no x86-64");
        return Ok(());
    }
    let records = Records::load(root)?;
    let Programs { product, lab, kernels } = Programs::build(root, isa)?;
    let mut told = compare(&records, isa, &kernels, &product);
    let is_expected =
        |record: &&Record| record.is_of_the_lab() && record.codegen_on(isa.recorded()).is_some();
    let ablations = records.kernels.iter().filter(is_expected);
    told.extend(ablations.map(|record| check(record, isa, &lab)));
    let (good, bad): (Vec<_>, Vec<_>) = told.into_iter().partition(|told| told.is_ok());
    for line in good.iter().flatten() {
        println!("{line}");
    }
    let faults: Vec<String> = bad.into_iter().filter_map(Result::err).flatten().collect();
    for fault in &faults {
        eprintln!("{fault}");
    }
    if !faults.is_empty() {
        bail!("{} faults of code generation", faults.len());
    }
    println!("codegen: {} kernels, no fault", good.len());
    Ok(())
}

/// What was found of a kernel, in one line, or the faults.
type Told = Result<String, Vec<String>>;

/// Checks every kernel of the product. A kernel without a record is a fault, and a record without a kernel.
fn compare(records: &Records, isa: Isa, kernels: &[String], listing: &Listing) -> Vec<Told> {
    let mut told = Vec::new();
    for kernel in kernels {
        told.push(match records.of(kernel) {
            Ok(record) => check(record, isa, listing),
            Err(error) => Err(vec![error.to_string()]),
        });
    }
    let here = |record: &&Record| !record.is_of_the_lab() && record.is_for(isa.recorded());
    for record in records.kernels.iter().filter(here).filter(|record| !kernels.contains(&record.kernel)) {
        told.push(Err(vec![format!("{}: no row of keylane kernels has this name", record.path.display())]));
    }
    told
}

/// A program's disassembly.
pub fn listing(isa: Isa, program: &Path) -> Result<Listing> {
    let objdump = match isa {
        Isa::X86_64 => "objdump",
        Isa::Aarch64 => "aarch64-linux-gnu-objdump",
    };
    let told = |options: &[&str]| {
        output(Command::new(objdump).args(options).arg(program))
            .with_context(|| format!("{objdump} is in the package binutils or binutils-aarch64-linux-gnu"))
    };
    let text = told(&["--disassemble", "--demangle", "--no-show-raw-insn", "--wide"])?;
    // Only x86-64 calls other units of the compiler through a table.
    let relocations = if isa == Isa::X86_64 { told(&["--dynamic-reloc"])? } else { String::new() };
    Listing::parse(isa, &text, &relocations)
}

/// The kernels of `keylane kernels --json`, each once.
fn kernels(json: &str) -> Result<Vec<String>> {
    let rows: Vec<Value> = serde_json::from_str(json)?;
    let mut kernels = Vec::new();
    for row in rows {
        let kernel = row.get("kernel").and_then(Value::as_str).context("a row without a kernel")?.to_owned();
        if !kernels.contains(&kernel) {
            kernels.push(kernel);
        }
    }
    Ok(kernels)
}

/// A row's entry and what it calls.
pub fn functions<'a>(kernel: &str, listing: &'a Listing) -> Vec<&'a Function> {
    let file = format!("::{}::", kernel);
    let is_root = |name: &str| name.contains(&file) && name.ends_with("::entry");
    // What a vector kernel leaves to a portable one is looked over there.
    let portable = "::arch::portable::";
    let is_portable = listing.reachable(is_root, |_| false).iter().any(|root| root.name.contains(portable));
    listing.reachable(is_root, |name| is_ours(name) && (is_portable || !name.contains(portable)))
}

/// Whether a function is keylane's, or made of one of its closures.
fn is_ours(name: &str) -> bool {
    ["keylane::", "keylane_lab::", "core::ops::function::"].iter().any(|ours| name.contains(ours))
}
