//! The jobs of kernels: the words of one long message, and a batch of messages.

#![allow(unsafe_code)]

use super::layout::{Layout, Messages};
use super::rounds::Counted;
use super::state::State;
use super::word::{Tags, Word};
use crate::job::kernel::{Kernel, NoSecond, Shape};
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
    type Second = NoSecond;
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
    type Second = Few<W>;

    #[cfg(target_endian = "little")]
    #[inline]
    unsafe fn run(kernel: &Kernel<Self>, mut job: Batch<'_, W>) {
        if let (Some(few), Batch { initial, rounds, fold: false, messages, tags: Tags::Narrow(tags) }) =
            (&kernel.second, &mut job)
            && tags.len() <= FEW
        {
            // SAFETY, for each call: the caller ensures that the CPU has the kernel's features, the one condition of its
            // entrances.
            match *messages {
                Messages::U32s(x) => return unsafe { (few.of_4)(initial, *rounds, u32s(x), tags) },
                Messages::U64s(x) => return unsafe { (few.of_8)(initial, *rounds, u64s(x), tags) },
                Messages::U128s(x) => return unsafe { (few.of_16)(initial, *rounds, u128s(x), tags) },
                Messages::Bytes(Layout::Rows { bytes, width }) => match width {
                    4 => return unsafe { (few.of_4)(initial, *rounds, bytes.as_chunks().0, tags) },
                    8 => return unsafe { (few.of_8)(initial, *rounds, bytes.as_chunks().0, tags) },
                    16 => return unsafe { (few.of_16)(initial, *rounds, bytes.as_chunks().0, tags) },
                    _ => {}
                },
                Messages::Bytes(_) => {}
            }
        }
        // SAFETY: the same.
        unsafe { (kernel.run)(job) }
    }
}

/// The second entrance: at most [`FEW`] messages of 4, 8 or 16 bytes, with tags of one word. A job in memory would cost as
/// much as a third of the rounds of 8 messages.
pub struct Few<W: Word> {
    /// For messages of 4 bytes.
    pub of_4: FewOf<W, 4>,
    /// For messages of 8 bytes.
    pub of_8: FewOf<W, 8>,
    /// For messages of 16 bytes.
    pub of_16: FewOf<W, 16>,
}

/// Sets each tag to that of its message, from the state before the first word. There are as many tags as messages.
pub type FewOf<W, const SIZE: usize> = unsafe fn(&State<W>, Counted, &[[u8; SIZE]], &mut [W]);

impl<W: Word> Clone for Few<W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W: Word> Copy for Few<W> {}

/// How many messages go through the second entrance.
pub const FEW: usize = 64;
