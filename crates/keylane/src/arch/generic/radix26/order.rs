//! The order of blocks in lanes.

use super::limbs::WHOLE;

/// The most steps of a turn.
pub const STEPS: usize = 8;

/// The most steps of a turn for a message that is not long. Their factors are kept between pieces.
pub const KEPT_STEPS: usize = 4;

/// The tables for N lanes.
pub struct Order<const N: usize>;

impl<const N: usize> Order<N> {
    /// `[i]`: WHOLE in the lanes that have a block if the first i blocks are missing, 0 in the others.
    pub const PADS: [[u64; N]; N] = {
        let mut pads = [[0; N]; N];
        let mut i = 0;
        while i < N * N {
            pads[i / N][i % N] = if Self::block_of(i % N) >= i / N { WHOLE } else { 0 };
            i += 1;
        }
        pads
    };

    /// `[i]`: all bits of the lane with the first block that is not missing.
    pub const FIRST: [[u64; N]; N] = {
        let mut first = [[0; N]; N];
        let mut i = 0;
        while i < N * N {
            first[i / N][i % N] = if Self::block_of(i % N) == i / N { u64::MAX } else { 0 };
            i += 1;
        }
        first
    };

    /// The block of a lane is multiplied with r^e at the end. For each bit of e - 1: the lanes where it is set, and the
    /// lanes where it is not.
    pub const BY_BLOCK: Bits<N> = {
        let mut exponents = [0; N];
        let mut lane = 0;
        while lane < N {
            exponents[lane] = N - Self::block_of(lane);
            lane += 1;
        }
        Self::bits(exponents)
    };

    /// The same for the powers r^Ne of a step, where e is the number of the lane, from 1 on.
    pub const BY_STEP: Bits<N> = {
        let mut exponents = [0; N];
        let mut lane = 0;
        while lane < N {
            exponents[lane] = lane % KEPT_STEPS + 1;
            lane += 1;
        }
        Self::bits(exponents)
    };

    /// The block of a lane.
    pub const fn block_of(lane: usize) -> usize {
        lane / 2 + lane % 2 * (N / 2)
    }

    const fn bits(exponents: [usize; N]) -> Bits<N> {
        let mut bits = [[[0; N]; 2]; 3];
        let mut i = 0;
        while i < 3 * N {
            let is_set = (exponents[i % N] - 1) >> (i / N) & 1 == 1;
            bits[i / N][!is_set as usize][i % N] = u64::MAX;
            i += 1;
        }
        bits
    }
}

/// Masks of N lanes for each bit of a number: where it is set, and where it is not.
type Bits<const N: usize> = [[[u64; N]; 2]; 3];
