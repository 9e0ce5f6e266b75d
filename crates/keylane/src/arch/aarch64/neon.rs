//! SipHash with NEON and the SHA-3 instructions: two words of 64 bits in a register, or four of 32.
//!
//! A rotation is a shift to the left and an inserting shift to the right (shl, sri). By whole bytes it is a look-up
//! (tbl), by half a word a reversal (rev64, rev32). One SHA-3 instruction, xar, xors and then rotates; with zero it
//! rotates 64-bit words. In SipHash the rotation runs beside the add and comes before the xor, so xar's own xor saves
//! nothing.

use super::halves::{Half, Quad, Vector};
use super::{Neon, Sha3, cast, chunk, instructions};
use crate::arch::generic::chacha20::{Blocks, Vectors32};
use crate::arch::generic::lanes::{Lanes, Work};
use crate::arch::generic::quad::quad_within;
use core::arch::aarch64::*;
use core::arch::asm;
use core::ptr::with_exposed_provenance;

/// Not inlined, so each piece of work is a separate function.
#[inline(never)]
#[target_feature(enable = "neon")]
fn call_neon<F: Work>(work: F) {
    work.run();
}

/// The same with the SHA-3 instructions.
#[inline(never)]
#[target_feature(enable = "neon,sha3")]
fn call_sha3<F: Work>(work: F) {
    work.run();
}

/// `x`, opaque to the compiler, which would replace a look-up with a known index by other operations.
#[inline]
#[target_feature(enable = "neon")]
fn hidden(x: uint8x16_t) -> uint8x16_t {
    #[cfg(not(miri))]
    let x = {
        let mut x = x;
        // SAFETY: there is no instruction; `x` leaves the register unchanged.
        unsafe { asm!("/* {0:v} */", inout(vreg) x, options(pure, nomem, nostack, preserves_flags)) }
        x
    };
    x
}

