//! Poly1305, one block at a time, in the 80-bit registers of the x87, for CPUs before SSE2.
//!
//! id        poly1305_x1_x87        slot  poly1305-x1        requires  nothing (x86-64)
//! does      h <- (h + m) r  (mod 2^130 - 5), in base 2^32, partly reduced
//! bounds    after a block |h0|, |h1|, |h2| < 2^32.6 and |h3| < 2^33.6 at their places; no sum reaches 2^64 (the test
//!           below checks the formulas). 17 multiplications, 12 additions, 4 cuts of three operations and 8
//!           additions: 32 additions on one adder, and seven times the time of poly1305_x1_u64 on Zen 4
//! timing    no secret-dependent branch or index. x87 additions and multiplications have a fixed time on x86-64 CPUs
//!           of Intel and AMD, except for subnormal numbers, infinities and NaN; here a number is 0 or of a size
//!           between 2^-96 and 2^195
//! origin    written here after [Poly1305-AES] and [OpenSSL-survey]
//!
//! As poly1305_x1_f64, but a significand of 64 bits holds whole products. With s1 = 5 * 2^-130 r1 and so on,
//!
//! ```text
//! d0 = h0 r0 + h1 s3 + h2 s2 + h3 s1   at 1, cut at 2^32, the part above goes to h1
//! d1 = h0 r1 + h1 r0 + h2 s3 + h3 s2   at 2^32, cut at 2^64, to h2
//! d2 = h0 r2 + h1 r1 + h2 r0 + h3 s3   at 2^64, cut at 2^96, to h3
//! d3 = h0 r3 + h1 r2 + h2 r1 + h3 r0   at 2^96, cut at 2^130, times 5 * 2^-130 to h0
//! ```
//!
//! Only the sums d need 64 bits. Double precision is exact for limbs and multipliers, so memory holds them in that
//! format. A sum is cut as soon as it is complete. So the stack never needs more than seven of its eight registers:
//! four limbs, the part taken from the previous sum, the sum, and a product or a copy.
//!
//! The control word sets to how many bits results are rounded. That is 64 on Linux and 53 on Windows, so the
//! kernel sets it and restores it.

#![allow(unsafe_code)]

use super::real::{WRAP, canonical, number, place, power};
use core::arch::asm;
use keylane::job::poly1305::{Blocks, Key, State, X1, last_block};
use keylane::kernel;

kernel! {
    /// One message.
    pub ONE: X1 = "poly1305_x1_x87", lanes 1, requires [], |job: Blocks<'_>| one(job)
}

/// The memory that the instructions read, at fixed offsets.
#[repr(C)]
struct Constants {
    /// 0: r0 to r3.
    r: [f64; 4],
    /// 32: s1 to s3.
    s: [f64; 3],
    /// 56: the constants that cut at 2^32, 2^64, 2^96 and 2^130.
    rounders: [f64; 4],
    /// 88: 5 * 2^-130.
    wrap: f64,
    /// 96: the control word to set: every exception masked, 64 bits, round to nearest.
    control: u16,
    /// 98: the caller's control word.
    found: u16,
}

/// 3/2 * 2^(63 + cut): as in double precision, with 11 bits more.
const fn rounder(cut: i32) -> f64 {
    1.5 * power(63 + cut)
}

impl Constants {
    #[inline(always)]
    fn new(key: &Key) -> Self {
        let [low, high] = key.r;
        let [_, r1, r2, r3] = [low & 0xffff_ffff, low >> 32, high & 0xffff_ffff, high >> 32];
        Constants {
            r: number(u128::from(low) | u128::from(high) << 64, 0),
            s: [place(r1 + (r1 >> 2), -96), place(r2 + (r2 >> 2), -64), place(r3 + (r3 >> 2), -32)],
            rounders: [rounder(32), rounder(64), rounder(96), rounder(130)],
            wrap: WRAP,
            control: 0x037f,
            found: 0,
        }
    }

