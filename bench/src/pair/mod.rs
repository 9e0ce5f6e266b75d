//! `pair`: the bench beside itself with another commit's kernels.
//!
//! Two programs are built from the sources of this bench: one with the crates of this tree, one with those of the other
//! commit ([`build`]). Three processes run on one CPU: the one, the other, and the one again. In each cell they take
//! samples in turns, a fraction of a millisecond each ([`turns`](crate::turns)). A ratio compares two samples of one
//! round. The ratio of the one to itself is A/A: what the machine and the places in memory do to a figure.

pub mod build;
pub mod judge;
mod process;

use anyhow::{Context, Result, bail, ensure};
use judge::{Cell, Summary};
use keylane_measure::sample::Samples;
use process::{Process, Said};
use std::io::Write;
use std::path::Path;

/// How many rounds to try for each requested one before giving up on a busy machine.
const PATIENCE: usize = 3;

/// The processes: this commit, the other one, and this one again.
const SIDES: usize = 3;

/// Runs both programs with these arguments, and prints each table when it is complete, then the summary.
///
/// # Errors
/// A program fails, the two do not measure the same cells, or `out` fails.
pub fn run([new, old]: [&Path; 2], arguments: &[String], samples: usize, out: &mut impl Write) -> Result<()> {
    stay()?;
    let mut sides = Vec::new();
    for program in [new, old, new] {
        sides.push(Process::start(program, arguments).with_context(|| program.display().to_string())?);
    }
    writeln!(out, "new / old, in samples by turns; A/A: the new one beside itself; quartiles in brackets")?;
    let (mut all, mut cells) = (Vec::new(), Vec::new());
    loop {
        match all_say(&mut sides)? {
            Said::Cell(label) => match measure(&mut sides, samples)? {
                Some([ratio, again]) => cells.push(Cell { label, ratio, again }),
                None => writeln!(out, "{label}: no sample was kept")?,
            },
            Said::Table(title) => {
                judge::print(out, &title, &cells)?;
                all.extend(
                    cells.drain(..).map(|cell| Cell { label: format!("{title}, {}", cell.label), ..cell }),
                );
            }
            Said::End => break,
            Said::Sample(_) => bail!("a sample that nobody asked for"),
        }
    }
    ensure!(!all.is_empty(), "no cell was measured");
    let summary = Summary::of(&all).context("no cell was measured")?;
    Ok(summary.print(out)?)
}

/// Keeps this thread, and the processes that it starts, on the CPU where it runs. Two CPUs are never equally busy, which
/// looked like a difference of 25 % between two processes of one program.
#[cfg(target_os = "linux")]
fn stay() -> Result<()> {
    use rustix::thread::{CpuSet, sched_getcpu, sched_setaffinity};

    let (cpu, mut only) = (sched_getcpu(), CpuSet::new());
    if cpu < CpuSet::MAX_CPU {
        only.set(cpu);
        sched_setaffinity(None, &only).context("to stay on one CPU")?;
    }
    Ok(())
}

/// Elsewhere the system places each process, and A/A shows what that costs.
#[cfg(not(target_os = "linux"))]
fn stay() -> Result<()> {
    Ok(())
}

/// What all processes say next.
fn all_say(sides: &mut [Process]) -> Result<Said> {
    let said: Vec<Said> = sides.iter_mut().map(Process::hear).collect::<Result<_>>()?;
    let first = said.first().context("no process")?;
    for other in &said {
        ensure!(other == first, "the two commits differ in what they measure: {first:?} and {other:?}");
    }
    Ok(first.clone())
}

/// The ratios new / old and A/A of a cell that every process is ready for.
fn measure(sides: &mut [Process], samples: usize) -> Result<Option<[keylane_measure::sample::Quartiles; 2]>> {
    let mut taken = [const { Vec::new() }; SIDES];
    for round in 0..samples * PATIENCE {
        let is_whole = |round: &usize| taken.iter().all(|of: &Vec<Option<f64>>| of[*round].is_some());
        if (0..round).filter(is_whole).count() >= samples {
            break;
        }
        for turn in 0..SIDES {
            let side = if round % 2 == 0 { turn } else { SIDES - 1 - turn };
            sides[side].say(&format!("turn {round}"))?;
            match sides[side].hear()? {
                Said::Sample(cycles) => taken[side].push(cycles),
                other => bail!("not a sample: {other:?}"),
            }
        }
    }
    for side in sides {
        side.say("next")?;
    }
    let kept = |cycles: Option<f64>| (cycles.unwrap_or(f64::NAN), cycles.is_some());
    let [new, old, again] = taken.map(|of| Samples::new(of.into_iter().map(kept).collect()));
    Ok(new.ratio(&old).zip(new.ratio(&again)).map(|(ratio, again)| [ratio, again]))
}
