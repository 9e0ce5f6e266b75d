//! Compares every step of the kernels that valgrind cannot run. With any secrets they must execute the same
//! instructions in the same order, and touch the same addresses.
//!
//! Valgrind has no AVX-512 and no GFNI. So `secret_probe` does the same jobs with different keys and messages: zeros,
//! all bits set, random ones. It is stopped after every instruction. The place of the instruction and the address that
//! the instruction names are compared. Rows with planted leaks show that a difference is found. `constant_time.rs`
//! checks the time of single instructions.

use crate::listing::{Instruction, Isa, Listing};
use crate::model::trace::{Registers, step};
use crate::{codegen, output, run};
use anyhow::{Context, Result, bail};
use keylane_records::{Records, Secrets};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The secrets whose runs are compared.
const SECRETS: [&str; 3] = ["0", "1", "2"];

/// The percentage of a kernel's instructions that must run, in one of its rows or another, for the comparison to be
/// worth something. The remaining ones serve other rounds, layouts and the case fold.
const LEAST: usize = 40;

/// Goes through every row that this CPU can run and valgrind cannot.
pub fn steps(root: &Path) -> Result<()> {
    if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
        println!("steps: not run: it stops programs of x86-64 Linux");
        return Ok(());
    }
    let records = Records::load(root)?;
    let probe = Probe::build(root)?;
    let mut faults = 0;
    // The places that the rows of each kernel have reached: a kernel in two slots has code for each.
    let mut places = BTreeMap::<String, BTreeSet<u64>>::new();
    for row in probe.rows_beyond_valgrind(&records)? {
        match probe.compare(&row, &SECRETS) {
            Ok(Found::Same { trace }) => {
                println!("{row} {} steps, the same with {} secrets", trace.len(), SECRETS.len());
                let kernel = row.split(' ').nth(1).unwrap_or(&row).to_owned();
                places.entry(kernel).or_default().extend(trace.iter().map(|&(at, _)| at));
            }
            Ok(Found::Different { what }) => {
                faults += 1;
                println!("{row} FAILED: {what}");
            }
            Err(error) => {
                faults += 1;
                println!("{row} FAILED: {error:#}");
            }
        }
    }
    for (kernel, steps) in &places {
        let reached = probe.reached(kernel, steps);
        println!("{kernel} steps at {} of its {} instructions", reached.instructions, reached.of);
        for function in reached.missed {
            println!("{kernel} no step in {function}");
        }
        if reached.of == 0 || 100 * reached.instructions < LEAST * reached.of {
            faults += 1;
            println!("{kernel} FAILED: fewer than {LEAST} in 100 of its instructions are run");
        }
    }
    for leak in keylane_conformance::secret::planted::SLOT.runnable() {
        let row = format!("planted {}", leak.id());
        match probe.compare(&row, &SECRETS)? {
            Found::Different { what } => println!("{row} seen: {what}"),
            Found::Same { .. } => {
                faults += 1;
                println!("{row} FAILED: not seen");
            }
        }
    }
    if faults > 0 {
        bail!(
            "{faults} rows whose steps depend on a secret or were not seen, or planted leaks that were not"
        );
    }
    Ok(())
}

/// The rows of the table as `secret_probe list` prints them: slot and kernel, the kernel, and what is missing.
fn rows(list: &str) -> Vec<(String, String, String)> {
    let row = |line: &str| {
        let [slot, kernel, lacks] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else { return None };
        Some((format!("{slot} {kernel}"), kernel.to_owned(), lacks.to_owned()))
    };
    list.lines().filter_map(row).collect()
}

/// The program that does a row's jobs with secrets.
pub struct Probe {
    pub path: PathBuf,
    listing: Listing,
    /// Its path. The folder lives as long as this.
    _folder: TempDir,
}

/// The result of a comparison.
enum Found {
    Same { trace: Vec<Step> },
    Different { what: String },
}

