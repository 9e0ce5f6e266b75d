//! A model of Firestorm, the fast core of Apple's M1: dependencies and execution units.
//!
//! LLVM has no table of it. `firestorm.csv` has the known facts about its instructions. The model goes through the
//! instructions in program order. An operation takes the first cycle when its operands are ready and a unit is free.
//! The width limits how many instructions are renamed in a cycle. The reorder buffer limits how far an instruction can
//! run ahead of the oldest unfinished one. Branches are predicted, and loads hit the L1 cache.

use crate::aarch64::{Effects, FLAGS, Register, all, is_vector};
use crate::listing::{Instruction, Isa};
use anyhow::{Context, Result, bail};
use std::collections::HashMap;

const TABLE: &str = include_str!("firestorm.csv");

/// Loops of SipHash-2-4 that check the model, and their cycles per word. Each does one word per iteration. The first
/// two figures follow from published measurements on an M1 (docs/research/MODEL.md). The third is the floor, 4c.
const CHECKS: [(&str, &str, f64); 3] = [
    ("rotation and xor in one instruction", include_str!("siphash24_fused.s"), 13.0),
    ("rotations apart", include_str!("siphash24_separate.s"), 9.0),
    ("rotations apart, injection off the path", include_str!("siphash24_ahead.s"), 8.0),
];

/// The core as its table describes it.
pub struct Firestorm {
    width: u64,
    window: usize,
    /// The bits of the units of each group, in the order of use.
    units: HashMap<&'static str, Vec<u32>>,
    rows: Vec<Row>,
    queues: Queues,
}

/// Where operations wait for their operands. It is not known of the real core.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Queues {
    /// In one queue before all units: any unit that is free takes one.
    One,
    /// In a queue for each unit: when they are renamed, each goes into the shortest queue of its group.
    Fewest,
    /// The same, but the units of a group take turns.
    #[cfg(test)]
    InTurn,
}

struct Row {
    mnemonics: Vec<&'static str>,
    form: &'static str,
    steps: Vec<Step>,
}

/// Operations that begin together, and their latency.
#[derive(Clone)]
struct Step {
    groups: Vec<&'static str>,
    cycles: u64,
}

/// An instruction as the model sees it.
struct Timing<'a> {
    effects: Effects,
    steps: &'a [Step],
    write_back: &'a [Step],
}

impl Firestorm {
    /// Reads the table, and checks the model.
    pub fn checked() -> Result<Firestorm> {
        let core = Firestorm::read(TABLE)?;
        for (form, text, expected) in CHECKS {
            let cycles = core.check(text).context(form)?;
            if cycles != expected {
                bail!("Firestorm's model gives {cycles} cycles a word for {form}, not {expected}");
            }
        }
        Ok(core)
    }

    /// The same core with a queue before each unit.
    pub fn with_queues(self) -> Firestorm {
        Firestorm { queues: Queues::Fewest, ..self }
    }

    /// The results of the checks, in one line.
    pub fn said() -> String {
        let said = CHECKS.map(|(form, _, cycles)| format!("{cycles} with {form}"));
        format!("SipHash-2-4, cycles a word: {}", said.join("; "))
    }

