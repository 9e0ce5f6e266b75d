//! Poly1305 below the API: the key, the canonical state, and the jobs of kernels.
//!
//! Let p = 2^130 - 5. A key is 16 bytes r (some bits cleared) and 16 bytes s, both little-endian numbers. The tag of
//! the blocks m1, m2, ..., mk is (RFC 8439, section 2.5)
//!
//! ```text
//! ((...((m1 r + m2) r + m3) r + ... + mk) r mod p) + s mod 2^128
//! ```
//!
//! A block counts as its bytes followed by one byte 1: 2^128 more for 16 bytes.
//!
//! Between jobs the accumulator is in base 2^64, whatever base a kernel works in. So any kernel can continue a message
//! that another has begun.

#![allow(unsafe_code)]

pub mod key;

use crate::job::barrier::in_memory;
use crate::job::buffer::LeInt;
use crate::job::kernel::{Kernel, NoRegisterEntry, Shape};
use crate::job::wipe::wipe;
pub use key::Key;

impl Key {
    /// A copy, read word by word. The words may have just been stored, and a load that spans two recent stores cannot be
    /// forwarded, so it stalls.
    #[inline(always)]
    pub fn in_words(&self) -> Key {
        let Key { r: [r0, r1], s: [s0, s1] } = in_memory(self);
        Key { r: [*in_memory(r0), *in_memory(r1)], s: [*in_memory(s0), *in_memory(s1)] }
    }

    /// Overwrites the key with zeros.
    #[inline]
    pub fn wipe(&mut self) {
        wipe(self);
    }
}

/// The canonical state: the accumulator and the key.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct State {
    /// The accumulator in base 2^64, below 2^131: h2 is at most 7.
    pub h: [u64; 3],
    /// The key.
    pub key: Key,
}

impl State {
    /// The state before the first block.
    #[inline(always)]
    pub fn new(key: Key) -> State {
        State { h: [0; 3], key }
    }

    /// The tag, if the message ends here.
    #[inline(always)]
    pub fn tag(&self) -> u128 {
        tag(self.h, self.key.s)
    }

    /// Overwrites the state with zeros.
    #[inline]
    pub fn wipe(&mut self) {
        wipe(&mut self.h);
        self.key.wipe();
    }
}

/// (h mod p) + s mod 2^128, for any h in base 2^64 with a highest word below 2^60.
#[inline(always)]
pub fn tag([h0, h1, h2]: [u64; 3], [s0, s1]: [u64; 2]) -> u128 {
    let low = u128::from(h0) | u128::from(h1) << 64;
    let s = u128::from(s0) | u128::from(s1) << 64;
    // Let q = h / p, rounded down. Then h - q p = h + 5 q - 2^130 q, and 2^130 q vanishes modulo 2^128. Let e = h /
    // 2^130, rounded down. Then h - e p lies in [0, 2p), so q is e or e + 1. It is e + 1 if h + 5 (e + 1) reaches 2^130
    // (e + 1).
    let (_, carry) = low.overflowing_add(u128::from(5 * ((h2 >> 2) + 1)));
    let q = (h2 + u64::from(carry)) >> 2;
    low.wrapping_add(u128::from(5 * q)).wrapping_add(s)
}

/// The last block of a message whose length is no multiple of 16, as a number: its bytes, then a byte 1.
///
/// It is computed in words, since a shift of a `u128` by a number in a register costs some ten operations. The shift
/// that moves the last word's bytes down also brings the byte 1 in from above.
#[inline(always)]
pub fn last_block(message: &[u8]) -> u128 {
    let len = message.len();
    let Some(&last) = message.last_chunk::<8>() else {
        return u128::from(1u64.put_above(u64::from_short(message), len));
    };
    // By 1 and then by 63 - 8 len % 64: a shift by 64 is not defined.
    let word = (u64::from_le_bytes(last) >> 1 | 1 << 63).wrapping_shr(!(len as u32).wrapping_mul(8));
    if len & 8 == 0 {
        return u128::from(word);
    }
    let (words, _) = message.as_chunks::<8>();
    let before = words.last().map_or(0, |&word| u64::from_le_bytes(word));
    u128::from(before) | u128::from(word) << 64
}

/// Poly1305 of one message, block by block.
pub struct X1;

/// The job of [`X1`]: absorb `blocks`, then `tail` as the last block unless it is empty.
pub struct Blocks<'a> {
    /// The state before and after.
    pub state: &'a mut State,
    /// Whole blocks.
    pub blocks: &'a [[u8; 16]],
    /// The message's last bytes: fewer than 16.
    pub tail: &'a [u8],
}

impl Shape for X1 {
    const SLOT: &'static str = "poly1305-x1";
    type Job<'a> = Blocks<'a>;
    type RegisterEntry = NoRegisterEntry;
}

/// Poly1305 of one message, many blocks at a time.
pub struct Pn;

