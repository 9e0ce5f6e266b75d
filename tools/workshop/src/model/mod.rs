//! Cycles of every kernel on cores that are not available, by models of their pipelines.
//!
//! `bench/lab/examples/workload.rs` runs one kernel twice: on a workload, and on a longer one. The unit is a
//! word, a block or a message. Both runs are traced, instruction by instruction, and each model gets both traces:
//!
//! ```text
//! cycles a unit = (cycles_long - cycles_short) / (units_long - units_short)
//! ```
//!
//! So rounds counted at run time, nested loops and calls count as they run, and the set-up cancels out. The method
//! finds no loops by itself and needs no entry for a kernel: it reads the tables of keylane and the lab.
//!
//! * The lower bound of a kernel is `[[floor]]` in its record.
//! * A new kind of workload is a line in `workload.rs`.
//! * An instruction that Firestorm's table lacks is an error. Add it to `firestorm.csv`.
//!
//! docs/research/MODEL.md lists what the models leave out.

mod firestorm;
mod loops;
mod mca;
pub mod trace;

use crate::cross::toolchain::Toolchain;
use crate::listing::{Instruction, Isa};
use crate::{marks, output};
use anyhow::{Result, bail};
use firestorm::Firestorm;
use keylane_records::{Floor, Records};
use std::path::{Path, PathBuf};
use std::process::Command;
use trace::{Trace, Workload};

/// What to print, and whether to write it down.
#[derive(clap::Args)]
pub struct Options {
    /// The instruction set
    #[arg(long, value_enum, default_value = "aarch64")]
    target: Isa,
    /// Only kernels whose names have this in them
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Print the turn of the loop that this kernel spends each work in, if there is one
    #[arg(long, value_name = "KERNEL")]
    asm: Option<String>,
    /// Write the table to docs/research/MODEL.md
    #[arg(long, conflicts_with_all = ["only", "asm"])]
    record: bool,
    /// Only the loops of this file, assembly in Apple's syntax, in the models of Firestorm: a line for each with its
    /// function, its instructions, and the cycles of a turn, without and with queues
    #[arg(long, value_name = "FILE", conflicts_with_all = ["target", "only", "asm", "record"])]
    loops: Option<PathBuf>,
}

/// One work of one kernel, as `workload` lists it.
struct Work {
    slot: String,
    kernel: String,
    lanes: String,
    requires: Vec<String>,
    name: String,
    unit: String,
    /// How many units the longer run has more.
    more: f64,
}

/// A line of the table.
struct Figures<'a> {
    work: &'a Work,
    /// Instructions a unit.
    instructions: f64,
    /// Instructions a unit in the C library, which no model sees.
    elsewhere: f64,
    /// Cycles a unit, by column; none where the core cannot run it.
    cycles: Vec<Option<f64>>,
}

/// The chore.
pub fn model(root: &Path, options: &Options) -> Result<()> {
    if let Some(file) = &options.loops {
        return loops::print(file);
    }
    let isa = options.target;
    let firestorms = match isa {
        Isa::Aarch64 => vec![Firestorm::checked()?, Firestorm::checked()?.with_queues()],
        Isa::X86_64 => Vec::new(),
    };
    let mca = mca::version()?;
    let workload = Workload::new(isa, &crate::workload::build(root, isa)?)?;
    let (mut works, not_run) = works(&workload.run(&[])?)?;
    let records = Records::load(root)?;
    check_floors(isa, &records, &works, &not_run)?;
    works.retain(|work| match (&options.asm, &options.only) {
        (Some(kernel), _) => work.kernel == *kernel,
        (None, Some(text)) => work.kernel.contains(text),
        (None, None) => true,
    });
    if works.is_empty() {
        bail!("no kernel that runs here has such a name");
    }
    if options.asm.is_some() {
        return works.iter().try_for_each(|work| print_turn(isa, &workload, work));
    }

    let mut lines = Vec::new();
    for work in &works {
        eprintln!("{} {} {}", work.slot, work.kernel, work.name);
        lines.push(figures(isa, &workload, work, &firestorms)?);
    }
    let table = table(isa, &records, &lines);
    let mut versions = vec![output(compiler(root, isa)?.arg("--version"))?.trim().to_owned(), mca];
    versions.extend(firestorms.first().map(|_| format!("Firestorm's model: {}", Firestorm::said())));
    let text = format!("* {}\n\n{table}", versions.join("\n* "));
    println!("{text}");
    for NotRun { slot, kernel, why } in &not_run {
        println!("not run: {slot} {kernel}: {why}");
    }
    if options.record {
        if !not_run.is_empty() {
            bail!("not recorded: a table without kernels that did not run would say less than it seems to");
        }
        let name = if isa == Isa::X86_64 { "model x86_64" } else { "model aarch64" };
        marks::record(&root.join("docs/research/MODEL.md"), name, &text)?;
    }
    Ok(())
}

