//! The messages of a batch: integers, or bytes in one of several layouts.

use crate::job::plain::chunk;
use core::hint::select_unpredictable;

/// The messages of a batch: integers, or bytes in some layout.
#[derive(Clone, Copy)]
pub enum Messages<'a> {
    /// The 4 bytes of each integer, little-endian.
    U32s(&'a [u32]),
    /// The 8 bytes of each integer, little-endian.
    U64s(&'a [u64]),
    /// The 16 bytes of each integer, little-endian.
    U128s(&'a [u128]),
    /// Bytes.
    Bytes(Layout<'a>),
}

/// Where the messages of a batch are in memory.
#[derive(Clone, Copy)]
pub enum Layout<'a> {
    /// Back to back, `width` bytes each.
    Rows {
        /// The bytes of all messages.
        bytes: &'a [u8],
        /// The bytes of each message.
        width: usize,
    },
    /// Message i is `bytes[offsets[i]..offsets[i + 1]]`.
    Offsets32 {
        /// The bytes of all messages.
        bytes: &'a [u8],
        /// One offset more than messages, in ascending order, or none.
        offsets: &'a [i32],
    },
    /// Message i is `bytes[offsets[i]..offsets[i + 1]]`.
    Offsets64 {
        /// The bytes of all messages.
        bytes: &'a [u8],
        /// One offset more than messages, in ascending order, or none.
        offsets: &'a [i64],
    },
    /// Each message in a separate slice.
    Slices(&'a [&'a [u8]]),
}

/// A view of Arrow: the length in its first 4 bytes, then a short message with its padding, or where a long one is. All
/// numbers have 32 bits and are little-endian.
///
/// ```text
/// up to 12 bytes   length, message, padding
/// longer           length, prefix of 4 bytes, index of the buffer, offset in the buffer
/// ```
pub type RawView = [u8; 16];

/// The longest message within a view.
const INLINE: usize = 12;

/// The longest message that a view may have.
const LONGEST: usize = i32::MAX as usize;

/// What a view says about a long message: its length, the index of its buffer, and its offset there. For a short message,
/// only the length is meaningful.
#[inline(always)]
fn numbers(view: &RawView) -> [usize; 3] {
    let [low, high] = [chunk(view, 0), chunk(view, 1)].map(|bytes| u64::from_le_bytes(*bytes));
    [low as u32 as usize, high as u32 as usize, (high >> 32) as usize]
}

/// The message of a view. Neither padding nor prefix is read. `None` if the length is negative, there is no such
/// buffer, or the message does not lie inside it.
///
/// No branch tells short messages from long ones, since no CPU could predict it. No address depends on a message: the
/// bytes of a short one are no index.
#[inline(always)]
pub fn viewed<'m, 'b: 'm>(
    view: &'m RawView,
    buffer: impl FnOnce(usize) -> Option<&'b [u8]>,
) -> Option<&'m [u8]> {
    let [length, index, offset] = numbers(view);
    let inline = length <= INLINE;
    let far = buffer(select_unpredictable(inline, 0, index)).unwrap_or(&[]);
    let bytes = select_unpredictable(inline, view.as_slice(), far);
    let start = select_unpredictable(inline, 4, offset);
    if length > LONGEST { None } else { bytes.get(start..)?.get(..length) }
}

/// The same for views into a single buffer, of index 0, that is shorter than 2 GiB. It saves two comparisons: a negative
/// length, read as unsigned, exceeds the buffer anyway, and an index other than 0 makes an offset beyond its end.
#[inline(always)]
pub fn viewed_in_one<'m, 'b: 'm>(view: &'m RawView, buffer: &'b [u8]) -> Option<&'m [u8]> {
    let [low, high] = [chunk(view, 0), chunk(view, 1)].map(|bytes| u64::from_le_bytes(*bytes));
    let length = low as u32 as usize;
    let inline = length <= INLINE;
    let bytes = select_unpredictable(inline, view.as_slice(), buffer);
    let start = select_unpredictable(inline, 4, high.rotate_left(32));
    bytes.get(usize::try_from(start).ok()?..)?.get(..length)
}

/// The same with a branch, which is faster where the hash of the message has one for the length anyway.
#[inline(always)]
pub fn viewed_by_branch<'m, 'b: 'm>(
    view: &'m RawView,
    buffer: impl FnOnce(usize) -> Option<&'b [u8]>,
) -> Option<&'m [u8]> {
    let [length, index, offset] = numbers(view);
    if length <= INLINE {
        return view.get(4..4 + length);
    }
    if length > LONGEST { None } else { buffer(index)?.get(offset..)?.get(..length) }
}

