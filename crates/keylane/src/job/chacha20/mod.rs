//! ChaCha20 below the API: the key, a run of its key stream, and the jobs of kernels.
//!
//! A block of key stream has 64 bytes. Its input is 16 words (RFC 8439, section 2.3): four constants, eight words of the
//! key, the block's number, and three words of the nonce. Ten double rounds mix them, and the input is added to the
//! result.
//!
//! A [`Run`] is consecutive blocks of one message. One kind of run does everything that ChaCha20-Poly1305 needs. To seal,
//! it begins with block 0, whose first half is Poly1305's key. To open, a first run has that block, and another run the
//! blocks from 1 on. A [`Seal`] does both halves of ChaCha20-Poly1305 in one pass.

pub mod text;

use crate::job::kernel::{NoRegisterEntry, Shape};
use crate::job::poly1305;
use crate::job::wipe::wipe;
pub use text::Text;

/// "expand 32-byte k".
pub const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// A key, as words.
#[derive(Clone, Copy)]
pub struct Key(pub [u32; 8]);

impl Key {
    /// Reads the words of a key.
    #[inline]
    pub fn from_bytes(bytes: &[u8; 32]) -> Key {
        Key(words(bytes))
    }

    /// The key of the XChaCha20 messages whose nonces begin with these words (HChaCha20), from a block of key stream: that
    /// whose number is the first word, and whose nonce is the others. HChaCha20 lacks the addition at the end of a block,
    /// so this takes the input away again.
    #[inline]
    pub fn of_block(block: &[u8; 64], [n0, n1, n2, n3]: [u32; 4]) -> Key {
        let [w0, w1, w2, w3, .., w12, w13, w14, w15] = words::<16>(block);
        let [c0, c1, c2, c3] = CONSTANTS;
        let sums = [w0, w1, w2, w3, w12, w13, w14, w15];
        let mut key = [c0, c1, c2, c3, n0, n1, n2, n3];
        for (word, sum) in key.iter_mut().zip(sums) {
            *word = sum.wrapping_sub(*word);
        }
        Key(key)
    }

    /// Overwrites the key with zeros.
    #[inline]
    pub fn wipe(&mut self) {
        wipe(&mut self.0);
    }
}

/// The first words of some bytes, and zeros for words that they lack.
#[inline(always)]
pub fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    let mut words = [0; N];
    for (word, &bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(bytes);
    }
    words
}

/// Consecutive blocks of the key stream of one message.
pub struct Run<'a> {
    /// The nonce.
    pub nonce: [u32; 3],
    /// The number of the first block.
    pub counter: u32,
    /// Where the one-time key goes, which is the first half of the first block. The text then begins with the second
    /// block; with `None` it begins with the first.
    pub one_time: Option<&'a mut poly1305::Key>,
    /// What is encrypted or decrypted.
    pub text: Text<'a>,
}

impl Run<'_> {
    /// No block.
    pub const NOTHING: Self = Run { nonce: [0; 3], counter: 0, one_time: None, text: Text::EMPTY };

    /// How many blocks the run needs.
    #[inline(always)]
    pub fn blocks(&self) -> usize {
        usize::from(self.one_time.is_some()) + self.text.left().div_ceil(64)
    }
}

/// ChaCha20 of one message.
pub struct Pn;

/// The job of [`Pn`].
pub struct Stream<'a> {
    /// The key.
    pub key: &'a Key,
    /// Its blocks.
    pub run: Run<'a>,
}

impl Shape for Pn {
    const SLOT: &'static str = "chacha20-pn";
    type Job<'a> = Stream<'a>;
    type RegisterEntry = NoRegisterEntry;
}

/// ChaCha20 of one packet, and Poly1305 of its ciphertext beside it. The unit of a row's `from` is a byte.
pub struct Sealing;

/// The job of [`Sealing`]. A row encrypts and absorbs as many blocks as suit it, and says how far it came.
pub struct Seal<'a> {
    /// The key.
    pub key: &'a Key,
    /// The nonce.
    pub nonce: [u32; 3],
    /// The plaintext, unless it is in the destination.
    pub source: Option<&'a [u8]>,
    /// Where the ciphertext goes.
    pub destination: &'a mut [u8],
    /// How many bytes of the destination are encrypted: a multiple of 64.
    pub encrypted: &'a mut usize,
    /// How many bytes of it are absorbed: a multiple of 16, at most as many.
    pub absorbed: &'a mut usize,
    /// Poly1305 of AAD and ciphertext.
    pub state: &'a mut poly1305::State,
}

impl Shape for Sealing {
    const SLOT: &'static str = "chacha20poly1305-pn";
    type Job<'a> = Seal<'a>;
    type RegisterEntry = NoRegisterEntry;
}

/// ChaCha20 of many messages.
pub struct Xn;

/// The job of [`Xn`].
pub struct Streams<'a> {
    /// The keys.
    pub keys: Keys<'a>,
    /// The blocks of each message. What a kernel leaves of them is of no meaning.
    pub runs: &'a mut [Run<'a>],
}

/// The keys of many messages.
#[derive(Clone, Copy)]
pub enum Keys<'a> {
    /// One for all.
    One(&'a Key),
    /// One for each. A run without a key is left out.
    Each(&'a [Key]),
}

impl Shape for Xn {
    const SLOT: &'static str = "chacha20-xn";
    type Job<'a> = Streams<'a>;
    type RegisterEntry = NoRegisterEntry;
}
