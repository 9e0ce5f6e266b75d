//! From words to planes and back.
//!
//! A bit of a group has 12 (with 256 lanes 14, with 512 lanes 15) index bits: which vector (6), which
//! byte of it, which bit of the byte (3). Before, the vector is a number of words, after, it is the
//! bit's place in its word; so six index bits must get into the vector's number, and six others out
//! of it. In which order lanes then lie does not matter, as the way back undoes it. There are three
//! means, of which each exchanges index bits ([HackersDelight], section 7-3; [bitmath]):
//!
//! * *swap*: exchanges bit k of the vector's number with bit k of the bit's place, for two vectors
//!   in six operations;
//! * *unpack*, the byte unpack of SSE2: within 128 bits, byte (m j2 j1 j0) of vectors that differ in
//!   bit n of their number gets to byte (j2 j1 j0 n) of the vector with m for n: for two vectors in two
//!   operations;
//! * *mirror*: within 64 bits, exchanges the byte's number with the bit's number, both complemented:
//!   one operation with GFNI.
//!
//! Each way goes twice over groups of eight vectors, which fit into registers.

use super::isa::Isa;

/// Two words side by side in 128 bits, as bytes.
#[cfg(target_arch = "x86_64")]
pub trait Unpack: Isa {
    /// The bytes of the lower halves in turn, and those of the upper halves.
    fn unpack(self, a: Self::Vector, b: Self::Vector) -> (Self::Vector, Self::Vector);
}

/// Bits that change places between vectors.
pub trait Swap: Isa {
    /// Exchanges the bits of `a` that `mask` has `shift` further up with those of `b` that it has.
    fn swap<const SHIFT: i32>(
        self,
        a: Self::Vector,
        b: Self::Vector,
        mask: u64,
    ) -> (Self::Vector, Self::Vector);
}

/// 8 x 8 bits in each word.
#[cfg(target_arch = "x86_64")]
pub trait Mirror: Isa {
    /// Bit b of byte j becomes bit 7 - j of byte 7 - b.
    fn mirror(self, a: Self::Vector) -> Self::Vector;
}

/// How GFNI mirrors: bit i of a product is the parity of byte 7 - i of the matrix under byte x. With the
/// data as the matrix and the unit vectors as the bytes x, the product is the matrix mirrored.
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

/// Exchanges the three low bits of the vectors' number with the bits' place in their byte.
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

/// The words that `planes` begins with, xored with `flip`.
#[inline(always)]
fn gather_flipped<I: Isa>(isa: I, words: &[I::Plane], first: usize, flip: u64) -> Eight<I> {
    let mut vectors = gather::<I, 8>(isa, words, first);
    for vector in &mut vectors {
        *vector = isa.xor(*vector, isa.splat(flip));
    }
    vectors
}

/// Swaps alone: three at each pass. Lanes stay in order.
pub mod by_swaps {
    use super::{Swap, gather, gather_flipped, scatter, swap, swap_bits};

    /// Words to planes.
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

    /// Planes to words: the same, as a transpose undoes itself.
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
/// In: with the vector's number (w5..w0) and the bytes (m j2 j1 j0), unpacks on bits 3, 5, 4, 3 leave
/// number (j2 j1 j0 w2 w1 w0) and bytes (w3 w5 w4 m); three swaps exchange w2 w1 w0 with the bits'
/// places. Out: the swaps first; unpacks on bits 5, 4, 3 then take j2, j1, j0 into the bytes, which
/// become (m j2 j1 j0), and leave number (w3 w5 w4 w2 w1 w0).
#[cfg(target_arch = "x86_64")]
pub mod by_unpacks_and_swaps {
    use super::{Swap, Unpack, gather, gather_flipped, scatter, swap_bits, unpack};

    /// Words to planes.
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

    /// Planes to words.
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
            // Vector (w3 w5 w4) of these holds the words of place (w5 w4 w3 w2 w1 w0).
            for i in 0..8 {
                isa.store(&mut words[(i & 3) << 4 | (i >> 2) << 3 | first], eight[i]);
            }
        }
    }
}

/// Unpacks, and one mirror a vector.
///
/// In: with the vector's number (w5..w0) and the bytes (m j2 j1 j0), unpacks on bits 4, 5, 4 leave
/// number (j2 j1 w3 w2 w1 w0) and bytes (j0 w4 w5 m); the mirror exchanges w4 w5 m with the bits'
/// places b2 b1 b0; unpacks on bits 3, 2, 1, 0 leave number (j2 j1 j0 b2 b1 b0) and bytes
/// (w3 w2 w1 w0). The mirror complements, so that the planes of a byte come out in reverse. Out: unpacks
/// on bits 2, 1, 0 leave number (j2 j1 j0 w3 w2 w1) and bytes (w0 b2 b1 b0), the mirror brings
/// (w0 w4 w5 m) back, and unpacks on bits 5, 4, 3 leave number (w0 w4 w5 w3 w2 w1) and bytes
/// (m j2 j1 j0).
#[cfg(target_arch = "x86_64")]
pub mod by_unpacks_and_mirror {
    use super::{Mirror, Unpack, gather, gather_flipped, mirror, scatter, unpack};

    /// Words to planes.
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

    /// Planes to words.
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
            // Vector (w0 w4 w5 | w3 w2 w1) holds the words of place (w5 w4 w3 w2 w1 w0).
            for i in 0..8 {
                isa.store(&mut words[(i & 1) << 5 | (i >> 1 & 1) << 4 | first << 1 | i >> 2], eight[i]);
            }
        }
    }
}

/// Gives [`Transpose`](super::isa::Transpose) by one of the ways.
macro_rules! transpose {
    ($isa:ty, $way:ident) => {
        impl $crate::arch::bitslice::isa::Transpose for $isa {
            #[inline(always)]
            fn planes(
                self,
                words: &[Self::Plane],
                flip: u64,
                between: &mut [Self::Plane; 64],
                planes: &mut [Self::Plane; 64],
            ) {
                $way::planes(self, words, flip, between, planes);
            }

            #[inline(always)]
            fn words(
                self,
                planes: &[Self::Plane; 64],
                between: &mut [Self::Plane; 64],
                words: &mut [Self::Plane],
            ) {
                $way::words(self, planes, between, words);
            }
        }
    };
}
pub(super) use transpose;
