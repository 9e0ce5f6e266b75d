//! Rows for one message run by hand: keylane's, for lengths at which no call of keylane's would take
//! them, and the lab's, which no call of keylane's ever takes.

use super::{Engine, Poly1305};
use crate::engine::rows::{absent_rows, infos, rows};
use crate::engine::{Missing, Side};
use anyhow::{Context, Result};
use keylane::kernel::Shape;
use keylane::kernel::poly1305::{Blocks, Key, State};
use keylane::kernel::select::{AnySlot, Runnable, Slot};
use keylane::kernel::table::POLY1305_X1;
use std::fs;
use std::path::Path;

/// The lab's rows that run here. All answers are checked.
///
/// # Errors
/// A row gives a wrong answer or fails its self-test.
pub fn lab() -> Result<Vec<Engine>> {
    let engines = Vec::new();
    engines.iter().try_for_each(Engine::check)?;
    Ok(engines)
}

/// Every row that runs here, keylane's and then the lab's, named with its base and its instructions. All
/// answers are checked.
///
/// # Errors
/// A row gives a wrong answer or fails its self-test, or its source cannot be read.
pub fn table() -> Result<Vec<Engine>> {
    let mut engines = by_hand(&POLY1305_X1)?;
    engines.extend(lab()?);
    engines.iter().try_for_each(Engine::check)?;
    let infos: Vec<_> = SLOTS.into_iter().flat_map(infos).collect();
    for engine in &mut engines {
        let row = infos.iter().find(|row| row.id == engine.name).context("an engine is named as its row")?;
        let requires: Vec<&str> = row.requires.names().collect();
        let requires = if requires.is_empty() { "portable".to_owned() } else { requires.join(" ") };
        engine.name = format!("{}, base {}, {requires}", row.id, base(row.id)?);
    }
    Ok(engines)
}

/// The rows that this CPU cannot run.
pub fn absent() -> Vec<Missing> {
    SLOTS.into_iter().flat_map(absent_rows).collect()
}

/// The slots of [`table`].
const SLOTS: [&dyn AnySlot; 1] = [&POLY1305_X1];

/// The rows of a slot as engines.
fn by_hand<S>(slot: &'static Slot<S>) -> Result<Vec<Engine>>
where
    S: for<'a> Shape<Job<'a> = Blocks<'a>>,
{
    let engine = |row: Runnable<S>| Engine::poly1305(row.id(), Side::OurKernel, Row(row));
    Ok(rows(slot)?.into_iter().map(engine).collect())
}

struct Row<S: Shape>(Runnable<S>);

impl<S> Poly1305 for Row<S>
where
    S: for<'a> Shape<Job<'a> = Blocks<'a>>,
{
    type Tag = [u8; 16];

    #[inline(always)]
    fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        let mut state = State::new(Key::from_bytes(key));
        let (blocks, tail) = message.as_chunks();
        self.0.run(Blocks { state: &mut state, blocks, tail });
        state.tag()
    }
}

/// The folders of the sources of kernels.
const SOURCES: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/keylane/src/arch"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/keylane-lab/src/arch"),
];

/// The base, or radix, in which a kernel works, as the head of its source says it.
fn base(id: &str) -> Result<String> {
    let source = SOURCES.iter().find_map(|folder| find(Path::new(folder), &format!("{id}.rs")));
    let source = source.with_context(|| format!("the source of {id}"))?;
    let head = source.lines().take_while(|line| line.starts_with("//!"));
    let said = head.filter_map(|line| ["base ", "radix "].iter().find_map(|word| line.split_once(word)));
    let base = said.map(|(_, rest)| rest.split([',', ';', ':', ')']).next().unwrap_or(rest)).next();
    Ok(base
        .with_context(|| format!("the source of {id} does not begin with its base"))?
        .trim_end_matches('.')
        .to_owned())
}

/// What a file of that name says, anywhere in a folder.
fn find(folder: &Path, name: &str) -> Option<String> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if let Some(text) = find(&path, name) {
                return Some(text);
            }
        } else if path.ends_with(name) {
            return fs::read_to_string(path).ok();
        }
    }
    None
}
