//! keylane itself.

use super::{Engine, Form, KEY, Rounds, Side, SipHash, U64s};
use crate::work::{U64Work, Work};
use anyhow::{Result, ensure};
use keylane::halfsiphash::{self, HalfSipHash};
use keylane::kernels::{self, Status};
use keylane::siphash::{self, Key};
use std::sync::OnceLock;

/// keylane's slots whose kernels are timed as separate engines, by task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// One message: the slot for long messages.
    One,
    /// Many messages.
    Many,
    /// Many messages, HalfSipHash.
    HalfMany,
    /// One message, Poly1305.
    Poly1305One,
    /// Many messages, Poly1305.
    Poly1305Many,
    /// One packet, ChaCha20-Poly1305.
    AeadOne,
    /// Many packets, ChaCha20-Poly1305.
    AeadMany,
}

impl Slot {
    fn names(self) -> &'static [&'static str] {
        match self {
            Slot::One => &["siphash-x1-long"],
            Slot::Many => &["siphash-xn"],
            Slot::HalfMany => &["halfsiphash-xn"],
            Slot::Poly1305One => &["poly1305-x1", "poly1305-pn"],
            Slot::Poly1305Many => &["poly1305-xn"],
            Slot::AeadOne => &["chacha20-pn", "chacha20poly1305-pn"],
            Slot::AeadMany => &["chacha20-xn", "poly1305-parts"],
        }
    }

    /// Other slots that the same calls use, or a loop over single messages. They must be restored after other suites.
    fn other_slots(self) -> &'static [&'static str] {
        match self {
            Slot::Poly1305Many | Slot::AeadOne => Slot::Poly1305One.names(),
            Slot::AeadMany => &["chacha20-pn", "chacha20poly1305-pn", "poly1305-x1", "poly1305-pn"],
            _ => &[],
        }
    }
}

/// A kernel that this CPU cannot run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Its label in tables.
    pub name: String,
    /// What the CPU lacks.
    pub features: Vec<&'static str>,
}

/// The kernels of a slot, by its name, that this CPU cannot run.
pub fn missing(slot: &str) -> Vec<Missing> {
    let rows = kernels::list().filter(|kernel| kernel.slot() == slot);
    let missing = rows.filter(|kernel| kernel.status() == Status::NotOnThisCpu);
    missing.map(|kernel| Missing { name: label(kernel.id()), features: kernel.missing().collect() }).collect()
}

/// The label of a kernel chosen by name.
fn label(kernel: &str) -> String {
    format!("keylane {kernel}")
}

/// The slots, and the kernels that keylane or `KEYLANE_KERNEL` chose for them before the bench forced any.
fn chosen() -> &'static [(&'static str, &'static str)] {
    static CHOSEN: OnceLock<Vec<(&str, &str)>> = OnceLock::new();
    let active = || kernels::list().filter(|kernel| kernel.status() == Status::Active);
    CHOSEN.get_or_init(|| active().map(|kernel| (kernel.slot(), kernel.id())).collect())
}

/// Restores keylane's choice of kernels. Every suite begins with this: the previous suite may have forced
/// others, and not all engines force any.
pub fn restore() {
    for (slot, kernel) in chosen() {
        kernels::force(slot, kernel).expect("it was active before");
    }
}

