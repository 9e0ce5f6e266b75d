//! The key of one message.

/// A one-time key, aligned to be wiped 16 bytes at a time.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Key {
    /// r with its bits cleared, base 2^64: r0 and r1 below 2^60, r1 a multiple of 4.
    pub r: [u64; 2],
    /// s, base 2^64.
    pub s: [u64; 2],
}

impl Key {
    /// Reads r and s, and clears the bits of r.
    #[inline(always)]
    pub fn from_bytes(bytes: &[u8; 32]) -> Key {
        let [r0, r1, s0, s1] = core::array::from_fn(|i| {
            let (words, _) = bytes.as_chunks::<8>();
            words.get(i).map_or(0, |&word| u64::from_le_bytes(word))
        });
        Key { r: clamped([r0, r1]), s: [s0, s1] }
    }
}

/// The words of r with its bits cleared.
#[inline(always)]
fn clamped([r0, r1]: [u64; 2]) -> [u64; 2] {
    [r0 & 0x0fff_fffc_0fff_ffff, r1 & 0x0fff_fffc_0fff_fffc]
}
