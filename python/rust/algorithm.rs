//! The names of functions.

use keylane_columns::Algorithm;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::num::NonZeroU8;

/// A function of the SipHash family: its rounds and the bits of its tags.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Function {
    pub half: bool,
    pub c: NonZeroU8,
    pub d: NonZeroU8,
    pub bits: u8,
}

impl Function {
    /// Reads `siphash-c-d-bits` or `halfsiphash-c-d-bits`.
    pub fn parse(name: &str) -> PyResult<Function> {
        Function::parse_or(name, "")
    }

    /// The same for a caller that has read the name `poly1305` itself.
    pub fn parse_beside_poly1305(name: &str) -> PyResult<Function> {
        Function::parse_or(name, "poly1305, ")
    }

    fn parse_or(name: &str, other: &str) -> PyResult<Function> {
        Function::read(name).ok_or_else(|| {
            // The name is not shown: arguments in the wrong order would show a key.
            PyValueError::new_err(format!(
                "no such algorithm: {other}siphash-C-D-64, siphash-C-D-128, halfsiphash-C-D-32 or \
                 halfsiphash-C-D-64, with C and D from 1 to 255",
            ))
        })
    }

    fn read(name: &str) -> Option<Function> {
        let mut parts = name.split('-');
        let half = match parts.next()? {
            "siphash" => false,
            "halfsiphash" => true,
            _ => return None,
        };
        let (c, d) = (rounds(parts.next()?)?, rounds(parts.next()?)?);
        let bits = match (half, parts.next()?) {
            (true, "32") => 32,
            (_, "64") => 64,
            (false, "128") => 128,
            _ => return None,
        };
        parts.next().is_none().then_some(Function { half, c, d, bits })
    }

    pub fn name(self) -> String {
        let family = if self.half { "halfsiphash" } else { "siphash" };
        format!("{family}-{}-{}-{}", self.c, self.d, self.bits)
    }
}

/// A number of rounds, in the one way in which it is written.
fn rounds(text: &str) -> Option<NonZeroU8> {
    let rounds: NonZeroU8 = text.parse().ok()?;
    (rounds.to_string() == text).then_some(rounds)
}

/// Reads the name of a function for columns.
pub fn of_columns(name: &str) -> Result<Algorithm, String> {
    name.parse().map_err(|_| {
        let names = Algorithm::ALL.map(Algorithm::name).join(", ");
        format!("no such algorithm for columns; there are {names}")
    })
}
