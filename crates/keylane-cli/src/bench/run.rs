//! The results of a run. The terminal, the JSON object and the page show them.

use super::figures::Measured;
use super::machine::Machine;
use super::measure::{Choice, Plan};
use keylane::kernels::list;
use keylane_measure::canary::Looks;
use keylane_measure::chain;
use keylane_measure::record::{Line, Noise};
use serde_json::{Value, json};
use std::time::SystemTime;

/// What was measured, where, when and how.
pub struct Run {
    pub machine: Machine,
    pub date: String,
    pub command: String,
    pub plan: Plan,
    /// Slots and their kernels.
    pub chosen: Vec<(&'static str, &'static str)>,
    pub tables: Vec<Measured>,
    /// What the canary saw.
    pub looks: Looks,
    /// Kernels of the slots that this CPU cannot run.
    pub absent: Vec<Absent>,
}

/// A kernel that this CPU cannot run.
pub struct Absent {
    pub kernel: &'static str,
    /// What the CPU lacks.
    pub lacks: String,
}

/// The unit of figures.
pub fn unit() -> &'static str {
    if chain::IN_CYCLES { "cycles" } else { "steps" }
}

/// The version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

impl Run {
    /// A run about to begin, with the kernels of these slots.
    pub fn new(plan: Plan, choice: &Choice, slots: &[&str]) -> Self {
        let command: Vec<_> =
            std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
        let mut absent: Vec<Absent> = Vec::new();
        for kernel in list().filter(|kernel| slots.contains(&kernel.slot())) {
            let lacks = kernel.missing().collect::<Vec<_>>().join(" ");
            if !lacks.is_empty() && absent.iter().all(|known| known.kernel != kernel.id()) {
                absent.push(Absent { kernel: kernel.id(), lacks });
            }
        }
        Run {
            machine: Machine::here(),
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            command: format!("keylane {}", command.join(" ")),
            plan,
            chosen: choice.0.iter().copied().filter(|(slot, _)| slots.contains(slot)).collect(),
            tables: Vec::new(),
            looks: Looks::default(),
            absent,
        }
    }

    /// The lines of a record.
    pub fn lines(&self) -> impl Iterator<Item = Line> {
        self.tables.iter().flat_map(Measured::lines)
    }

    /// The noise of all tables.
    pub fn noise(&self) -> Noise {
        Noise::sum(self.tables.iter().map(Measured::noise))
    }

    /// Whether the figures are reported and not judged.
    pub fn is_noisy(&self) -> bool {
        self.noise().is_noisy() || self.looks.is_noisy()
    }

    /// All results as JSON, for programs.
    pub fn object(&self) -> Value {
        let kernel = |kernel: keylane::kernels::KernelInfo| {
            json!({
                "slot": kernel.slot(),
                "kernel": kernel.id(),
                "requires": kernel.requires().collect::<Vec<_>>(),
                "lacks": kernel.missing().collect::<Vec<_>>(),
            })
        };
        let is_here = |slot| self.chosen.iter().any(|(of, _)| *of == slot);
        let lost = self.tables.iter().flat_map(|table| {
            table.lost().map(move |(row, column)| {
                json!({
                    "suite": table.suite, "rounds": table.rounds, "table": table.title, "cell": column.label,
                    "engine": row.engine(),
                })
            })
        });
        json!({
            "format": 2,
            "keylane": VERSION,
            "date": self.date,
            "command": self.command,
            "cpu": { "name": self.machine.name, "model": self.machine.model, "arch": self.machine.arch },
            "unit": unit(),
            "samples": self.plan.samples,
            "kernels": list().filter(|kernel| is_here(kernel.slot())).map(kernel).collect::<Vec<_>>(),
            "chosen": self.chosen.iter().map(|&(slot, id)| (slot.to_owned(), json!(id))).collect::<serde_json::Map<_, _>>(),
            "lines": self.lines().map(|line| json!(line)).collect::<Vec<_>>(),
            "not_measured": lost.collect::<Vec<_>>(),
            "noisy": self.is_noisy(),
        })
    }
}
