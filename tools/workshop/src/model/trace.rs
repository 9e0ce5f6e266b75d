//! Traces the instructions that a run of `workload` executes between its two marks.
//!
//! AArch64 runs in qemu, which can log the address of every instruction. qemu has no AVX-512, so x86-64 runs on this
//! CPU and is stopped after every instruction.

use crate::codegen::listing;
use crate::listing::{Instruction, Isa, Listing};
use crate::output;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program `workload` and its disassembly.
pub struct Workload {
    isa: Isa,
    program: PathBuf,
    listing: Listing,
    mark: u64,
}

/// The instructions of a run.
pub struct Trace<'a> {
    pub instructions: Vec<&'a Instruction>,
    /// The number of further instructions in the C library.
    pub elsewhere: usize,
}

impl Workload {
    pub fn new(isa: Isa, program: &Path) -> Result<Workload> {
        let listing = listing(isa, program)?;
        let mark = listing.address_of("workload::mark").context("workload has no mark")?;
        Ok(Workload { isa, program: program.to_owned(), listing, mark })
    }

    /// The command that runs the program with arguments.
    pub fn run(&self, arguments: &[&str]) -> Result<String> {
        let mut command = self.command(&[]);
        let output = output(command.args(arguments));
        match self.isa {
            Isa::Aarch64 => output.context("qemu-aarch64 is in the package qemu-user"),
            Isa::X86_64 => output,
        }
    }

    /// The instructions that it executes.
    pub fn trace(&self, arguments: &[&str]) -> Result<Trace<'_>> {
        let (mark, addresses) = match self.isa {
            Isa::Aarch64 => self.emulate(arguments)?,
            Isa::X86_64 => {
                let mut addresses = Vec::new();
                let mark =
                    step(self.command(&[]).args(arguments), &mut |registers| addresses.push(registers.rip))?;
                (mark, addresses)
            }
        };
        // The program lies elsewhere in memory than in its file.
        let moved = mark.wrapping_sub(self.mark);
        let all = addresses.iter().map(|address| self.listing.at(address.wrapping_sub(moved)));
        let instructions: Vec<&Instruction> = all.flatten().collect();
        Ok(Trace { elsewhere: addresses.len() - instructions.len(), instructions })
    }

    fn command(&self, options: &[&str]) -> Command {
        match self.isa {
            Isa::X86_64 => Command::new(&self.program),
            Isa::Aarch64 => {
                let mut qemu = Command::new("qemu-aarch64");
                qemu.args(["-L", "/usr/aarch64-linux-gnu"]).args(options).arg(&self.program);
                qemu
            }
        }
    }

    /// Runs it in qemu. Returns the address of the mark, and the addresses between the marks.
    fn emulate(&self, arguments: &[&str]) -> Result<(u64, Vec<u64>)> {
        let log = tempfile::NamedTempFile::new()?;
        let path = log.path().to_str().context("a temporary file's name")?;
        let mut command = self.command(&["-d", "exec,nochain", "-D", path]);
        // One instruction at a time: the older and the newer name of that option.
        command.env("QEMU_SINGLESTEP", "1").env("QEMU_ONE_INSN_PER_TB", "1");
        let mut child = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("qemu-aarch64")?;
        child.stdin.take().context("a pipe")?.write_all(b"\n")?;
        let finished = child.wait_with_output()?;
        if !finished.status.success() {
            bail!("workload: {}", finished.status);
        }
        let mark = address(&String::from_utf8(finished.stdout)?)?;
        Ok((mark, read_between(mark, BufReader::new(File::open(log.path())?))?))
    }
}

/// The addresses between the two marks of qemu's log.
fn read_between(mark: u64, log: impl BufRead) -> Result<Vec<u64>> {
    let mut marks = 0;
    let mut found = Vec::new();
    for line in log.lines() {
        // Trace 0: 0x7efc204a0400 [0000000001009331/00000055029f8f48/00000001/00000201]
        let Some(executed) = line?.split('/').nth(1).and_then(|text| u64::from_str_radix(text, 16).ok())
        else {
            continue;
        };
        marks += usize::from(executed == mark);
        match marks {
            0 => {}
            1 => found.push(executed),
            _ => return Ok(found),
        }
    }
    bail!("{marks} marks in qemu's log");
}

/// The address that `workload` prints.
fn address(text: &str) -> Result<u64> {
    let digits = text.trim().strip_prefix("0x").context("workload did not print an address")?;
    Ok(u64::from_str_radix(digits, 16)?)
}

/// Stops a program after each instruction that it executes between its two marks, and returns the address of the mark.
/// `look` gets the registers before each instruction.
///
/// The program prints the address of its mark, and waits for a line before it goes on to the first one.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub fn step(command: &mut Command, look: &mut dyn FnMut(&Registers)) -> Result<u64> {
    use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    use nix::sys::ptrace;
    use nix::sys::wait::{WaitStatus, waitpid};
    use nix::unistd::Pid;

    // Tracer and program alternate at every step. On one CPU that costs much less, since no other CPU has to wake.
    let this = Pid::from_raw(0);
    let everywhere = sched_getaffinity(this)?;
    let mut here = CpuSet::new();
    here.set(sched_getcpu()?)?;
    sched_setaffinity(this, &here)?;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut output = BufReader::new(child.stdout.take().context("a pipe")?);
    let mut first = String::new();
    output.read_line(&mut first)?;
    let mark = address(&first)?;
    let pid = Pid::from_raw(child.id().try_into()?);
    ptrace::attach(pid)?;
    waitpid(pid, None)?;
    child.stdin.take().context("a pipe")?.write_all(b"\n")?;
    let mut marks = 0;
    while marks < 2 {
        ptrace::step(pid, None)?;
        let WaitStatus::Stopped(..) = waitpid(pid, None)? else {
            bail!("the program ended between its marks")
        };
        let registers = ptrace::getregs(pid)?;
        marks += usize::from(registers.rip == mark);
        if marks == 1 {
            look(&registers);
        }
    }
    ptrace::detach(pid, None)?;
    child.wait()?;
    sched_setaffinity(this, &everywhere)?;
    Ok(mark)
}

/// The general registers.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub type Registers = nix::libc::user_regs_struct;

/// The general registers.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub struct Registers {
    pub rip: u64,
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn step(_: &mut Command, _: &mut dyn FnMut(&Registers)) -> Result<u64> {
    bail!("x86-64 kernels can be traced on x86-64 Linux only");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qemu_log() {
        let line = |address: u64| {
            format!("Trace 0: 0x7efc204a0400 [0000000001009331/{address:016x}/00000001/00000201] \n")
        };
        let log: String = [0x10, 0x20, 0x11, 0x12, 0x20, 0x13].map(line).concat();
        assert_eq!(read_between(0x20, log.as_bytes()).expect("a trace"), [0x20, 0x11, 0x12]);
        assert!(read_between(0x13, log.as_bytes()).is_err());
        assert_eq!(address("0x550000d53c\n").expect("an address"), 0x550000d53c);
    }
}
