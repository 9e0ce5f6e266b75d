//! Bytes as hexadecimal digits.

/// The bytes of a tag as small hexadecimal digits, two for each byte. A tag has whole words of 4 bytes. No table is read.
///
/// ```
/// assert_eq!(keylane_columns::hex(&[0x0f, 0xa9, 0x00, 0xfe]).as_flattened(), b"0fa900fe");
/// ```
#[inline]
pub fn hex<const N: usize>(bytes: &[u8; N]) -> [[u8; 2]; N] {
    const { assert!(N.is_multiple_of(4)) };
    let mut digits = [[0; 2]; N];
    let places = digits.as_flattened_mut().as_chunks_mut::<8>().0;
    for (place, word) in places.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *place = digits_of(u32::from_le_bytes(*word)).to_le_bytes();
    }
    digits
}

/// The digits of 4 bytes, all at once: those of the lowest byte are the lowest.
#[inline]
fn digits_of(word: u32) -> u64 {
    // Each byte gets 16 bits, and each half of it 8: the high one stands first.
    let word = u64::from(word);
    let pairs = (word | word << 16) & 0x0000_ffff_0000_ffff;
    let bytes = (pairs | pairs << 8) & 0x00ff_00ff_00ff_00ff;
    let numbers = (bytes >> 4 | bytes << 8) & 0x0f0f_0f0f_0f0f_0f0f;
    // 10 to 15 become letters: 6 more carries into bit 4.
    let letters = (numbers + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    numbers + 0x3030_3030_3030_3030 + letters * u64::from(b'a' - b'0' - 10)
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn digits_are_those_of_the_standard_library() {
        for word in 0..=u16::MAX {
            // Every byte in every place, beside others.
            let bytes: [u8; 16] =
                std::array::from_fn(|place| if place % 2 == 0 { word as u8 } else { (word >> 8) as u8 });
            let expected: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex(&bytes).as_flattened(), expected.as_bytes());
        }
        let short = hex(&0x0123_4567_89ab_cdef_u64.to_be_bytes());
        assert_eq!(short.as_flattened(), b"0123456789abcdef");
        assert_eq!(hex(&[]), [[0; 2]; 0]);
    }
}