/// The compiler that builds `workload`.
fn compiler(root: &Path, isa: Isa) -> Result<Command> {
    match isa {
        Isa::X86_64 => Ok(Command::new("rustc")),
        Isa::Aarch64 => Ok(Toolchain::find(root)?.rustc()),
    }
}

/// A kernel that does not run here.
struct NotRun {
    slot: String,
    kernel: String,
    why: String,
}

/// The works that run here, and the kernels that do not.
fn works(list: &str) -> Result<(Vec<Work>, Vec<NotRun>)> {
    let (mut works, mut not_run) = (Vec::new(), Vec::new());
    for line in list.lines() {
        match line.split('\t').collect::<Vec<_>>()[..] {
            [slot, kernel, lanes, requires, name, unit, more] => works.push(Work {
                slot: slot.to_owned(),
                kernel: kernel.to_owned(),
                lanes: lanes.to_owned(),
                requires: requires.split_whitespace().map(str::to_owned).collect(),
                name: name.to_owned(),
                unit: unit.to_owned(),
                more: more.parse()?,
            }),
            [slot, kernel, _, _, why] => {
                let [slot, kernel, why] = [slot, kernel, why].map(str::to_owned);
                not_run.push(NotRun { slot, kernel, why });
            }
            _ => bail!("workload lists {line:?}"),
        }
    }
    Ok((works, not_run))
}

/// A floor of a work that there is not is an error.
fn check_floors(isa: Isa, records: &Records, works: &[Work], not_run: &[NotRun]) -> Result<()> {
    for record in &records.kernels {
        for floor in record.floors.iter().filter(|floor| is_of(floor, isa)) {
            let of_slot = works.iter().filter(|work| work.kernel == record.kernel && work.slot == floor.slot);
            let names: Vec<&str> = of_slot.map(|work| work.name.as_str()).collect();
            let is_not_run = not_run.iter().any(|it| it.kernel == record.kernel && it.slot == floor.slot);
            if let Some(name) =
                floor.cycles.keys().find(|name| !is_not_run && !names.contains(&name.as_str()))
            {
                let (path, slot) = (record.path.display(), &floor.slot);
                bail!(
                    "{path}: [[floor]]: {name} is no work of {slot}; the works of this kernel are: {}",
                    names.join(", ")
                );
            }
        }
    }
    Ok(())
}

/// Whether a floor is one of this instruction set.
fn is_of(floor: &Floor, isa: Isa) -> bool {
    floor.isa == isa.recorded()
}

impl Work {
    /// The floor's cycles a unit, and where they come from.
    fn floor<'a>(&self, isa: Isa, records: &'a Records) -> Option<(f64, &'a str)> {
        let mut floors =
            records.kernels.iter().filter(|record| record.kernel == self.kernel).flat_map(|it| &it.floors);
        let floor = floors
            .find(|floor| is_of(floor, isa) && floor.slot == self.slot && floor.of(&self.name).is_some())?;
        Some((floor.of(&self.name)?, &floor.why))
    }

    /// The run with the work `times` times.
    fn trace<'a>(&self, workload: &'a Workload, times: &str) -> Result<Trace<'a>> {
        workload.trace(&[&self.slot, &self.kernel, &self.lanes, &self.name, times])
    }
}

fn figures<'a>(
    isa: Isa,
    workload: &Workload,
    work: &'a Work,
    firestorms: &[Firestorm],
) -> Result<Figures<'a>> {
    let (short, long) = (work.trace(workload, "1")?, work.trace(workload, "3")?);
    let a_unit = |of: &dyn Fn(&[&Instruction]) -> Result<u64>| -> Result<f64> {
        Ok((of(&long.instructions)? as f64 - of(&short.instructions)? as f64) / work.more)
    };
    let mut cycles = Vec::new();
    for core in mca::cores(isa) {
        let runs = !work.requires.iter().any(|feature| core.lacks.contains(&feature.as_str()));
        cycles.push(if runs { Some(a_unit(&|trace| mca::cycles(isa, core.name, trace))?) } else { None });
    }
    for firestorm in firestorms {
        cycles.push(Some(a_unit(&|trace| firestorm.cycles(trace))?));
    }
    let instructions = a_unit(&|trace| Ok(trace.len() as u64))?;
    let elsewhere = (long.elsewhere as f64 - short.elsewhere as f64) / work.more;
    Ok(Figures { work, instructions, elsewhere, cycles })
}

