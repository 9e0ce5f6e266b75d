//! Which lane has which block.

use super::limbs::WHOLE;

/// How many steps a turn has at most.
pub const STEPS: usize = 8;

/// How many steps a turn of a message has that is not long.
pub const FEW: usize = 4;

/// What is known of N lanes.
pub struct Order<const N: usize>;

impl<const N: usize> Order<N> {
    /// WHOLE in the lanes that have a block where so many are missing in front.
    pub const PADS: [[u64; N]; N] = {
        let mut pads = [[0; N]; N];
        let mut i = 0;
        while i < N * N {
            pads[i / N][i % N] = if Self::block_of(i % N) >= i / N { WHOLE } else { 0 };
            i += 1;
        }
        pads
    };

    /// All bits of the lane that then has the first block.
    pub const FIRST: [[u64; N]; N] = {
        let mut first = [[0; N]; N];
        let mut i = 0;
        while i < N * N {
            first[i / N][i % N] = if Self::block_of(i % N) == i / N { u64::MAX } else { 0 };
            i += 1;
        }
        first
    };

    /// For each bit of e - 1: the lanes in which it is set, and those in which it is not, where r^e is what
    /// the block of a lane is multiplied with at the end.
    pub const BY_BLOCK: Bits<N> = {
        let mut exponents = [0; N];
        let mut lane = 0;
        while lane < N {
            exponents[lane] = N - Self::block_of(lane);
            lane += 1;
        }
        Self::bits(exponents)
    };

    /// The same where r^Ne is the power of a step, and e the number of the lane, from 1 on.
    pub const BY_STEP: Bits<N> = {
        let mut exponents = [0; N];
        let mut lane = 0;
        while lane < N {
            exponents[lane] = lane % FEW + 1;
            lane += 1;
        }
        Self::bits(exponents)
    };

    /// The block that a lane has.
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
