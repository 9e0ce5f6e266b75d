//! Where the messages of a group of short messages are: in the caller's own list, which no pass turns into another.

#![allow(unsafe_code)]

use crate::arch::generic::lanes::Lanes;
use crate::arch::generic::tile::{Column, WINDOW};
use crate::job::barrier::value_barrier;
use crate::job::prefetch::prefetch;
use crate::job::siphash::Word;

/// A list of messages, and the group of it that is read at the moment: G vectors of N messages.
pub trait Source<L: Lanes<W, N>, W: Word, const N: usize, const G: usize> {
    /// Whether `read` leaves the bytes after a message in the last word.
    const OPEN: bool;
    /// The messages as the caller has them.
    type List: Copy;

    /// The source of these messages.
    fn new(list: Self::List) -> Self;

    /// Goes to the group that begins with message `at`, and returns the lengths. `None` if there are too few
    /// messages (less than a group of rows is one), or if some may not be read as this source does it.
    fn find(&mut self, cpu: L, at: usize) -> Option<[L::Vector; G]>;

    /// The group that `find` returned last, if it must be read by [`Span::read`] instead of `read`.
    #[inline(always)]
    fn edge(&self) -> Option<&Span<'_, N, G>> {
        None
    }

    /// Prepares to read the group, from word `skip` on.
    fn prepare(&mut self, cpu: L, lengths: &[L::Vector; G], skip: usize);

    /// Writes the words of one vector, with zeros for words that a message does not have.
    ///
    /// # Safety
    /// `find` was called last and returned these lengths for this vector, each less than [`WINDOW`] words. Then
    /// `prepare` was called with the same lengths and the first word that is needed, and `edge` returned `None`. Each
    /// length is at least 4, unless TINY or OPEN or the lanes are not [`Lanes::JUSTIFIED`].
    unsafe fn read<const TINY: bool>(&self, cpu: L, lengths: L::Vector, to: &mut Column<'_, W, N, G>);
}

/// A group of messages in one slice of bytes.
pub struct Span<'a, const N: usize, const G: usize> {
    bytes: &'a [u8],
    /// The address of the first message.
    base: usize,
    /// Where the tail of each message begins, counted from `base`. They ascend if all lengths are short.
    ends: [[u32; N]; G],
    /// Whether a quad may reach beyond an end of the slice.
    at_edge: bool,
}

impl<'a, const N: usize, const G: usize> Span<'a, N, G> {
    /// No messages.
    #[inline(always)]
    fn new(bytes: &'a [u8]) -> Self {
        Span { bytes, base: 0, ends: [[0; N]; G], at_edge: true }
    }

    /// Moves to the group between the bytes `first` and `last`, if the slice has those bytes. `ends` has its tails.
    #[inline(always)]
    fn locate<W: Word>(&mut self, first: usize, last: usize) -> Option<()> {
        let behind = self.bytes.len().checked_sub(last)?;
        self.at_edge = first < WINDOW * W::SIZE || behind < W::SIZE;
        self.base = self.bytes.as_ptr().expose_provenance().wrapping_add(first);
        Some(())
    }

    /// The group, if it is at an edge.
    #[inline(always)]
    fn edge(&self) -> Option<&Self> {
        self.at_edge.then_some(self)
    }

    /// Writes the words of one vector: whole quads, whatever else is in them.
    ///
    /// # Safety
    /// WINDOW - 1 words before each tail, and one word from there on, lie inside the slice. If the first word that is
    /// needed is WINDOW - 4 or a later one, 3 words before the tail are enough.
    #[inline(always)]
    unsafe fn read_open<L: Lanes<W, N>, W: Word>(
        &self,
        cpu: L,
        lengths: L::Vector,
        to: &mut Column<'_, W, N, G>,
    ) {
        for rel in [1, 0] {
            if to.skip < WINDOW - 4 * rel {
                // SAFETY: the caller ensures this.
                unsafe { cpu.read_quads(self.base, &self.ends[to.k], rel, begins(cpu, lengths, rel), to) };
            }
        }
    }

