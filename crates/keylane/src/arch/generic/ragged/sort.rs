//! Sorts messages by length, which leaves fewer lanes idle.

use super::chunk::Chunk;
use crate::job::barrier::value_barrier;
use crate::job::siphash::Word;

/// Messages with fewer whole words than this have one class for each number of words. Beyond, there are 8 classes for
/// each power of two.
const PLAIN: u32 = 64;

/// At least the number of classes: 64 + 8 * 22 + 1 for words of 4 bytes and `LONGEST`.
const CLASSES: usize = 256;

/// The class of a message of this many whole words. Longer messages have higher classes.
#[inline(always)]
fn class(words: u32) -> u16 {
    let above = (words | (PLAIN - 1)).ilog2() - (PLAIN.ilog2() - 1);
    // 64..128 is 8 classes of 8 words, 128..256 is 8 classes of 16, and so on.
    if above == 0 { words as u16 } else { (PLAIN - 8 + 8 * above + (words >> (above + 2) & 7)) as u16 }
}

/// Sorts n messages by class, highest first: count, compute the places, move. B is a power of two, so `% B` only
/// promises the compiler that an index is in its array.
#[inline(always)]
pub fn sort<W: Word, const B: usize>(
    chunk: &Chunk<B>,
    n: usize,
    longest: u32,
    sorted: &mut Chunk<B>,
    order: &mut [u16; B],
) {
    const { assert!(B.is_power_of_two() && CLASSES.is_power_of_two()) };
    let mut classes = [0u16; B];
    if longest / (W::SIZE as u32) < PLAIN {
        for (class, &length) in classes.iter_mut().zip(&chunk.lengths).take(n) {
            *class = (length / W::SIZE as u32) as u16;
        }
    } else {
        for (class_of, &length) in classes.iter_mut().zip(&chunk.lengths).take(n) {
            *class_of = class(length / W::SIZE as u32);
        }
    }
    let mut places = [0u16; CLASSES];
    for &class in classes.iter().take(n) {
        places[usize::from(class) % CLASSES] += 1;
    }
    let mut next = 0;
    for place in places.iter_mut().take(usize::from(class(longest / W::SIZE as u32)) + 1).rev() {
        next += core::mem::replace(place, next);
    }
    let messages = chunk.ends.iter().zip(&chunk.lengths).zip(&classes).take(n);
    for (i, ((&end, &length), &class)) in messages.enumerate() {
        let place = &mut places[usize::from(class) % CLASSES];
        let at = usize::from(*place) % B;
        *place += 1;
        order[at] = i as u16;
        sorted.ends[at] = end;
        sorted.lengths[at] = length;
    }
}

/// Puts tags back into the order before sorting. The barrier keeps the compiler from a scatter instruction, which is
/// slower than stores.
#[inline(always)]
pub fn scatter<T: Copy>(sorted: &[T], order: &[u16], tags: &mut [T]) {
    let n = tags.len();
    for (&tag, &to) in sorted.iter().zip(order).take(n) {
        if let Some(place) = tags.get_mut(value_barrier(to.into()) as usize) {
            *place = tag;
        }
    }
}
