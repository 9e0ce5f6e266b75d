//! The table of docs/BATCHES.md, `<!-- batches -->`: from how many messages on each row of SipHash and HalfSipHash takes a
//! batch. The sources of the kernels name their thresholds, and `job/limits.rs` has the numbers.

use super::slots::Slots;
use anyhow::{Context, Result, bail};
use keylane_records::SOURCES;
use std::fs;
use std::path::Path;

/// The file of the thresholds, below [`SOURCES`].
const LIMITS: &str = "job/limits.rs";

/// The threshold of rows that were not measured.
const UNMEASURED: &str = "FROM_MESSAGES";

/// A line for each measured row, and one for all others.
pub fn table(root: &Path, slots: &Slots) -> Result<String> {
    let read = |path: &Path| fs::read_to_string(root.join(path)).with_context(|| path.display().to_string());
    let limits = read(&Path::new(SOURCES).join(LIMITS))?;
    let mut text = "| row | lanes | messages of any lengths | integers, rows of 4, 8 or 16 bytes |\n\
                    | --- | ---: | ---: | ---: |\n"
        .to_owned();
    for (slot, kernel) in slots.pairs() {
        if !["siphash-xn", "halfsiphash-xn"].contains(&slot) {
            continue;
        }
        let (lanes, name) = declared(&read(&slots.source(kernel)?)?, kernel)?;
        if name != UNMEASURED {
            text += &line(&format!("`{kernel}`"), &lanes, &numbers(&limits, &name)?);
        }
    }
    Ok(text + &line("all others", "", &numbers(&limits, UNMEASURED)?))
}

/// A line. Integers need a quarter of the messages (`dispatch/plan.rs`).
fn line(row: &str, lanes: &str, numbers: &[usize]) -> String {
    let range = |number: &dyn Fn(usize) -> usize| {
        let all = || numbers.iter().map(|&n| number(n));
        match (all().min().unwrap_or_default(), all().max().unwrap_or_default()) {
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least} to {most}, by CPU"),
        }
    };
    format!("| {row} | {lanes} | {} | {} |\n", range(&|n| n), range(&|n| n.div_ceil(4)))
}

/// The lanes of a row for many messages, and the name of its threshold, in its kernel's source:
/// `pub MANY: Xn<u64> = "siphash_x4_avx2", lanes 4, ..., from Method::SiphashX4Avx2.threshold(),`.
fn declared(source: &str, kernel: &str) -> Result<(String, String)> {
    let row = source.split("pub MANY: ").nth(1).with_context(|| format!("{kernel} has no row MANY"))?;
    let after = |mark: &str| -> Result<&str> {
        let rest = row.split(mark).nth(1).with_context(|| format!("no {mark}in the row of {kernel}"))?;
        rest.split(',').next().with_context(|| format!("no comma in the row of {kernel}"))
    };
    let from = after("from ")?;
    let name = from.trim_start_matches("Method::").trim_end_matches(".threshold()");
    Ok((after("lanes ")?.to_owned(), name.to_owned()))
}

/// The numbers of a threshold, one for each class of CPUs.
fn numbers(limits: &str, name: &str) -> Result<Vec<usize>> {
    let (begin, end) = match name {
        UNMEASURED => (format!("pub const {name}: usize = "), ';'),
        _ => (format!("(Method::{name}, ["), ']'),
    };
    let Some((list, _)) = limits.split(&begin).nth(1).and_then(|rest| rest.split_once(end)) else {
        bail!("{LIMITS} has no numbers of {name}");
    };
    list.split(',')
        .map(|number| number.trim().parse().with_context(|| format!("{name} in {LIMITS}: {number}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "kernel! {\n    /// Many messages.\n    pub MANY: Xn<u64> = \"siphash_x4_avx2\", lanes 4, \
                          requires [\"avx2\", \"bmi2\"],\n    from Method::SiphashX4Avx2.threshold(),\n    |job| many(job)\n}";
    const LIMITS: &str = "pub const FROM_MESSAGES: usize = 16;\n    (Method::SiphashX4Avx2, [13, 16, 13]),\n";

    #[test]
    fn a_row_is_found_with_its_numbers() {
        let (lanes, name) = declared(SOURCE, "siphash_x4_avx2").unwrap();
        let found = numbers(LIMITS, &name).unwrap();
        assert_eq!(
            line("`siphash_x4_avx2`", &lanes, &found),
            "| `siphash_x4_avx2` | 4 | 13 to 16, by CPU | 4 |\n"
        );
        assert_eq!(
            line("all others", "", &numbers(LIMITS, UNMEASURED).unwrap()),
            "| all others |  | 16 | 4 |\n"
        );
    }

    #[test]
    fn what_is_absent_is_named() {
        let error = |result: Result<(String, String)>| result.unwrap_err().to_string();
        assert_eq!(error(declared("", "siphash_x3")), "siphash_x3 has no row MANY");
        assert_eq!(
            error(declared(&SOURCE.replace("from ", ""), "siphash_x3")),
            "no from in the row of siphash_x3"
        );
        assert!(numbers(LIMITS, "SiphashX3").unwrap_err().to_string().contains("no numbers of SiphashX3"));
        assert!(numbers("(Method::SiphashX3, [ALL]),", "SiphashX3").is_err());
    }
}
