//! Prints each method with the cycles around its crossover, and the lines of the table.

use super::lines::{Before, Line};
use super::{Found, Rung};
use crate::table::unit;
use keylane::job::limits::{Class, FROM_BYTES, Method};
use keylane_measure::sample::Quartiles;
use std::io::{Result, Write};

/// How many lengths to show on either side of an important one.
const AROUND: usize = 4;

/// Explains the figures.
pub fn head(out: &mut impl Write) -> Result<()> {
    writeln!(
        out,
        "Each method of job/limits.rs, compared with the previous one: {} a message, independent calls,\n\
         a fresh key for each. `here` marks the length from which the new method is faster and stays so,\n\
         `table` the threshold in the table.\n\
         Below FROM_BYTES = {FROM_BYTES} bytes `mac` uses no slot and is inlined: that is `before`. `after` is the kernel\n\
         as if `mac` used the slot. A kernel that wins earlier gains nothing unless FROM_BYTES is lowered too.",
        unit()
    )
}

/// Prints a method that is not measured.
pub fn left_out(out: &mut impl Write, line: &Line, reason: &str) -> Result<()> {
    writeln!(out, "\n{:?}: {}: {reason}", line.method, line.kernel)
}

/// Prints a method, with the lengths around the crossover found and around the table's threshold.
pub fn found(out: &mut impl Write, found: &Found) -> Result<()> {
    let line = found.line;
    let before = match line.before {
        Before::Scalar if line.is_of_hashes() => {
            "before: a loop over single messages of 4 to 20 bytes".to_owned()
        }
        Before::Scalar => "before: the scalar code of mac".to_owned(),
        Before::Loop(always) => {
            format!("before: another of its loops, with {always:?} from the first byte on")
        }
    };
    writeln!(out, "\n{:?}: {}, {before}", line.method, line.kernel)?;
    writeln!(
        out,
        "{:>8}{:>10}{:>10}{:>16}{:>18}",
        if line.is_of_hashes() { "messages" } else { "bytes" },
        "before",
        "after",
        "after / before",
        "quartiles"
    )?;
    let table = line.method.of(Class::current());
    let mut last = None;
    for (i, rung) in found.rungs.iter().enumerate().filter(|(i, _)| is_shown(found, table, *i)) {
        if last.is_some_and(|last| last + 1 < i) {
            writeln!(out, "{:>8}", "...")?;
        }
        last = Some(i);
        let mark = match (found.from == Some(rung.length), first_from(found, table) == Some(i)) {
            (true, true) => "  here, table",
            (true, false) => "  here",
            (false, true) => "  table",
            (false, false) => "",
        };
        writeln!(out, "{}{mark}", figures(rung))?;
    }
    let Some(latency) = &found.latency else { return Ok(()) };
    writeln!(out, "dependent calls:\n{}", figures(latency))
}

/// The first length of at least `from` bytes.
fn first_from(found: &Found, from: usize) -> Option<usize> {
    found.rungs.iter().position(|rung| rung.length >= from)
}

/// Whether a length is near an important one, or the longest.
fn is_shown(found: &Found, table: usize, i: usize) -> bool {
    let here = first_from(found, found.from.unwrap_or(usize::MAX));
    let places = [here, first_from(found, table)];
    let is_near = |place: usize| (place.saturating_sub(AROUND)..=place + AROUND).contains(&i);
    i + 1 == found.rungs.len() || places.into_iter().flatten().any(is_near)
}

fn figures(Rung { length, before, after, ratio }: &Rung) -> String {
    let quartiles = format!("{:.3}..{:.3}", ratio.lower, ratio.upper);
    format!("{length:>8}{before:>10.1}{after:>10.1}{:>16.3}{quartiles:>18}", ratio.median)
}

/// Prints every line of the table, with the results for this CPU in its column, next to the current values.
pub fn table(out: &mut impl Write, all: &[Found]) -> Result<()> {
    let here = Class::current();
    writeln!(out, "\nThe table, with this CPU's figures in the column {here:?} of {:?}:\n", Class::ALL)?;
    for method in Method::all() {
        let found = all.iter().find(|found| found.line.method == method);
        let says = method.of(here);
        let new = found.map_or(says, proposed);
        let column = |class| number(if class == here { new } else { method.of(class) });
        let line = format!("    (Method::{method:?}, [{}]),", Class::ALL.map(column).join(", "));
        let remark = match found {
            None => "not measured".to_owned(),
            Some(_) if new == says => "as the table says".to_owned(),
            Some(found) => format!("the table says {}{}", number(says), cost(found, new, says)),
        };
        writeln!(out, "{line:<60} {remark}")?;
    }
    let is_of_one = |line: &Line| !line.is_batch() && !line.is_of_hashes();
    let own = all.iter().filter(|found| found.line.before == Before::Scalar && is_of_one(found.line));
    if let Some(least) = own.filter_map(|found| found.from).min() {
        writeln!(out, "\nFROM_BYTES = {FROM_BYTES}: kernels of poly1305-pn win from {least} bytes on.")?;
    }
    Ok(())
}

/// The threshold that the table should have: at least [`FROM_BYTES`] for one message.
fn proposed(found: &Found) -> usize {
    let least = if found.line.is_batch() || found.line.is_of_hashes() { 1 } else { FROM_BYTES };
    found.from.map_or(usize::MAX, |from| from.max(least))
}

/// The cost of the table's threshold: the median over the lengths between it and the new one.
fn cost(found: &Found, new: usize, says: usize) -> String {
    let between = found.rungs.iter().filter(|rung| (new.min(says)..new.max(says)).contains(&rung.length));
    let loss = |rung: &Rung| if says > new { 1.0 / rung.ratio.median } else { rung.ratio.median };
    let losses = Quartiles::of(between.map(loss).collect());
    losses.map_or(String::new(), |losses| format!(", {:.1} % slower between", 100.0 * (losses.median - 1.0)))
}

fn number(from: usize) -> String {
    if from == usize::MAX { "usize::MAX".to_owned() } else { from.to_string() }
}
