//! Many messages under one key in one call.

use super::one::HashOne;
use super::prepared::Prepared;
use crate::dispatch::words::Dispatched;
use crate::error::BatchError;
use crate::job::plain::as_slices;
use crate::job::siphash::{Batch, Layout, Messages, RawView, Tag, Word, fault, viewed, viewed_by_branch};
use core::hint::black_box;

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
    impl Sealed for [u8; 16] {}
    impl Sealed for u128 {}
}

/// An offset into the bytes of a batch, as in Arrow: `i32` or `i64`.
pub trait Offset: sealed::Sealed + Copy + Ord + Default + TryInto<usize> {
    /// Whether an offset is negative, except perhaps the last, or smaller than the previous one.
    #[doc(hidden)]
    fn disorder(offsets: &[Self]) -> bool;
    /// The layout for kernels.
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn layout<'a>(bytes: &'a [u8], offsets: &'a [Self]) -> Layout<'a>;
}

macro_rules! offset {
    ($int:ty, $layout:ident) => {
        impl Offset for $int {
            /// The sign of a difference tells which of two numbers is greater if neither is negative. There is no early
            /// exit, so this runs in vector registers.
            #[inline(always)]
            fn disorder(offsets: &[Self]) -> bool {
                let pairs = offsets.iter().zip(offsets.iter().skip(1));
                pairs.fold(0, |signs, (&a, &b)| signs | a | b.wrapping_sub(a)) < 0
            }

            #[allow(private_interfaces)]
            fn layout<'a>(bytes: &'a [u8], offsets: &'a [Self]) -> Layout<'a> {
                Layout::$layout { bytes, offsets }
            }
        }
    };
}
offset!(i32, Offsets32);
offset!(i64, Offsets64);

/// A view of Arrow's string views and binary views: `[u8; 16]`, the bytes in memory, or `u128`, the same bytes as one
/// little-endian integer.
///
/// | message | bytes 0..4 | 4..8 | 8..12 | 12..16 |
/// | --- | --- | --- | --- | --- |
/// | up to 12 bytes | length | message | message | message |
/// | longer | length | prefix | index of the buffer | offset in the buffer |
///
/// All numbers are little-endian. The length is an `i32`, which must not be negative; index and offset are `u32`. What
/// follows a short message in its view may be anything, and so may the prefix: neither is read.
///
/// Arrow's crate stores views as `u128`, so a `ScalarBuffer<u128>` can be passed as it is. Bytes come from files, from
/// C, and from other languages; they need no alignment. DuckDB's `string_t` has the same layout for short strings, but
/// a pointer instead of index and offset for long ones.
pub trait View: sealed::Sealed + Copy {
    /// The bytes.
    #[doc(hidden)]
    fn raw(self) -> RawView;

    /// Passes all views to `each` as bytes, in parts, with their tags.
    #[doc(hidden)]
    fn parts<T>(views: &[Self], tags: &mut [T], each: impl FnMut(&[RawView], &mut [T]));
}

impl View for [u8; 16] {
    #[inline(always)]
    fn raw(self) -> RawView {
        self
    }

    #[inline(always)]
    fn parts<T>(views: &[Self], tags: &mut [T], mut each: impl FnMut(&[RawView], &mut [T])) {
        each(views, tags);
    }
}

impl View for u128 {
    #[inline(always)]
    fn raw(self) -> RawView {
        self.to_le_bytes()
    }

    #[cfg(target_endian = "little")]
    #[inline(always)]
    fn parts<T>(views: &[Self], tags: &mut [T], mut each: impl FnMut(&[RawView], &mut [T])) {
        each(crate::job::plain::u128s(views), tags);
    }

    #[cfg(target_endian = "big")]
    fn parts<T>(views: &[Self], tags: &mut [T], mut each: impl FnMut(&[RawView], &mut [T])) {
        // Views that are each read once are one part.
        let mut part = [[0; 16]; 2 * FEW_COLLECTED];
        for (views, tags) in views.chunks(part.len()).zip(tags.chunks_mut(part.len())) {
            for (bytes, view) in part.iter_mut().zip(views) {
                *bytes = view.raw();
            }
            each(part.get(..views.len()).unwrap_or(&[]), tags);
        }
    }
}

/// How many messages `hash_many` collects before a kernel runs. The smaller buffer serves small batches.
const COLLECTED: usize = 512;
const FEW_COLLECTED: usize = 64;

/// Fewer messages than this are hashed one by one, in the caller's code: the call of a kernel would cost more than it
/// gains. Integers have [`few_integers`], and rows of as many bytes [`are_few_arrays`].
const FEW: usize = 16;

/// The same for slices, rows and views on x86-64, by the kernel's vectors. The fewer lanes, the more messages it takes to
/// pay for the set-up. The first number is for one round a word, the second for more.
///
/// Of rows whose width it knows, the compiler makes a better loop, for HalfSipHash with vectors. Offsets have the least
/// set-up: [`LONG`] says when they need more than `FEW`. Other architectures, where nothing was measured, take `FEW` too.
#[derive(Clone, Copy)]
struct Few {
    /// Vectors of fewer than [`WIDE`] bytes. Measured with AVX2: rows on Zen 4, all others on Zen 3.
    narrow: [usize; 2],
    /// Other vectors. Measured with AVX-512 on Zen 4.
    wide: [usize; 2],
}

