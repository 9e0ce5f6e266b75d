//! Floors: what a kernel cannot go below.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The bound of a kernel's kinds of work.
///
/// A chain binds every core. Operations are divided by the units of the widest core that `cargo xtask model` has:
///
/// * neoverse-v2: 6 ALUs, 2 multipliers, 4 vector units;
/// * icelake-server: 4 ALUs, 1 multiplier, 3 vector units of 256 bits or 2 of 512.
///
/// c is the number of rounds a word.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Floor {
    /// The instruction set.
    pub isa: Isa,
    /// The slot.
    pub slot: String,
    /// Cycles a unit, for each kind of work.
    pub cycles: BTreeMap<String, Cycles>,
    /// Where they come from.
    pub why: String,
}

/// An instruction set of `cargo xtask model` and `codegen`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Isa {
    /// Arm of 64 bits.
    #[serde(rename = "aarch64")]
    Aarch64,
    /// x86 of 64 bits.
    #[serde(rename = "x86_64")]
    X86_64,
}

impl Isa {
    /// Both.
    pub const ALL: [Isa; 2] = [Isa::X86_64, Isa::Aarch64];

    /// The part of a record that `cargo xtask codegen` reads.
    pub fn codegen(self) -> &'static str {
        match self {
            Isa::Aarch64 => "codegen-aarch64",
            Isa::X86_64 => "codegen",
        }
    }
}

/// Cycles a unit, as a number or as numbers divided: "22 / 3 / 4".
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct Cycles(pub f64);

impl TryFrom<String> for Cycles {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let numbers: Result<Vec<f64>, _> =
            text.split('/').map(|number| number.trim().parse::<f64>()).collect();
        let cycles = numbers.ok().and_then(|numbers| numbers.into_iter().reduce(|sum, by| sum / by));
        cycles.filter(|cycles| cycles.is_normal()).map(Cycles).ok_or_else(|| format!("not cycles: {text}"))
    }
}

impl Floor {
    /// The cycles a unit of a kind of work.
    pub fn of(&self, work: &str) -> Option<f64> {
        self.cycles.get(work).map(|cycles| cycles.0)
    }
}
