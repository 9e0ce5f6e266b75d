//! `aead-one` and `aead-many`: ChaCha20-Poly1305 of one packet at a time, and of many in one call.

use super::{Plan, Show, Task, table};
use crate::engine::aead::{Engine, KEY, many, one, peers};
use crate::work::aead::{Packets, Work};
use anyhow::{Result, ensure};
use keylane_measure::data::{Random, SHIFTS};
use std::cell::OnceCell;
use std::iter::zip;
use std::ops::{Range, RangeInclusive};

/// The lengths of packets.
pub(super) const LENGTHS: [usize; 8] = [64, 128, 256, 512, 1024, 1420, 4096, 16384];

/// The lengths of mixed packets, and of packets in memory.
const MIXED: RangeInclusive<usize> = 40..=1420;
const IN_MEMORY: [usize; 4] = [64, 512, 1420, 4096];

/// Packets in a call.
const SIZES: [usize; 3] = [8, 16, 64];

/// The associated data of every packet: about as long as a header of QUIC.
const AAD: [u8; 16] = *b"header of packet";

/// The most bytes of single packets, which stay in the first two levels of the caches.
const FEW_BYTES: usize = 128 << 10;

/// The bytes of mixed packets: too many packets for a branch predictor to learn their lengths, but they fit in a core's
/// private cache.
const MIXED_BYTES: usize = 512 << 10;

/// More than all caches hold that a core has or shares.
const MEMORY_BYTES: usize = 64 << 20;

/// The parts of these bytes, more than there are samples in a round. Each sample takes another one, once: no cache has it,
/// and its packets are as the round began.
const PARTS: usize = 64;

/// What a call does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Seal,
    Open,
}

/// Measures `aead-one` and shows each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn aead_one(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let mut engines = one()?;
    engines.extend(peers()?);
    for (title, direction) in [("sealed, by length", Direction::Seal), ("opened, by length", Direction::Open)]
    {
        if plan.has(title) {
            let cells = LENGTHS.map(|len| {
                let count = (FEW_BYTES / len).clamp(1, 64);
                Cell::new(direction, 1, count, len..=len, plan.cycles)
            });
            show(table("aead-one", None, title, &engines, plan, cells)?)?;
        }
    }
    Ok(())
}

/// Measures `aead-many` and shows each table when it is complete.
///
/// # Errors
/// An engine gives a wrong answer, or `show` fails.
pub fn aead_many(plan: &Plan, show: &mut Show<'_>) -> Result<()> {
    let mut engines = many()?;
    engines.extend(peers()?);
    for (verb, direction) in [("sealed", Direction::Seal), ("opened", Direction::Open)] {
        for size in SIZES {
            let title = format!("{verb}, {size} packets in a call, by their lengths");
            if plan.has(&title) {
                let calls = MIXED_BYTES / (MIXED.start() + MIXED.end()) * 2 / size;
                let mixed = (size * calls, MIXED);
                let cells = LENGTHS.map(|len| (size, len..=len)).into_iter().chain([mixed]);
                let cells =
                    cells.map(|(count, lengths)| Cell::new(direction, size, count, lengths, plan.cycles));
                show(table("aead-many", None, &title, &engines, plan, cells)?)?;
            }
        }
        let title = format!("{verb}, 64 packets in a call, from memory, by their lengths");
        if plan.from_memory && plan.has(&title) {
            let cells = IN_MEMORY.map(|len| {
                let count = (MEMORY_BYTES / PARTS / len).next_multiple_of(64) * PARTS;
                Cell { parts: PARTS, passes: 1, ..Cell::new(direction, 64, count, len..=len, plan.cycles) }
            });
            show(table("aead-many", None, &title, &engines, plan, cells)?)?;
        }
    }
    Ok(())
}

/// `count` different nonces.
pub(super) fn nonces(count: usize) -> Vec<[u8; 12]> {
    Random::new(6).bytes(12 * count).as_chunks().0.to_vec()
}

/// Lengths of packets.
struct Cell {
    direction: Direction,
    /// Packets in a call.
    size: usize,
    lengths: RangeInclusive<usize>,
    nonces: Vec<[u8; 12]>,
    /// The length of each packet.
    lens: Vec<usize>,
    /// All plaintexts, one after the other.
    text: Vec<u8>,
    /// Where the packets are.
    bytes: Vec<u8>,
    shift: usize,
    tags: Vec<[u8; 16]>,
    others: Vec<[u8; 16]>,
    passes: usize,
    /// How many samples take all packets.
    parts: usize,
    /// The part of the next sample.
    part: usize,
    right: OnceCell<Right>,
}

/// The specification's answers.
struct Right {
    /// The ciphertexts, one after the other, and their tags.
    ciphertext: Vec<u8>,
    tags: Vec<[u8; 16]>,
    /// The tags of the plaintexts, taken for ciphertexts.
    others: Vec<[u8; 16]>,
}