/// The share of a kernel's functions that ran.
struct Reached {
    instructions: usize,
    of: usize,
    /// The functions that did not run at all.
    missed: Vec<String>,
}

/// A place in the program, and the address that the instruction there names.
type Step = (u64, Option<u64>);

impl Probe {
    /// Builds a program and disassembles it. It is a copy, since another cargo may rebuild the original.
    pub fn build(root: &Path) -> Result<Probe> {
        let build = ["build", "--release", "--workspace", "--bin", "secret_probe"];
        run(root, Command::new("cargo").args(build))?;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("secret_probe");
        fs::copy(std::env::current_exe()?.with_file_name("secret_probe"), &path)?;
        Ok(Probe { listing: codegen::listing(Isa::X86_64, &path)?, path, _folder: folder })
    }

    /// The rows whose records say `secrets = "steps"`: valgrind cannot run them. Prints the name of each that this CPU
    /// cannot run either.
    pub fn rows_beyond_valgrind(&self, records: &Records) -> Result<Vec<String>> {
        let mut beyond = Vec::new();
        for (row, kernel, lacks) in rows(&output(Command::new(&self.path).arg("list"))?) {
            if records.of(&kernel)?.secrets != Secrets::Steps {
                continue;
            }
            if lacks.is_empty() {
                beyond.push(row);
            } else {
                println!("{row} not run here: missing {lacks}");
            }
        }
        Ok(beyond)
    }

    /// Does a row's jobs with each secret in turn, until a step differs.
    fn compare(&self, row: &str, secrets: &[&str]) -> Result<Found> {
        let mut first = Vec::new();
        for secret in secrets {
            let trace = self.trace(row, secret)?;
            if first.is_empty() {
                first = trace;
            } else if let Some(at) =
                (0..first.len().max(trace.len())).find(|&at| first.get(at) != trace.get(at))
            {
                let tell = |step: Option<&Step>| step.map_or("the end".into(), |step| self.tell(step));
                let what = format!(
                    "step {at} is {} with secrets {}, and {} with {secret}",
                    tell(first.get(at)),
                    secrets[0],
                    tell(trace.get(at))
                );
                return Ok(Found::Different { what });
            }
        }
        Ok(Found::Same { trace: first })
    }

    /// The share of a kernel's functions that these steps have reached.
    fn reached(&self, kernel: &str, steps: &BTreeSet<u64>) -> Reached {
        let mut reached = Reached { instructions: 0, of: 0, missed: Vec::new() };
        for function in codegen::functions(kernel, &self.listing) {
            let here = function.code.iter().filter(|it| steps.contains(&it.place())).count();
            reached.instructions += here;
            reached.of += function.code.len();
            if here == 0 {
                reached.missed.push(function.name.clone());
            }
        }
        reached
    }

    /// The steps of a row's jobs. Addresses of code are those of the listing. Addresses of data are absolute, so the
    /// operating system must not randomise them.
    fn trace(&self, row: &str, secret: &str) -> Result<Vec<Step>> {
        let listed = self.listing.address_of("secret_probe::mark").context("secret_probe has no mark")?;
        let mut mark = None;
        let mut trace = Vec::new();
        let mut fault = None;
        let mut look = |registers: &Registers| {
            let moved = *mark.get_or_insert(registers.rip.wrapping_sub(listed));
            let at = registers.rip.wrapping_sub(moved);
            let touched = self
                .listing
                .at(at)
                .map_or(Ok(None), |instruction| address(instruction, &|name| value(name, registers)));
            match touched {
                Ok(touched) => trace.push((at, touched)),
                Err(error) => fault = Some(error),
            }
        };
        let mut command = Command::new("setarch");
        command.arg("--addr-no-randomize").arg(&self.path).arg("steps").args(row.split(' ')).arg(secret);
        step(command.env_remove("KEYLANE_KERNEL"), &mut look).with_context(|| row.to_owned())?;
        match fault {
            // Such as a gather, whose addresses are a vector.
            Some(error) => Err(error.context(format!("{row}: an address that cannot be told"))),
            None => Ok(trace),
        }
    }

