//! Vectors that are opaque to the compiler.

#![allow(unsafe_code)]

use core::arch::x86_64::__m256i;

/// `x`, with lanes of a size that the compiler does not know. A compiler that knows that 32 bits are enough removes the
/// mask that marks a multiplication as one of 32 bits. In another basic block it no longer knows the size. Without the
/// mask it then multiplies 64 bits in three steps.
#[inline]
#[target_feature(enable = "avx2")]
pub fn lanes_barrier(x: __m256i) -> __m256i {
    // Miri knows no assembly and does not change the multiplication.
    #[cfg(not(miri))]
    let x = {
        let mut x = x;
        // SAFETY: there is no instruction; `x` leaves the register unchanged.
        unsafe {
            core::arch::asm!("/* {0} */", inout(ymm_reg) x, options(pure, nomem, nostack, preserves_flags));
        }
        x
    };
    x
}

/// The number in row `ROW`, column `column` of a table, in every lane, by one instruction. A compiler that knows that
/// only the lower halves of the lanes are read would take two.
#[inline]
#[target_feature(enable = "avx2")]
pub fn broadcast<const ROW: usize, const ROWS: usize>(table: &[[u64; 4]; ROWS], column: usize) -> __m256i {
    const { assert!(ROW < ROWS) }
    #[cfg(miri)]
    return core::arch::x86_64::_mm256_set1_epi64x(table[ROW][column % 4] as i64);
    #[cfg(not(miri))]
    {
        let column = table.as_ptr().cast::<u64>().wrapping_add(column % 4);
        let lanes: __m256i;
        // SAFETY: the instruction reads the eight bytes of `table[ROW][column % 4]`: `column` points to `table[0][column %
        // 4]`, a row has 32 bytes, and `ROW` is below `ROWS`. It writes one register.
        unsafe {
            core::arch::asm!(
                "vpbroadcastq {lanes}, qword ptr [{column} + {offset}]",
                lanes = out(ymm_reg) lanes,
                column = in(reg) column,
                offset = const 32 * ROW,
                options(pure, readonly, nostack, preserves_flags)
            );
        }
        lanes
    }
}
