//! A defect for each fuzz target, planted into a copy of the sources: the target must find it.

use super::{build, fuzz_one, unpack};
use crate::plant::{copy_sources, plant};
use anyhow::{Result, bail};
use std::path::Path;

/// What stands once in a file, and what takes its place.
struct Defect {
    /// The target that must find it.
    target: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
}

const fn defect(target: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Defect {
    Defect { target, file, from, to }
}

/// The table. The defects of all chosen targets are planted at once. Each chosen target must stop, whichever defect it
/// meets first. Only AddressSanitizer sees the defect of `siphash_xn`. The defect of `poly1305_pn` shows only where two
/// rows with IFMA take turns in one message.
#[rustfmt::skip]
const DEFECTS: &[Defect] = &[
    defect("siphash_x1_long", "crates/keylane/src/arch/generic/dup.rs", "absorb::<u64, R, _, false, TURN_2>(state, Fixed::<2, 1>::NEW", "absorb::<u64, R, _, false, TURN_2>(state, Fixed::<3, 1>::NEW"),
    defect("siphash_xn", "crates/keylane/src/arch/generic/ragged/chunk.rs", "self.before >= reach && self.behind >= W::SIZE", "self.before >= reach"),
    defect("halfsiphash_xn", "crates/keylane/src/arch/portable/interleave.rs", "words.get(common..)", "words.get(common + 1..)"),
    defect("poly1305_x1", "crates/keylane/src/arch/portable/poly1305_x1_u64.rs", "u64::from(carry1 | carry2)", "u64::from(carry1)"),
    defect("poly1305_pn", "crates/keylane/src/arch/x86_64/blocks44.rs", "Powers::Pair44(pair) if pair.lanes == B::N", "Powers::Pair44(pair) if pair.lanes <= 8"),
    defect("poly1305_xn", "crates/keylane/src/arch/portable/poly1305_x2_u64.rs", "h[1] = r[1].absorb", "h[1] = r[0].absorb"),
    defect("siphash_batch", "crates/keylane/src/siphash/batch/offsets.rs", "!O::is_disordered(offsets) && offsets.last().is_none_or(|&last| inside(last))", "!O::is_disordered(offsets)"),
    defect("poly1305_batch", "crates/keylane/src/poly1305/batch.rs", ".inspect_err(|_| tags.fill(Tag::default()))", ""),
    defect("aead", "crates/keylane/src/aead/many.rs", "*good = accept(i, *good);", "*good = accept(i, true);"),
    defect("key_file", "crates/keylane-cli/src/key.rs", "if !digits.is_empty() && is_hex(digits)", "if is_hex(digits) && digits.len() > 99"),
    defect("checklist", "crates/keylane-cli/src/checklist.rs", "b'r' => b'\\r',", "b'r' => b'\\n',"),
    defect("capi", "crates/keylane-capi/src/memory.rs", "a.start < b.end && b.start < a.end", "a.start < b.end && b.start < a.start"),
    defect("csv", "crates/keylane-files/src/csv/split.rs", "escaped = true;", "escaped = false;"),
];

/// Plants all defects into a copy and fails if one of these targets finds no fault in `seconds` seconds.
pub fn planted(root: &Path, targets: &[&'static str], seconds: u32) -> Result<()> {
    let copy = root.join("target/fuzz/planted");
    copy_sources(root, &copy)?;
    for defect in DEFECTS.iter().filter(|defect| targets.contains(&defect.target)) {
        plant(&copy.join(defect.file), defect.from, defect.to)?;
    }
    build(&copy, targets)?;
    let mut missed = Vec::new();
    for name in targets {
        let folder = unpack(&copy, name)?;
        let flag = format!("-max_total_time={seconds}");
        let ran = fuzz_one(&copy, &copy, name, &[&folder], &[&flag, "-timeout=60"])?;
        println!("{ran}");
        if !ran.found {
            missed.push(*name);
        }
    }
    if !missed.is_empty() {
        bail!("the planted defect was not found by {}", missed.join(", "));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::DEFECTS;
    use keylane_fuzz::TARGETS;
    use std::fs;
    use std::path::Path;

    #[test]
    fn each_target_has_a_defect_that_stands_once_in_its_file() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for defect in DEFECTS {
            let text = fs::read_to_string(root.join(defect.file)).expect("a source file");
            assert_eq!(text.matches(defect.from).count(), 1, "{}: {}", defect.file, defect.from);
        }
        let defects: Vec<&str> = DEFECTS.iter().map(|defect| defect.target).collect();
        let targets: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        assert_eq!(defects, targets);
    }
}