/// The job of [`Pn`].
pub enum Message<'a> {
    /// A whole message, of any length.
    Whole {
        /// The key.
        key: &'a Key,
        /// The message.
        message: &'a [u8],
        /// Where the tag goes, as a number.
        tag: &'a mut u128,
    },
    /// Blocks in the middle of a message.
    Piece {
        /// The state before and after.
        state: &'a mut State,
        /// What a kernel keeps between the pieces of a message.
        powers: &'a mut Powers,
        /// Whole blocks, any number of them.
        blocks: &'a [[u8; 16]],
    },
}

impl Shape for Pn {
    const SLOT: &'static str = "poly1305-pn";
    type Job<'a> = Message<'a>;
    type RegisterEntry = Mac;

    #[inline]
    unsafe fn run(kernel: &Kernel<Pn>, job: Message<'_>) {
        match (kernel.register_entry, job) {
            (Some(mac), Message::Whole { key, message, tag }) => {
                let Key { r: [r0, r1], s: [s0, s1] } = key.in_words();
                // SAFETY: the caller ensures that the CPU has the kernel's features, the one condition of its entries.
                *tag = unsafe { mac(r0, r1, s0, s1, message) };
            }
            // SAFETY: the same.
            (_, job) => unsafe { (kernel.run)(job) },
        }
    }
}

/// Computes the tag of a message, with both words of r and of s in registers. A key in memory costs 20 cycles: its words
/// have just been stored, and the next call's stores wait behind this one's.
pub type Mac = unsafe fn(u64, u64, u64, u64, &[u8]) -> u128;

/// Powers of r, computed once for a message that comes in pieces. Each kernel stores them in its own base, and computes
/// them again if it finds another kernel's.
pub enum Powers {
    /// Not computed.
    Unknown,
    /// Base 2^44, for turns of one and two groups of blocks: enough for a short piece.
    Pair44(Pair<3>),
    /// Base 2^44, for Karatsuba's method with up to 16 groups.
    Base44(Table<3, 6, 16>),
    /// Base 2^26, for up to 4 steps.
    Base26(Table<5, 15, 4>),
}

/// Powers of r of `L` limbs, for vectors of n blocks.
#[derive(Clone, Copy)]
pub struct Pair<const L: usize> {
    /// n.
    pub lanes: usize,
    /// The same as in [`Table`].
    pub lane: [[u64; 8]; L],
    /// r^n.
    pub one: [u64; L],
    /// r^2n.
    pub two: [u64; L],
}

impl<const L: usize> Pair<L> {
    fn wipe(&mut self) {
        wipe(&mut self.lane);
        wipe(&mut self.one);
        wipe(&mut self.two);
    }
}

/// Powers of r of `L` limbs, for vectors of n blocks and turns of many groups.
#[derive(Clone, Copy)]
pub struct Table<const L: usize, const M: usize, const G: usize> {
    /// n.
    pub lanes: usize,
    /// r^n, ..., r^2, r, limb by limb, in the order of the lanes that they are multiplied with.
    pub lane: [[u64; 8]; L],
    /// r^n, r^2n, ..., r^Gn: the `M` multipliers of Karatsuba's method, which are limbs and sums of two limbs.
    pub step: [[u64; G]; M],
}

impl Powers {
    /// Whether no power is known.
    #[inline(always)]
    pub fn are_unknown(&self) -> bool {
        matches!(self, Powers::Unknown)
    }

    /// Overwrites the powers with zeros.
    #[inline]
    pub fn wipe(&mut self) {
        match self {
            Powers::Unknown => {}
            Powers::Pair44(pair) => pair.wipe(),
            Powers::Base44(table) => table.wipe(),
            Powers::Base26(table) => table.wipe(),
        }
    }
}

impl<const L: usize, const M: usize, const G: usize> Table<L, M, G> {
    fn wipe(&mut self) {
        wipe(&mut self.lane);
        wipe(&mut self.step);
    }
}

/// Poly1305 of many messages, each under its own key. The unit of a row's `from` is a byte of each of at least as many
/// messages of one length as there are lanes.
pub struct Xn;

/// The job of [`Xn`]: as many keys and tags as messages.
pub struct Batch<'a> {
    /// One key for each message.
    pub keys: &'a [Key],
    /// The messages.
    pub messages: &'a [&'a [u8]],
    /// Where the tags go.
    pub tags: &'a mut [[u8; 16]],
}

impl Shape for Xn {
    const SLOT: &'static str = "poly1305-xn";
    type Job<'a> = Batch<'a>;
    type RegisterEntry = NoRegisterEntry;
}

/// Poly1305 of many packets as ChaCha20-Poly1305 has them, each under its own key. The unit of a row's `from` is a packet.
pub struct Parts;

/// The job of [`Parts`]: as many keys and tags as packets.
pub struct Packets<'a> {
    /// One key for each packet.
    pub keys: &'a [Key],
    /// AAD and ciphertext of each. The message is both, each padded with zeros to whole blocks, and a block of their
    /// lengths.
    pub packets: &'a [[&'a [u8]; 2]],
    /// Where the tags go.
    pub tags: &'a mut [[u8; 16]],
}

impl Shape for Parts {
    const SLOT: &'static str = "poly1305-parts";
    type Job<'a> = Packets<'a>;
    type RegisterEntry = NoRegisterEntry;
}
