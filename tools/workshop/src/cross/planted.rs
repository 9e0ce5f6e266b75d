//! The defects of the kernels' records, planted into a copy of the sources one at a time: the suite must find each on
//! the targets that the record names.

use super::bochs::Machine;
use super::run::{self, Cell, Log, Run};
use super::targets::{How, Target};
use super::toolchain::Toolchain;
use crate::plant::{copy_sources, plant_defect};
use anyhow::{Result, bail};
use keylane_records::Records;
use std::fs::{self, File};
use std::path::Path;

/// Plants every defect of these targets, one at a time, and fails if the suite passes over one.
pub fn planted(root: &Path, toolchain: &Toolchain, targets: &[&'static Target]) -> Result<()> {
    let copy = toolchain.builds.join("planted");
    let records = Records::load(root)?;
    let (mut found, mut missed) = (0, 0);
    for run in run::runs(targets).iter().filter(|run| run.last) {
        if matches!(run.target.how, How::Compiles { .. }) {
            continue;
        }
        // In Bochs only the kernels that are run there.
        let runs = |kernel: &str| match run.target.how {
            How::Bochs { kernels, .. } => kernels.contains(&kernel),
            _ => true,
        };
        let on = run.target.name;
        for defect in records.defects().filter(|defect| defect.is_planted_on(on) && runs(defect.name())) {
            copy_sources(root, &copy)?;
            plant_defect(&copy, defect)?;
            let kernel = defect.name();
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
            let (machine, program) = (Machine::new(toolchain, cpu)?, run::rows(copy, &copy.join("target"))?);
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
