//! Many messages, and their layout in memory.

use crate::input::{Bytes, Text, coded, random_bytes};
use keylane::job::siphash::{Layout, Messages};
use keylane_conformance::input::{Random, view};
use keylane_conformance::public::{PublicHash, Tags};

/// The most messages in a batch: some more than the API passes on at a time.
const COUNT: usize = 600;

/// The most bytes in a batch.
const BYTES: usize = 1 << 15;

coded! {
    /// The lengths of a batch's messages.
    pub enum Lengths<'a> {
        /// One byte each: up to 199 it is the length, above that the length grows in steps.
        Given {
            /// The bytes.
            bytes: Bytes<'a>
        },
        /// All equal.
        Equal {
            /// The length.
            len: u8,
            /// How many.
            count: u16
        },
        /// Random ones.
        Random {
            /// Their seed.
            seed: u32,
            /// Their upper limit, excluded.
            below: u8,
            /// How many.
            count: u16
        },
        /// All equal except one.
        Odd {
            /// The length of the others.
            len: u8,
            /// The length of the odd one, encoded as in `Given`.
            odd: u8,
            /// The index of the odd one.
            at: u16,
            /// How many.
            count: u16
        },
    }
}

impl Lengths<'_> {
    /// The lengths.
    fn all(&self) -> Vec<usize> {
        let step = |byte: u8| if byte < 200 { byte.into() } else { 41 * (usize::from(byte) - 195) };
        let count = |count: u16| usize::from(count) % (COUNT + 1);
        let mut lengths: Vec<usize> = match *self {
            Lengths::Given { bytes } => bytes.0.iter().take(COUNT).map(|&byte| step(byte)).collect(),
            Lengths::Equal { len, count: n } => vec![len.into(); count(n)],
            Lengths::Random { seed, below, count: n } => {
                let mut random = Random(seed.into());
                (0..count(n)).map(|_| random.below(1 + usize::from(below))).collect()
            }
            Lengths::Odd { len, odd, at, count: n } => {
                let mut lengths = vec![len.into(); count(n)];
                let at = usize::from(at) % lengths.len().max(1);
                lengths.iter_mut().skip(at).take(1).for_each(|len| *len = step(odd));
                lengths
            }
        };
        let mut left = BYTES;
        lengths.retain(|&len| {
            let fits = len <= left;
            left -= if fits { len } else { 0 };
            fits
        });
        lengths
    }
}

coded! {
    /// A batch.
    pub enum Batch<'a> {
        /// Integers.
        Integers {
            /// A number that selects 4, 8 or 16 bytes each.
            size: u8,
            /// Their bytes.
            text: Text<'a>
        },
        /// Rows of one width.
        Rows {
            /// The width. For 0 there are as many rows as the text has bytes.
            width: u8,
            /// Their bytes.
            text: Text<'a>
        },
        /// Messages one after the other.
        Offsets {
            /// Whether offsets have 64 bits.
            wide: bool,
            /// Bytes before the first.
            before: u8,
            /// Bytes after the last.
            behind: u8,
            /// The lengths.
            lengths: Lengths<'a>,
            /// The seed of the bytes.
            seed: u32
        },
        /// Messages anywhere, each in a separate allocation.
        Slices {
            /// The offset of each from the beginning of its allocation, in turn.
            starts: [u8; 3],
            /// The lengths.
            lengths: Lengths<'a>,
            /// The seed of the bytes.
            seed: u32
        },
        /// Messages within views, or in buffers.
        Views {
            /// One less than the number of buffers, modulo 20.
            buffers: u8,
            /// Bytes before each message in its buffer, in turn.
            gaps: [u8; 3],
            /// The lengths.
            lengths: Lengths<'a>,
            /// The seed of the bytes.
            seed: u32
        },
    }
}

/// A batch in memory. Every allocation has exactly the required size.
pub enum Placed {
    /// Integers of 4 bytes.
    U32s(Box<[u32]>),
    /// Integers of 8 bytes.
    U64s(Box<[u64]>),
    /// Integers of 16 bytes.
    U128s(Box<[u128]>),
    /// Rows.
    Rows {
        /// All messages.
        bytes: Box<[u8]>,
        /// Bytes in each.
        width: usize,
        /// How many rows.
        count: usize,
    },
    /// Messages one after the other, by offsets of 32 bits.
    Offsets32 {
        /// All messages.
        bytes: Box<[u8]>,
        /// One more than there are messages.
        offsets: Box<[i32]>,
    },
    /// The same, by offsets of 64 bits.
    Offsets64 {
        /// All messages.
        bytes: Box<[u8]>,
        /// One more than there are messages.
        offsets: Box<[i64]>,
    },
    /// Messages anywhere. Each begins the given number of bytes into its allocation and extends to its end.
    Slices(Vec<(Box<[u8]>, usize)>),
    /// Messages within views, or in buffers.
    Views {
        /// One for each message.
        views: Box<[[u8; 16]]>,
        /// The bytes of long messages.
        buffers: Vec<Box<[u8]>>,
    },
}

