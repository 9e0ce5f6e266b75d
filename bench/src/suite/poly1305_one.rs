//! `poly1305-one`: one message at a time, each under its own key.

use super::{Plan, Show, Table, Task, floors, table};
use crate::engine::Side;
use crate::engine::poly1305::{Engine, absent, lab, one, peers, plain, reading, specification};
use crate::work::one::{MESSAGES, STRIDE};
use crate::work::poly1305::{KEYS, One, Work};
use anyhow::{Result, ensure};
use keylane_measure::data::{Bytes, Random};
use std::cell::OnceCell;
use std::hint::black_box;

const SUITE: &str = "poly1305-one";

/// The length from which `mac` uses a slot, if this program knows it.
#[cfg(feature = "internals")]
const FROM_BYTES: Option<usize> = Some(keylane::job::limits::FROM_BYTES);
#[cfg(not(feature = "internals"))]
const FROM_BYTES: Option<usize> = None;

/// Measures the suite and shows each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn poly1305_one(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let mut engines = one()?;
    engines.extend(lab()?);
    engines.extend(peers(false)?);
    engines.push(reading());
    let longest = plan.packets.iter().max();
    for (title, dependent) in [("independent calls", false), ("dependent calls", true)] {
        if plan.has(title) {
            let cells = plan.packets.iter().map(|len| {
                let has_floor = !dependent && Some(len) == longest;
                Cell {
                    has_floor,
                    has_slot: FROM_BYTES.is_some_and(|long| *len >= long),
                    ..Cell::new(*len, dependent, plan.cycles)
                }
            });
            let table = table(SUITE, None, title, &engines, plan, cells)?;
            show(Table { missing: absent(), ..table })?;
        }
    }
    Ok(())
}

/// From this length on, the products of the blocks are most of the work, so a floor that counts nothing else
/// is meaningful.
const LONG_MESSAGE: usize = 4096;

/// A length of messages.
pub(super) struct Cell {
    len: usize,
    dependent: bool,
    keys: [[u8; 32]; KEYS],
    bytes: Bytes,
    shift: usize,
    /// The number of messages, and how often each is authenticated.
    messages: usize,
    passes: usize,
    has_slot: bool,
    has_floor: bool,
    right: OnceCell<u64>,
}

impl Cell {
    /// A cell without kernels chosen by name and without a floor.
    pub(super) fn new(len: usize, dependent: bool, cycles: usize) -> Self {
        // A call takes roughly 50 cycles, plus one for every four bytes.
        let calls = (cycles / (50 + len / 4)).max(1);
        let messages = calls.min(MESSAGES);
        Cell {
            len,
            dependent,
            keys: keys(KEYS).try_into().expect("as many keys as were asked for"),
            bytes: Bytes::new(MESSAGES * STRIDE + len, 1),
            shift: 0,
            messages,
            passes: calls / messages,
            has_slot: false,
            has_floor: false,
            right: OnceCell::new(),
        }
    }

    fn input(&self) -> One<'_> {
        let (keys, bytes, passes) = (&self.keys, self.bytes.at(self.shift), self.passes);
        if self.dependent {
            One::Dependent { keys, message: &bytes[..self.len], calls: self.messages * passes }
        } else {
            let messages = (0..self.messages).map(|i| &bytes[i * STRIDE..][..self.len]).collect();
            One::Independent { keys, messages, passes }
        }
    }
}

/// `n` keys.
pub(super) fn keys(n: usize) -> Vec<[u8; 32]> {
    Random::new(5).bytes(32 * n).as_chunks().0.to_vec()
}

impl Task<dyn Work> for Cell {
    fn label(&self) -> String {
        self.len.to_string()
    }

    fn messages(&self) -> usize {
        self.messages * self.passes
    }

    fn has_slot(&self) -> bool {
        self.has_slot
    }

    fn has_floor(&self) -> bool {
        self.has_floor
    }

    fn floor(&self) -> Option<f64> {
        (self.len >= LONG_MESSAGE && !self.dependent).then(|| floors::products(self.len)).flatten()
    }

    fn check(&mut self, engine: &Engine) -> Result<()> {
        self.shift = 0;
        let input = self.input();
        let right = match engine.side {
            Side::Floor => plain().one(&input),
            _ => *self.right.get_or_init(|| specification().one(&input)),
        };
        ensure!(engine.work.one(&input) == right, "{}: wrong answers for {}", engine.name, self.len);
        Ok(())
    }

    fn shift(&mut self, shift: usize) {
        self.shift = shift;
    }

    fn work<'a>(&'a mut self, engine: &'a Engine) -> Box<dyn FnMut() + 'a> {
        let input = self.input();
        Box::new(move || {
            black_box(engine.work.one(&input));
        })
    }
}
