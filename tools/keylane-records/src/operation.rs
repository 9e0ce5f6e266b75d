//! The operations of an algorithm, as records name them.

use serde::Deserialize;
use std::fmt;
use std::str::FromStr;

/// An operation of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Operation {
    /// "rotation of 64 bits by 13": to the left, by an instruction for rotations.
    Rotation {
        /// Bits of the word.
        width: u32,
        /// Bits to the left.
        by: u32,
    },
    /// "xor with a rotation of 64 bits by 13": the same in one instruction with a xor, as AArch64 has it.
    Joined {
        /// Bits of the word.
        width: u32,
        /// Bits to the left.
        by: u32,
    },
    /// "4 of mul or mulx": at least this many of any of these instructions.
    AtLeast(usize, Vec<String>),
    /// "vpsllq by 13": this instruction with this number.
    With(String, u32),
}

impl FromStr for Operation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text).ok_or_else(|| {
            let forms = "\"rotation of 64 bits by 13\", \"xor with a rotation of 64 bits by 13\", \
                         \"4 of mul or mulx\", \"vpsllq by 13\"";
            format!("not an operation: {text}; the forms are {forms}")
        })
    }
}

fn parse(text: &str) -> Option<Operation> {
    match text.split(' ').collect::<Vec<_>>()[..] {
        ["rotation", "of", width, "bits", "by", by] => {
            Some(Operation::Rotation { width: width.parse().ok()?, by: by.parse().ok()? })
        }
        ["xor", "with", "a", "rotation", "of", width, "bits", "by", by] => {
            Some(Operation::Joined { width: width.parse().ok()?, by: by.parse().ok()? })
        }
        [name, "by", number] => Some(Operation::With(name.to_owned(), number.parse().ok()?)),
        [times, "of", ..] => {
            let (_, names) = text.split_once(" of ")?;
            let times = times.parse().ok().filter(|&times| times > 0)?;
            Some(Operation::AtLeast(times, names.split(" or ").map(str::to_owned).collect()))
        }
        _ => None,
    }
}

impl TryFrom<String> for Operation {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operation::Rotation { width, by } => write!(f, "rotation of {width} bits by {by}"),
            Operation::Joined { width, by } => write!(f, "xor with a rotation of {width} bits by {by}"),
            Operation::AtLeast(times, names) => write!(f, "{times} of {}", names.join(" or ")),
            Operation::With(name, number) => write!(f, "{name} by {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_reads_as_it_is_written() {
        let all = "rotation of 64 bits by 13, xor with a rotation of 64 bits by 13, 4 of mul or mulx, 20 of imul, \
                   vpsllq by 13";
        for text in all.split(", ") {
            assert_eq!(text.parse::<Operation>().expect("an operation").to_string(), text);
        }
        for text in ["", "rotation of 64 bits", "mul", "0 of mul", "x of mul", "vpsllq by x"] {
            assert!(text.parse::<Operation>().is_err(), "{text}");
        }
    }
}
