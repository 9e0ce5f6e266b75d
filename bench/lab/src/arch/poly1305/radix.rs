//! Converts numbers of 131 bits into limbs of any width, and back.

/// The N limbs of low + 2^128 high. Each has `width` bits; the last takes all remaining bits.
#[inline(always)]
pub fn limbs<const N: usize>(low: u128, high: u64, width: u32) -> [u64; N] {
    core::array::from_fn(|k| {
        let at = width * k as u32;
        let limb = (low >> at) as u64;
        if k + 1 < N { limb & ((1 << width) - 1) } else { limb | high << (128 - at) }
    })
}

/// The sum of limb k times 2^(width k), as a canonical accumulator with h2 at most 4.
///
/// Limbs are within +-2^57, and the absolute value of their sum is below 16 p. The last limb begins below bit
/// 128.
#[inline(always)]
pub fn canonical<const N: usize>(mut limbs: [i64; N], width: u32) -> [u64; 3] {
    let top = width * (N as u32 - 1);
    // Add 16 p = 2^134 - 80. The sum is then positive and below 2^135.
    if let Some(first) = limbs.first_mut() {
        *first -= 80;
    }
    if let Some(last) = limbs.last_mut() {
        *last += 1 << (134 - top);
    }
    // Reduce every limb except the last to 0..2^width and carry the rest up. The last limb keeps what it
    // gets: it is positive, since the sum is. Its part above bit 128 does not fit into `low`.
    let (mut low, mut sum) = (0u128, 0);
    for (k, limb) in limbs.into_iter().enumerate() {
        sum = (sum >> width) + limb;
        let digit = if k + 1 < N { sum & ((1 << width) - 1) } else { sum };
        low |= (digit as u128) << (width * k as u32);
    }
    // 2^130 = 5 (mod p), and there are fewer than 2^5 multiples of it.
    let high = (sum as u64) >> (128 - top);
    let (low, carry) = low.overflowing_add(u128::from(5 * (high >> 2)));
    [low as u64, (low >> 64) as u64, (high & 3) + u64::from(carry)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use keylane::job::poly1305::{Key, State};

    /// Reduces modulo p: `canonical` may have added 16 p.
    fn reduced(h: [u64; 3]) -> u128 {
        assert!(h[2] <= 4, "{h:x?}");
        State { h, key: Key::from_bytes(&[0; 32]) }.tag()
    }

    fn there_and_back<const N: usize>(width: u32) {
        for shift in 0..128 {
            for low in [1 << shift, (1 << shift) - 1, !((1u128 << shift) - 1)] {
                for high in 0..=4 {
                    let actual = canonical(limbs::<N>(low, high, width).map(|limb| limb as i64), width);
                    let expected = reduced([low as u64, (low >> 64) as u64, high]);
                    assert_eq!(reduced(actual), expected, "{width} {high} {low:#x}");
                }
            }
        }
    }

    #[test]
    fn limbs_and_back() {
        there_and_back::<3>(44);
        there_and_back::<5>(26);
        there_and_back::<4>(32);
        there_and_back::<6>(22);
    }

    #[test]
    fn limbs_of_any_sign() {
        assert_eq!(reduced(canonical([0, 0, 0, 0, 1 << 22, -1], 22)), 0);
        assert_eq!(reduced(canonical([-5, 0, 0, 1 << 34], 32)), 0);
        // p - 1 and p - 6, modulo 2^128.
        assert_eq!(reduced(canonical([-1, 0, 0, 0, 0, 0], 22)), u128::MAX - 5);
        assert_eq!(reduced(canonical([-1, 0, 0, -1 << 34], 32)), u128::MAX - 10);
        // The ends of the range: 2^133 = 40 and its negative.
        assert_eq!(reduced(canonical([0, 0, 0, 0, 1 << 29], 26)), 40);
        assert_eq!(reduced(canonical([0, 0, 0, 0, -1 << 29], 26)), u128::MAX - 44);
    }
}