const FEW_SLICES: Few = Few { narrow: [32, 24], wide: [24, 16] };
const FEW_ROWS: Few = Few { narrow: [32, 24], wide: [32, 24] };
const FEW_VIEWS: Few = Few { narrow: [48, 32], wide: [32, 24] };
/// The same for HalfSipHash, which has twice as many lanes.
const FEW_HALF_SLICES: Few = Few { narrow: [32, 24], wide: [16, 16] };
const FEW_HALF_ROWS: Few = Few { narrow: [80, 64], wide: [64, 32] };
const FEW_HALF_VIEWS: Few = Few { narrow: [48, 32], wide: [24, 16] };

// A wide vector never needs more messages, and the places of `views_one_by_one` are enough.
const _: () = {
    let all = [FEW_SLICES, FEW_ROWS, FEW_VIEWS, FEW_HALF_SLICES, FEW_HALF_ROWS, FEW_HALF_VIEWS];
    let mut i = 0;
    while i < all.len() {
        assert!(all[i].wide[0] <= all[i].narrow[0] && all[i].wide[1] <= all[i].narrow[1]);
        i += 1;
    }
    let [views, half] = [FEW_VIEWS.narrow, FEW_HALF_VIEWS.narrow];
    assert!(views[0] >= views[1] && views[0] >= half[0] && views[0] >= half[1]);
};

/// The bytes of a vector of AVX-512.
const WIDE: usize = 64;

/// The numbers for this algorithm.
#[inline(always)]
const fn few_of<W: Word>(full: Few, half: Few) -> Few {
    if W::SIZE == 4 { half } else { full }
}

/// Narrow vectors read slices and views of LONG bytes or more tile by tile, and SipHash gains little. It takes at least
/// `FEW_LONG` such messages: the first number is for one round a word, the second for more. With one round a word, no
/// number gains below MIDDLE bytes. Between offsets, with one round a word, it takes as many as of slices. Measured on
/// Zen 3.
const LONG: usize = 64;
const MIDDLE: usize = 512;
const FEW_LONG: [usize; 2] = [256, 96];

/// With one round a word, wide vectors gain little with slices and views of unlike lengths. Fewer than `FEW_RAGGED` go
/// one by one if the longest of four has RAGGED bytes or more, and more than twice the shortest. From memory, such
/// messages took 1.3 times as long in the kernel. Measured with AVX-512 on Zen 4.
const RAGGED: usize = 128;
const FEW_RAGGED: usize = 256;

/// After whole groups of wide vectors, up to this many messages are hashed one by one.
///
/// It is twice as many if the kernel takes long for them. These are short rows: a loop over messages of one length is
/// fast. And they are long messages of several lengths: the kernel sorts them.
///
/// After a single group of SipHash, `FEW_LEFT_JOINED` is for such rows and offsets, and `FEW_LEFT_APART` for such slices
/// and views. The first number is for one round a word, the second for more. 31 is any number. Measured with AVX-512 on
/// Zen 4.
const FEW_LEFT: usize = 4;
const FEW_LEFT_JOINED: [usize; 2] = [16, 12];
const FEW_LEFT_APART: [usize; 2] = [31, 12];

/// Messages of fewer whole words than this are short. The kernels have a loop for them.
const SHORT: usize = 8;

/// Whether the active kernel's vectors have fewer than [`WIDE`] bytes.
#[inline(never)]
fn is_narrow<W: Dispatched>() -> bool {
    W::xn().if_profitable(usize::MAX).is_none_or(|kernel| kernel.lanes() * W::SIZE < WIDE)
}

/// Fewer integers than this, of `width` bytes each, are hashed one by one, and so are rows of 4, 8 or 16 bytes if the
/// compiler does not know the width. Of HalfSipHash of `u32`, the compiler makes a loop with vectors: see [`unknown`].
/// Of `u64` and `u128` it does not.
#[inline(always)]
const fn few_integers<W: Word>(width: usize) -> usize {
    match (width, W::SIZE) {
        (4, 4) => 8,
        _ => 4,
    }
}

/// Whether n rows of 4, 8 or 16 bytes are hashed one by one if the compiler may know the width. For HalfSipHash that is a
/// loop with vectors: see [`unknown`]. Measured as above: `narrow` is for kernels with narrow vectors.
#[inline(always)]
fn are_few_arrays<W: Dispatched>(width: usize, n: usize) -> bool {
    let n = unknown::<W>(n);
    let (few, narrow) = match (width, W::SIZE) {
        (4, 4) => (8, 10),
        (8, 4) => (6, 10),
        (16, 4) => (6, 6),
        _ => (4, 4),
    };
    n < few || (cfg!(target_arch = "x86_64") && n < narrow && is_narrow::<W>())
}

/// For HalfSipHash, a number that the compiler knows nothing of. If it knows that a loop is short, it makes no vectors
/// for it. With vectors, four messages of HalfSipHash take as long as two.
#[inline(always)]
fn unknown<W: Word>(n: usize) -> usize {
    if W::SIZE == 4 { black_box(n) } else { n }
}

/// Many messages in one call. The best kernel of the slot `siphash-xn` (or `halfsiphash-xn`) works on several messages
/// at a time. Each tag equals what [`hash`](Prepared::hash) returns for that message.
///
/// All arguments are checked before anything is written: after an error, `tags` is unchanged.
impl<W: Dispatched, R: HashOne, T: Tag<W>> Prepared<W, R, T> {
    /// Sets `tags[i]` to the tag of the 4 bytes of `integers[i]`, little-endian.
    ///
    /// # Errors
    /// [`BatchError::Count`]: `tags` and `integers` differ in length.
    ///
    /// ```
    /// # use keylane::siphash::{Key, SipHash13};
    /// let h = SipHash13::new(&Key::from_bytes([7; 16]));
    /// let mut tags = [0; 3];
    /// h.hash_u32s(&[10, 20, 30], &mut tags)?;
    /// assert_eq!(tags[2], h.hash_u32(30));
    /// # Ok::<(), keylane::siphash::BatchError>(())
    /// ```
    #[inline]
    pub fn hash_u32s(&self, integers: &[u32], tags: &mut [T]) -> Result<(), BatchError> {
        self.integers(integers, Messages::U32s, |integer| self.hash_u32(integer), tags)
    }