    /// Writes the words of one vector, and reads no byte outside the slice: quads that reach beyond it are read by
    /// masks.
    ///
    /// # Safety
    /// The messages of vector `to.k` lie inside the slice and have these lengths, each less than [`WINDOW`] words.
    /// `ends` has their tails, which ascend.
    #[inline(always)]
    pub unsafe fn read<L: Lanes<W, N>, W: Word>(
        &self,
        cpu: L,
        lengths: L::Vector,
        to: &mut Column<'_, W, N, G>,
    ) {
        let ends = &self.ends[to.k];
        if self.is_inside::<W>(ends, to.skip) {
            // SAFETY: this has just been checked.
            unsafe { self.read_open(cpu, lengths, to) };
            return;
        }
        let tails = ends.map(|end| self.base.wrapping_add(end as usize));
        let bytes = cpu.to_array(lengths).map(|length| length.to_u64() as u32);
        if to.skip < WINDOW - 4 {
            // SAFETY: the caller ensures that these are the tails of messages that may be read, and their lengths.
            unsafe { read_within::<_, _, N, G, 1>(cpu, &tails, &bytes, lengths, to) };
        }
        // SAFETY: as above.
        unsafe { read_within::<_, _, N, G, 0>(cpu, &tails, &bytes, lengths, to) };
    }

    /// Whether the quads that end with these tails lie inside the slice, if word `skip` is the first that is needed.
    #[inline(always)]
    fn is_inside<W: Word>(&self, ends: &[u32; N], skip: usize) -> bool {
        let (Some(&first), Some(&last)) = (ends.first(), ends.last()) else { return false };
        let before = self.base.wrapping_sub(self.bytes.as_ptr().addr());
        let words = if skip < WINDOW - 4 { WINDOW - 1 } else { 3 };
        before + first as usize >= words * W::SIZE && before + last as usize + W::SIZE <= self.bytes.len()
    }
}

/// Writes the words of quad REL of each message, and reads no byte outside the messages.
///
/// # Safety
/// `tails[i]` is `length % SIZE` bytes before the end of a message that may be read. `bytes` and `lengths` both have
/// the lengths.
#[inline(always)]
unsafe fn read_within<L: Lanes<W, N>, W: Word, const N: usize, const G: usize, const REL: usize>(
    cpu: L,
    tails: &[usize; N],
    bytes: &[u32; N],
    lengths: L::Vector,
    to: &mut Column<'_, W, N, G>,
) {
    let first = begins(cpu, lengths, REL);
    // SAFETY: the caller ensures this.
    let rows = unsafe { cpu.quads_within(tails, bytes, REL, first) };
    for (i, word) in (WINDOW - 4 * (REL + 1)..).zip(cpu.transpose(rows, first)) {
        to.put(i, cpu.to_array(word));
    }
}

/// The word of quad `rel` where a message of this length begins: below 0 in an earlier quad, 4 or more in a later one.
#[inline(always)]
fn begins<L: Lanes<W, N>, W: Word, const N: usize>(cpu: L, lengths: L::Vector, rel: usize) -> L::Vector {
    let whole = cpu.shr(lengths, cpu.splat(W::truncated(W::SIZE.ilog2() as usize)));
    cpu.sub(cpu.splat(W::truncated(4 * rel + 3)), whole)
}

/// Messages between two offsets each.
pub struct Offsets<'a, O, const N: usize, const G: usize> {
    offsets: &'a [O],
    span: Span<'a, N, G>,
}

/// The type of an offset.
pub trait Index: Copy + Default {
    /// The offset as a number. A negative one is a large number.
    fn index(self) -> usize;
    /// The lengths between offsets, and the beginnings of the tails, counted from `from`. All numbers are modulo 2^32
    /// at least.
    fn lengths<L: Lanes<W, N>, W: Word, const N: usize>(
        cpu: L,
        starts: &[Self; N],
        stops: &[Self; N],
        from: usize,
        ends: &mut [u32; N],
    ) -> L::Vector;
}

impl Index for i32 {
    #[inline(always)]
    fn index(self) -> usize {
        self as u32 as usize
    }

