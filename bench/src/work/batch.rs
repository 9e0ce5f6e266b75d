//! Many messages in one call.

use super::hash::{SipHash, viewed};

/// The messages.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    /// Messages of 4 bytes.
    U32s(&'a [u32]),
    /// Messages of 8 bytes.
    U64s(&'a [u64]),
    /// Messages of 16 bytes, aligned.
    U128s(&'a [u128]),
    /// Messages of 16 bytes, at any address.
    Rows16(&'a [[u8; 16]]),
    /// Messages in Arrow's layout.
    Offsets {
        /// The bytes of all messages.
        bytes: &'a [u8],
        /// The offsets where they begin, and the end of the last one.
        offsets: &'a [i32],
    },
    /// Messages in views or in a buffer, as Arrow has them.
    Views {
        /// The views.
        views: &'a [[u8; 16]],
        /// The buffer.
        buffer: &'a [u8],
    },
    /// The same, made slices 512 at a time.
    SlicesOfViews {
        /// The views.
        views: &'a [[u8; 16]],
        /// The buffer.
        buffer: &'a [u8],
    },
    /// Messages anywhere.
    Slices(&'a [&'a [u8]]),
}

impl Input<'_> {
    /// The number of messages.
    pub fn rows(&self) -> usize {
        match self {
            Input::U32s(integers) => integers.len(),
            Input::U64s(integers) => integers.len(),
            Input::U128s(integers) => integers.len(),
            Input::Rows16(rows) => rows.len(),
            Input::Offsets { offsets, .. } => offsets.len() - 1,
            Input::Views { views, .. } | Input::SlicesOfViews { views, .. } => views.len(),
            Input::Slices(messages) => messages.len(),
        }
    }
}

/// Hashes all messages, `size` in each call; the last call may have fewer.
pub fn run<E: SipHash>(engine: &E, input: &Input<'_>, size: usize, tags: &mut [u64]) {
    match *input {
        Input::U32s(integers) => each(integers, size, tags, |some, tags| engine.u32s(some, tags)),
        Input::U64s(integers) => each(integers, size, tags, |some, tags| engine.u64s(some, tags)),
        Input::U128s(integers) => each(integers, size, tags, |some, tags| engine.u128s(some, tags)),
        Input::Rows16(rows) => each(rows, size, tags, |some, tags| engine.rows16(some, tags)),
        Input::Slices(messages) => each(messages, size, tags, |some, tags| engine.slices(some, tags)),
        Input::Views { views, buffer } => {
            each(views, size, tags, |some, tags| engine.views(some, &[buffer], tags));
        }
        Input::SlicesOfViews { views, buffer } => each(views, size, tags, |some, tags| {
            each(some, 512, tags, |some, tags| {
                let mut slices: [&[u8]; 512] = [&[]; 512];
                for (slice, view) in slices.iter_mut().zip(some) {
                    *slice = viewed(view, &[buffer]);
                }
                engine.slices(&slices[..some.len()], tags);
            });
        }),
        Input::Offsets { bytes, offsets } => {
            for (batch, tags) in tags.chunks_mut(size).enumerate() {
                let first = batch * size;
                engine.offsets(bytes, &offsets[first..=first + tags.len()], tags);
            }
        }
    }
}

/// Calls `run` with `size` messages and their tags at a time.
#[inline(always)]
pub(super) fn each<M, T>(messages: &[M], size: usize, tags: &mut [T], run: impl Fn(&[M], &mut [T])) {
    for (messages, tags) in messages.chunks(size).zip(tags.chunks_mut(size)) {
        run(messages, tags);
    }
}
