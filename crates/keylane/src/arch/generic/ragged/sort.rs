//! Sorts messages by length, which leaves fewer lanes idle.

use super::chunk::Chunk;
use crate::job::siphash::Word;

/// Below this number of whole words, each number has a class. From it on, there are 8 classes from one power of two to
/// the next.
const PLAIN: u32 = 64;

/// The values of a byte: at least the number of classes, 64 + 8 * 22 + 1 for words of 4 bytes and `LONGEST`.
const CLASSES: usize = 256;

/// The class of a message of this many whole words. Longer messages have higher classes.
#[inline(always)]
fn class(words: u32) -> u8 {
    let above = (words | (PLAIN - 1)).ilog2() - (PLAIN.ilog2() - 1);
    // 64..128 is 8 classes of 8 words, 128..256 is 8 classes of 16, and so on.
    if above == 0 { words as u8 } else { (PLAIN - 8 + 8 * above + (words >> (above + 2) & 7)) as u8 }
}

/// The class of each of n messages of a chunk, none longer than `longest`.
#[inline(always)]
pub fn classify<W: Word, const B: usize>(chunk: &Chunk<B>, n: usize, longest: u32, classes: &mut [u8; B]) {
    let lengths = classes.iter_mut().zip(&chunk.lengths).take(n);
    if longest / (W::SIZE as u32) < PLAIN {
        for (class, &length) in lengths {
            *class = (length / W::SIZE as u32) as u8;
        }
    } else {
        for (class_of, &length) in lengths {
            *class_of = class(length / W::SIZE as u32);
        }
    }
}

/// Sorts the indices of n messages by class, highest first, by a counting sort. An index is below `2 * B` anyway;
/// `% (2 * B)`, cheap for a power of two, only saves the bounds check.
#[inline(always)]
pub fn sort<W: Word, const B: usize>(
    classes: &[[u8; B]; 2],
    n: usize,
    longest: u32,
    order: &mut [[u16; B]; 2],
) {
    const { assert!(B.is_power_of_two()) };
    let (classes, order) = (classes.as_flattened(), order.as_flattened_mut());
    let mut places = [0u16; CLASSES];
    for &class in classes.iter().take(n) {
        places[usize::from(class)] += 1;
    }
    let mut next = 0;
    for place in places.iter_mut().take(usize::from(class(longest / W::SIZE as u32)) + 1).rev() {
        next += core::mem::replace(place, next);
    }
    for (i, &class) in classes.iter().enumerate().take(n) {
        let place = &mut places[usize::from(class)];
        order[usize::from(*place) % (2 * B)] = i as u16;
        *place += 1;
    }
}