/// The message of a view. `None` if there is none.
pub fn viewed(view: &[u8; 16], buffers: &[Box<[u8]>]) -> Option<Vec<u8>> {
    let number = |i: usize| u32::from_le_bytes([view[i], view[i + 1], view[i + 2], view[i + 3]]);
    match number(0) {
        length @ 0..=12 => Some(view[4..4 + length as usize].to_vec()),
        length @ 13..0x8000_0000 => {
            let (buffer, start) = (buffers.get(number(8) as usize)?, u64::from(number(12)));
            let inside = start + u64::from(length) <= buffer.len() as u64;
            inside.then(|| buffer[start as usize..][..length as usize].to_vec())
        }
        _ => None,
    }
}

impl Batch<'_> {
    /// Puts the batch into memory.
    pub fn place(&self) -> Placed {
        match self {
            Batch::Integers { size, text } => {
                let bytes = text.bytes();
                match size % 3 {
                    0 => Placed::U32s(bytes.as_chunks().0.iter().map(|&x| u32::from_le_bytes(x)).collect()),
                    1 => Placed::U64s(bytes.as_chunks().0.iter().map(|&x| u64::from_le_bytes(x)).collect()),
                    _ => Placed::U128s(bytes.as_chunks().0.iter().map(|&x| u128::from_le_bytes(x)).collect()),
                }
            }
            Batch::Rows { width, text } => {
                let (width, bytes) = (usize::from(*width), text.bytes());
                let count = bytes.len().checked_div(width).unwrap_or(bytes.len()).min(COUNT);
                Placed::Rows { bytes: bytes[..count * width].into(), width, count }
            }
            Batch::Offsets { wide, before, behind, lengths, seed } => {
                let mut end = usize::from(*before);
                let ends = lengths.all().into_iter().map(|len| {
                    end += len;
                    end
                });
                let offsets: Vec<usize> = std::iter::once(usize::from(*before)).chain(ends).collect();
                let bytes = random_bytes(*seed, end + usize::from(*behind));
                let narrow = |offset: &usize| i32::try_from(*offset).expect("a small offset");
                if *wide {
                    let offsets = offsets.iter().map(|offset| narrow(offset).into()).collect();
                    Placed::Offsets64 { bytes, offsets }
                } else {
                    Placed::Offsets32 { bytes, offsets: offsets.iter().map(narrow).collect() }
                }
            }
            Batch::Slices { starts, lengths, seed } => {
                let starts = starts.iter().map(|start| usize::from(start % 64)).cycle();
                let seeds = *seed..=u32::MAX;
                let place = |((len, start), seed)| (random_bytes(seed, start + len), start);
                Placed::Slices(lengths.all().into_iter().zip(starts).zip(seeds.cycle()).map(place).collect())
            }
            Batch::Views { buffers, gaps, lengths, seed } => {
                let buffers = usize::from(buffers % 20) + 1;
                let mut ends = vec![0; buffers];
                let place = |((i, len), &gap): ((usize, usize), &u8)| {
                    let start = ends[i % buffers] + usize::from(gap % 64);
                    ends[i % buffers] = start + len;
                    (i % buffers, start, len)
                };
                let places: Vec<(usize, usize, usize)> =
                    lengths.all().into_iter().enumerate().zip(gaps.iter().cycle()).map(place).collect();
                let seeds = (0..).map(|i| seed.wrapping_add(i));
                let buffers: Vec<Box<[u8]>> =
                    ends.into_iter().zip(seeds).map(|(end, seed)| random_bytes(seed, end)).collect();
                let mut random = Random((*seed).into());
                let view = |(buffer, start, len): (usize, usize, usize)| {
                    view(&buffers[buffer][start..][..len], buffer, start, random.bytes())
                };
                Placed::Views { views: places.into_iter().map(view).collect(), buffers }
            }
        }
    }
}

