//! SipHash of one message in vectors of 128 bits: v0 and v2 in one, v1 and v3 in the other.
//!
//! The two sides of a half round are independent, so one vector operation does an operation on both. In the second half
//! v0 meets v3 and v2 meets v1. The first vector exchanges its words for that, in the shuffle that also rotates one of
//! them by 32 bits. The second half does the same with the other word, and all words are back in their places. So a
//! round has two shuffles where scalar code has two rotations.

/// Declares `many` for a set of CPU features. The file has, as functions with these features:
///
/// * `pair` makes a vector of its low and its high word;
/// * `xor` and `add` of both words;
/// * `exchanged` exchanges the words of a vector, and rotates the former low one by 32 bits;
/// * `first` rotates the words of its first vector by 13 and 16, `second` by 17 and 21, and both xor its second vector;
/// * `joined` is the xor of the two words of a vector.
macro_rules! halves {
    ($features:literal, $vector:ty) => {
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
            even = xor(even, pair(0, 0xff));
            for _ in 0..D {
                (even, odd) = round(even, odd);
            }
            joined(xor(even, odd))
        }

        /// `v3 ^= word; c rounds; v0 ^= word`.
        #[inline]
        #[target_feature(enable = $features)]
        fn absorb<const C: usize>(mut even: $vector, mut odd: $vector, word: u64) -> ($vector, $vector) {
            odd = xor(odd, pair(0, word));
            for _ in 0..C {
                (even, odd) = round(even, odd);
            }
            (xor(even, pair(word, 0)), odd)
        }

        /// One round of v0 and v2, v1 and v3.
        #[inline]
        #[target_feature(enable = $features)]
        fn round(mut even: $vector, mut odd: $vector) -> ($vector, $vector) {
            even = add(even, odd);
            odd = first(odd, even);
            // v0 turns and goes up, v2 comes down.
            even = add(exchanged(even), odd);
            odd = second(odd, even);
            // v2 turns and goes back up.
            (exchanged(even), odd)
        }
    };
}
pub(super) use halves;

/// The functions that both x86 kernels have.
#[cfg(target_arch = "x86_64")]
pub mod x86 {
    use core::arch::x86_64::*;

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn pair(low: u64, high: u64) -> __m128i {
        _mm_set_epi64x(high as i64, low as i64)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn xor(a: __m128i, b: __m128i) -> __m128i {
        _mm_xor_si128(a, b)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn add(a: __m128i, b: __m128i) -> __m128i {
        _mm_add_epi64(a, b)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn exchanged(a: __m128i) -> __m128i {
        _mm_shuffle_epi32::<0b00_01_11_10>(a)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    pub fn joined(a: __m128i) -> u64 {
        (_mm_cvtsi128_si64(a) ^ _mm_cvtsi128_si64(_mm_unpackhi_epi64(a, a))) as u64
    }
}

/// The functions that both AArch64 kernels have.
#[cfg(target_arch = "aarch64")]
pub mod arm {
    use core::arch::aarch64::*;
    use keylane::job::siphash::Word;

    #[inline]
    #[target_feature(enable = "neon")]
    pub fn pair(low: u64, high: u64) -> uint64x2_t {
        vcombine_u64(vcreate_u64(low), vcreate_u64(high))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub fn xor(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        veorq_u64(a, b)
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub fn add(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        vaddq_u64(a, b)
    }

    /// One look-up. The compiler would make several operations of it if it knew the index.
    #[inline]
    #[target_feature(enable = "neon")]
    pub fn exchanged(a: uint64x2_t) -> uint64x2_t {
        let index = pair(0x0f0e_0d0c_0b0a_0908_u64.opaque(), 0x0302_0100_0706_0504_u64.opaque());
        vreinterpretq_u64_u8(vqtbl1q_u8(vreinterpretq_u8_u64(a), vreinterpretq_u8_u64(index)))
    }

    #[inline]
    #[target_feature(enable = "neon")]
    pub fn joined(a: uint64x2_t) -> u64 {
        vgetq_lane_u64::<0>(a) ^ vgetq_lane_u64::<1>(a)
    }

    /// Both words shifted to the left by their own numbers, and to the right by what is left of 64 bits: NEON has no
    /// rotation.
    #[inline]
    #[target_feature(enable = "neon")]
    pub fn shifts(a: uint64x2_t, [low, high]: [i64; 2]) -> [uint64x2_t; 2] {
        let shift = |low, high| vshlq_u64(a, vcombine_s64(vdup_n_s64(low), vdup_n_s64(high)));
        [shift(low, high), shift(low - 64, high - 64)]
    }
}