    /// Sets `tags[i]` to the tag of the 8 bytes of `integers[i]`, little-endian.
    ///
    /// # Errors
    /// [`BatchError::Count`]: `tags` and `integers` differ in length.
    ///
    /// ```
    /// # use keylane::siphash::{Key, SipHash13};
    /// let h = SipHash13::new(&Key::from_bytes([7; 16]));
    /// let mut tags = [0; 3];
    /// h.hash_u64s(&[10, 20, 30], &mut tags)?;
    /// assert_eq!(tags[2], h.hash_u64(30));
    /// # Ok::<(), keylane::siphash::BatchError>(())
    /// ```
    #[inline]
    pub fn hash_u64s(&self, integers: &[u64], tags: &mut [T]) -> Result<(), BatchError> {
        self.integers(integers, Messages::U64s, |integer| self.hash_u64(integer), tags)
    }

    /// Sets `tags[i]` to the tag of the 16 bytes of `integers[i]`, little-endian.
    ///
    /// # Errors
    /// [`BatchError::Count`]: `tags` and `integers` differ in length.
    #[inline]
    pub fn hash_u128s(&self, integers: &[u128], tags: &mut [T]) -> Result<(), BatchError> {
        self.integers(integers, Messages::U128s, |integer| self.hash_u128(integer), tags)
    }

    /// Sets `tags[i]` to the tag of `bytes[i * width..(i + 1) * width]`: messages of one width, stored back to back.
    /// With `width` 0 there are `tags.len()` empty messages.
    ///
    /// # Errors
    /// [`BatchError::Rows`]: the length of `bytes` is not `tags.len() * width`.
    ///
    /// ```
    /// # use keylane::siphash::{Key, SipHash13};
    /// let h = SipHash13::new(&Key::from_bytes([7; 16]));
    /// let mut tags = [0; 2];
    /// h.hash_rows(b"onetwo", 3, &mut tags)?;
    /// assert_eq!(tags, [h.hash(b"one"), h.hash(b"two")]);
    /// # Ok::<(), keylane::siphash::BatchError>(())
    /// ```
    #[inline(always)]
    pub fn hash_rows(&self, bytes: &[u8], width: usize, tags: &mut [T]) -> Result<(), BatchError> {
        self.rows::<true>(bytes, width, false, tags)
    }

    /// Does what [`hash_rows`](Self::hash_rows) does, with ASCII capitals made small as in
    /// [`hash_nocase`](Self::hash_nocase).
    ///
    /// # Errors
    /// The same as `hash_rows`.
    #[inline(always)]
    pub fn hash_rows_nocase(&self, bytes: &[u8], width: usize, tags: &mut [T]) -> Result<(), BatchError> {
        self.rows::<true>(bytes, width, true, tags)
    }

    /// Sets `tags[i]` to the tag of `bytes[offsets[i]..offsets[i + 1]]`: the layout of Arrow's strings and binaries.
    /// There is one offset more than messages. The first offset may be above 0. With no messages, `offsets` may be
    /// empty.
    ///
    /// # Errors
    /// * [`BatchError::Count`]: there are not as many tags as messages.
    /// * [`BatchError::Offsets`]: an offset is negative, smaller than the previous one, or beyond the end of `bytes`.
    ///
    /// ```
    /// # use keylane::siphash::{Key, SipHash13};
    /// let h = SipHash13::new(&Key::from_bytes([7; 16]));
    /// let mut tags = [0; 2];
    /// h.hash_offsets(b"onethree", &[0i32, 3, 8], &mut tags)?;
    /// assert_eq!(tags, [h.hash(b"one"), h.hash(b"three")]);
    /// # Ok::<(), keylane::siphash::BatchError>(())
    /// ```
    #[inline(always)]
    pub fn hash_offsets<O: Offset>(
        &self,
        bytes: &[u8],
        offsets: &[O],
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        self.offsets(bytes, offsets, false, tags)
    }

    /// Does what [`hash_offsets`](Self::hash_offsets) does, with ASCII capitals made small as in
    /// [`hash_nocase`](Self::hash_nocase).
    ///
    /// # Errors
    /// The same as `hash_offsets`.
    #[inline(always)]
    pub fn hash_offsets_nocase<O: Offset>(
        &self,
        bytes: &[u8],
        offsets: &[O],
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        self.offsets(bytes, offsets, true, tags)
    }

    /// Sets `tags[i]` to the tag of `messages[i]`. Calls `as_ref` once for each message.
    ///
    /// # Errors
    /// [`BatchError::Count`]: `tags` and `messages` differ in length.
    ///
    /// ```
    /// # use keylane::siphash::{Key, SipHash13};
    /// let h = SipHash13::new(&Key::from_bytes([7; 16]));
    /// let mut tags = [0; 2];
    /// h.hash_many(&["one", "three"], &mut tags)?;
    /// assert_eq!(tags, [h.hash(b"one"), h.hash(b"three")]);
    /// # Ok::<(), keylane::siphash::BatchError>(())
    /// ```
    #[inline]
    pub fn hash_many<M: AsRef<[u8]>>(&self, messages: &[M], tags: &mut [T]) -> Result<(), BatchError> {
        self.many(messages, false, tags)
    }