/// 0 if [`viewed`] finds the message, else 1. `room` returns the length of a buffer, 0 if there is no such buffer. In
/// arithmetic, since the compiler makes branches of conditions.
#[inline(always)]
pub fn fault(view: &RawView, room: impl FnOnce(usize) -> usize) -> u64 {
    let [length, index, offset] = numbers(view);
    let room = room(select_unpredictable(length <= INLINE, 0, index)) as u64;
    let outside = u64::from(offset as u64 + length as u64 > room) | u64::from(length > LONGEST);
    outside & u64::from(length > INLINE)
}

/// The same for views into a single buffer of `room` bytes: the sign bit is set if the message does not lie inside it. A
/// sign takes fewer instructions than a comparison.
#[inline(always)]
pub fn fault_of_one(view: &RawView, room: u64) -> u64 {
    let view = u128::from_le_bytes(*view);
    let (length, index, offset) = (view as u32 as u64, (view >> 64) as u32 as u64, (view >> 96) as u64);
    let outside = room.wrapping_sub(offset + length) | 0u64.wrapping_sub(index) | length << 32;
    outside & (INLINE as u64).wrapping_sub(length)
}

/// How many messages are turned into slices at a time.
const CHUNK: usize = 32;

impl Layout<'_> {
    /// `n` messages from index `first` on; none if there are fewer.
    pub fn part(self, first: usize, n: usize) -> Self {
        match self {
            Layout::Rows { bytes, width } => {
                let part = bytes.get(first * width..(first + n) * width);
                Layout::Rows { bytes: part.unwrap_or(&[]), width }
            }
            Layout::Offsets32 { bytes, offsets } => {
                Layout::Offsets32 { bytes, offsets: offsets.get(first..=first + n).unwrap_or(&[]) }
            }
            Layout::Offsets64 { bytes, offsets } => {
                Layout::Offsets64 { bytes, offsets: offsets.get(first..=first + n).unwrap_or(&[]) }
            }
            Layout::Slices(slices) => Layout::Slices(slices.get(first..first + n).unwrap_or(&[])),
        }
    }
}

impl<'a> Layout<'a> {
    /// Message `i`; an empty one if there is none.
    #[inline(always)]
    pub fn message(self, i: usize) -> &'a [u8] {
        let place = match self {
            Layout::Rows { bytes, width } => bytes.get(i * width..(i + 1) * width),
            Layout::Offsets32 { bytes, offsets } => match offsets.get(i..i + 2) {
                Some(&[start, stop]) => bytes.get(start as usize..stop as usize),
                _ => None,
            },
            Layout::Offsets64 { bytes, offsets } => match offsets.get(i..i + 2) {
                Some(&[start, stop]) => bytes.get(start as usize..stop as usize),
                _ => None,
            },
            Layout::Slices(slices) => slices.get(i).copied(),
        };
        place.unwrap_or(&[])
    }
}

impl Layout<'_> {
    /// Passes the messages to `hash` as slices: a chunk of them at a time, with their tags. So a kernel need not know
    /// the layout.
    #[inline]
    pub fn for_each_chunk<T>(self, tags: &mut [T], mut hash: impl FnMut(&[&[u8]], &mut [T])) {
        let mut chunk: [&[u8]; CHUNK] = [&[]; CHUNK];
        for (i, tags) in tags.chunks_mut(CHUNK).enumerate() {
            let (first, count) = (i * CHUNK, tags.len());
            match self {
                Layout::Rows { bytes, width } => {
                    let rows = bytes.get(first * width..).unwrap_or(&[]);
                    for (i, message) in chunk.iter_mut().take(count).enumerate() {
                        *message = rows.get(i * width..(i + 1) * width).unwrap_or(&[]);
                    }
                }
                Layout::Offsets32 { bytes, offsets } => {
                    cut(bytes, offsets.get(first..), &mut chunk, |x| x as usize)
                }
                Layout::Offsets64 { bytes, offsets } => {
                    cut(bytes, offsets.get(first..), &mut chunk, |x| x as usize)
                }
                Layout::Slices(slices) => {
                    hash(slices.get(first..first + count).unwrap_or(&[]), tags);
                    continue;
                }
            }
            hash(chunk.get(..count).unwrap_or(&[]), tags);
        }
    }
}

/// Cuts `bytes` at the first offsets. The API has checked them; a message outside `bytes` becomes empty, without a
/// panic.
#[inline(always)]
fn cut<'a, O: Copy>(
    bytes: &'a [u8],
    offsets: Option<&[O]>,
    chunk: &mut [&'a [u8]; CHUNK],
    index: impl Fn(O) -> usize,
) {
    let pairs = offsets.unwrap_or(&[]).windows(2);
    for (message, pair) in chunk.iter_mut().zip(pairs) {
        if let [start, end] = *pair {
            *message = bytes.get(index(start)..index(end)).unwrap_or(&[]);
        }
    }
}
