//! Tables of kernels in the docs, written from the table of rows and from the kernels' records.
//!
//! A page has one of these pairs of marks, and this writes what stands between them:
//!
//! ```text
//! <!-- slots -->      each slot: its job, its rows
//! <!-- end of slots -->
//! <!-- secrets -->    each method of docs/CONSTANT_TIME.md: the rows that it covers
//! <!-- end of secrets -->
//! ```

use anyhow::{Context, Result, ensure};
use keylane_records::{Record, Records, Secrets};
use std::fs;
use std::path::{Path, PathBuf};

/// The table of rows.
const TABLE: &str = "crates/keylane/src/dispatch/table.rs";

/// The architectures, as [`TABLE`] names them, and as the docs do. The portable rows have no name in the docs: they
/// stand in the order of `word64`.
const ARCHITECTURES: [(&str, &str); 5] =
    [("x86_64", "x86-64"), ("x86", "x86"), ("aarch64", "AArch64"), ("wasm32", "WebAssembly"), ("word64", "")];

/// Everything that the tables say.
pub struct Slots {
    slots: Vec<Slot>,
    records: Records,
}

/// A slot of the table.
struct Slot {
    name: String,
    /// The first sentence of its comment.
    job: String,
    /// Kernels and their architectures, best first. The last architecture that has a kernel counts: one of x86 runs on
    /// x86-64 too.
    rows: Vec<(String, &'static str)>,
}

impl Slots {
    /// Reads the table of rows and the records.
    pub fn read(root: &Path) -> Result<Slots> {
        let table = fs::read_to_string(root.join(TABLE)).context(TABLE)?;
        let slots = slots(&table).context(TABLE)?;
        let records = Records::load(root)?;
        for kernel in slots.iter().flat_map(|slot| &slot.rows).map(|(kernel, _)| kernel) {
            records.of(kernel)?;
        }
        Ok(Slots { slots, records })
    }

    /// A page with new tables of kernels.
    pub fn write(&self, page: &str) -> Result<String> {
        let page = replace_block(page, "slots", &|| self.rows())?;
        replace_block(&page, "secrets", &|| self.secrets())
    }

    /// Every slot with each of its kernels.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.slots.iter().flat_map(|slot| slot.rows.iter().map(|(kernel, _)| (&*slot.name, &**kernel)))
    }

    /// The source of a kernel, in the repository.
    pub fn source(&self, kernel: &str) -> Result<PathBuf> {
        Ok(self.records.of(kernel)?.path.with_extension("rs"))
    }

    /// A line for each slot.
    fn rows(&self) -> String {
        let mut text = "| slot | job | rows, best first |\n| --- | --- | --- |\n".to_owned();
        for Slot { name, job, rows } in &self.slots {
            let groups = rows.chunk_by(|(_, one), (_, next)| one == next).map(|group| {
                let kernels: Vec<String> = group.iter().map(|(kernel, _)| format!("`{kernel}`")).collect();
                let architecture = group.first().map_or("", |(_, architecture)| architecture);
                let behind =
                    if architecture.is_empty() { String::new() } else { format!(" ({architecture})") };
                kernels.join(", ") + &behind
            });
            text += &format!("| `{name}` | {job} | {} |\n", groups.collect::<Vec<_>>().join(", "));
        }
        text
    }

    /// A line for each method, keylane's rows before the lab's.
    fn secrets(&self) -> String {
        let mut text = "| methods | rows |\n| --- | --- |\n".to_owned();
        for (secrets, methods) in [
            (Secrets::Taint, "reading, taint"),
            (Secrets::Steps, "reading, list, steps, clock"),
            (Secrets::Reading, "reading"),
        ] {
            for (of_the_lab, whose) in [(false, ""), (true, "the lab's ")] {
                let covered = |it: &&Record| it.secrets == secrets && it.is_of_the_lab() == of_the_lab;
                let kernels: Vec<String> = self
                    .records
                    .kernels
                    .iter()
                    .filter(covered)
                    .map(|it| format!("`{}`", it.kernel))
                    .collect();
                if !kernels.is_empty() {
                    text += &format!("| {methods} | {whose}{} |\n", kernels.join(", "));
                }
            }
        }
        text
    }
}