    fn tell(&self, &(at, touched): &Step) -> String {
        let functions =
            self.listing.functions().filter(|function| function.code.iter().any(|it| it.place() == at));
        let name = functions.map(|function| function.name.as_str()).next().unwrap_or("another library");
        let touched = touched.map_or(String::new(), |address| format!(" at {address:#x}"));
        format!("{at:x}{touched} in {name}")
    }
}

/// The address of data that an instruction names, if any.
fn address(instruction: &Instruction, value: &dyn Fn(&str) -> Option<u64>) -> Result<Option<u64>> {
    let names_none = instruction.mnemonic == "lea" || instruction.mnemonic.starts_with("nop");
    let Some(operand) = instruction.operands.iter().find(|operand| operand.contains('(')) else {
        return Ok(None);
    };
    let Some((before, inside)) = operand.split_once('(').filter(|_| !names_none) else { return Ok(None) };
    let displacement = before.rsplit([':', '*']).next().unwrap_or("");
    let (sign, digits) = displacement.strip_prefix('-').map_or((1, displacement), |digits| (-1, digits));
    let digits = digits.strip_prefix("0x").unwrap_or("0");
    let displacement = sign * i64::from_str_radix(digits, 16)?;
    let mut parts = inside.split(')').next().unwrap_or("").split(',');
    let mut register = || match parts.next() {
        None | Some("") => Ok(0),
        Some(name) => value(name).with_context(|| format!("{operand} at {}", instruction.address())),
    };
    let (base, index) = (register()?, register()?);
    let scale: u64 = parts.next().unwrap_or("1").parse()?;
    Ok(Some(base.wrapping_add(index.wrapping_mul(scale)).wrapping_add_signed(displacement)))
}

/// The value of a register in an address.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn value(name: &str, registers: &Registers) -> Option<u64> {
    Some(match name {
        "%rax" => registers.rax,
        "%rbx" => registers.rbx,
        "%rcx" => registers.rcx,
        "%rdx" => registers.rdx,
        "%rsi" => registers.rsi,
        "%rdi" => registers.rdi,
        "%rbp" => registers.rbp,
        "%rsp" => registers.rsp,
        "%rip" => registers.rip,
        "%r8" => registers.r8,
        "%r9" => registers.r9,
        "%r10" => registers.r10,
        "%r11" => registers.r11,
        "%r12" => registers.r12,
        "%r13" => registers.r13,
        "%r14" => registers.r14,
        "%r15" => registers.r15,
        _ => return None,
    })
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn value(_: &str, _: &Registers) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let value = |name: &str| match name {
            "%rax" => Some(0x1000),
            "%r9" => Some(3),
            "%rsp" => Some(0x7000),
            _ => None,
        };
        let of = |line: &str| {
            let line = format!("  10:\t{line}");
            address(&Instruction::parse(Isa::X86_64, &line).expect("an instruction"), &value).ok()
        };
        assert_eq!(of("mov 0x8(%rsp),%rcx"), Some(Some(0x7008)));
        assert_eq!(of("vmovdqu64 -0x40(%rax,%r9,8),%zmm1{%k1}{z}"), Some(Some(0xfd8)));
        assert_eq!(of("mov %rcx,(%rax)"), Some(Some(0x1000)));
        assert_eq!(of("jmp *0x10(,%r9,8)"), Some(Some(0x28)));
        assert_eq!(of("vpaddq (%rax){1to8},%zmm1,%zmm2"), Some(Some(0x1000)));
        assert_eq!(of("lea 0x8(%rax),%rcx"), Some(None));
        assert_eq!(of("nopw 0x0(%rax,%rax,1)"), Some(None));
        assert_eq!(of("add %rax,%rcx"), Some(None));
        // Addresses in a vector are not followed.
        assert_eq!(of("vpgatherqq (%rax,%zmm0,1),%zmm1{%k1}"), None);
    }
}