impl Placed {
    /// The messages, in order.
    pub fn messages(&self) -> Vec<Vec<u8>> {
        let cut = |bytes: &[u8], offsets: &[i64]| {
            let piece = |pair: &[i64]| bytes[pair[0] as usize..pair[1] as usize].to_vec();
            offsets.windows(2).map(piece).collect()
        };
        match self {
            Placed::U32s(integers) => integers.iter().map(|x| x.to_le_bytes().to_vec()).collect(),
            Placed::U64s(integers) => integers.iter().map(|x| x.to_le_bytes().to_vec()).collect(),
            Placed::U128s(integers) => integers.iter().map(|x| x.to_le_bytes().to_vec()).collect(),
            Placed::Rows { bytes, width, count } => {
                (0..*count).map(|i| bytes[i * width..][..*width].to_vec()).collect()
            }
            Placed::Offsets32 { bytes, offsets } => {
                cut(bytes, &offsets.iter().map(|&offset| offset.into()).collect::<Vec<_>>())
            }
            Placed::Offsets64 { bytes, offsets } => cut(bytes, offsets),
            Placed::Slices(slices) => slices.iter().map(|(bytes, start)| bytes[*start..].to_vec()).collect(),
            Placed::Views { views, buffers } => {
                views.iter().map(|view| viewed(view, buffers).expect("a good view")).collect()
            }
        }
    }

    /// Whether the messages are bytes, so that capitals can be folded.
    pub fn can_fold(&self) -> bool {
        !matches!(self, Placed::U32s(_) | Placed::U64s(_) | Placed::U128s(_))
    }

    /// Passes the batch to a kernel.
    pub fn with(&self, run: impl FnOnce(Messages<'_>)) {
        match self {
            Placed::U32s(integers) => run(Messages::U32s(integers)),
            Placed::U64s(integers) => run(Messages::U64s(integers)),
            Placed::U128s(integers) => run(Messages::U128s(integers)),
            Placed::Rows { bytes, width, .. } => {
                run(Messages::Bytes(Layout::Rows { bytes, width: *width }));
            }
            Placed::Offsets32 { bytes, offsets } => {
                run(Messages::Bytes(Layout::Offsets32 { bytes, offsets }));
            }
            Placed::Offsets64 { bytes, offsets } => {
                run(Messages::Bytes(Layout::Offsets64 { bytes, offsets }));
            }
            Placed::Slices(slices) => run(Messages::Bytes(Layout::Slices(&parts(slices)))),
            Placed::Views { views, buffers } => {
                let buffers = whole(buffers);
                let slice = |view| {
                    keylane::job::siphash::viewed(view, |index| buffers.get(index).copied())
                        .expect("a good view")
                };
                run(Messages::Bytes(Layout::Slices(&views.iter().map(slice).collect::<Vec<_>>())));
            }
        }
    }

    /// Passes the batch to the public API with a buffer for `places` tags: unchanged, and with capitals
    /// folded if the API allows it.
    pub fn public(&self, hash: &dyn PublicHash, places: usize) -> Vec<Tags> {
        match self {
            Placed::U32s(integers) => vec![hash.u32s(integers, places)],
            Placed::U64s(integers) => vec![hash.u64s(integers, places)],
            Placed::U128s(integers) => vec![hash.u128s(integers, places)],
            Placed::Rows { bytes, width, .. } => hash.rows(bytes, *width, places).into(),
            Placed::Offsets32 { bytes, offsets } => hash.offsets32(bytes, offsets, places).into(),
            Placed::Offsets64 { bytes, offsets } => hash.offsets64(bytes, offsets, places).into(),
            Placed::Slices(slices) => hash.many(&parts(slices), places).into(),
            Placed::Views { views, buffers } => {
                let integers: Vec<u128> = views.iter().map(|&view| u128::from_le_bytes(view)).collect();
                let buffers = whole(buffers);
                let calls = [hash.views(views, &buffers, places), hash.views128(&integers, &buffers, places)];
                let [[exact, folded], [again, folded_again]] = calls;
                assert_eq!((&again, &folded_again), (&exact, &folded), "views as integers");
                vec![exact, folded]
            }
        }
    }
}

fn whole(buffers: &[Box<[u8]>]) -> Vec<&[u8]> {
    buffers.iter().map(|buffer| &buffer[..]).collect()
}

fn parts(slices: &[(Box<[u8]>, usize)]) -> Vec<&[u8]> {
    slices.iter().map(|(bytes, start)| &bytes[*start..]).collect()
}