    /// Does what [`hash_many`](Self::hash_many) does, with ASCII capitals made small as in
    /// [`hash_nocase`](Self::hash_nocase).
    ///
    /// # Errors
    /// The same as `hash_many`.
    #[inline]
    pub fn hash_many_nocase<M: AsRef<[u8]>>(&self, messages: &[M], tags: &mut [T]) -> Result<(), BatchError> {
        self.many(messages, true, tags)
    }

    /// Sets `tags[i]` to the tag of the message that `views[i]` holds, or that it refers to in `buffers`: the layout of
    /// Arrow's string views and binary views. [`View`] says what a view is made of.
    ///
    /// `as_ref` may be called several times for a buffer. It must return the same bytes each time, or tags are those of
    /// other messages.
    ///
    /// # Errors
    /// * [`BatchError::Count`]: `tags` and `views` differ in length.
    /// * [`BatchError::Views`]: a view has a negative length, names a buffer that does not exist, or reaches beyond the
    ///   end of its buffer.
    ///
    /// ```
    /// # use keylane::siphash::{Key, SipHash13};
    /// let h = SipHash13::new(&Key::from_bytes([7; 16]));
    /// let buffers = [b"a string of 21 bytes, and one of 14".as_slice()];
    /// let views = [
    ///     *b"\x05\0\0\0short\0\0\0\0\0\0\0",
    ///     // 21 bytes of buffer 0 from byte 0 on, and 14 from byte 21 on.
    ///     *b"\x15\0\0\0a st\0\0\0\0\0\0\0\0",
    ///     *b"\x0e\0\0\0 and\0\0\0\0\x15\0\0\0",
    /// ];
    /// let mut tags = [0; 3];
    /// h.hash_views(&views, &buffers, &mut tags)?;
    /// assert_eq!(tags, [h.hash(b"short"), h.hash(b"a string of 21 bytes,"), h.hash(b" and one of 14")]);
    ///
    /// // The views of Arrow's crate are integers of 16 bytes.
    /// let integers = views.map(u128::from_le_bytes);
    /// let mut again = [0; 3];
    /// h.hash_views(&integers, &buffers, &mut again)?;
    /// assert_eq!(again, tags);
    /// # Ok::<(), keylane::siphash::BatchError>(())
    /// ```
    #[inline(always)]
    pub fn hash_views<V: View, B: AsRef<[u8]>>(
        &self,
        views: &[V],
        buffers: &[B],
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        self.views(views, buffers, false, tags)
    }

    /// Does what [`hash_views`](Self::hash_views) does, with ASCII capitals made small as in
    /// [`hash_nocase`](Self::hash_nocase).
    ///
    /// # Errors
    /// The same as `hash_views`.
    #[inline(always)]
    pub fn hash_views_nocase<V: View, B: AsRef<[u8]>>(
        &self,
        views: &[V],
        buffers: &[B],
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        self.views(views, buffers, true, tags)
    }

    #[inline(always)]
    fn integers<'a, I: Copy>(
        &self,
        integers: &'a [I],
        messages: impl Fn(&'a [I]) -> Messages<'a>,
        hash: impl Fn(I) -> T,
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        check_count(integers.len(), tags)?;
        let n = if size_of::<I>() == 4 { unknown::<W>(tags.len()) } else { tags.len() };
        if n < few_integers::<W>(size_of::<I>()) {
            for (&integer, tag) in integers.iter().zip(tags) {
                *tag = hash(integer);
            }
        } else {
            self.run(messages(integers), false, tags);
        }
        Ok(())
    }

    /// In the caller's code, so that the compiler makes a loop for a width that it knows there. `KNOWN`: it may know it.
    #[inline(always)]
    fn rows<const KNOWN: bool>(
        &self,
        bytes: &[u8],
        width: usize,
        fold: bool,
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        if width.checked_mul(tags.len()) != Some(bytes.len()) {
            return Err(BatchError::Rows { bytes: bytes.len(), width, rows: tags.len() });
        }
        // Kernels treat messages of an integer's width as integers.
        let are_few = match width {
            4 | 8 | 16 if KNOWN && !fold => are_few_arrays::<W>(width, tags.len()),
            4 | 8 | 16 => tags.len() < few_integers::<W>(width),
            _ if !KNOWN => self.are_few(tags.len(), few_of::<W>(FEW_SLICES, FEW_HALF_SLICES)),
            _ => self.are_few(tags.len(), few_of::<W>(FEW_ROWS, FEW_HALF_ROWS)),
        };
        match width {
            _ if !are_few => self.all_rows(bytes, width, fold, tags),
            4 if !fold => self.arrays::<4>(bytes, tags),
            8 if !fold => self.arrays::<8>(bytes, tags),
            16 if !fold => self.arrays::<16>(bytes, tags),
            0 => tags.fill(self.one(&[], fold)),
            _ => match tags {
                // A loop for a known width is set up for several rows.
                [tag] => *tag = self.one(bytes, fold),
                _ => {
                    // `chunks_exact` divides by `width`, and the compiler does not keep in mind that it is not 0 here.
                    let mut rest = bytes;
                    for tag in tags {
                        let Some((row, after)) = rest.split_at_checked(width) else { break };
                        *tag = self.one(row, fold);
                        rest = after;
                    }
                }
            },
        }
        Ok(())
    }

    #[inline(never)]
    fn all_rows(&self, bytes: &[u8], width: usize, fold: bool, tags: &mut [T]) {
        let rows = Layout::Rows { bytes, width };
        match width {
            4 | 8 | 16 => self.run(Messages::Bytes(rows), fold, tags),
            _ => self.strings(rows, fold, tags),
        }
    }

