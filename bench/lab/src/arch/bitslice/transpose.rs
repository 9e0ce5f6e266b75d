//! Transposes words into planes and back.
//!
//! A bit of a group has 12 index bits (14 with 256 lanes, 15 with 512 lanes). They are the number of its vector (6
//! bits), the byte in the vector, and the bit in the byte (3 bits). In words, the vector's number tells which words it
//! holds. In planes, it is the bit's place in its word. So six index bits must move into the vector's number, and six
//! others out of it. The resulting order of the lanes does not matter, since the way back undoes it. Three operations
//! exchange index bits ([HackersDelight], section 7-3; [bitmath]):
//!
//! * *swap*: exchanges bit k of the vector's number with bit k of the bit's place: six operations for two
//!   vectors;
//! * *unpack*, the byte unpack of SSE2, within 128 bits. Take two vectors that differ in bit n of their number. It
//!   moves byte (m j2 j1 j0) to byte (j2 j1 j0 n) of the vector with m in place of n. That takes two operations for two
//!   vectors;
//! * *mirror*: within 64 bits, exchanges the byte's number with the bit's number, both complemented: one
//!   operation with GFNI.
//!
//! Each method makes two passes over groups of eight vectors, which fit into registers.

use super::isa::Isa;

/// Interleaves the bytes of two words, within 128 bits.
#[cfg(target_arch = "x86_64")]
pub trait Unpack: Isa {
    /// Interleaves the bytes of the lower halves, and those of the upper halves.
    fn unpack(self, a: Self::Vector, b: Self::Vector) -> (Self::Vector, Self::Vector);
}

/// Exchanges bits between vectors.
pub trait Swap: Isa {
    /// Exchanges the bits of `b` in `mask` with the bits of `a` that lie SHIFT places higher.
    fn swap<const SHIFT: i32>(
        self,
        a: Self::Vector,
        b: Self::Vector,
        mask: u64,
    ) -> (Self::Vector, Self::Vector);
}

/// Mirrors the 8 x 8 bits of each word.
#[cfg(target_arch = "x86_64")]
pub trait Mirror: Isa {
    /// Bit b of byte j becomes bit 7 - j of byte 7 - b.
    fn mirror(self, a: Self::Vector) -> Self::Vector;
}

/// How GFNI mirrors: bit i of a product is the parity of (byte 7 - i of the matrix AND byte x). If the data
/// is the matrix and the bytes x are the unit vectors, the product is the mirrored matrix.
#[cfg(target_arch = "x86_64")]
pub const UNIT_VECTORS: u64 = 0x0102_0408_1020_4080;

type Eight<I> = [<I as Isa>::Vector; 8];

/// Unpacks vectors that differ in one bit of their number.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn unpack<I: Unpack, const BIT: usize>(isa: I, vectors: &mut Eight<I>) {
    for i in 0..8 {
        if i & BIT == 0 {
            (vectors[i], vectors[i | BIT]) = isa.unpack(vectors[i], vectors[i | BIT]);
        }
    }
}

#[inline(always)]
fn swap<I: Swap, const BIT: usize, const SHIFT: i32>(isa: I, vectors: &mut Eight<I>, mask: u64) {
    for i in 0..8 {
        if i & BIT == 0 {
            (vectors[i], vectors[i | BIT]) = isa.swap::<SHIFT>(vectors[i], vectors[i | BIT], mask);
        }
    }
}

