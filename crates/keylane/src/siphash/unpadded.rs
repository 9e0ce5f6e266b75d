//! SipHash-1-3-UJ: a sequence of chunks of two sizes, with no padding and no length.
//!
//! Source: Bitcoin Core 32. A *word* is 8 bytes, absorbed as SipHash absorbs a word. A *jumbo* is 32 bytes. It is xored
//! into all four words of the state before its one round, and again after it, rotated by one word. Xoring the bytes
//! "unpadded" into v2 marks the end.
//!
//! Nothing encodes the length. The caller must ensure that two different inputs never give the same sequence of chunks.

use super::Key;
use crate::job::siphash::{Fixed, State};
use core::fmt;

/// SipHash-1-3-UJ in progress.
///
/// **A jumbo must itself be the output of a cryptographic hash**, such as a transaction id. One round is too little for
/// 32 bytes that an attacker chooses freely.
///
/// ```
/// use keylane::siphash::{Key, unpadded::SipHash13Uj};
///
/// let mut h = SipHash13Uj::new(&Key::from_bytes(core::array::from_fn(|i| i as u8)));
/// h.jumbo(&core::array::from_fn(|i| i as u8));
/// assert_eq!(h.finish(), 0xc67d87b08ca4b5c6);
/// ```
#[derive(Clone)]
pub struct SipHash13Uj {
    state: State<u64>,
}

impl SipHash13Uj {
    /// Begins a sequence.
    #[inline]
    pub fn new(key: &Key) -> Self {
        SipHash13Uj { state: key.state(false) }
    }

    /// Takes a word: 8 bytes, read little-endian.
    #[inline]
    pub fn word(&mut self, word: u64) {
        self.state.absorb(Fixed::<1, 3>, word);
    }

    /// Takes a jumbo of 32 bytes: see the warning above.
    #[inline]
    pub fn jumbo(&mut self, block: &[u8; 32]) {
        let (words, _) = block.as_chunks();
        let [d0, d1, d2, d3] =
            core::array::from_fn(|i| words.get(i).map_or(0, |&word| u64::from_le_bytes(word)));
        let xor =
            |v: &mut [u64; 4], words: [u64; 4]| v.iter_mut().zip(words).for_each(|(v, word)| *v ^= word);
        xor(&mut self.state.v, [d1, d2, d3, d0]);
        self.state.round();
        xor(&mut self.state.v, [d0, d1, d2, d3]);
    }

    /// The tag of the sequence so far. More may follow.
    #[inline]
    pub fn finish(&self) -> u64 {
        // `single_tag` marks the end with 0xff: undo that mark.
        let mut state = self.state;
        state.v[2] ^= u64::from_le_bytes(*b"unpadded") ^ 0xff;
        state.single_tag::<true>(Fixed::<1, 3>)
    }
}

impl fmt::Debug for SipHash13Uj {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SipHash13Uj(..)")
    }
}

impl Drop for SipHash13Uj {
    #[inline]
    fn drop(&mut self) {
        self.state.wipe();
    }
}