    /// Hashes messages of N bytes one by one.
    #[inline(always)]
    fn arrays<const N: usize>(&self, bytes: &[u8], tags: &mut [T]) {
        for (row, tag) in bytes.as_chunks::<N>().0.iter().zip(tags) {
            *tag = self.hash_array(row);
        }
    }

    #[inline(always)]
    fn offsets<O: Offset>(
        &self,
        bytes: &[u8],
        offsets: &[O],
        fold: bool,
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        // A few messages are checked by the slicing before their hash: a check of all before takes longer. No tag is
        // written before the last is known.
        let ([first, ends @ ..], true) = (offsets, tags.len() < FEW && tags.len() + 1 == offsets.len())
        else {
            return self.all_offsets(bytes, offsets, fold, tags);
        };
        let tags = match ends.len() {
            1 => self.offsets_one_by_one::<O, 1>(bytes, *first, ends, fold, tags),
            2 => self.offsets_one_by_one::<O, 2>(bytes, *first, ends, fold, tags),
            _ => self.offsets_one_by_one::<O, FEW>(bytes, *first, ends, fold, tags),
        };
        tags.map_or_else(|| check_offsets(bytes.len(), offsets), Ok)
    }

    /// The tags of up to N messages. `None`, and nothing written, if an offset is wrong or there is only one offset.
    /// In the caller's code: for two messages, the call of a function would take a tenth of the time.
    #[inline(always)]
    fn offsets_one_by_one<O: Offset, const N: usize>(
        &self,
        bytes: &[u8],
        first: O,
        ends: &[O],
        fold: bool,
        tags: &mut [T],
    ) -> Option<()> {
        let mut few = [T::default(); N];
        let mut start = first;
        for (place, &end) in few.iter_mut().zip(ends) {
            *place = self.one(between(bytes, start, end)?, fold);
            start = end;
        }
        write(&few, tags);
        (!ends.is_empty()).then_some(())
    }

    #[inline(never)]
    fn all_offsets<O: Offset>(
        &self,
        bytes: &[u8],
        offsets: &[O],
        fold: bool,
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        check_count(offsets.len().saturating_sub(1), tags)?;
        let is_slow = W::SIZE == 8
            && self.rounds.c() == 1
            && cfg!(target_arch = "x86_64")
            && tags.len() < FEW_SLICES.narrow[0]
            && spanned(offsets) >= LONG * tags.len()
            && is_narrow::<W>();
        if let ([first, ends @ ..], true) = (offsets, is_slow) {
            let tags = apart(|| {
                self.offsets_one_by_one::<O, { FEW_SLICES.narrow[0] }>(bytes, *first, ends, fold, tags)
            });
            return tags.map_or_else(|| check_offsets(bytes.len(), offsets), Ok);
        }
        check_offsets(bytes.len(), offsets)?;
        self.strings(O::layout(bytes, offsets), fold, tags);
        Ok(())
    }

    #[inline(always)]
    fn many<M: AsRef<[u8]>>(&self, messages: &[M], fold: bool, tags: &mut [T]) -> Result<(), BatchError> {
        check_count(messages.len(), tags)?;
        if self.are_few(messages.len(), few_of::<W>(FEW_SLICES, FEW_HALF_SLICES)) {
            self.few(messages, fold, tags);
        } else {
            self.all_many(messages, fold, tags);
        }
        Ok(())
    }

    #[inline(never)]
    fn all_many<M: AsRef<[u8]>>(&self, messages: &[M], fold: bool, tags: &mut [T]) {
        if let Some(slices) = as_slices(messages) {
            self.strings(Layout::Slices(slices), fold, tags);
            return;
        }
        // The first use of a slot tests kernels, which takes stack: not below the list of slices.
        W::xn().choose();
        if messages.len() <= FEW_COLLECTED {
            self.collected::<M, FEW_COLLECTED>(messages, fold, tags);
        } else {
            self.collected::<M, COLLECTED>(messages, fold, tags);
        }
    }