/// Exchanges the three low bits of the vectors' number with the bit's place in its byte.
#[inline(always)]
fn swap_bits<I: Swap>(isa: I, vectors: &mut Eight<I>) {
    swap::<I, 1, 1>(isa, vectors, 0x5555_5555_5555_5555);
    swap::<I, 2, 2>(isa, vectors, 0x3333_3333_3333_3333);
    swap::<I, 4, 4>(isa, vectors, 0x0f0f_0f0f_0f0f_0f0f);
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn mirror<I: Mirror>(isa: I, vectors: &mut Eight<I>) {
    for vector in vectors {
        *vector = isa.mirror(*vector);
    }
}

/// Vectors `first`, `first + STEP`, ...
#[inline(always)]
fn gather<I: Isa, const STEP: usize>(isa: I, planes: &[I::Plane], first: usize) -> Eight<I> {
    let mut vectors = [isa.splat(0); 8];
    for i in 0..8 {
        vectors[i] = isa.load(&planes[first + STEP * i]);
    }
    vectors
}

#[inline(always)]
fn scatter<I: Isa, const STEP: usize>(isa: I, vectors: &Eight<I>, planes: &mut [I::Plane], first: usize) {
    for i in 0..8 {
        isa.store(&mut planes[first + STEP * i], vectors[i]);
    }
}

/// Vectors `first`, `first + 8`, ... of `words`, XORed with `flip`.
#[inline(always)]
fn gather_flipped<I: Isa>(isa: I, words: &[I::Plane], first: usize, flip: u64) -> Eight<I> {
    let mut vectors = gather::<I, 8>(isa, words, first);
    for vector in &mut vectors {
        *vector = isa.xor(*vector, isa.splat(flip));
    }
    vectors
}

/// Only swaps, three in each pass. Lanes stay in order.
pub mod by_swaps {
    use super::{Swap, gather, gather_flipped, scatter, swap, swap_bits};

    /// Transposes words into planes.
    #[inline(always)]
    pub fn planes<I: Swap>(
        isa: I,
        words: &[I::Plane],
        flip: u64,
        between: &mut [I::Plane; 64],
        planes: &mut [I::Plane; 64],
    ) {
        for first in 0..8 {
            let mut eight = gather_flipped(isa, words, first, flip);
            swap::<I, 1, 8>(isa, &mut eight, 0x00ff_00ff_00ff_00ff);
            swap::<I, 2, 16>(isa, &mut eight, 0x0000_ffff_0000_ffff);
            swap::<I, 4, 32>(isa, &mut eight, 0x0000_0000_ffff_ffff);
            scatter::<I, 8>(isa, &eight, between, first);
        }
        for row in 0..8 {
            let mut eight = gather::<I, 1>(isa, between, 8 * row);
            swap_bits(isa, &mut eight);
            scatter::<I, 1>(isa, &eight, planes, 8 * row);
        }
    }

    /// Transposes planes into words: the same code, as the transpose is its own inverse.
    #[inline(always)]
    pub fn words<I: Swap>(
        isa: I,
        from: &[I::Plane; 64],
        between: &mut [I::Plane; 64],
        words: &mut [I::Plane],
    ) {
        let words = words.first_chunk_mut::<64>().expect("64 vectors of words");
        planes(isa, from, 0, between, words);
    }
}

/// Unpacks for bytes, swaps for bits.
///
/// Into planes: the vector's number is (w5..w0), the byte is (m j2 j1 j0). Unpacks on bits 3, 5, 4, 3 give
/// number (j2 j1 j0 w2 w1 w0) and byte (w3 w5 w4 m). Three swaps then exchange w2 w1 w0 with the bit's place.
///
/// Back: the swaps come first. Unpacks on bits 5, 4, 3 then move j2, j1, j0 into the byte, which becomes (m j2 j1 j0).
/// The number becomes (w3 w5 w4 w2 w1 w0).
///
#[cfg(target_arch = "x86_64")]
pub mod by_unpacks_and_swaps {
    use super::{Swap, Unpack, gather, gather_flipped, scatter, swap_bits, unpack};

    /// Transposes words into planes.
    #[inline(always)]
    pub fn planes<I: Unpack + Swap>(
        isa: I,
        words: &[I::Plane],
        flip: u64,
        between: &mut [I::Plane; 64],
        planes: &mut [I::Plane; 64],
    ) {
        for first in 0..8 {
            let mut eight = gather_flipped(isa, words, first, flip);
            unpack::<I, 1>(isa, &mut eight);
            unpack::<I, 4>(isa, &mut eight);
            unpack::<I, 2>(isa, &mut eight);
            unpack::<I, 1>(isa, &mut eight);
            scatter::<I, 8>(isa, &eight, between, first);
        }
        for row in 0..8 {
            let mut eight = gather::<I, 1>(isa, between, 8 * row);
            swap_bits(isa, &mut eight);
            scatter::<I, 1>(isa, &eight, planes, 8 * row);
        }
    }

    /// Transposes planes into words.
    #[inline(always)]
    pub fn words<I: Unpack + Swap>(
        isa: I,
        planes: &[I::Plane; 64],
        between: &mut [I::Plane; 64],
        words: &mut [I::Plane],
    ) {
        for row in 0..8 {
            let mut eight = gather::<I, 1>(isa, planes, 8 * row);
            swap_bits(isa, &mut eight);
            scatter::<I, 1>(isa, &eight, between, 8 * row);
        }
        for first in 0..8 {
            let mut eight = gather::<I, 8>(isa, between, first);
            unpack::<I, 4>(isa, &mut eight);
            unpack::<I, 2>(isa, &mut eight);
            unpack::<I, 1>(isa, &mut eight);
            // Vector (w3 w5 w4) of these holds the words at place (w5 w4 w3 w2 w1 w0).
            for i in 0..8 {
                isa.store(&mut words[(i & 3) << 4 | (i >> 2) << 3 | first], eight[i]);
            }
        }
    }
}

/// Unpacks, and one mirror per vector.
///
/// Into planes: the vector's number is (w5..w0), the byte is (m j2 j1 j0). Unpacks on bits 4, 5, 4 give
/// number (j2 j1 w3 w2 w1 w0) and byte (j0 w4 w5 m). The mirror exchanges w4 w5 m with the bit's place b2 b1
/// b0. Unpacks on bits 3, 2, 1, 0 give number (j2 j1 j0 b2 b1 b0) and byte (w3 w2 w1 w0). The mirror
/// complements, so the planes of a byte come out in reverse.
///
/// Back: unpacks on bits 2, 1, 0 give number (j2 j1 j0 w3 w2 w1) and byte (w0 b2 b1 b0). The mirror restores
/// (w0 w4 w5 m). Unpacks on bits 5, 4, 3 give number (w0 w4 w5 w3 w2 w1) and byte (m j2 j1 j0).
///
#[cfg(target_arch = "x86_64")]
pub mod by_unpacks_and_mirror {
    use super::{Mirror, Unpack, gather, gather_flipped, mirror, scatter, unpack};

    /// Transposes words into planes.
    #[inline(always)]
    pub fn planes<I: Unpack + Mirror>(
        isa: I,
        words: &[I::Plane],
        flip: u64,
        between: &mut [I::Plane; 64],
        planes: &mut [I::Plane; 64],
    ) {
        for first in 0..8 {
            let mut eight = gather_flipped(isa, words, first, flip);
            unpack::<I, 2>(isa, &mut eight);
            unpack::<I, 4>(isa, &mut eight);
            unpack::<I, 2>(isa, &mut eight);
            mirror(isa, &mut eight);
            unpack::<I, 1>(isa, &mut eight);
            scatter::<I, 8>(isa, &eight, between, first);
        }
        for row in 0..8 {
            let mut eight = gather::<I, 1>(isa, between, 8 * row);
            unpack::<I, 4>(isa, &mut eight);
            unpack::<I, 2>(isa, &mut eight);
            unpack::<I, 1>(isa, &mut eight);
            eight.reverse();
            scatter::<I, 1>(isa, &eight, planes, 8 * row);
        }
    }

    /// Transposes planes into words.
    #[inline(always)]
    pub fn words<I: Unpack + Mirror>(
        isa: I,
        planes: &[I::Plane; 64],
        between: &mut [I::Plane; 64],
        words: &mut [I::Plane],
    ) {
        for row in 0..8 {
            let mut eight = gather::<I, 1>(isa, planes, 8 * row);
            eight.reverse();
            unpack::<I, 4>(isa, &mut eight);
            unpack::<I, 2>(isa, &mut eight);
            unpack::<I, 1>(isa, &mut eight);
            mirror(isa, &mut eight);
            scatter::<I, 1>(isa, &eight, between, 8 * row);
        }
        for first in 0..8 {
            let mut eight = gather::<I, 8>(isa, between, first);
            unpack::<I, 4>(isa, &mut eight);
            unpack::<I, 2>(isa, &mut eight);
            unpack::<I, 1>(isa, &mut eight);
            // Vector (w0 w4 w5 | w3 w2 w1) holds the words at place (w5 w4 w3 w2 w1 w0).
            for i in 0..8 {
                isa.store(&mut words[(i & 1) << 5 | (i >> 1 & 1) << 4 | first << 1 | i >> 2], eight[i]);
            }
        }
    }
}

/// Implements [`Transpose`](super::isa::Transpose) by one of the methods.
macro_rules! transpose {
    ($isa:ty, $order:ident) => {
        impl $crate::arch::bitslice::isa::Transpose for $isa {
            #[inline(always)]
            fn planes(
                self,
                words: &[Self::Plane],
                flip: u64,
                between: &mut [Self::Plane; 64],
                planes: &mut [Self::Plane; 64],
            ) {
                $order::planes(self, words, flip, between, planes);
            }

            #[inline(always)]
            fn words(
                self,
                planes: &[Self::Plane; 64],
                between: &mut [Self::Plane; 64],
                words: &mut [Self::Plane],
            ) {
                $order::words(self, planes, between, words);
            }
        }
    };
}
pub(super) use transpose;