/// The figures as a table, and below it why the floors are.
fn table(isa: Isa, records: &Records, lines: &[Figures<'_>]) -> String {
    let mut head = vec!["slot", "kernel", "work", "unit", "instructions"];
    head.extend(mca::cores(isa).iter().map(|core| core.name));
    if isa == Isa::Aarch64 {
        head.extend(["firestorm", "firestorm, queues"]);
    }
    head.push("floor");
    let mut text =
        format!("| {} |\n| --- | --- | --- | --- |{}\n", head.join(" | "), " ---: |".repeat(head.len() - 4));
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for Figures { work, instructions, elsewhere, cycles } in lines {
        let floor = work.floor(isa, records);
        let number = |cycles: &Option<f64>| cycles.map_or("-".to_owned(), |cycles| format!("{cycles:.2}"));
        let cycles: Vec<String> = cycles.iter().map(number).collect();
        let unseen = if *elsewhere == 0.0 { String::new() } else { format!(" + {elsewhere:.1}") };
        let Work { slot, kernel, name, unit, .. } = work;
        text += &format!(
            "| {slot} | `{kernel}` | {name} | {unit} | {instructions:.1}{unseen} | {} ",
            cycles.join(" | ")
        );
        text += &format!("| {} |\n", floor.map_or(String::new(), |(cycles, _)| format!("{cycles:.2}")));
        if let Some((_, why)) = floor {
            match reasons.iter_mut().find(|(reason, _)| *reason == why) {
                Some((_, kernels)) if kernels.contains(&kernel.as_str()) => {}
                Some((_, kernels)) => kernels.push(kernel),
                None => reasons.push((why, vec![kernel])),
            }
        }
    }
    text += "\nFloors:\n\n";
    for (why, kernels) in reasons {
        text += &format!("* `{}`: {why}\n", kernels.join("`, `"));
    }
    text
}

/// Prints the loop that takes most of a kernel's workload.
fn print_turn(isa: Isa, workload: &Workload, work: &Work) -> Result<()> {
    let trace = work.trace(workload, "3")?;
    println!("\n{} {} {}", work.slot, work.kernel, work.name);
    match turn(&trace.instructions) {
        Some(turn) => {
            println!("a turn of {} instructions:", turn.len());
            turn.iter().for_each(|it| println!("{:>8}  {}", it.address(), mca::line(isa, it)));
        }
        None => println!("no loop repeats exactly"),
    }
    Ok(())
}

/// What repeats in the middle of a trace, from its lowest address on.
fn turn<'a>(trace: &'a [&'a Instruction]) -> Option<&'a [&'a Instruction]> {
    let middle = trace.get(trace.len() / 3..2 * trace.len() / 3)?;
    let repeats = |len: &usize| middle.iter().zip(&middle[*len..]).all(|(a, b)| std::ptr::eq(*a, *b));
    let len = (1..=middle.len() / 2).find(repeats)?;
    let first = (0..len).min_by_key(|&start| middle[start].place())?;
    middle.get(first..first + len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_workload_lists() {
        let list = "siphash-xn\tsiphash_x1\t1\t\t1-3 of u64\thash\t64\nsiphash-xn\tsiphash_x9\t9\tsha3 aes\tno sha3\n";
        let (works, not_run) = works(list).expect("two lines");
        assert_eq!((works[0].name.as_str(), works[0].more, works[0].requires.len()), ("1-3 of u64", 64.0, 0));
        assert_eq!((not_run[0].kernel.as_str(), not_run[0].why.as_str()), ("siphash_x9", "no sha3"));
        assert!(super::works("siphash-xn\n").is_err());
    }

    #[test]
    fn a_floor_of_no_work_is_an_error() {
        let mut records =
            Records::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).expect("the records");
        records.kernels.retain(|record| record.kernel == "siphash_x1_dup");
        let list = "siphash-x1-long\tsiphash_x1_dup\t1\t\t1-3\tword\t64\n";
        let (mut works, _) = works(list).expect("a line");
        let error = check_floors(Isa::X86_64, &records, &works, &[]).expect_err("no 2-4").to_string();
        assert!(
            error.ends_with("2-4 is no work of siphash-x1-long; the works of this kernel are: 1-3"),
            "{error}"
        );
        assert!(error.starts_with("crates/keylane/src/arch/x86_64/siphash_x1_dup.toml"), "{error}");
        assert!(check_floors(Isa::Aarch64, &records, &works, &[]).is_ok());
        works[0].name = "2-4".to_owned();
        assert_eq!(works[0].floor(Isa::X86_64, &records), Some((8.0, "the chain, 4c")));
    }

    #[test]
    fn a_turn_is_what_repeats() {
        let code: Vec<Instruction> = (0..6)
            .map(|i| Instruction::parse(Isa::Aarch64, &format!("{i}:\tnop")).expect("an instruction"))
            .collect();
        // Two turns of an inner loop in each turn of an outer one.
        let turns = [1, 2, 2, 3].repeat(9);
        let trace: Vec<&Instruction> = [0].iter().chain(&turns).chain(&[4, 5]).map(|&i| &code[i]).collect();
        let turn = turn(&trace).expect("a turn");
        assert_eq!(turn.iter().map(|it| it.place()).collect::<Vec<_>>(), [1, 2, 2, 3]);
        let once: Vec<&Instruction> = code.iter().collect();
        assert!(super::turn(&once).is_none());
    }
}