    #[inline(always)]
    fn lengths<L: Lanes<W, N>, W: Word, const N: usize>(
        cpu: L,
        starts: &[Self; N],
        stops: &[Self; N],
        from: usize,
        ends: &mut [u32; N],
    ) -> L::Vector {
        cpu.lengths32(starts, stops, from, ends)
    }
}

impl Index for i64 {
    #[inline(always)]
    fn index(self) -> usize {
        usize::try_from(self).unwrap_or(usize::MAX)
    }

    #[inline(always)]
    fn lengths<L: Lanes<W, N>, W: Word, const N: usize>(
        cpu: L,
        starts: &[Self; N],
        stops: &[Self; N],
        from: usize,
        ends: &mut [u32; N],
    ) -> L::Vector {
        cpu.lengths64(starts, stops, from, ends)
    }
}

impl<'a, L: Lanes<W, N>, O: Index, W: Word, const N: usize, const G: usize> Source<L, W, N, G>
    for Offsets<'a, O, N, G>
{
    const OPEN: bool = true;
    /// Message i is `bytes[offsets[i]..offsets[i + 1]]`.
    type List = (&'a [u8], &'a [O]);

    #[inline(always)]
    fn new((bytes, offsets): Self::List) -> Self {
        Offsets { offsets, span: Span::new(bytes) }
    }

    #[inline(always)]
    fn find(&mut self, cpu: L, at: usize) -> Option<[L::Vector; G]> {
        let offsets = self.offsets.get(at..=at + N * G)?;
        let (&[first, ..], &[.., last]) = (offsets, offsets) else { return None };
        let (first, last) = (first.index(), last.index());
        // What lies between the two ends is checked by the lengths, which are less than WINDOW words each: then their
        // sum does not wrap, so the tails ascend from `first` to `last`.
        if first > last || last - first >= N * G * WINDOW * W::SIZE {
            return None;
        }
        let mut lengths = [cpu.splat(W::ZERO); G];
        for (k, (length, ends)) in lengths.iter_mut().zip(&mut self.span.ends).enumerate() {
            let starts = offsets.get(k * N..).and_then(<[O]>::first_chunk);
            let stops = offsets.get(k * N + 1..).and_then(<[O]>::first_chunk);
            let (Some(starts), Some(stops)) = (starts, stops) else { return None };
            *length = O::lengths(cpu, starts, stops, first, ends);
        }
        self.span.locate::<W>(first, last)?;
        Some(lengths)
    }

    #[inline(always)]
    fn edge(&self) -> Option<&Span<'_, N, G>> {
        self.span.edge()
    }

    #[inline(always)]
    fn prepare(&mut self, _cpu: L, _lengths: &[L::Vector; G], _skip: usize) {}

    #[inline(always)]
    unsafe fn read<const TINY: bool>(&self, cpu: L, lengths: L::Vector, to: &mut Column<'_, W, N, G>) {
        // SAFETY: `edge` returned `None`: WINDOW words before the group and one after it lie inside the bytes. The
        // caller ensures that the lengths are short, so all tails lie between the group's first and last byte.
        unsafe { self.span.read_open(cpu, lengths, to) }
    }
}

/// Messages of one width.
pub struct Rows<'a, const N: usize, const G: usize> {
    width: usize,
    span: Span<'a, N, G>,
}

impl<'a, L: Lanes<W, N>, W: Word, const N: usize, const G: usize> Source<L, W, N, G> for Rows<'a, N, G> {
    const OPEN: bool = true;
    /// Message i is `bytes[i * width..(i + 1) * width]`.
    type List = (&'a [u8], usize);

    #[inline(always)]
    fn new((bytes, width): Self::List) -> Self {
        let mut span = Span::new(bytes);
        // If there are fewer rows than lanes, the last one fills the others.
        let last = bytes.len().saturating_sub(width);
        for (i, end) in span.ends.as_flattened_mut().iter_mut().enumerate() {
            *end = i.wrapping_mul(width).min(last).wrapping_add(width / W::SIZE * W::SIZE) as u32;
        }
        Rows { width, span }
    }

    #[inline(always)]
    fn find(&mut self, cpu: L, at: usize) -> Option<[L::Vector; G]> {
        if self.width >= WINDOW * W::SIZE {
            return None;
        }
        let (first, last) = (at * self.width, (at + N * G) * self.width);
        // `new` has put the ends of lanes without a row inside the bytes, if there is a row.
        let room = self.span.bytes.len();
        let last = if at == 0 && self.width <= room { last.min(room) } else { last };
        self.span.locate::<W>(first, last)?;
        Some([cpu.splat(W::truncated(self.width)); G])
    }

    #[inline(always)]
    fn edge(&self) -> Option<&Span<'_, N, G>> {
        self.span.edge()
    }

