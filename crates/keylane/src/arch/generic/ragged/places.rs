//! Where the tags of groups go.

use crate::arch::generic::engine::write;
use crate::arch::generic::lanes::Lanes;
use crate::job::barrier::value_barrier;
use crate::job::siphash::{Tags, Word};

/// The places of tags: all of `tags`, or those whose indices are in `order`.
pub struct Places<'a, W: Word> {
    pub tags: Tags<'a, W>,
    pub order: Option<&'a [u16]>,
}

impl<W: Word> Places<'_, W> {
    /// How many places there are.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.order.map_or(self.tags.count(), <[u16]>::len)
    }

    /// `n` places from index `first` on, or as many as there are.
    #[inline(always)]
    pub fn part(&mut self, first: usize, n: usize) -> Places<'_, W> {
        match self.order {
            None => Places { tags: self.tags.part(first, n), order: None },
            Some(order) => {
                let order = order.get(first..).unwrap_or(&[]);
                let order = order.get(..n).unwrap_or(order);
                let all = self.tags.count();
                Places { tags: self.tags.part(0, all), order: Some(order) }
            }
        }
    }

    /// Writes the tags of G vectors, as many as there are places from index `first` on.
    #[inline(always)]
    pub fn write<L: Lanes<W, N>, const N: usize, const G: usize>(
        &mut self,
        cpu: L,
        low: &[L::Vector; G],
        high: &[L::Vector; G],
        first: usize,
    ) {
        let Some(order) = self.order else {
            return write(cpu, low, high, self.tags.part(first, N * G));
        };
        let order = order.get(first..).unwrap_or(&[]);
        // A vector at a time, for the sake of the stack.
        for ((order, &low), &high) in order.chunks(N).zip(low).zip(high) {
            match &mut self.tags {
                Tags::Single(tags) => {
                    let mut vector = [W::ZERO; N];
                    cpu.store(low, &mut vector);
                    scatter(&vector, order, tags);
                }
                Tags::Double(tags) => {
                    let mut vector = [W::double(W::ZERO, W::ZERO); N];
                    cpu.store_double(low, high, &mut vector);
                    scatter(&vector, order, tags);
                }
            }
        }
    }
}

/// Puts tags into their places. The barrier keeps the compiler from a scatter instruction, which is slower than stores.
#[inline(always)]
fn scatter<T: Copy>(vector: &[T], order: &[u16], tags: &mut [T]) {
    for (&tag, &to) in vector.iter().zip(order) {
        if let Some(place) = tags.get_mut(value_barrier(to.into()) as usize) {
            *place = tag;
        }
    }
}
