//! The messages of a batch: integers, or bytes in one of several layouts.

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

/// How many messages are turned into slices at a time.
const CHUNK: usize = 32;

impl Layout<'_> {
    /// `n` messages from index `first` on; none if there are not so many.
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