    /// `hash_many` of messages that may be slices by another name: `slices` tells. Slices are read where they are; of
    /// others, at most 64 are listed on the stack. With `fold`, ASCII capitals are made small.
    ///
    /// # Errors
    /// The same as `hash_many`.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    #[inline(always)]
    pub fn hash_perhaps_slices<M: AsRef<[u8]>>(
        &self,
        messages: &[M],
        slices: impl for<'a> FnOnce(&'a [M]) -> Option<&'a [&'a [u8]]>,
        fold: bool,
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        check_count(messages.len(), tags)?;
        if self.are_few(messages.len(), few_of::<W>(FEW_SLICES, FEW_HALF_SLICES)) {
            self.few(messages, fold, tags);
        } else if let Some(slices) = slices(messages) {
            self.strings(Layout::Slices(slices), fold, tags);
        } else {
            W::xn().choose();
            self.collected::<M, FEW_COLLECTED>(messages, fold, tags);
        }
        Ok(())
    }

    /// `hash_rows` for a caller whose compiler does not know the width: its loop is slower, so a kernel takes fewer
    /// rows. With `fold`, ASCII capitals are made small.
    ///
    /// # Errors
    /// The same as `hash_rows`.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    #[inline(always)]
    pub fn hash_rows_of_any_width(
        &self,
        bytes: &[u8],
        width: usize,
        fold: bool,
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        self.rows::<false>(bytes, width, fold, tags)
    }

    /// Hashes messages one by one.
    #[inline(always)]
    fn few<M: AsRef<[u8]>>(&self, messages: &[M], fold: bool, tags: &mut [T]) {
        for (message, tag) in messages.iter().zip(tags) {
            *tag = self.one(message.as_ref(), fold);
        }
    }

    /// The same for views, which have been checked.
    #[inline(always)]
    fn few_views<B: AsRef<[u8]>>(&self, views: &[RawView], buffers: &[B], fold: bool, tags: &mut [T]) {
        let buffer = among(buffers);
        for (view, tag) in views.iter().zip(tags) {
            *tag = self.one(viewed_by_branch(view, buffer).unwrap_or_default(), fold);
        }
    }

    #[inline(never)]
    fn collected<M: AsRef<[u8]>, const N: usize>(&self, messages: &[M], fold: bool, tags: &mut [T]) {
        let mut collected: [&[u8]; N] = [&[]; N];
        for (messages, tags) in messages.chunks(N).zip(tags.chunks_mut(N)) {
            for (slice, message) in collected.iter_mut().zip(messages) {
                *slice = message.as_ref();
            }
            let slices = collected.get(..messages.len()).unwrap_or(&[]);
            self.strings(Layout::Slices(slices), fold, tags);
        }
    }

    #[inline(always)]
    fn views<V: View, B: AsRef<[u8]>>(
        &self,
        views: &[V],
        buffers: &[B],
        fold: bool,
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        check_count(views.len(), tags)?;
        let bad = match views.len() {
            1 => self.views_one_by_one::<V, B, 1>(views, buffers, fold, tags),
            2 => self.views_one_by_one::<V, B, 2>(views, buffers, fold, tags),
            0..FEW => self.views_one_by_one::<V, B, FEW>(views, buffers, fold, tags),
            _ => return self.many_views(views, buffers, fold, tags),
        };
        bad.map_or(Ok(()), |index| Err(BatchError::Views { index }))
    }

    #[inline(never)]
    fn many_views<V: View, B: AsRef<[u8]>>(
        &self,
        views: &[V],
        buffers: &[B],
        fold: bool,
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        let n = views.len();
        let length = |i: usize| views.get(i).map_or(0, |view| length_of(&view.raw()));
        let bad = if self.are_few(n, few_of::<W>(FEW_VIEWS, FEW_HALF_VIEWS)) {
            apart(|| self.views_one_by_one::<V, B, { FEW_VIEWS.narrow[0] }>(views, buffers, fold, tags))
        } else if self.is_slower(n, is_narrow::<W>, length) {
            if n <= 2 * FEW_COLLECTED {
                apart(|| self.views_one_by_one::<V, B, { 2 * FEW_COLLECTED }>(views, buffers, fold, tags))
            } else {
                check_views(views, buffers)?;
                V::parts(views, tags, |views, tags| self.few_views(views, buffers, fold, tags));
                None
            }
        } else {
            // The first use of a slot tests kernels, which takes stack: not below the list of slices.
            W::xn().choose();
            if views.len() <= FEW_COLLECTED {
                self.collected_views::<V, B, FEW_COLLECTED>(views, buffers, fold, tags)
            } else if views.len() <= 2 * FEW_COLLECTED {
                self.collected_views::<V, B, { 2 * FEW_COLLECTED }>(views, buffers, fold, tags)
            } else {
                return self.checked_views::<V, B, COLLECTED>(views, buffers, fold, tags);
            }
        };
        bad.map_or(Ok(()), |index| Err(BatchError::Views { index }))
    }

    /// At most N views, each read once, as slices. The index of the first wrong view; then no tag is written.
    #[inline(never)]
    fn collected_views<V: View, B: AsRef<[u8]>, const N: usize>(
        &self,
        views: &[V],
        buffers: &[B],
        fold: bool,
        tags: &mut [T],
    ) -> Option<usize> {
        let buffer = among(buffers);
        let mut bad = None;
        V::parts(views, tags, |views, tags| {
            let mut slices: [&[u8]; N] = [&[]; N];
            for (index, (slice, view)) in slices.iter_mut().zip(views).enumerate() {
                let Some(message) = viewed(view, buffer) else {
                    bad = Some(index);
                    return;
                };
                *slice = message;
            }
            let slices = slices.get(..views.len()).unwrap_or(&[]);
            self.strings(Layout::Slices(slices), fold, tags);
        });
        bad
    }

    /// Up to N views, each read once: tags are written when all are known. The index of the first wrong view; then no
    /// tag is written. A branch on the length is faster here than none, since the hash of a single message has such
    /// branches anyway.
    #[inline(always)]
    fn views_one_by_one<V: View, B: AsRef<[u8]>, const N: usize>(
        &self,
        views: &[V],
        buffers: &[B],
        fold: bool,
        tags: &mut [T],
    ) -> Option<usize> {
        let buffer = among(buffers);
        let mut few = [T::default(); N];
        let mut bad = None;
        V::parts(views, tags, |views, tags| {
            for (index, (place, view)) in few.iter_mut().zip(views).enumerate() {
                let Some(message) = viewed_by_branch(view, buffer) else {
                    bad = Some(index);
                    return;
                };
                *place = self.one(message, fold);
            }
            write(&few, tags);
        });
        bad
    }

    /// `hash_views` of buffers that are slices, with a list of at most 64 messages on the stack. With `fold`, ASCII
    /// capitals are made small.
    ///
    /// # Errors
    /// The same as `hash_views`.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn hash_views_in_slices(
        &self,
        views: &[RawView],
        buffers: &[&[u8]],
        fold: bool,
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        if views.len() <= FEW_COLLECTED {
            return self.views(views, buffers, fold, tags);
        }
        check_count(views.len(), tags)?;
        check_views(views, buffers)?;
        self.strings(Layout::Views { views, buffers }, fold, tags);
        Ok(())
    }

    /// `hash_views` with a list of at most 64 messages on the stack.
    ///
    /// # Errors
    /// The same as `hash_views`.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn hash_views_in_parts<B: AsRef<[u8]>>(
        &self,
        views: &[RawView],
        buffers: &[B],
        fold: bool,
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        if views.len() <= FEW_COLLECTED {
            return self.views(views, buffers, fold, tags);
        }
        check_count(views.len(), tags)?;
        W::xn().choose();
        self.checked_views::<RawView, B, FEW_COLLECTED>(views, buffers, fold, tags)
    }

    /// Any number of views, checked before they are read again: slices of N messages at a time.
    #[inline(never)]
    fn checked_views<V: View, B: AsRef<[u8]>, const N: usize>(
        &self,
        views: &[V],
        buffers: &[B],
        fold: bool,
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        check_views(views, buffers)?;
        let buffer = among(buffers);
        V::parts(views, tags, |views, tags| {
            let mut collected: [&[u8]; N] = [&[]; N];
            for (views, tags) in views.chunks(N).zip(tags.chunks_mut(N)) {
                for (slice, view) in collected.iter_mut().zip(views) {
                    *slice = viewed(view, buffer).unwrap_or_default();
                }
                let slices = collected.get(..views.len()).unwrap_or(&[]);
                self.strings(Layout::Slices(slices), fold, tags);
            }
        });
        Ok(())
    }

    #[inline(always)]
    fn one(&self, message: &[u8], fold: bool) -> T {
        if fold { self.hash_nocase(message) } else { self.hash(message) }
    }

    /// Runs the active kernel. The caller has checked everything.
    #[inline]
    pub(super) fn run(&self, messages: Messages<'_>, fold: bool, tags: &mut [T]) {
        let rounds = self.rounds.counted();
        W::xn().run(Batch { initial: &self.initial, rounds, fold, messages, tags: T::tags(tags) });
    }

    /// Runs the active kernel, but for a few messages at the end. The caller has checked everything.
    #[inline(never)]
    fn strings(&self, layout: Layout<'_>, fold: bool, tags: &mut [T]) {
        let grouped = self.grouped(layout, tags.len());
        let (groups, alone) = tags.split_at_mut_checked(grouped).unwrap_or_default();
        if grouped > 0 {
            self.run(Messages::Bytes(layout.part(0, grouped)), fold, groups);
        }
        match layout {
            Layout::Slices(messages) => self.few(messages.get(grouped..).unwrap_or(&[]), fold, alone),
            Layout::Views { views, buffers } => {
                self.few_views(views.get(grouped..).unwrap_or(&[]), buffers, fold, alone);
            }
            _ => {
                for (i, tag) in alone.iter_mut().enumerate() {
                    *tag = self.one(layout.message(grouped + i), fold);
                }
            }
        }
    }

    /// Whether n messages are hashed one by one.
    #[inline(always)]
    fn are_few(&self, n: usize, few: Few) -> bool {
        let (narrow, wide) = (self.by_rounds(few.narrow), self.by_rounds(few.wide));
        n < FEW || (cfg!(target_arch = "x86_64") && (n < wide || n < narrow && is_narrow::<W>()))
    }

    /// The first number for one round a word, the second for more.
    #[inline(always)]
    fn by_rounds(&self, [one, more]: [usize; 2]) -> usize {
        if self.rounds.c() == 1 { one } else { more }
    }

    /// Whether the active kernel takes longer than a loop over n messages that lie apart, by the lengths of the first four.
    #[inline(always)]
    fn is_slower(&self, n: usize, is_narrow: impl Fn() -> bool, length: impl Fn(usize) -> usize) -> bool {
        if W::SIZE == 4 || cfg!(not(target_arch = "x86_64")) {
            return false;
        }
        let ([shortest, longest], is_one) = (lengths_of_four(length), self.rounds.c() == 1);
        if is_narrow() {
            longest >= LONG && (is_one && longest < MIDDLE || n < self.by_rounds(FEW_LONG))
        } else {
            longest >= RAGGED && longest > 2 * shortest && is_one && n < FEW_RAGGED
        }
    }

    /// How many messages after a group of wide vectors are hashed one by one. `rest` have no group, and `is_second` tells
    /// whether they would make the second: it takes longer than those that follow.
    #[inline(always)]
    fn alone(&self, layout: Layout<'_>, is_second: bool, rest: usize) -> usize {
        let short = SHORT * W::SIZE;
        let is_costly = match layout {
            Layout::Rows { width, .. } => width < short,
            _ if rest <= FEW_LEFT => false,
            _ => {
                let [shortest, longest] = lengths_of_four(|i| layout.message(i).len());
                longest >= short && longest > shortest
            }
        };
        match layout {
            _ if !is_costly => FEW_LEFT,
            _ if !is_second || W::SIZE == 4 => 2 * FEW_LEFT,
            Layout::Slices(_) | Layout::Views { .. } => self.by_rounds(FEW_LEFT_APART),
            _ => self.by_rounds(FEW_LEFT_JOINED),
        }
    }

    /// How many of n messages the active kernel takes. The others are hashed one by one: all if it would take longer, or
    /// those of a last group so small that it would, since lanes without a message take as long as the others.
    #[inline(always)]
    fn grouped(&self, layout: Layout<'_>, n: usize) -> usize {
        let Some(kernel) = W::xn().if_profitable(usize::MAX) else { return n };
        // A kernel has as many lanes as a power of two.
        let lanes = kernel.lanes();
        let is_narrow = cfg!(target_arch = "x86_64") && lanes * W::SIZE < WIDE;
        let is_separate = matches!(layout, Layout::Slices(_) | Layout::Views { .. });
        if is_separate && self.is_slower(n, || is_narrow, |i| layout.message(i).len()) {
            return 0;
        }
        // Four wide vectors make a group. Of a few messages after it, the kernel makes another one, or it sorts all.
        let (group, rest) = (4 * lanes, n & (4 * lanes).wrapping_sub(1));
        if cfg!(target_arch = "x86_64")
            && !is_narrow
            && n > group
            && rest <= self.alone(layout, n < 2 * group, rest)
        {
            return n - rest;
        }
        // Narrow vectors go in pairs, and one vector takes as long as two.
        let (group, eighths) = if is_narrow { (2 * lanes, 4) } else { (lanes, 3) };
        let rest = n & group.wrapping_sub(1);
        if n > group && 8 * rest <= eighths * group { n - rest } else { n }
    }
}