/// Shifts to the right by BITS and inserts below the upper BITS bits of `up`. In assembly: the compiler turns the
/// intrinsic into a shift and add, which is slower on most cores.
macro_rules! insert {
    ($name:ident, $vector:ty, $lanes:literal, $intrinsic:ident) => {
        #[inline]
        #[target_feature(enable = "neon")]
        fn $name<const BITS: i32>(up: $vector, a: $vector) -> $vector {
            #[cfg(miri)]
            let up = $intrinsic::<BITS>(up, a);
            #[cfg(not(miri))]
            let up = {
                let mut up = up;
                // SAFETY: one NEON instruction on two registers; it changes only `up`.
                unsafe {
                    asm!(
                        concat!("sri {0:v}.", $lanes, ", {1:v}.", $lanes, ", #{2}"),
                        inout(vreg) up, in(vreg) a, const BITS,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
                up
            };
            up
        }
    };
}
insert!(insert64, uint64x2_t, "2d", vsriq_n_u64);
insert!(insert32, uint32x4_t, "4s", vsriq_n_u32);

impl Neon {
    instructions! {
        fn hide(x: uint8x16_t) -> uint8x16_t = hidden;
        fn set32(a: u32) -> uint32x4_t = vdupq_n_u32;
        fn set8(a: u8) -> uint8x16_t = vdupq_n_u8;
        fn add8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vaddq_u8;
        fn sub8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vsubq_u8;
        fn and8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vandq_u8;
        fn or8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vorrq_u8;
        fn or_not8(a: uint8x16_t, not: uint8x16_t) -> uint8x16_t = vornq_u8;
        fn below8(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vcltq_u8;
        fn below64(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vcltq_u64;
        fn below32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vcltq_u32;
        fn greater64(a: int64x2_t, b: int64x2_t) -> uint64x2_t = vcgtq_s64;
        fn greater32(a: int32x4_t, b: int32x4_t) -> uint32x4_t = vcgtq_s32;
        fn clear64(a: uint64x2_t, bits: uint64x2_t) -> uint64x2_t = vbicq_u64;
        fn clear32(a: uint32x4_t, bits: uint32x4_t) -> uint32x4_t = vbicq_u32;
        fn negate64(a: int64x2_t) -> int64x2_t = vnegq_s64;
        fn negate32(a: int32x4_t) -> int32x4_t = vnegq_s32;
        fn shift64(a: uint64x2_t, bits: int64x2_t) -> uint64x2_t = vshlq_u64;
        fn shift32(a: uint32x4_t, bits: int32x4_t) -> uint32x4_t = vshlq_u32;
        fn widen(a: uint32x2_t) -> uint64x2_t = vmovl_u32;
        fn bytes(a: uint8x16_t, index: uint8x16_t) -> uint8x16_t = vqtbl1q_u8;
        fn bytes_or(a: uint8x16_t, from: uint8x16_t, index: uint8x16_t) -> uint8x16_t = vqtbx1q_u8;
        fn bytes2_or(a: uint8x16_t, from: uint8x16x2_t, index: uint8x16_t) -> uint8x16_t = vqtbx2q_u8;
        fn low64(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vzip1q_u64;
        fn high64(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vzip2q_u64;
        fn low32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vzip1q_u32;
        fn high32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vzip2q_u32;
        fn evens32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vuzp1q_u32;
        fn odds32(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vuzp2q_u32;
        fn swap32(a: uint32x4_t) -> uint32x4_t = vrev64q_u32;
        fn swap16(a: uint16x8_t) -> uint16x8_t = vrev32q_u16;
        fn up13x64(a: uint64x2_t) -> uint64x2_t = vshlq_n_u64::<13>;
        fn up17x64(a: uint64x2_t) -> uint64x2_t = vshlq_n_u64::<17>;
        fn up21x64(a: uint64x2_t) -> uint64x2_t = vshlq_n_u64::<21>;
        fn with_top13x64(up: uint64x2_t, a: uint64x2_t) -> uint64x2_t = insert64::<51>;
        fn with_top17x64(up: uint64x2_t, a: uint64x2_t) -> uint64x2_t = insert64::<47>;
        fn with_top21x64(up: uint64x2_t, a: uint64x2_t) -> uint64x2_t = insert64::<43>;
        fn up5x32(a: uint32x4_t) -> uint32x4_t = vshlq_n_u32::<5>;
        fn up7x32(a: uint32x4_t) -> uint32x4_t = vshlq_n_u32::<7>;
        fn up12x32(a: uint32x4_t) -> uint32x4_t = vshlq_n_u32::<12>;
        fn up13x32(a: uint32x4_t) -> uint32x4_t = vshlq_n_u32::<13>;
        fn with_top5x32(up: uint32x4_t, a: uint32x4_t) -> uint32x4_t = insert32::<27>;
        fn with_top7x32(up: uint32x4_t, a: uint32x4_t) -> uint32x4_t = insert32::<25>;
        fn with_top12x32(up: uint32x4_t, a: uint32x4_t) -> uint32x4_t = insert32::<20>;
        fn with_top13x32(up: uint32x4_t, a: uint32x4_t) -> uint32x4_t = insert32::<19>;
    }

    /// Sets bit 0x20 in the bytes from `A` to `Z`.
    #[inline(always)]
    fn fold8(self, a: uint8x16_t) -> uint8x16_t {
        let capital = self.below8(self.sub8(a, self.set8(b'A')), self.set8(26));
        self.or8(a, self.and8(capital, self.set8(0x20)))
    }

    /// Rotation by 16 bits.
    #[inline(always)]
    fn rotl16x64(self, a: uint64x2_t) -> uint64x2_t {
        let index = self.hide(cast(&[6u8, 7, 0, 1, 2, 3, 4, 5, 14, 15, 8, 9, 10, 11, 12, 13]));
        cast(&self.bytes(cast(&a), index))
    }

    /// Rotation by 32 bits.
    #[inline(always)]
    fn rotl32x64(self, a: uint64x2_t) -> uint64x2_t {
        cast(&self.swap32(cast(&a)))
    }

    /// Rotation by 8 bits.
    #[inline(always)]
    fn rotl8x32(self, a: uint32x4_t) -> uint32x4_t {
        let index = self.hide(cast(&[3u8, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14]));
        cast(&self.bytes(cast(&a), index))
    }
}

/// Rotates to the right.
#[inline]
#[target_feature(enable = "neon,sha3")]
fn rotr<const BITS: i32>(a: uint64x2_t) -> uint64x2_t {
    vxarq_u64::<BITS>(a, vdupq_n_u64(0))
}

impl Sha3 {
    instructions! {
        fn rotl13(a: uint64x2_t) -> uint64x2_t = rotr::<51>;
        fn rotl17(a: uint64x2_t) -> uint64x2_t = rotr::<47>;
        fn rotl21(a: uint64x2_t) -> uint64x2_t = rotr::<43>;
    }
}

/// A rotation of 64-bit words, and the proof of its instructions.
pub trait Rotate64: Copy {
    /// The same as [`Lanes::call`].
    fn call<F: Work>(self, work: F);
    /// Rotates to the left by 13, 17 or 21.
    fn rotl(self, a: uint64x2_t, bits: u32) -> uint64x2_t;
}

impl Rotate64 for Neon {
    #[inline(always)]
    fn call<F: Work>(self, work: F) {
        // SAFETY: `self` was made by `here`, so the CPU has the instructions that `call_neon` enables.
        unsafe { call_neon(work) }
    }

    #[inline(always)]
    fn rotl(self, a: uint64x2_t, bits: u32) -> uint64x2_t {
        match bits {
            13 => self.with_top13x64(self.up13x64(a), a),
            17 => self.with_top17x64(self.up17x64(a), a),
            _ => self.with_top21x64(self.up21x64(a), a),
        }
    }
}

impl Rotate64 for Sha3 {
    #[inline(always)]
    fn call<F: Work>(self, work: F) {
        // SAFETY: `self` was made by `here`, so the CPU has the instructions that `call_sha3` enables.
        unsafe { call_sha3(work) }
    }

    #[inline(always)]
    fn rotl(self, a: uint64x2_t, bits: u32) -> uint64x2_t {
        match bits {
            13 => self.rotl13(a),
            17 => self.rotl17(a),
            _ => self.rotl21(a),
        }
    }
}

/// Two lanes in a NEON register.
#[derive(Clone, Copy)]
pub struct Register<T> {
    /// The instructions of both kinds.
    pub neon: Neon,
    /// The rotation, which differs.
    pub rotation: T,
}

impl<T: Rotate64> Vector for Register<T> {
    #[inline(always)]
    fn call<F: Work>(self, work: F) {
        self.rotation.call(work);
    }
}

impl<T: Rotate64> Half for Register<T> {
    type Two = uint64x2_t;

    instructions! {
        fn splat(word: u64) -> uint64x2_t = vdupq_n_u64;
        fn add(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vaddq_u64;
        fn sub(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vsubq_u64;
        fn xor(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = veorq_u64;
        fn and(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vandq_u64;
        fn or(a: uint64x2_t, b: uint64x2_t) -> uint64x2_t = vorrq_u64;
    }

    #[inline(always)]
    fn and_not(self, not: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        self.neon.clear64(b, not)
    }

    #[inline(always)]
    fn shl(self, a: uint64x2_t, bits: uint64x2_t) -> uint64x2_t {
        self.neon.shift64(a, cast(&bits))
    }

    #[inline(always)]
    fn shr(self, a: uint64x2_t, bits: uint64x2_t) -> uint64x2_t {
        self.neon.shift64(a, self.neon.negate64(cast(&bits)))
    }

    #[inline(always)]
    fn rotl(self, a: uint64x2_t, bits: u32) -> uint64x2_t {
        match bits {
            16 => self.neon.rotl16x64(a),
            32 => self.neon.rotl32x64(a),
            _ => self.rotation.rotl(a, bits),
        }
    }

    #[inline(always)]
    fn fold(self, a: uint64x2_t) -> uint64x2_t {
        cast(&self.neon.fold8(cast(&a)))
    }

    #[inline(always)]
    fn zip(self, low: uint64x2_t, high: uint64x2_t) -> [uint64x2_t; 2] {
        [self.neon.low64(low, high), self.neon.high64(low, high)]
    }

    #[inline(always)]
    fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; 2]) -> [uint64x2_t; 2] {
        let bytes = integers.as_flattened();
        let load = |i| cast::<[u8; 16], uint64x2_t>(chunk(bytes, i));
        let zero = self.splat(0);
        match SIZE {
            4 => [self.neon.widen(cast(chunk::<8>(bytes, 0))), zero],
            8 => [load(0), zero],
            _ => self.zip(load(0), load(1)),
        }
    }

    /// A look-up leaves bytes unchanged if their index is too large: indices begin at 8 `late` where a lane is due, and
    /// are 255 elsewhere.
    #[inline(always)]
    fn restart(self, a: uint64x2_t, choices: &[u64; 4], late: uint64x2_t) -> uint64x2_t {
        let neon = self.neon;
        let offset = neon.shift64(late, cast(&[3i64; 2]));
        let offset = neon.bytes(cast(&offset), cast(&[0u8, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8]));
        let index = neon.add8(offset, cast(&[0u8, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7]));
        let index = neon.or_not8(index, cast(&neon.below64(late, self.splat(4))));
        let [low, high] = cast(choices);
        cast(&neon.bytes2_or(cast(&a), uint8x16x2_t(low, high), index))
    }

    #[inline(always)]
    fn transpose(self, [a, b]: &[Quad; 2], first: uint64x2_t) -> [uint64x2_t; 4] {
        let [word0, word1] = self.zip(a.pairs[0], b.pairs[0]);
        let [word2, word3] = self.zip(a.pairs[1], b.pairs[1]);
        let mut words = [word0, word1, word2, word3];
        for (i, word) in (0..).zip(&mut words) {
            let before = self.neon.greater64(cast(&first), cast(&[i64::from(i); 2]));
            *word = self.neon.clear64(*word, before);
        }
        words
    }
}

impl Lanes<u32, 4> for Neon {
    type Vector = uint32x4_t;
    type Quad = uint32x4_t;
    type Prepared = ();
    const RESTARTS_ALWAYS: bool = false;

    instructions! {
        fn splat(word: u32) -> uint32x4_t = vdupq_n_u32;
        fn add(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vaddq_u32;
        fn sub(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vsubq_u32;
        fn xor(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = veorq_u32;
        fn and(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vandq_u32;
        fn or(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vorrq_u32;
    }

    #[inline(always)]
    fn call<F: Work>(self, work: F) {
        Rotate64::call(self, work);
    }

    #[inline(always)]
    fn load(self, words: &[u32; 4]) -> uint32x4_t {
        cast(words)
    }

    #[inline(always)]
    fn store(self, a: uint32x4_t, words: &mut [u32; 4]) {
        *words = cast(&a);
    }

    #[inline(always)]
    fn store_double(self, low: uint32x4_t, high: uint32x4_t, integers: &mut [u64; 4]) {
        *integers = cast(&[self.low32(low, high), self.high32(low, high)]);
    }

    #[inline(always)]
    fn and_not(self, not: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        self.clear32(b, not)
    }

    #[inline(always)]
    fn shl(self, a: uint32x4_t, bits: uint32x4_t) -> uint32x4_t {
        self.shift32(a, cast(&bits))
    }

    #[inline(always)]
    fn shr(self, a: uint32x4_t, bits: uint32x4_t) -> uint32x4_t {
        self.shift32(a, self.negate32(cast(&bits)))
    }

    #[inline(always)]
    fn rotl(self, a: uint32x4_t, bits: u32) -> uint32x4_t {
        match bits {
            5 => self.with_top5x32(self.up5x32(a), a),
            7 => self.with_top7x32(self.up7x32(a), a),
            8 => self.rotl8x32(a),
            16 => cast(&self.swap16(cast(&a))),
            _ => self.with_top13x32(self.up13x32(a), a),
        }
    }

    #[inline(always)]
    fn fold(self, a: uint32x4_t) -> uint32x4_t {
        cast(&self.fold8(cast(&a)))
    }

    #[inline(always)]
    fn integers<const SIZE: usize>(self, integers: &[[u8; SIZE]; 4]) -> [uint32x4_t; 4] {
        let bytes = integers.as_flattened();
        let load = |i| cast::<[u8; 16], uint32x4_t>(chunk(bytes, i));
        let zero = self.set32(0);
        match SIZE {
            4 => [load(0), zero, zero, zero],
            8 => [self.evens32(load(0), load(1)), self.odds32(load(0), load(1)), zero, zero],
            _ => self.turned([load(0), load(1), load(2), load(3)]),
        }
    }

    #[inline(always)]
    fn numbers(self, numbers: &[u32; 4]) -> uint32x4_t {
        cast(numbers)
    }

    /// Works as for two lanes of 64 bits.
    #[inline(always)]
    fn restart(self, a: uint32x4_t, choices: &[u32; 4], late: uint32x4_t) -> uint32x4_t {
        let offset = self.shift32(late, cast(&[2i32; 4]));
        let offset = self.bytes(cast(&offset), cast(&[0u8, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12]));
        let index = self.add8(offset, cast(&[0u8, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]));
        let index = self.or_not8(index, cast(&self.below32(late, self.set32(4))));
        cast(&self.bytes_or(cast(&a), cast(choices), index))
    }

    #[inline(always)]
    unsafe fn quads_within(
        self,
        ends: &[usize; 4],
        lengths: &[u32; 4],
        rel: usize,
        _first: uint32x4_t,
    ) -> [uint32x4_t; 4] {
        let mut rows = [self.set32(0); 4];
        for ((row, &end), &length) in rows.iter_mut().zip(ends).zip(lengths) {
            // SAFETY: the caller ensures the condition for each message.
            *row = cast(&unsafe { quad_within::<u32>(end, length, rel) });
        }
        rows
    }

    #[inline(always)]
    fn transpose(self, rows: [uint32x4_t; 4], first: uint32x4_t) -> [uint32x4_t; 4] {
        let mut words = self.turned(rows);
        for (i, word) in (0..).zip(&mut words) {
            let before = self.greater32(cast(&first), cast(&[i; 4]));
            *word = self.clear32(*word, before);
        }
        words
    }
}

impl Neon {
    /// The first words of four quads, the second words, and so on.
    #[inline(always)]
    fn turned(self, [a, b, c, d]: [uint32x4_t; 4]) -> [uint32x4_t; 4] {
        let (ac0, ac1) = (self.low32(a, c), self.high32(a, c));
        let (bd0, bd1) = (self.low32(b, d), self.high32(b, d));
        [self.low32(ac0, bd0), self.high32(ac0, bd0), self.low32(ac1, bd1), self.high32(ac1, bd1)]
    }
}

/// The vectors of ChaCha20.
impl Vectors32<4> for Neon {
    type V = uint32x4_t;
    const ROOMY: bool = true;

    instructions! {
        fn add(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = vaddq_u32;
        fn xor(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t = veorq_u32;
    }

    #[inline(always)]
    fn splat(self, word: u32) -> uint32x4_t {
        self.set32(word)
    }

    #[inline(always)]
    fn rotl(self, a: uint32x4_t, bits: u32) -> uint32x4_t {
        match bits {
            16 => cast(&self.swap16(cast(&a))),
            12 => self.with_top12x32(self.up12x32(a), a),
            8 => self.rotl8x32(a),
            _ => self.with_top7x32(self.up7x32(a), a),
        }
    }

    #[inline(always)]
    fn transpose(self, words: [uint32x4_t; 16]) -> Blocks<uint32x4_t> {
        let mut blocks = [[self.set32(0); 4]; 4];
        for (i, &[a, b, c, d]) in words.as_chunks().0.iter().enumerate() {
            let (ab0, cd0) = (cast(&self.low32(a, b)), cast(&self.low32(c, d)));
            let (ab1, cd1) = (cast(&self.high32(a, b)), cast(&self.high32(c, d)));
            blocks[0][i] = cast(&self.low64(ab0, cd0));
            blocks[1][i] = cast(&self.high64(ab0, cd0));
            blocks[2][i] = cast(&self.low64(ab1, cd1));
            blocks[3][i] = cast(&self.high64(ab1, cd1));
        }
        blocks
    }
}