    #[inline(always)]
    fn prepare(&mut self, _cpu: L, _lengths: &[L::Vector; G], _skip: usize) {}

    #[inline(always)]
    unsafe fn read<const TINY: bool>(&self, cpu: L, lengths: L::Vector, to: &mut Column<'_, W, N, G>) {
        // SAFETY: the same; `find` checked the width.
        unsafe { self.span.read_open(cpu, lengths, to) }
    }
}

/// If a group's last message begins fewer bytes than this after its first, the messages follow each other, and the CPU
/// fetches them by itself.
const NEAR: usize = 4096;

/// Prefetches messages in any order. Not inlined, since its caller has no register to spare.
#[inline(never)]
fn prefetch_all(slices: &[&[u8]]) {
    for slice in slices {
        prefetch(slice.as_ptr().addr());
    }
}

/// Messages in separate slices.
pub struct Slices<'a, P, const N: usize, const G: usize> {
    messages: &'a [&'a [u8]],
    group: &'a [[&'a [u8]; N]],
    prepared: [P; G],
}

impl<'a, L: Lanes<W, N>, W: Word, const N: usize, const G: usize> Source<L, W, N, G>
    for Slices<'a, L::Prepared, N, G>
{
    const OPEN: bool = false;
    type List = &'a [&'a [u8]];

    #[inline(always)]
    fn new(messages: Self::List) -> Self {
        Slices { messages, group: &[], prepared: [L::Prepared::default(); G] }
    }

    #[inline(always)]
    fn find(&mut self, cpu: L, at: usize) -> Option<[L::Vector; G]> {
        let messages = self.messages.get(at..at + N * G)?;
        if size_of::<usize>() > 4 && !L::WHOLE_LENGTHS {
            // `cpu.lengths` would cut a long one. The barrier is against gathers, which are slow.
            let mut all = 0;
            for message in messages {
                all |= value_barrier(message.len() as u64);
            }
            if all >= (WINDOW * W::SIZE) as u64 {
                return None;
            }
        }
        let address = |message: Option<&&[u8]>| message.map_or(0, |message| message.as_ptr().addr());
        if address(messages.last()).wrapping_sub(address(messages.first())) >= NEAR {
            prefetch_all(self.messages.get(at + N * G..at + 2 * N * G).unwrap_or(&[]));
        }
        self.group = messages.as_chunks().0;
        let mut lengths = [cpu.splat(W::ZERO); G];
        for (lengths, messages) in lengths.iter_mut().zip(self.group) {
            *lengths = cpu.lengths(messages);
        }
        Some(lengths)
    }

    #[inline(always)]
    fn prepare(&mut self, cpu: L, lengths: &[L::Vector; G], skip: usize) {
        for ((prepared, messages), &lengths) in self.prepared.iter_mut().zip(self.group).zip(lengths) {
            cpu.prepare(messages, lengths, skip, prepared);
        }
    }

    #[inline(always)]
    unsafe fn read<const TINY: bool>(&self, cpu: L, _lengths: L::Vector, to: &mut Column<'_, W, N, G>) {
        if let Some(messages) = self.group.get(to.k) {
            // SAFETY: `find` and `prepare` had the same messages and lengths; the caller ensures the rest.
            unsafe { cpu.words::<G, TINY>(messages, &self.prepared[to.k], to) }
        }
    }
}