/// The least and the greatest length of the first four messages. What the caller has of others may be in no cache yet.
#[inline(always)]
fn lengths_of_four(length: impl Fn(usize) -> usize) -> [usize; 2] {
    let lengths = [0, 1, 2, 3].map(length);
    lengths.into_iter().fold([usize::MAX, 0], |[least, most], length| [least.min(length), most.max(length)])
}

/// Runs `work` with a stack of its own. So a kernel's first call, with its self-test, does not find the places of `work`
/// below it.
#[inline(never)]
fn apart<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Writes the first tags of `few` to as many places. The compiler makes a call of `memcpy` from the first loop, and single
/// stores from the second.
#[inline(always)]
fn write<T: Copy, const N: usize>(few: &[T; N], tags: &mut [T]) {
    if N > FEW {
        tags.iter_mut().zip(few).for_each(|(tag, &place)| *tag = place);
        return;
    }
    for (i, &place) in few.iter().enumerate() {
        if let Some(tag) = tags.get_mut(i) {
            *tag = place;
        }
    }
}

pub(super) fn check_count<T>(messages: usize, tags: &[T]) -> Result<(), BatchError> {
    if messages == tags.len() { Ok(()) } else { Err(BatchError::Count { messages, tags: tags.len() }) }
}

/// The sign bit is set if a view does not lie inside the only buffer, which has `room` bytes. A sign takes fewer
/// instructions than a comparison.
#[inline(always)]
fn fault_of_one(view: &RawView, room: u64) -> u64 {
    let view = u128::from_le_bytes(*view);
    let (length, index, offset) = (view as u32 as u64, (view >> 64) as u32 as u64, (view >> 96) as u64);
    let outside = room.wrapping_sub(offset + length) | 0u64.wrapping_sub(index) | length << 32;
    outside & 12u64.wrapping_sub(length)
}