    /// h <- (h + m) r for each m.
    #[inline(always)]
    fn absorb(&mut self, h: &mut [f64; 4], messages: &[[f64; 4]]) {
        if messages.is_empty() {
            return;
        }
        // SAFETY: the instructions access memory in three places. They use offsets 0 to 99 of `constants` and
        // write only 98; it is borrowed mutably. They read and write offsets 0 to 31 of `h`, also borrowed
        // mutably. They read `count` elements of 32 bytes of `m`, and `count` is not 0. All x87 registers are
        // declared as clobbered: they are empty when the assembly begins, and it leaves them empty. It
        // restores the control word.
        unsafe {
            asm!(
                "fnstcw word ptr [{constants} + 98]",
                "fldcw word ptr [{constants} + 96]",
                "2:",
                "fld qword ptr [{h} + 24]",
                "fadd qword ptr [{m} + 24]",
                "fld qword ptr [{h} + 16]",
                "fadd qword ptr [{m} + 16]",
                "fld qword ptr [{h} + 8]",
                "fadd qword ptr [{m} + 8]",
                "fld qword ptr [{h}]",
                "fadd qword ptr [{m}]",
                // The stack, from the top: h0 h1 h2 h3. d3:
                "fld st(0)",
                "fmul qword ptr [{constants} + 24]",
                "fld st(2)",
                "fmul qword ptr [{constants} + 16]",
                "faddp st(1), st",
                "fld st(3)",
                "fmul qword ptr [{constants} + 8]",
                "faddp st(1), st",
                "fld st(4)",
                "fmul qword ptr [{constants}]",
                "faddp st(1), st",
                "fld st(0)",
                "fadd qword ptr [{constants} + 80]",
                "fsub qword ptr [{constants} + 80]",
                "fsub st(1), st",
                "fmul qword ptr [{constants} + 88]",
                "fxch st(1)",
                "fstp qword ptr [{h} + 24]",
                // The stack: the part taken, h0 h1 h2 h3. d0:
                "fld st(1)",
                "fmul qword ptr [{constants}]",
                "fld st(3)",
                "fmul qword ptr [{constants} + 48]",
                "faddp st(1), st",
                "fld st(4)",
                "fmul qword ptr [{constants} + 40]",
                "faddp st(1), st",
                "fld st(5)",
                "fmul qword ptr [{constants} + 32]",
                "faddp st(1), st",
                "fld st(0)",
                "fadd qword ptr [{constants} + 56]",
                "fsub qword ptr [{constants} + 56]",
                "fsub st(1), st",
                "fxch st(2)",
                "faddp st(1), st",
                "fstp qword ptr [{h}]",
                // d1:
                "fld st(1)",
                "fmul qword ptr [{constants} + 8]",
                "fld st(3)",
                "fmul qword ptr [{constants}]",
                "faddp st(1), st",
                "fld st(4)",
                "fmul qword ptr [{constants} + 48]",
                "faddp st(1), st",
                "fld st(5)",
                "fmul qword ptr [{constants} + 40]",
                "faddp st(1), st",
                "fld st(0)",
                "fadd qword ptr [{constants} + 64]",
                "fsub qword ptr [{constants} + 64]",
                "fsub st(1), st",
                "fxch st(2)",
                "faddp st(1), st",
                "fstp qword ptr [{h} + 8]",
                // d2:
                "fld st(1)",
                "fmul qword ptr [{constants} + 16]",
                "fld st(3)",
                "fmul qword ptr [{constants} + 8]",
                "faddp st(1), st",
                "fld st(4)",
                "fmul qword ptr [{constants}]",
                "faddp st(1), st",
                "fld st(5)",
                "fmul qword ptr [{constants} + 48]",
                "faddp st(1), st",
                "fld st(0)",
                "fadd qword ptr [{constants} + 72]",
                "fsub qword ptr [{constants} + 72]",
                "fsub st(1), st",
                "fxch st(2)",
                "faddp st(1), st",
                "fstp qword ptr [{h} + 16]",
                // Add the part taken to the rest of d3, and drop the old limbs.
                "fadd qword ptr [{h} + 24]",
                "fstp qword ptr [{h} + 24]",
                "fstp st(0)",
                "fstp st(0)",
                "fstp st(0)",
                "fstp st(0)",
                "add {m}, 32",
                "dec {count}",
                "jnz 2b",
                // Clear the exception flags: cuts are inexact on purpose.
                "fnclex",
                "fldcw word ptr [{constants} + 98]",
                constants = in(reg) &raw mut *self,
                h = in(reg) h.as_mut_ptr(),
                m = inout(reg) messages.as_ptr() => _,
                count = inout(reg) messages.len() => _,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack),
            );
        }
    }
}

/// How many blocks to convert to floating-point numbers before absorbing them.
const CHUNK: usize = 32;

/// Absorbs whole blocks, then `tail` as the last block unless it is empty.
fn one(job: Blocks<'_>) {
    let State { h: [h0, h1, h2], key } = *job.state;
    let mut r = Constants::new(&key);
    let mut h = number(u128::from(h0) | u128::from(h1) << 64, h2 & 3);
    // If h2 is 4 or above, apply 2^130 = 5 (mod p) once: the bounds require it.
    let [first, ..] = &mut h;
    *first += place(5 * (h2 >> 2), 0);
    for blocks in job.blocks.chunks(CHUNK) {
        let mut messages = [[0.0; 4]; CHUNK];
        for (message, &block) in messages.iter_mut().zip(blocks) {
            *message = number(u128::from_le_bytes(block), 1);
        }
        r.absorb(&mut h, messages.get(..blocks.len()).unwrap_or(&[]));
    }
    if !job.tail.is_empty() {
        r.absorb(&mut h, &[number(last_block(job.tail), 0)]);
    }
    job.state.h = canonical(h);
}

