//! keylane itself.

use super::{Engine, KEY, Rounds, Side, SipHash};
use crate::work::Work;
use anyhow::{Result, ensure};
use keylane::kernels::{self, Status};
use keylane::siphash::{self, Key};
use std::sync::OnceLock;

/// A slot of keylane whose kernels are rows of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// One message: the slot of long ones.
    One,
    /// Many messages.
    Many,
}

impl Slot {
    fn name(self) -> &'static str {
        match self {
            Slot::One => "siphash-x1-long",
            Slot::Many => "siphash-xn",
        }
    }
}

/// Slots and the kernels that keylane, or `KEYLANE_KERNEL`, chose for them before any was forced here.
fn chosen() -> &'static [(&'static str, &'static str)] {
    static CHOSEN: OnceLock<Vec<(&str, &str)>> = OnceLock::new();
    let active = || kernels::list().filter(|kernel| kernel.status() == Status::Active);
    CHOSEN.get_or_init(|| active().map(|kernel| (kernel.slot(), kernel.id())).collect())
}

/// keylane as its users get it, then every kernel of the slot that runs here, then, for many
/// messages, the loop over single calls. All answers are checked.
///
/// # Errors
/// A kernel gives a wrong answer or fails its self-test.
pub fn keylane(rounds: Rounds, slot: Slot) -> Result<Vec<Engine>> {
    let chosen = chosen().iter().filter(|(of, _)| *of == slot.name());
    let mut engines: Vec<Engine> =
        chosen.map(|&kernel| engine("keylane", rounds, Side::Ours, Some(kernel))).collect();
    for kernel in kernels::list().filter(|kernel| kernel.slot() == slot.name()) {
        let id = kernel.id();
        ensure!(kernel.status() != Status::FailedSelfTest, "{id} failed its self-test");
        if kernel.status() != Status::NotOnThisCpu {
            engines.push(engine(&format!("keylane {id}"), rounds, Side::OurOther, Some((slot.name(), id))));
        }
    }
    if slot == Slot::Many {
        engines.push(one_by_one(rounds));
    }
    engines.iter().try_for_each(|engine| engine.check(rounds))?;
    Ok(engines)
}

fn engine(name: &str, rounds: Rounds, side: Side, kernel: Option<(&'static str, &'static str)>) -> Engine {
    let key = Key::from_bytes(KEY);
    let work: Box<dyn Work> = match rounds {
        Rounds::R13 => Box::new(Keylane::<1, 3>(siphash::SipHash::new(&key))),
        Rounds::R24 => Box::new(Keylane::<2, 4>(siphash::SipHash::new(&key))),
    };
    Engine { name: name.to_owned(), side, key: KEY, kernel, work }
}

fn one_by_one(rounds: Rounds) -> Engine {
    let key = Key::from_bytes(KEY);
    let work: Box<dyn Work> = match rounds {
        Rounds::R13 => Box::new(OneByOne::<1, 3>(siphash::SipHash::new(&key))),
        Rounds::R24 => Box::new(OneByOne::<2, 4>(siphash::SipHash::new(&key))),
    };
    Engine { name: "keylane one by one".to_owned(), side: Side::OurOther, key: KEY, kernel: None, work }
}

/// keylane with its batch calls.
struct Keylane<const C: usize, const D: usize>(siphash::SipHash<C, D>);

impl<const C: usize, const D: usize> SipHash for Keylane<C, D> {
    #[inline(always)]
    fn hash(&self, message: &[u8]) -> u64 {
        self.0.hash(message)
    }

    #[inline(always)]
    fn hash_array<const N: usize>(&self, message: &[u8; N]) -> u64 {
        self.0.hash_array(message)
    }

    #[inline(always)]
    fn hash_u32(&self, integer: u32) -> u64 {
        self.0.hash_u32(integer)
    }

    #[inline(always)]
    fn hash_u64(&self, integer: u64) -> u64 {
        self.0.hash_u64(integer)
    }

    #[inline(always)]
    fn hash_u128(&self, integer: u128) -> u64 {
        self.0.hash_u128(integer)
    }

    #[inline(always)]
    fn u32s(&self, integers: &[u32], tags: &mut [u64]) {
        self.0.hash_u32s(integers, tags).expect("a tag for each");
    }

    #[inline(always)]
    fn u64s(&self, integers: &[u64], tags: &mut [u64]) {
        self.0.hash_u64s(integers, tags).expect("a tag for each");
    }

    #[inline(always)]
    fn u128s(&self, integers: &[u128], tags: &mut [u64]) {
        self.0.hash_u128s(integers, tags).expect("a tag for each");
    }

    #[inline(always)]
    fn rows16(&self, rows: &[[u8; 16]], tags: &mut [u64]) {
        self.0.hash_rows(rows.as_flattened(), 16, tags).expect("a tag for each");
    }

    #[inline(always)]
    fn offsets(&self, bytes: &[u8], offsets: &[i32], tags: &mut [u64]) {
        self.0.hash_offsets(bytes, offsets, tags).expect("a tag for each, and offsets that rise");
    }
}

/// keylane with a call for each message: what its batches must never be behind.
struct OneByOne<const C: usize, const D: usize>(siphash::SipHash<C, D>);

impl<const C: usize, const D: usize> SipHash for OneByOne<C, D> {
    #[inline(always)]
    fn hash(&self, message: &[u8]) -> u64 {
        self.0.hash(message)
    }

    #[inline(always)]
    fn hash_array<const N: usize>(&self, message: &[u8; N]) -> u64 {
        self.0.hash_array(message)
    }
}