    fn read(table: &'static str) -> Result<Firestorm> {
        let (units, rows) = Default::default();
        let mut core = Firestorm { width: 0, window: 0, units, rows, queues: Queues::One };
        for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            core.line(line).with_context(|| format!("firestorm.csv: {line}"))?;
        }
        Ok(core)
    }

    fn line(&mut self, line: &'static str) -> Result<()> {
        match line.splitn(5, ',').collect::<Vec<_>>()[..] {
            ["core", "width", number, _] => self.width = number.parse()?,
            ["core", "window", number, _] => self.window = number.parse()?,
            ["units", name, units, _] => {
                let bits = units.split(' ').map(|unit| Ok(1 << unit.parse::<u32>()?));
                self.units.insert(name, bits.collect::<Result<_>>()?);
            }
            ["do", mnemonics, form, steps, _] => {
                let steps = steps.split(' ').filter(|step| !step.is_empty()).map(|step| self.step(step));
                let steps = steps.collect::<Result<_>>()?;
                self.rows.push(Row { mnemonics: mnemonics.split(' ').collect(), form, steps });
            }
            _ => bail!("no such line"),
        }
        Ok(())
    }

    fn step(&self, text: &'static str) -> Result<Step> {
        let (groups, cycles) = text.split_once(':').context("an operation is units:cycles")?;
        let groups: Vec<&str> = groups.split('+').collect();
        if let Some(unknown) = groups.iter().find(|group| !self.units.contains_key(*group)) {
            bail!("no units {unknown}");
        }
        Ok(Step { groups, cycles: cycles.parse()? })
    }

    /// The cycles per iteration of a loop of a check.
    fn check(&self, text: &str) -> Result<f64> {
        let lines = text.lines().filter(|line| !line.starts_with("//"));
        let body: Vec<Instruction> =
            lines.filter_map(|line| Instruction::parse(Isa::Aarch64, &format!("0:\t{line}"))).collect();
        self.turn(&body)
    }

    /// The cycles per iteration of a loop, which stands from its first instruction to the jump back.
    pub fn turn(&self, body: &[Instruction]) -> Result<f64> {
        const TURNS: usize = 100;
        let cycles = |turns| {
            let trace: Vec<&Instruction> = (0..turns).flat_map(|_| body).collect();
            self.cycles(&trace)
        };
        Ok((cycles(2 * TURNS)? - cycles(TURNS)?) as f64 / TURNS as f64)
    }

    /// The cycles that the core takes for a sequence of instructions.
    pub fn cycles(&self, trace: &[&Instruction]) -> Result<u64> {
        // The same instruction comes many times.
        let mut known: HashMap<*const Instruction, Timing<'_>> = HashMap::new();
        let mut pipeline = Pipeline {
            core: self,
            busy: Vec::new(),
            now: 0,
            waiting: HashMap::new(),
            #[cfg(test)]
            turns: HashMap::new(),
        };
        let mut ready = [0; FLAGS as usize + 1];
        // The cycle when all instructions so far are done.
        let mut done: Vec<u64> = Vec::with_capacity(trace.len());
        for (place, &instruction) in trace.iter().enumerate() {
            if !known.contains_key(&std::ptr::from_ref(instruction)) {
                known.insert(instruction, self.timing(instruction)?);
            }
            let Timing { effects, steps, write_back } = &known[&std::ptr::from_ref(instruction)];
            let renamed = place as u64 / self.width;
            let room = place.checked_sub(self.window).map_or(0, |earlier| done[earlier]);
            let mut start = renamed.max(room);
            pipeline.now = start;
            let base = effects
                .base
                .map(|base| (base, pipeline.run(write_back, start.max(ready[usize::from(base)]))));
            start = effects.reads.iter().fold(start, |start, &read| start.max(ready[usize::from(read)]));
            let end = pipeline.run(steps, start);
            effects.writes.iter().for_each(|&write| ready[usize::from(write)] = end);
            if let Some((base, end)) = base {
                ready[usize::from(base)] = end;
            }
            done.push(end.max(done.last().copied().unwrap_or(0)));
        }
        Ok(done.last().copied().unwrap_or(0))
    }

    fn timing(&self, instruction: &Instruction) -> Result<Timing<'_>> {
        let fits = |name: &str, pattern: &str| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        };
        let steps = |name: &str, has_form: &dyn Fn(&str) -> bool| -> Result<&[Step]> {
            let row = self
                .rows
                .iter()
                .find(|row| row.mnemonics.iter().any(|it| fits(name, it)) && has_form(row.form));
            let row = row.with_context(|| format!("firestorm.csv does not say what {name} does"))?;
            Ok(&row.steps)
        };
        let effects = Effects::of(instruction);
        let own = steps(&instruction.mnemonic, &|form| has_form(instruction, form))
            .with_context(|| format!("{} {}", instruction.mnemonic, instruction.operands.join(", ")))?;
        Ok(Timing { effects, steps: own, write_back: steps("[write-back]", &|_| true)? })
    }
}

/// Whether an instruction has a form of the table.
fn has_form(instruction: &Instruction, form: &str) -> bool {
    let (first, rest) = instruction.operands.split_at(instruction.operands.len().min(1));
    let is = |registers: Vec<Register>, vector: bool| registers.iter().any(|&it| is_vector(it) == vector);
    match form {
        "any" => true,
        "rotated" => rest.last().is_some_and(|operand| {
            ["ror", "lsl", "lsr", "asr", "uxt", "sxt"].iter().any(|name| operand.starts_with(name))
        }),
        "to-general" => is(all(first), false) && is(all(rest), true),
        "from-general" => is(all(first), true) && is(all(rest), false),
        "lane" => first.iter().any(|operand| operand.contains("}[")),
        "pair" => rest.first() != rest.get(1),
        "vector" => is(all(first), true) || is(all(rest), true),
        _ => false,
    }
}

struct Pipeline<'a> {
    core: &'a Firestorm,
    /// The units in use, by cycle.
    busy: Vec<u32>,
    /// The cycle when the current instruction is renamed.
    now: u64,
    /// How many operations each group has had.
    #[cfg(test)]
    turns: HashMap<&'static str, usize>,
    /// When the operations of each unit begin, those of the past left out.
    waiting: HashMap<u32, Vec<u64>>,
}

