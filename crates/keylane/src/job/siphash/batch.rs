//! The jobs of kernels: the words of one long message, and a batch of messages.

#![allow(unsafe_code)]

use super::layout::{Layout, Messages};
use super::rounds::Counted;
use super::state::State;
use super::word::{Tags, Word};
use crate::job::kernel::{Kernel, NoRegisterEntry, Shape};
#[cfg(target_endian = "little")]
use crate::job::plain::{u32s, u64s, u128s};

/// SipHash of the whole words of one long message.
pub struct X1Long;

/// The job of [`X1Long`]: absorb `words` into `state`.
pub struct Long<'a> {
    /// The state before and after.
    pub state: &'a mut State<u64>,
    /// Only `c` matters here.
    pub rounds: Counted,
    /// Whether ASCII capitals are folded.
    pub fold: bool,
    /// The words in memory order.
    pub words: &'a [[u8; 8]],
}

impl Shape for X1Long {
    const SLOT: &'static str = "siphash-x1-long";
    type Job<'a> = Long<'a>;
    type RegisterEntry = NoRegisterEntry;
}

/// SipHash (`u64`) or HalfSipHash (`u32`) of many messages under one key.
pub struct Xn<W>(core::marker::PhantomData<fn() -> W>);

/// The job of [`Xn`]. The caller has checked that there are as many tags as messages, and that every message lies
/// inside its bytes.
pub struct Batch<'a, W: Word> {
    /// The state before the first word of each message.
    pub initial: &'a State<W>,
    /// The rounds.
    pub rounds: Counted,
    /// Whether ASCII capitals are folded. Never for integers.
    pub fold: bool,
    /// The messages.
    pub messages: Messages<'a>,
    /// Where the tags go.
    pub tags: Tags<'a, W>,
}

impl<W: Word> Shape for Xn<W> {
    const SLOT: &'static str = W::XN;
    type Job<'a> = Batch<'a, W>;
    type RegisterEntry = SmallBatch<W>;

    #[cfg(target_endian = "little")]
    #[inline]
    unsafe fn run(kernel: &Kernel<Self>, mut job: Batch<'_, W>) {
        if let (Some(entry), Batch { initial, rounds, fold: false, messages, tags: Tags::Single(tags) }) =
            (&kernel.register_entry, &mut job)
            && tags.len() <= SMALL_BATCH
        {
            match Integers::of(messages) {
                // SAFETY: the caller ensures that the CPU has the kernel's features, the one condition of its entries.
                Some(Integers::Of4(x)) => return unsafe { (entry.of_4)(initial, *rounds, x, tags) },
                // SAFETY: the same.
                Some(Integers::Of8(x)) => return unsafe { (entry.of_8)(initial, *rounds, x, tags) },
                // SAFETY: the same.
                Some(Integers::Of16(x)) => return unsafe { (entry.of_16)(initial, *rounds, x, tags) },
                None => {}
            }
        }
        // SAFETY: the same.
        unsafe { (kernel.run)(job) }
    }
}

/// Messages of an integer's width, as their bytes.
#[cfg(target_endian = "little")]
enum Integers<'a> {
    Of4(&'a [[u8; 4]]),
    Of8(&'a [[u8; 8]]),
    Of16(&'a [[u8; 16]]),
}

#[cfg(target_endian = "little")]
impl<'a> Integers<'a> {
    #[inline(always)]
    fn of(messages: &Messages<'a>) -> Option<Self> {
        match *messages {
            Messages::U32s(x) => Some(Integers::Of4(u32s(x))),
            Messages::U64s(x) => Some(Integers::Of8(u64s(x))),
            Messages::U128s(x) => Some(Integers::Of16(u128s(x))),
            Messages::Bytes(Layout::Rows { bytes, width: 4 }) => Some(Integers::Of4(bytes.as_chunks().0)),
            Messages::Bytes(Layout::Rows { bytes, width: 8 }) => Some(Integers::Of8(bytes.as_chunks().0)),
            Messages::Bytes(Layout::Rows { bytes, width: 16 }) => Some(Integers::Of16(bytes.as_chunks().0)),
            Messages::Bytes(_) => None,
        }
    }
}

/// The register entry: at most 64 messages of 4, 8 or 16 bytes, with tags of one word. A job in memory would cost as
/// much as a third of the rounds of 8 messages.
pub struct SmallBatch<W: Word> {
    /// For messages of 4 bytes.
    pub of_4: SmallBatchOf<W, 4>,
    /// For messages of 8 bytes.
    pub of_8: SmallBatchOf<W, 8>,
    /// For messages of 16 bytes.
    pub of_16: SmallBatchOf<W, 16>,
}

/// Sets each tag to that of its message, from the state before the first word. There are as many tags as messages.
pub type SmallBatchOf<W, const SIZE: usize> = unsafe fn(&State<W>, Counted, &[[u8; SIZE]], &mut [W]);

impl<W: Word> Clone for SmallBatch<W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W: Word> Copy for SmallBatch<W> {}

/// How many messages go through the register entry.
pub const SMALL_BATCH: usize = 64;