/// The length that a view claims. It may be wrong.
fn length_of(view: &RawView) -> usize {
    view.first_chunk().map_or(0, |&length| u32::from_le_bytes(length) as usize)
}

/// Finds a buffer by its index. Most columns have a single buffer: with a branch for the first, the CPU need not wait for
/// the index, nor read where the buffer is. Without buffers the first is empty, so no long message lies in it.
#[inline(always)]
fn among<'b, B: AsRef<[u8]>>(buffers: &'b [B]) -> impl Copy + Fn(usize) -> Option<&'b [u8]> {
    let first = buffers.first().map_or(&[][..], B::as_ref);
    move |index| if index == 0 { Some(first) } else { buffers.get(index).map(B::as_ref) }
}

/// The bytes between two offsets.
#[inline(always)]
fn between<O: Offset>(bytes: &[u8], start: O, end: O) -> Option<&[u8]> {
    bytes.get(start.try_into().ok()?..end.try_into().ok()?)
}

/// How many bytes lie between the first and the last offset; 0 if they contradict each other.
#[inline(always)]
fn spanned<O: Offset>(offsets: &[O]) -> usize {
    let at = |offset: Option<&O>| offset.and_then(|&offset| offset.try_into().ok()).unwrap_or(0usize);
    at(offsets.last()).saturating_sub(at(offsets.first()))
}

/// Whether all offsets lie in `0..=len` and none is smaller than the previous one.
pub(super) fn check_offsets<O: Offset>(len: usize, offsets: &[O]) -> Result<(), BatchError> {
    // Two passes. The first finds that all is well. If not, the second finds the first bad offset.
    let inside = |offset: O| offset >= O::default() && offset.try_into().is_ok_and(|offset| offset <= len);
    if offsets.len() > FEW && !O::disorder(offsets) && offsets.last().is_none_or(|&last| inside(last)) {
        return Ok(());
    }
    let mut before = O::default();
    for (index, &offset) in offsets.iter().enumerate() {
        if offset < before || !inside(offset) {
            return Err(BatchError::Offsets { index });
        }
        before = offset;
    }
    Ok(())
}

/// Whether each view has a length and lies inside its buffer. An early exit would be a branch more for each.
#[inline(always)]
fn check_views<V: View, B: AsRef<[u8]>>(views: &[V], buffers: &[B]) -> Result<(), BatchError> {
    let room = |index: usize| buffers.get(index).map_or(0, |buffer| buffer.as_ref().len());
    let faults = match buffers {
        [one] => {
            let room = one.as_ref().len() as u64;
            views.iter().fold(0, |faults, view| faults | fault_of_one(&view.raw(), room)) >> 63
        }
        _ => views.iter().fold(0, |faults, view| faults | fault(&view.raw(), room)),
    };
    if faults == 0 {
        return Ok(());
    }
    let buffer = |index: usize| buffers.get(index).map(B::as_ref);
    let index = views.iter().position(|view| viewed(&view.raw(), buffer).is_none()).unwrap_or(0);
    Err(BatchError::Views { index })
}
