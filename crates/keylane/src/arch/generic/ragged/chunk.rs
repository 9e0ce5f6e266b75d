//! A chunk: where up to 256 messages of a batch are in memory, and how long they are.

use crate::arch::generic::quad::zeros;
use crate::job::barrier::value_barrier;
use crate::job::siphash::{Layout, Word};

/// Longer messages go through the scalar loop: their number of words would not fit into a signed 32-bit word.
pub const LONGEST: usize = 1 << 30;

/// Up to B messages, in the order they are hashed in.
pub struct Chunk<const B: usize> {
    /// Where the tail of each message begins: `length % SIZE` bytes before its end.
    pub ends: [usize; B],
    /// How many bytes each message has.
    pub lengths: [u32; B],
}

/// What to prefetch. A group reads its messages side by side, a tile of each, and sorted groups jump. That defeats the
/// CPU's own prefetcher.
#[derive(Clone, Copy)]
pub enum Ahead {
    /// The messages of the next group. For separate slices, where no other address is known.
    NextGroup,
    /// The bytes from this address on. For messages in memory order: what follows those that are being read, also after
    /// a batch, where the next call often continues.
    Bytes(usize),
}

/// A chunk's facts besides its messages.
#[derive(Clone, Copy)]
pub struct Filled {
    /// How many bytes precede the first message, in the slice that holds all of them.
    pub before: usize,
    /// How many bytes follow the last message.
    pub behind: usize,
    /// What to prefetch while the whole chunk is hashed.
    pub ahead: Ahead,
    /// Whether a message is too long for the chunk. An empty message takes its place.
    pub oversized: bool,
}

impl Filled {
    /// Whether all quads of messages up to this length may be read. The first quad of the longest may begin up to three
    /// words before it, and the word of a tail ends after it.
    #[inline(always)]
    pub fn is_open<W: Word>(&self, longest: u32) -> bool {
        let row = 4 * W::SIZE;
        let reach = (longest as usize / row + 1) * row - W::SIZE;
        !self.oversized && self.before >= reach && self.behind >= W::SIZE
    }
}

impl<const B: usize> Chunk<B> {
    /// Empty messages.
    #[inline(always)]
    pub fn empty() -> Self {
        Chunk { ends: [zeros(); B], lengths: [0; B] }
    }

    /// Takes `n` messages of a layout from index `first` on. `None` if a message lies outside its bytes.
    #[inline(always)]
    pub fn fill<W: Word>(&mut self, layout: Layout<'_>, first: usize, n: usize) -> Option<Filled> {
        match layout {
            Layout::Rows { bytes, width } => {
                let before = first.checked_mul(width)?;
                let behind = bytes.len().checked_sub(before)?.checked_sub(n.checked_mul(width)?)?;
                let mut start = before;
                for (end, length) in self.ends.iter_mut().zip(&mut self.lengths).take(n) {
                    (*end, *length, _) = locate::<W>(bytes, start, width);
                    start += width;
                }
                let ahead = Ahead::Bytes(bytes.as_ptr().expose_provenance().wrapping_add(start));
                Some(Filled { before, behind, ahead, oversized: width > LONGEST })
            }
            Layout::Offsets32 { bytes, offsets } => {
                self.cut::<W, _>(bytes, offsets.get(first..)?, n, |x| x as usize)
            }
            Layout::Offsets64 { bytes, offsets } => {
                self.cut::<W, _>(bytes, offsets.get(first..)?, n, |x| x as usize)
            }
            Layout::Slices(slices) => {
                let slices = slices.get(first..first + n)?;
                let mut oversized = false;
                for ((end, length), message) in self.ends.iter_mut().zip(&mut self.lengths).zip(slices) {
                    let is_oversized;
                    (*end, *length, is_oversized) =
                        locate::<W>(message, 0, value_barrier(message.len() as u64) as usize);
                    oversized |= is_oversized;
                }
                Some(Filled { before: 0, behind: 0, ahead: Ahead::NextGroup, oversized })
            }
        }
    }

    /// Takes the messages in this order, where 0 is the message at index `first` of a layout. `fill` has taken them
    /// all before, so they lie inside their bytes.
    #[inline(always)]
    pub fn gather<W: Word>(&mut self, layout: Layout<'_>, first: usize, order: &[u16]) {
        match layout {
            Layout::Rows { bytes, width } => {
                self.gather_by::<W>(order, |i| (bytes, (first + i) * width, width));
            }
            Layout::Offsets32 { bytes, offsets } => {
                let offsets = offsets.get(first..).unwrap_or(&[]);
                self.gather_by::<W>(order, |i| bounds_of(bytes, offsets, i, |x| x as usize));
            }
            Layout::Offsets64 { bytes, offsets } => {
                let offsets = offsets.get(first..).unwrap_or(&[]);
                self.gather_by::<W>(order, |i| bounds_of(bytes, offsets, i, |x| x as usize));
            }
            Layout::Slices(slices) => {
                let slices = slices.get(first..).unwrap_or(&[]);
                self.gather_by::<W>(order, |i| {
                    let message = slices.get(i).copied().unwrap_or(&[]);
                    (message, 0, message.len())
                });
            }
        }
    }

    #[inline(always)]
    fn gather_by<'a, W: Word>(&mut self, order: &[u16], find: impl Fn(usize) -> (&'a [u8], usize, usize)) {
        for ((end, length), &i) in self.ends.iter_mut().zip(&mut self.lengths).zip(order) {
            let (bytes, start, size) = find(i.into());
            (*end, *length, _) = locate::<W>(bytes, start, size);
        }
    }

    #[inline(always)]
    fn cut<W: Word, O: Copy>(
        &mut self,
        bytes: &[u8],
        offsets: &[O],
        n: usize,
        index: impl Fn(O) -> usize,
    ) -> Option<Filled> {
        let (mut ascending, mut oversized) = (true, false);
        let pairs = offsets.get(..n)?.iter().zip(offsets.get(1..=n)?);
        for ((end, length), (&start, &stop)) in self.ends.iter_mut().zip(&mut self.lengths).zip(pairs) {
            let (start, stop) = (index(start), index(stop));
            ascending &= start <= stop;
            let is_oversized;
            (*end, *length, is_oversized) = locate::<W>(bytes, start, stop.wrapping_sub(start));
            oversized |= is_oversized;
        }
        let (before, stop) = (index(*offsets.first()?), index(*offsets.get(n)?));
        let next = bytes.as_ptr().expose_provenance().wrapping_add(stop);
        let filled = |behind| Filled { before, behind, ahead: Ahead::Bytes(next), oversized };
        bytes.len().checked_sub(stop).filter(|_| ascending).map(filled)
    }
}

/// The bytes, the start and the length of message `i`.
#[inline(always)]
fn bounds_of<'a, O: Copy>(
    bytes: &'a [u8],
    offsets: &[O],
    i: usize,
    index: impl Fn(O) -> usize,
) -> (&'a [u8], usize, usize) {
    match offsets.get(i..i + 2) {
        Some(&[start, stop]) => (bytes, index(start), index(stop).wrapping_sub(index(start))),
        _ => (&[], 0, 0),
    }
}

/// Where the tail of a message begins, the message's length, and whether it is too long.
#[inline(always)]
fn locate<W: Word>(bytes: &[u8], start: usize, length: usize) -> (usize, u32, bool) {
    let is_oversized = length > LONGEST;
    let end = bytes.as_ptr().expose_provenance().wrapping_add(start).wrapping_add(length / W::SIZE * W::SIZE);
    if is_oversized { (zeros(), 0, true) } else { (end, length as u32, false) }
}