impl Pipeline<'_> {
    /// The cycle when steps that begin at `start` or later are done.
    fn run(&mut self, steps: &[Step], start: u64) -> u64 {
        steps.iter().fold(start, |start, step| {
            step.groups
                .iter()
                .copied()
                .map(|group| self.take(group, start) + step.cycles)
                .max()
                .unwrap_or(start)
        })
    }

    /// Takes a unit of a group at `cycle` or at the first later cycle with a free one. Returns the cycle.
    fn take(&mut self, group: &'static str, cycle: u64) -> u64 {
        let all = &self.core.units[group];
        let units = match self.core.queues {
            Queues::One => &all[..],
            Queues::Fewest => {
                let now = self.now;
                self.waiting.values_mut().for_each(|cycles| cycles.retain(|&cycle| cycle > now));
                let length = |unit: &&u32| self.waiting.get(*unit).map_or(0, Vec::len);
                all.iter().min_by_key(length).map_or(&all[..], std::slice::from_ref)
            }
            #[cfg(test)]
            Queues::InTurn => {
                let turn = self.turns.entry(group).or_default();
                *turn += 1;
                &all[*turn % all.len()..][..1]
            }
        };
        for cycle in cycle.. {
            let index = cycle as usize;
            if self.busy.len() <= index {
                self.busy.resize(2 * index + 1, 0);
            }
            if let Some(unit) = units.iter().find(|&&unit| self.busy[index] & unit == 0) {
                self.busy[index] |= unit;
                if self.core.queues == Queues::Fewest {
                    self.waiting.entry(*unit).or_default().push(cycle);
                }
                return cycle;
            }
        }
        cycle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(text: &str) -> f64 {
        Firestorm::read(TABLE).expect("the table").check(text).expect("a loop")
    }

    #[test]
    fn siphash_takes_what_was_measured() {
        Firestorm::checked().expect("all checks");
    }

    /// The table of docs/research/MODEL.md: the checks' loops, and those of other compilers, by where operations wait.
    #[test]
    fn the_page_has_what_queues_cost() {
        let others = [
            ("by GCC, as it compiles the specification", include_str!("siphash24_gcc.s")),
            ("by Go, as it compiles the specification", include_str!("siphash24_go_fused.s")),
            ("by Go, counts of rotations in registers", include_str!("siphash24_go_apart.s")),
        ];
        let loops = CHECKS.iter().map(|&(form, text, _)| (form, text)).chain(others);
        let mut table = "| form | one queue | a queue a unit, in turn | the shortest |\n\
                         | --- | ---: | ---: | ---: |\n"
            .to_owned();
        for (form, text) in loops {
            let cycles = [Queues::One, Queues::InTurn, Queues::Fewest].map(|queues| {
                let core = Firestorm { queues, ..Firestorm::read(TABLE).expect("the table") };
                format!("{:.1}", core.check(text).expect("a loop"))
            });
            table += &format!("| {form} | {} |\n", cycles.join(" | "));
        }
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/research/MODEL.md");
        let page = std::fs::read_to_string(page).expect("the page");
        assert!(page.contains(&table), "docs/research/MODEL.md lacks this table:\n\n{table}");
    }

    #[test]
    fn a_chain_takes_its_latencies() {
        assert_eq!(cycles("add x0, x0, x1\nror x0, x0, #3"), 2.0);
        assert_eq!(cycles("eor x0, x0, x1, ror #3"), 2.0);
        assert_eq!(cycles("mul x0, x0, x1\nadds x0, x0, x2\nadc x0, x0, xzr"), 5.0);
        assert_eq!(cycles("ldr x0, [x0]"), 4.0);
        assert_eq!(cycles("umlal v0.2d, v1.2s, v2.2s\nadd v0.2d, v0.2d, v3.2d"), 5.0);
        // Only the base carries over to the next iteration.
        assert_eq!(cycles("ldr x1, [x0], #8"), 1.0);
    }

    #[test]
    fn units_bind_what_is_independent() {
        let many = |line: &str| cycles(&[line; 60].join("\n"));
        assert_eq!(many("add x0, x1, x2"), 10.0);
        assert_eq!(many("eor x0, x1, x2, ror #3"), 20.0);
        assert_eq!(many("adds x0, x1, x2"), 20.0);
        assert_eq!(many("mul x0, x1, x2"), 30.0);
        assert_eq!(many("ldr x0, [x1]"), 20.0);
        assert_eq!(many("eor v0.16b, v1.16b, v2.16b"), 15.0);
        assert_eq!(many("nop"), 7.5);
    }

    #[test]
    fn what_the_table_leaves_out_is_an_error() {
        let core = Firestorm::read(TABLE).expect("the table");
        let error = format!("{:#}", core.check("frobnicate x0, x1").expect_err("no such instruction"));
        assert!(error.contains("firestorm.csv does not say what frobnicate does"), "{error}");
    }
}