impl Cell {
    /// A cell of `count` packets with samples of about `cycles` cycles.
    fn new(
        direction: Direction,
        size: usize,
        count: usize,
        lengths: RangeInclusive<usize>,
        cycles: usize,
    ) -> Self {
        let mut random = Random::new(4);
        let lens: Vec<usize> = (0..count).map(|_| random.within(lengths.clone())).collect();
        let bytes: usize = lens.iter().sum();
        // A packet takes roughly 300 cycles, plus one for each byte. The number of passes is even, so that opened packets
        // are ciphertexts again.
        let passes = (cycles / (300 * count + bytes)).next_multiple_of(2).max(2);
        Cell {
            direction,
            size,
            lengths,
            nonces: nonces(count),
            lens,
            text: random.bytes(bytes),
            bytes: vec![0; bytes + SHIFTS],
            shift: 0,
            tags: vec![[0; 16]; count],
            others: vec![[0; 16]; count],
            passes,
            parts: 1,
            part: 0,
            right: OnceCell::new(),
        }
    }

    fn right(&self) -> &Right {
        self.right.get_or_init(|| {
            let (mut ciphertext, mut tags, mut others) = (Vec::new(), Vec::new(), Vec::new());
            let mut rest = &*self.text;
            for (nonce, &len) in zip(&self.nonces, &self.lens) {
                let (text, after) = rest.split_at(len);
                rest = after;
                let (data, tag) = keylane_ref::chacha20_poly1305(&KEY, nonce, &AAD, text);
                ciphertext.extend(data);
                tags.push(tag);
                others.push(keylane_ref::chacha20_poly1305_tag(&KEY, nonce, &AAD, text));
            }
            Right { ciphertext, tags, others }
        })
    }

    /// Puts what a sample begins with in its place.
    fn reset(&mut self) {
        let Right { ciphertext, tags, others } = self.right();
        let (ciphertext, tags, others) = match self.direction {
            Direction::Seal => (self.text.clone(), vec![[0; 16]; tags.len()], others.clone()),
            Direction::Open => (ciphertext.clone(), tags.clone(), others.clone()),
        };
        self.bytes[self.shift..][..ciphertext.len()].copy_from_slice(&ciphertext);
        (self.tags, self.others) = (tags, others);
    }

    /// What stands in the place of the packets.
    fn data(&self) -> &[u8] {
        &self.bytes[self.shift..][..self.text.len()]
    }

    /// The work of an engine with some of the packets, and whether all of them opened.
    fn run<'a>(
        &'a mut self,
        engine: &'a Engine,
        which: Range<usize>,
        passes: usize,
    ) -> impl FnMut() -> bool + 'a {
        let Cell { direction, size, nonces, lens, bytes, shift, tags, others, .. } = self;
        let before: usize = lens[..which.start].iter().sum();
        let mut rest = &mut bytes[*shift + before..];
        let lens = &lens[which.clone()];
        let (nonces, tags, others) = (&nonces[which.clone()], &mut tags[which.clone()], &mut others[which]);
        let mut data: Vec<&mut [u8]> = Vec::with_capacity(lens.len());
        for &len in lens {
            let (packet, after) = rest.split_at_mut(len);
            data.push(packet);
            rest = after;
        }
        move || {
            let packets = Packets { nonces, aad: &AAD, data: &mut data, tags: &mut *tags };
            match direction {
                Direction::Seal => {
                    engine.work.seal(packets, *size, passes);
                    true
                }
                Direction::Open => engine.work.open(packets, others, *size, passes),
            }
        }
    }
}

impl Task<dyn Work> for Cell {
    fn label(&self) -> String {
        let (least, most) = (self.lengths.start(), self.lengths.end());
        if least == most { least.to_string() } else { format!("{least}..{most}") }
    }

    fn messages(&self) -> usize {
        self.passes * self.nonces.len() / self.parts
    }

    fn has_slot(&self) -> bool {
        true
    }

    fn check(&mut self, engine: &Engine) -> Result<()> {
        self.shift = 0;
        self.reset();
        let all = 0..self.nonces.len();
        let is_good = self.run(engine, all.clone(), 1)();
        let is_right = match self.direction {
            Direction::Seal => self.data() == self.right().ciphertext && self.tags == self.right().tags,
            Direction::Open => self.data() == self.text,
        };
        ensure!(is_good && is_right, "{}: wrong answers for {}", engine.name, self.label());
        // Twice as many passes give the beginning back.
        self.reset();
        let is_good = self.run(engine, all, 2)();
        let is_right = self.direction == Direction::Seal || self.data() == self.right().ciphertext;
        ensure!(is_good && is_right, "{}: wrong answers to {} twice", engine.name, self.label());
        Ok(())
    }

    fn shift(&mut self, shift: usize) {
        self.shift = shift;
        self.part = 0;
        self.reset();
    }

    fn work<'a>(&'a mut self, engine: &'a Engine) -> Box<dyn FnMut() + 'a> {
        let size = self.nonces.len() / self.parts;
        let start = self.part * size;
        self.part = (self.part + 1) % self.parts;
        let passes = self.passes;
        let mut run = self.run(engine, start..start + size, passes);
        Box::new(move || assert!(run(), "a genuine packet did not open"))
    }
}
