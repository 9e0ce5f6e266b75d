//! Batch calls of SipHash and HalfSipHash, valid and invalid: the result, and that an invalid call writes
//! nothing.

use crate::batch::{Batch, Lengths, Placed, viewed};
use crate::hash;
use crate::input::{Text, coded};
use crate::steps::STEPS;
use keylane::siphash::BatchError;
use keylane_conformance::public::hashes;

/// The largest tag buffer.
const PLACES: usize = 700;

coded! {
    /// A key, a variant, and calls.
    pub struct Case<'a> {
        /// Whether it is HalfSipHash.
        pub half: bool,
        /// The key. HalfSipHash takes its first half.
        pub key: [u8; 16],
        /// A number that selects the rounds.
        pub rounds: u8,
        /// Whether tags have two words.
        pub double: bool,
        /// The calls.
        pub calls: Vec<Call<'a>>,
    }
}

coded! {
    /// A call.
    pub struct Call<'a> {
        /// The messages.
        pub batch: Batch<'a>,
        /// The change to the batch.
        pub fault: Fault,
    }
}

coded! {
    /// A change to a batch.
    pub enum Fault {
        /// Nothing.
        None {},
        /// Changes the size of the tag buffer.
        Places {
            /// The size, modulo one more than the largest.
            places: u16
        },
        /// Replaces an offset.
        Offset {
            /// Its index, modulo the number of offsets.
            at: u16,
            /// The offset.
            value: i64
        },
        /// Shifts an offset a little.
        Shift {
            /// Its index, modulo the number of offsets.
            at: u16,
            /// How far, plus 128.
            by: u8
        },
        /// Changes the width of rows, and the size of the tag buffer.
        Width {
            /// The width.
            width: u64,
            /// The size of the tag buffer, modulo one more than the largest.
            places: u16
        },
        /// Removes all offsets.
        Empty {},
        /// Replaces a number of a view.
        View {
            /// The view's index, modulo the number of views.
            at: u16,
            /// Which of its four numbers.
            number: u8,
            /// The number.
            value: u32
        },
    }
}

impl Case<'_> {
    /// Panics if an answer is wrong.
    pub fn run(&self) {
        let variant = hash::variant(self.half, self.rounds, self.double);
        let key = &self.key[..variant.key_size()];
        let names = hashes(variant, key);
        for call in self.calls.iter().take(STEPS) {
            let mut placed = call.batch.place();
            let places = call.fault.apply(&mut placed);
            let result = expected(&mut placed, places);
            let messages = if result.is_ok() { placed.messages() } else { Vec::new() };
            for name in &names {
                let [plain, folded] = [false, true].map(|fold| -> Vec<u128> {
                    if result.is_err() {
                        return vec![name.unwritten(); places];
                    }
                    messages.iter().map(|message| hash::expected(variant, key, message, fold)).collect()
                });
                for (tags, expected) in placed.public(name.as_ref(), places).into_iter().zip([plain, folded])
                {
                    assert_eq!(tags.result, result, "{:?} {places}", call.fault);
                    assert_eq!(tags.tags, expected, "{:?} {places}", call.fault);
                }
            }
        }
    }

    /// Calls `keep` with a case of each kind.
    pub fn seeds(keep: &mut dyn FnMut(&Case<'_>)) {
        let lengths = || Lengths::Random { seed: 1, below: 40, count: 33 };
        let batches = [
            Batch::Integers { size: 1, text: Text::Counting { len: 160 } },
            Batch::Rows { width: 9, text: Text::Counting { len: 180 } },
            Batch::Rows { width: 0, text: Text::Counting { len: 20 } },
            Batch::Offsets { wide: false, before: 2, behind: 2, lengths: lengths(), seed: 2 },
            Batch::Offsets { wide: true, before: 0, behind: 0, lengths: lengths(), seed: 3 },
            Batch::Slices { starts: [0, 1, 2], lengths: lengths(), seed: 4 },
            Batch::Views { buffers: 2, gaps: [0, 1, 2], lengths: lengths(), seed: 5 },
            Batch::Views { buffers: 17, gaps: [0, 0, 0], lengths: lengths(), seed: 6 },
        ];
        let faults = [
            Fault::None {},
            Fault::Places { places: 19 },
            Fault::Offset { at: 33, value: -1 },
            Fault::Offset { at: 33, value: 1 << 32 },
            Fault::Shift { at: 5, by: 90 },
            Fault::Width { width: 1 << 63, places: 2 },
            Fault::Width { width: 3, places: 60 },
            Fault::Empty {},
            Fault::View { at: 32, number: 0, value: 1 << 31 },
            Fault::View { at: 31, number: 2, value: 18 },
            Fault::View { at: 30, number: 3, value: u32::MAX },
        ];
        for (i, batch) in batches.iter().enumerate() {
            for fault in &faults {
                let calls = vec![Call { batch: batch.clone(), fault: fault.clone() }];
                keep(&Case { half: i % 2 == 1, key: [9; 16], rounds: i as u8, double: i % 3 == 0, calls });
            }
        }
    }
}