/// keylane as its users get it, then every kernel of the slots that runs here. Other slots use keylane's
/// choice.
pub(super) fn kernels_of<W: ?Sized>(slot: Slot, work: impl Fn() -> Box<W>) -> Result<Vec<Engine<W>>> {
    let forced = |name: &str, side, kernels| Engine { kernels, ..Engine::new(name, side, work()) };
    let is_here = |of: &str| slot.names().contains(&of);
    let is_used = |of: &str| is_here(of) || slot.other_slots().contains(&of);
    let chosen: Vec<_> = chosen().iter().copied().filter(|(of, _)| is_used(of)).collect();
    let mut engines = vec![forced("keylane", Side::Ours, chosen.clone())];
    for kernel in kernels::list().filter(|kernel| is_here(kernel.slot())) {
        let (slot, id) = (kernel.slot(), kernel.id());
        ensure!(kernel.status() != Status::FailedSelfTest, "{id} failed its self-test");
        if kernel.status() == Status::NotOnThisCpu {
            continue;
        }
        // A kernel in several of the slots is one engine, forced in all of them.
        let name = label(id);
        let known = engines.iter().position(|engine| engine.name == name).unwrap_or_else(|| {
            let mut kernels = chosen.clone();
            // In one pass, another row would encrypt most of a long packet.
            let one_pass = kernels.iter_mut().filter(|(of, _)| *of == "chacha20poly1305-pn");
            one_pass.for_each(|of| of.1 = "chacha20_x1");
            engines.push(forced(&name, Side::OurKernel, kernels));
            engines.len() - 1
        });
        engines[known].kernels.iter_mut().filter(|(of, _)| *of == slot).for_each(|of| of.1 = id);
    }
    Ok(engines)
}

/// An engine like keylane itself on a CPU whose features have no name with that beginning: every slot has its best row
/// among the others. `None` if this CPU has none of them.
#[cfg(feature = "aead")]
pub(super) fn without<W: ?Sized>(
    features: &str,
    engine: Engine<W>,
    engines: &[Engine<W>],
) -> Option<Engine<W>> {
    let ours = engines.iter().find(|engine| engine.side == Side::Ours)?;
    let best = |slot: &str| {
        let mut rows = kernels::list().filter(|kernel| {
            let needs = kernel.requires().any(|name| name.starts_with(features));
            kernel.slot() == slot && kernel.status() != Status::NotOnThisCpu && !needs
        });
        rows.next().map(|kernel| kernel.id())
    };
    let kernels =
        ours.kernels.iter().map(|&(slot, _)| Some((slot, best(slot)?))).collect::<Option<Vec<_>>>()?;
    (kernels != ours.kernels).then_some(Engine { kernels, ..engine })
}

/// keylane as its users get it, and every kernel of the slot that runs here. Also other forms that a user could choose:
/// with case folding and, for many messages, as slices and as a loop over single calls. All answers are checked.
///
/// # Errors
/// A kernel gives a wrong answer or fails its self-test.
pub fn keylane(rounds: Rounds, slot: Slot) -> Result<Vec<Engine>> {
    let mut engines = match rounds {
        Rounds::R12 => forms::<1, 2>(slot),
        Rounds::R13 => forms::<1, 3>(slot),
        Rounds::R24 => forms::<2, 4>(slot),
    }?;
    settle(&mut engines);
    engines.iter().try_for_each(|engine| engine.check(rounds))?;
    Ok(engines)
}

/// Makes engines that force nothing run on keylane's choice of kernels, like keylane itself.
pub(super) fn settle<W: ?Sized>(engines: &mut [Engine<W>]) {
    let ours = engines.iter().find(|engine| engine.side == Side::Ours);
    let chosen = ours.map_or(vec![], |engine| engine.kernels.clone());
    let free = engines.iter_mut().filter(|engine| engine.kernels.is_empty());
    free.for_each(|engine| engine.kernels.clone_from(&chosen));
}

fn forms<const C: usize, const D: usize>(slot: Slot) -> Result<Vec<Engine>> {
    let hash = || siphash::SipHash::<C, D>::new(&Key::from_bytes(KEY));
    let mut engines = kernels_of(slot, || -> Box<dyn Work> { Box::new(Keylane(hash())) })?;
    let form =
        |name: &str, form, work: Box<dyn Work>| Engine { form, ..Engine::new(name, Side::OurOther, work) };
    engines.push(form("keylane nocase", Form::Folded, Box::new(Folded(hash()))));
    if slot == Slot::Many {
        engines.push(form("keylane hash_many", Form::Slices, Box::new(Keylane(hash()))));
        engines.push(form("keylane one by one", Form::Exact, Box::new(OneByOne(hash()))));
    }
    Ok(engines)
}

