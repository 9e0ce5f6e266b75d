//! Rows for one message, run directly. keylane's rows also run at lengths where no call of keylane uses them. The lab's
//! rows are never used by keylane.

use super::{Engine, Poly1305};
use crate::engine::rows::{absent_rows, infos, rows};
use crate::engine::{Missing, Side};
use anyhow::{Context, Result};
use keylane::dispatch::select::{AnySlot, Runnable, Slot};
use keylane::dispatch::selftest::SelfTest;
use keylane::dispatch::table::{POLY1305_PN, POLY1305_X1};
use keylane::job::poly1305::{Blocks, Key, Message, Pn, State, X1};
use std::fs;
use std::path::Path;

/// keylane's slots for one message.
fn ours() -> [Rows; 2] {
    [Rows::new(&POLY1305_X1, x1), Rows::new(&POLY1305_PN, pn)]
}

/// The lab's slots for one message.
fn labs() -> [Rows; 1] {
    [Rows::new(&keylane_lab::table::POLY1305_X1, x1)]
}

/// The lab's rows that run here. All answers are checked.
///
/// # Errors
/// A row gives a wrong answer or fails its self-test.
pub fn lab() -> Result<Vec<Engine>> {
    let mut engines = engines(labs())?;
    engines.iter_mut().for_each(|engine| engine.name = format!("lab {}", engine.name));
    Ok(engines)
}

/// Every row that runs here, first keylane's, then the lab's, with its base and its instructions in the name.
/// All answers are checked.
///
/// # Errors
/// A row gives a wrong answer or fails its self-test, or its source cannot be read.
pub fn table() -> Result<Vec<Engine>> {
    let mut engines = engines(ours().into_iter().chain(labs()))?;
    let infos: Vec<_> = ours().into_iter().chain(labs()).flat_map(|rows| infos(rows.slot)).collect();
    for engine in &mut engines {
        let row = infos.iter().find(|row| row.id == engine.name).context("an engine is named as its row")?;
        let requires: Vec<&str> = row.requires.names().collect();
        let requires = if requires.is_empty() { "baseline".to_owned() } else { requires.join(" ") };
        engine.name = format!("{}, base {}, {requires}", row.id, base(row.id)?);
    }
    Ok(engines)
}

/// The rows that this CPU cannot run.
pub fn absent() -> Vec<Missing> {
    ours().into_iter().chain(labs()).flat_map(|rows| absent_rows(rows.slot)).collect()
}

/// The rows of a slot.
struct Rows {
    slot: &'static dyn AnySlot,
    engines: Box<dyn FnOnce() -> Result<Vec<Engine>>>,
}

impl Rows {
    /// The rows of a slot. `mac` computes a tag by any of them.
    fn new<S: SelfTest>(slot: &'static Slot<S>, mac: Mac<S>) -> Self {
        let engine = move |row: Runnable<S>| Engine::poly1305(row.id(), Side::OurKernel, Row { row, mac });
        Rows { slot, engines: Box::new(move || Ok(rows(slot)?.into_iter().map(engine).collect())) }
    }
}

/// The rows of slots as engines. A row in several slots does the same in all.
fn engines(slots: impl IntoIterator<Item = Rows>) -> Result<Vec<Engine>> {
    let mut engines: Vec<Engine> = Vec::new();
    for rows in slots {
        for engine in (rows.engines)()? {
            engine.check()?;
            if engines.iter().all(|other| other.name != engine.name) {
                engines.push(engine);
            }
        }
    }
    Ok(engines)
}

/// The tag of a message by a row.
type Mac<S> = fn(&Runnable<S>, &[u8; 32], &[u8]) -> [u8; 16];

struct Row<S: SelfTest> {
    row: Runnable<S>,
    mac: Mac<S>,
}

impl<S: SelfTest> Poly1305 for Row<S> {
    type Tag = [u8; 16];

    #[inline(always)]
    fn mac(&self, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        (self.mac)(&self.row, key, message)
    }
}

/// By a row that absorbs block after block.
fn x1(row: &Runnable<X1>, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let mut state = State::new(Key::from_bytes(key));
    let (blocks, tail) = message.as_chunks();
    row.run(Blocks { state: &mut state, blocks, tail });
    state.tag().to_le_bytes()
}

/// By a row that absorbs many blocks at a time.
fn pn(row: &Runnable<Pn>, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let mut tag = 0;
    row.run(Message::Whole { key: &Key::from_bytes(key), message, tag: &mut tag });
    tag.to_le_bytes()
}

/// The folders of kernel sources.
const SOURCES: [&str; 2] = [
    concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/keylane/src/arch"),
    concat!(env!("CARGO_MANIFEST_DIR"), "/lab/src/arch"),
];

/// The base, or radix, of a kernel, according to the head of its source.
fn base(id: &str) -> Result<String> {
    let source = SOURCES.iter().find_map(|folder| find(Path::new(folder), &format!("{id}.rs")));
    let source = source.with_context(|| format!("the source of {id}"))?;
    let head = source.lines().take_while(|line| line.starts_with("//!"));
    let mut said = head.filter_map(|line| ["base ", "radix "].iter().find_map(|word| line.split_once(word)));
    let base = said.next().and_then(|(_, rest)| rest.split([' ', ',', ';', ':', ')', '.']).next());
    Ok(base.with_context(|| format!("the source of {id} does not begin with its base"))?.to_owned())
}

/// The text of a file of that name, anywhere below a folder.
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
