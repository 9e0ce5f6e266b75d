//! The key of one message.

/// A one-time key. It is aligned so that it is wiped 16 bytes at a time.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Key {
    /// r with its bits cleared: r0 and r1 below 2^60, r1 a multiple of 4. Base 2^64.
    pub r: [u64; 2],
    /// s. Base 2^64.
    pub s: [u64; 2],
}

impl Key {
    /// r and s from their bytes.
    #[inline(always)]
    pub fn from_bytes(bytes: &[u8; 32]) -> Key {
        let [r0, r1, s0, s1] = core::array::from_fn(|i| {
            let (words, _) = bytes.as_chunks::<8>();
            words.get(i).map_or(0, |&word| u64::from_le_bytes(word))
        });
        Key { r: [r0 & 0x0fff_fffc_0fff_ffff, r1 & 0x0fff_fffc_0fff_fffc], s: [s0, s1] }
    }
}
