//! SipHash of one message in vectors of 128 bits: v0 and v2 in one, v1 and v3 in the other.
//!
//! The two sides of a half round are independent, so one vector operation does an operation on both. In the
//! second half v0 meets v3 and v2 meets v1: the second vector swaps its words before it and again after it.
//! Rotating one word of a pair by 32 bits is a shuffle of 32-bit words. So a round has four shuffles where
//! scalar code has two rotations. All operations except the rotations are in the dependency chain.

/// Declares `many` for a set of CPU features. `first` rotates the two words of a vector by 13 and 16,
/// `second` by 21 and 17.
macro_rules! halves {
    ($features:literal) => {
        /// The kernel's entry.
        #[inline]
        #[target_feature(enable = $features)]
        fn many(job: Wholes<'_>) {
            match job.rounds {
                Rounds::R12 => each::<1, 2>(job),
                Rounds::R13 => each::<1, 3>(job),
                Rounds::R24 => each::<2, 4>(job),
            }
        }

        #[inline(never)]
        #[target_feature(enable = $features)]
        fn each<const C: usize, const D: usize>(job: Wholes<'_>) {
            for (tag, message) in job.tags.iter_mut().zip(job.messages) {
                *tag = hash::<C, D>(job.key, message);
            }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn hash<const C: usize, const D: usize>([k0, k1]: [u64; 2], message: &[u8]) -> u64 {
            let [c0, c1, c2, c3] = u64::INITIAL;
            let (mut even, mut odd) = (pair(k0 ^ c0, k0 ^ c2), pair(k1 ^ c1, k1 ^ c3));
            let (words, _) = message.as_chunks();
            for &word in words {
                (even, odd) = absorb::<C>(even, odd, u64::from_le_bytes(word));
            }
            (even, odd) = absorb::<C>(even, odd, tail::<u64>(message) | u64::length(message.len()));
            even = _mm_xor_si128(even, pair(0, 0xff));
            for _ in 0..D {
                (even, odd) = round(even, odd);
            }
            let both = _mm_xor_si128(even, odd);
            (_mm_cvtsi128_si64(both) ^ _mm_cvtsi128_si64(_mm_unpackhi_epi64(both, both))) as u64
        }

        /// `v3 ^= word; c rounds; v0 ^= word`.
        #[inline]
        #[target_feature(enable = $features)]
        fn absorb<const C: usize>(mut even: __m128i, mut odd: __m128i, word: u64) -> (__m128i, __m128i) {
            odd = _mm_xor_si128(odd, pair(0, word));
            for _ in 0..C {
                (even, odd) = round(even, odd);
            }
            (_mm_xor_si128(even, pair(word, 0)), odd)
        }

        /// One round of v0 and v2, v1 and v3.
        #[inline]
        #[target_feature(enable = $features)]
        fn round(mut even: __m128i, mut odd: __m128i) -> (__m128i, __m128i) {
            even = _mm_add_epi64(even, odd);
            odd = _mm_xor_si128(first(odd), even);
            // Exchange words 0 and 1: rotates v0 by 32. Then swap v3 and v1.
            even = _mm_shuffle_epi32::<0b11_10_00_01>(even);
            odd = _mm_shuffle_epi32::<0b01_00_11_10>(odd);
            even = _mm_add_epi64(even, odd);
            odd = _mm_xor_si128(second(odd), even);
            // Exchange words 2 and 3: rotates v2 by 32. Then swap v1 and v3.
            even = _mm_shuffle_epi32::<0b10_11_01_00>(even);
            odd = _mm_shuffle_epi32::<0b01_00_11_10>(odd);
            (even, odd)
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn pair(low: u64, high: u64) -> __m128i {
            _mm_set_epi64x(high as i64, low as i64)
        }
    };
}
pub(super) use halves;