/// The slots of the table of rows.
fn slots(table: &str) -> Result<Vec<Slot>> {
    let mut slots = Vec::new();
    let mut comment = String::new();
    let mut lines = table.lines();
    while let Some(line) = lines.next() {
        if let Some(text) = line.strip_prefix("///") {
            comment += text;
            continue;
        }
        if line.starts_with("pub static ") && line.ends_with("= slot! {") {
            let name = line.trim_start_matches("pub static ").split(':').next().unwrap_or_default();
            let name = name.to_lowercase().replace('_', "-");
            let job = comment.trim().split(". ").next().unwrap_or_default().trim_end_matches('.').to_owned();
            let body: String = lines.by_ref().take_while(|line| *line != "};").collect();
            let rows = rows(&body).with_context(|| name.clone())?;
            slots.push(Slot { name, job, rows });
        }
        comment.clear();
    }
    ensure!(!slots.is_empty(), "no slot! in it");
    Ok(slots)
}

/// The rows of a slot: `x86_64: siphash_x4_avx2::MANY, siphash_x4_sse2::MANY; word64: siphash_x1::MANY;`.
fn rows(body: &str) -> Result<Vec<(String, &'static str)>> {
    let mut rows: Vec<(String, &'static str)> = Vec::new();
    for group in body.split(';').map(str::trim).filter(|group| !group.is_empty()) {
        let (name, paths) = group.split_once(": ").with_context(|| format!("no group: {group}"))?;
        let Some((_, architecture)) = ARCHITECTURES.iter().find(|(known, _)| *known == name) else {
            ensure!(
                name == "word32",
                "the docs have no word for the group {name}: tools/xtask/src/tables/slots.rs"
            );
            continue;
        };
        for path in paths.split(',') {
            let kernel = path.split("::").next().unwrap_or_default().trim().to_owned();
            rows.retain(|(other, _)| *other != kernel);
            rows.push((kernel, architecture));
        }
    }
    Ok(rows)
}

/// A page with new text between the marks of this name, if it has them.
pub fn replace_block(page: &str, name: &str, make: &dyn Fn() -> String) -> Result<String> {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->\n"));
    let Some((before, rest)) = page.split_once(&begin) else {
        ensure!(!page.contains(&end), "{} without a beginning", end.trim());
        return Ok(page.to_owned());
    };
    let (_, after) =
        rest.split_once(&end).with_context(|| format!("no {} behind {}", end.trim(), begin.trim()))?;
    Ok(format!("{before}{begin}{}{end}{after}", make()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
/// SipHash, many
/// messages. Not this.
pub static SIPHASH_XN: Slot<siphash::Xn<u64>> = slot! {
    x86_64: siphash_x4_avx2::MANY,
        siphash_x4_sse2::MANY;
    x86: siphash_x4_sse2::MANY;
    word64: siphash_x2::MANY, siphash_x1::MANY;
    word32: siphash_x1::MANY, siphash_x2::MANY;
};
";

    fn read() -> Slots {
        let mut records = Records::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).unwrap();
        records
            .kernels
            .retain(|it| ["siphash_x2", "siphash_x8_avx512", "siphash_x1_steps"].contains(&&*it.kernel));
        Slots { slots: slots(TABLE).unwrap(), records }
    }

    #[test]
    fn tables_are_written_between_their_marks() {
        let page =
            "a\n<!-- slots -->\nold\n<!-- end of slots -->\nb\n<!-- secrets -->\n<!-- end of secrets -->\n";
        let new = read().write(page).unwrap();
        assert_eq!(
            new,
            "a\n<!-- slots -->\n\
             | slot | job | rows, best first |\n| --- | --- | --- |\n\
             | `siphash-xn` | SipHash, many messages | `siphash_x4_avx2` (x86-64), `siphash_x4_sse2` (x86), \
             `siphash_x2`, `siphash_x1` |\n\
             <!-- end of slots -->\nb\n<!-- secrets -->\n\
             | methods | rows |\n| --- | --- |\n\
             | reading, taint | `siphash_x2` |\n| reading, taint | the lab's `siphash_x1_steps` |\n\
             | reading, list, steps, clock | `siphash_x8_avx512` |\n\
             <!-- end of secrets -->\n"
        );
        assert_eq!(read().write(&new).unwrap(), new);
        assert_eq!(read().write("no mark").unwrap(), "no mark");
        assert!(read().write("<!-- slots -->\n").is_err());
        assert!(read().write("<!-- end of slots -->\n").is_err());
    }

    #[test]
    fn a_group_that_the_docs_cannot_name_is_an_error() {
        let error = slots(&TABLE.replace("x86:", "riscv:")).err().unwrap();
        assert!(format!("{error:#}").contains("no word for the group riscv"), "{error:#}");
        assert!(slots("").is_err());
    }
}