#[cfg(test)]
mod tests {
    use super::super::real::Real;
    use super::super::real::grid::Grid;
    use super::*;
    use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// The largest limbs of an accumulator at the start of a job, of a whole block, and of an accumulator
    /// after a block.
    const ENTRY: [u64; 4] = [u32::MAX as u64 + 5, u32::MAX as u64, u32::MAX as u64, (1 << 34) - 1];
    const BLOCK: [u64; 4] = [u32::MAX as u64, u32::MAX as u64, u32::MAX as u64, (1 << 33) - 1];
    const AFTER: [u64; 4] = [0x1_7400_0000, 0x1_6800_0000, 0x1_6000_0000, 0x2_d800_0000];

    fn grids<const BITS: u32>(most: [u64; 4]) -> [Grid<BITS>; 4] {
        let [a, b, c, d] = most;
        [Grid::up_to(a, 0), Grid::up_to(b, 32), Grid::up_to(c, 64), Grid::up_to(d, 96)]
    }

    /// The formulas that the instructions compute.
    fn absorb<R: Real>([r0, r1, r2, r3]: [R; 4], [s1, s2, s3]: [R; 3], h: [R; 4], m: [R; 4]) -> [R; 4] {
        let ([h0, h1, h2, h3], [m0, m1, m2, m3]) = (h, m);
        let (h0, h1, h2, h3) = (h0 + m0, h1 + m1, h2 + m2, h3 + m3);
        let (d3, c3) = (h0 * r3 + h1 * r2 + h2 * r1 + h3 * r0).cut(130);
        let (d0, c0) = (h0 * r0 + h1 * s3 + h2 * s2 + h3 * s1).cut(32);
        let (d1, c1) = (h0 * r1 + h1 * r0 + h2 * s3 + h3 * s2).cut(64);
        let (d2, c2) = (h0 * r2 + h1 * r1 + h2 * r0 + h3 * s3).cut(96);
        [d0 + c3 * c3.like(WRAP), d1 + c0, d2 + c1, d3 + c2]
    }

    #[test]
    fn no_number_is_rounded() {
        let most = (1 << 28) - 1;
        let r = [0, 32, 64, 96].map(|at| Grid::<64>::up_to(most, at));
        let s = [-96, -64, -32].map(|at| Grid::up_to(most + (most >> 2), at));
        for h in [ENTRY, AFTER] {
            let after = absorb(r, s, grids(h), grids(BLOCK));
            assert!(after.into_iter().zip(grids(AFTER)).all(|(h, most)| h.within(most)), "{after:x?}");
        }
        // The values in memory must fit double precision.
        for limbs in [ENTRY, BLOCK, AFTER] {
            grids::<53>(limbs);
        }
    }

    /// The accumulator that [`run`] computed.
    static H: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

    extern "C" fn run() {
        let mut state = State::new(Key::from_bytes(&[0xff; 32]));
        one(Blocks { state: &mut state, blocks: &[[0xff; 16]; 40], tail: &[0xff; 7] });
        H.iter().zip(state.h).for_each(|(to, word)| to.store(word, Relaxed));
    }

    /// Calls [`run`] under a control word. Returns the accumulator and the control word afterwards.
    fn run_under(control: u16) -> ([u64; 3], u16) {
        let mut words = [control, 0, 0];
        // SAFETY: `run` is called with an aligned stack and with the shadow space of Windows. All registers
        // that a call may change are declared; r12 is not one of them. Six bytes of `words` are read and
        // written. The control word is restored.
        unsafe {
            asm!(
                "fnstcw word ptr [r12 + 2]",
                "fldcw word ptr [r12]",
                "sub rsp, 32",
                "call {run}",
                "add rsp, 32",
                "fnstcw word ptr [r12 + 4]",
                "fldcw word ptr [r12 + 2]",
                run = sym run,
                in("r12") &raw mut words,
                clobber_abi("C"),
            );
        }
        let [_, _, left] = words;
        (H.each_ref().map(|word| word.load(Relaxed)), left)
    }

    /// A caller's rounding to 53 or 24 bits, or upwards, does not change the result, and is in force again
    /// afterwards.
    #[test]
    fn the_control_word_is_put_back() {
        let (expected, _) = run_under(0x037f);
        for control in [0x037f, 0x027f, 0x007f, 0x0b7f] {
            assert_eq!(run_under(control), (expected, control));
        }
    }
}