impl Fault {
    /// Changes the batch. Returns the size of the tag buffer.
    fn apply(&self, placed: &mut Placed) -> usize {
        let right = match placed {
            Placed::Rows { count, .. } => *count,
            _ => placed.messages().len(),
        };
        let some = |places: u16| usize::from(places) % PLACES;
        match (self, placed) {
            (Fault::Places { places }, _) => some(*places),
            (Fault::Width { width, places }, Placed::Rows { width: place, .. }) => {
                *place = *width as usize;
                some(*places)
            }
            (Fault::Offset { at, value }, Placed::Offsets32 { offsets, .. }) => {
                offsets[usize::from(*at) % (right + 1)] = *value as i32;
                right
            }
            (Fault::Offset { at, value }, Placed::Offsets64 { offsets, .. }) => {
                offsets[usize::from(*at) % (right + 1)] = *value;
                right
            }
            (Fault::Shift { at, by }, Placed::Offsets32 { offsets, .. }) => {
                offsets[usize::from(*at) % (right + 1)] += i32::from(*by) - 128;
                right
            }
            (Fault::Shift { at, by }, Placed::Offsets64 { offsets, .. }) => {
                offsets[usize::from(*at) % (right + 1)] += i64::from(*by) - 128;
                right
            }
            (Fault::Empty {}, Placed::Offsets32 { offsets, .. }) => {
                *offsets = Box::new([]);
                0
            }
            (Fault::Empty {}, Placed::Offsets64 { offsets, .. }) => {
                *offsets = Box::new([]);
                0
            }
            (Fault::Shift { at, by }, Placed::Views { views, .. }) if right > 0 => {
                change(&mut views[usize::from(*at) % right], 3, |x| {
                    x.wrapping_add_signed(i32::from(*by) - 128)
                });
                right
            }
            (Fault::View { at, number, value }, Placed::Views { views, .. }) if right > 0 => {
                change(&mut views[usize::from(*at) % right], *number, |_| *value);
                right
            }
            _ => right,
        }
    }
}

/// Changes one of the four numbers of a view.
fn change(view: &mut [u8; 16], number: u8, change: impl Fn(u32) -> u32) {
    let (numbers, _) = view.as_chunks_mut();
    let number = &mut numbers[usize::from(number % 4)];
    *number = change(u32::from_le_bytes(*number)).to_le_bytes();
}

/// The documented result of a call. There are as many rows as the buffer has tags.
fn expected(placed: &mut Placed, places: usize) -> Result<(), BatchError> {
    let offsets: Vec<i64> = match placed {
        Placed::Rows { bytes, width, count } => {
            *count = places;
            let right = *width as u128 * places as u128 == bytes.len() as u128;
            let error = BatchError::Rows { bytes: bytes.len(), width: *width, rows: places };
            return if right { Ok(()) } else { Err(error) };
        }
        Placed::Offsets32 { offsets, .. } => offsets.iter().map(|&offset| offset.into()).collect(),
        Placed::Offsets64 { offsets, .. } => offsets.to_vec(),
        _ => Vec::new(),
    };
    let count = match placed {
        Placed::U32s(integers) => integers.len(),
        Placed::U64s(integers) => integers.len(),
        Placed::U128s(integers) => integers.len(),
        Placed::Slices(slices) => slices.len(),
        Placed::Views { views, .. } => views.len(),
        _ => offsets.len().saturating_sub(1),
    };
    if count != places {
        return Err(BatchError::Count { messages: count, tags: places });
    }
    if let Placed::Views { views, buffers } = placed {
        let bad = views.iter().position(|view| viewed(view, buffers).is_none());
        return bad.map_or(Ok(()), |index| Err(BatchError::Views { index }));
    }
    let len = match placed {
        Placed::Offsets32 { bytes, .. } | Placed::Offsets64 { bytes, .. } => bytes.len() as i64,
        _ => 0,
    };
    let before = [0].into_iter().chain(offsets.iter().copied());
    let wrong = |(before, offset): (i64, &i64)| *offset < before || *offset > len;
    match before.zip(&offsets).position(wrong) {
        Some(index) => Err(BatchError::Offsets { index }),
        None => Ok(()),
    }
}
