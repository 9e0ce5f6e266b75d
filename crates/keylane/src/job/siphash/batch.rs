//! The jobs of kernels: the words of one long message, and a batch of messages.

use super::layout::Messages;
use super::rounds::Counted;
use super::state::State;
use super::word::{Tags, Word};
use crate::job::kernel::Shape;

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
}