/// keylane's SipHash with 128-bit tags, and every kernel of its slot that runs here.
///
/// # Errors
/// A kernel fails its self-test.
pub fn double(rounds: Rounds) -> Result<Vec<Engine<dyn U64Work<u128>>>> {
    fn work<const C: usize, const D: usize>() -> Box<dyn U64Work<u128>> {
        Box::new(Double(siphash::SipHash::<C, D, u128>::new(&Key::from_bytes(KEY))))
    }
    kernels_of(
        Slot::Many,
        match rounds {
            Rounds::R12 => work::<1, 2>,
            Rounds::R13 => work::<1, 3>,
            Rounds::R24 => work::<2, 4>,
        },
    )
}

/// keylane's HalfSipHash, under the first half of the key, and every kernel of its slot that runs here.
///
/// # Errors
/// A kernel fails its self-test.
pub fn half(rounds: Rounds) -> Result<Vec<Engine<dyn U64Work<u32>>>> {
    fn work<const C: usize, const D: usize>() -> Box<dyn U64Work<u32>> {
        let (key, _) = KEY.split_first_chunk().expect("8 bytes of 16");
        Box::new(Half(HalfSipHash::<C, D>::new(&halfsiphash::Key::from_bytes(*key))))
    }
    kernels_of(
        Slot::HalfMany,
        match rounds {
            Rounds::R12 => work::<1, 2>,
            Rounds::R13 => work::<1, 3>,
            Rounds::R24 => work::<2, 4>,
        },
    )
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

    #[inline(always)]
    fn views(&self, views: &[[u8; 16]], buffers: &[&[u8]], tags: &mut [u64]) {
        self.0.hash_views(views, buffers, tags).expect("a tag for each, and good views");
    }

    #[inline(always)]
    fn slices(&self, messages: &[&[u8]], tags: &mut [u64]) {
        self.0.hash_many(messages, tags).expect("a tag for each");
    }
}

/// keylane with case folding.
struct Folded<const C: usize, const D: usize>(siphash::SipHash<C, D>);

impl<const C: usize, const D: usize> SipHash for Folded<C, D> {
    #[inline(always)]
    fn hash(&self, message: &[u8]) -> u64 {
        self.0.hash_nocase(message)
    }

    #[inline(always)]
    fn rows16(&self, rows: &[[u8; 16]], tags: &mut [u64]) {
        self.0.hash_rows_nocase(rows.as_flattened(), 16, tags).expect("a tag for each");
    }

    #[inline(always)]
    fn offsets(&self, bytes: &[u8], offsets: &[i32], tags: &mut [u64]) {
        self.0.hash_offsets_nocase(bytes, offsets, tags).expect("a tag for each, and offsets that rise");
    }

    #[inline(always)]
    fn views(&self, views: &[[u8; 16]], buffers: &[&[u8]], tags: &mut [u64]) {
        self.0.hash_views_nocase(views, buffers, tags).expect("a tag for each, and good views");
    }
}

/// keylane with 128-bit tags.
struct Double<const C: usize, const D: usize>(siphash::SipHash<C, D, u128>);

impl<const C: usize, const D: usize> U64s<u128> for Double<C, D> {
    #[inline(always)]
    fn u64s(&self, integers: &[u64], tags: &mut [u128]) {
        self.0.hash_u64s(integers, tags).expect("a tag for each");
    }
}

/// keylane's HalfSipHash.
struct Half<const C: usize, const D: usize>(HalfSipHash<C, D>);

impl<const C: usize, const D: usize> U64s<u32> for Half<C, D> {
    #[inline(always)]
    fn u64s(&self, integers: &[u64], tags: &mut [u32]) {
        self.0.hash_u64s(integers, tags).expect("a tag for each");
    }
}

/// keylane with a call for each message. Its batches must never be slower.
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
