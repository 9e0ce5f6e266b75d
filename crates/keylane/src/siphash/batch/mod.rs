//! Many messages under one key in one call.

mod offsets;
mod views;

use super::one::HashOne;
use super::prepared::Prepared;
use crate::dispatch::plan;
use crate::dispatch::select::Runnable;
use crate::dispatch::words::Dispatched;
use crate::error::BatchError;
use crate::job::plain::as_slices;
use crate::job::siphash::{Batch, Layout, Messages, Tag, Xn, viewed, viewed_by_branch, viewed_in_one};
pub use offsets::Offset;
#[cfg(feature = "internals")]
pub use offsets::check as check_offsets;
pub use views::View;

/// How many messages are listed as slices before a row runs. The smaller list serves small batches: it is sooner
/// cleared.
const LIST: usize = 64;
const LONG_LIST: usize = views::PART;

/// How many tags a loop over single messages keeps until all its messages are checked. So a short call needs no pass for
/// the checks alone, which takes longer.
const FEW: usize = 16;

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
        self.rows(bytes, width, false, tags)
    }

    /// Does what [`hash_rows`](Self::hash_rows) does, with ASCII capitals folded to lower case as in
    /// [`hash_nocase`](Self::hash_nocase).
    ///
    /// # Errors
    /// The same as `hash_rows`.
    #[inline(always)]
    pub fn hash_rows_nocase(&self, bytes: &[u8], width: usize, tags: &mut [T]) -> Result<(), BatchError> {
        self.rows(bytes, width, true, tags)
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

    /// Does what [`hash_offsets`](Self::hash_offsets) does, with ASCII capitals folded to lower case as in
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

    /// Does what [`hash_many`](Self::hash_many) does, with ASCII capitals folded to lower case as in
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
    /// `as_ref` may be called several times for a buffer. It must return the same bytes each time. If it does not, tags are
    /// those of other messages, or an error comes after some tags.
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

    /// Does what [`hash_views`](Self::hash_views) does, with ASCII capitals folded to lower case as in
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
        match plan::integers::<W>(integers.len()) {
            Some(row) => self.run(&row, messages(integers), false, tags),
            None => {
                for (&integer, tag) in integers.iter().zip(tags) {
                    *tag = hash(integer);
                }
            }
        }
        Ok(())
    }

    /// In the caller's code, so that the compiler makes a loop for a width that it knows there.
    #[inline(always)]
    fn rows(&self, bytes: &[u8], width: usize, fold: bool, tags: &mut [T]) -> Result<(), BatchError> {
        if width.checked_mul(tags.len()) != Some(bytes.len()) {
            return Err(BatchError::Rows { bytes: bytes.len(), width, rows: tags.len() });
        }
        let row = match width {
            4 | 8 | 16 => plan::integers::<W>(tags.len()),
            _ => plan::messages::<W>(tags.len()),
        };
        if let Some(row) = row {
            self.run(&row, Messages::Bytes(Layout::Rows { bytes, width }), fold, tags);
            return Ok(());
        }
        match width {
            4 if !fold => self.arrays::<4>(bytes, tags),
            8 if !fold => self.arrays::<8>(bytes, tags),
            16 if !fold => self.arrays::<16>(bytes, tags),
            0 => tags.fill(self.one(&[], fold)),
            _ => {
                // `chunks_exact` divides by `width`, and the compiler does not keep in mind that it is not 0 here.
                let mut rest = bytes;
                for tag in tags {
                    let Some((row, after)) = rest.split_at_checked(width) else { break };
                    *tag = self.one(row, fold);
                    rest = after;
                }
            }
        }
        Ok(())
    }

    /// Hashes messages of N bytes in a loop.
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
        ends: &[O],
        fold: bool,
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        check_count(ends.len().saturating_sub(1), tags)?;
        let row = plan::messages::<W>(tags.len());
        // A short loop checks the offsets of its messages itself. Without a message there may still be an offset.
        if row.is_some() || !(1..=FEW).contains(&tags.len()) {
            offsets::check(bytes.len(), ends)?;
        }
        if let Some(row) = row {
            self.run(&row, Messages::Bytes(O::layout(bytes, ends)), fold, tags);
            return Ok(());
        }
        let messages = ends.iter().zip(ends.iter().skip(1));
        match self.looped(messages.map(|(&start, &end)| offsets::slice_of(bytes, start, end)), fold, tags) {
            Some(_) => offsets::check(bytes.len(), ends),
            None => Ok(()),
        }
    }

    #[inline(always)]
    fn many<M: AsRef<[u8]>>(&self, messages: &[M], fold: bool, tags: &mut [T]) -> Result<(), BatchError> {
        check_count(messages.len(), tags)?;
        match plan::messages::<W>(messages.len()) {
            Some(row) => match as_slices(messages) {
                Some(slices) => self.run(&row, Messages::Bytes(Layout::Slices(slices)), fold, tags),
                None => {
                    self.listed(&row, messages, |message| Some(message.as_ref()), fold, tags);
                }
            },
            None => {
                for (message, tag) in messages.iter().zip(tags) {
                    *tag = self.one(message.as_ref(), fold);
                }
            }
        }
        Ok(())
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
        let row = plan::messages::<W>(views.len());
        // A list and a short loop check their views themselves, before any tag is written.
        if views.len() > if row.is_some() { LONG_LIST } else { FEW } {
            views::check(views, buffers)?;
        }
        let only = views::only_buffer(buffers);
        let any = |index: usize| buffers.get(index).map(B::as_ref);
        let mut bad = None;
        V::parts(views, tags, |views, tags| {
            bad = bad.or(match (&row, only) {
                (Some(row), Some(only)) => {
                    self.listed(row, views, |view| viewed_in_one(view, only), fold, tags)
                }
                (Some(row), None) => self.listed(row, views, |view| viewed(view, any), fold, tags),
                // The hash of one message has a branch for its length anyway, so another one costs nothing.
                (None, Some(only)) => {
                    let first = |index: usize| (index == 0).then_some(only);
                    self.looped(views.iter().map(|view| viewed_by_branch(view, first)), fold, tags)
                }
                (None, None) => self.looped(views.iter().map(|view| viewed_by_branch(view, any)), fold, tags),
            });
        });
        bad.map_or(Ok(()), |index| Err(BatchError::Views { index }))
    }

    /// Hashes messages one after the other. Stops at a message that is none, and returns its index. Up to [`FEW`]
    /// messages then leave `tags` unchanged.
    #[inline(always)]
    fn looped<'m>(
        &self,
        mut messages: impl Iterator<Item = Option<&'m [u8]>>,
        fold: bool,
        tags: &mut [T],
    ) -> Option<usize> {
        let mut few = [T::default(); FEW];
        for (part, tags) in (0..).zip(tags.chunks_mut(FEW)) {
            for (i, tag) in few.iter_mut().take(tags.len()).enumerate() {
                match messages.next() {
                    Some(Some(message)) => *tag = self.one(message, fold),
                    _ => return Some(part * FEW + i),
                }
            }
            // Stores of single tags: the compiler makes a call of `memcpy` from a loop that ends with `tags`.
            for (i, &known) in few.iter().enumerate() {
                if let Some(tag) = tags.get_mut(i) {
                    *tag = known;
                }
            }
        }
        None
    }

    /// Hashes messages by a row that gets them as slices, a list at a time. Stops at a message that is none, and returns
    /// its index.
    #[inline(always)]
    fn listed<'m, M>(
        &self,
        row: &Runnable<Xn<W>>,
        messages: &'m [M],
        slice: impl Fn(&'m M) -> Option<&'m [u8]>,
        fold: bool,
        tags: &mut [T],
    ) -> Option<usize> {
        if messages.len() <= LIST {
            self.by_lists::<_, LIST>(row, messages, slice, fold, tags)
        } else {
            self.by_lists::<_, LONG_LIST>(row, messages, slice, fold, tags)
        }
    }

    /// The same with lists of N slices.
    #[inline(never)]
    fn by_lists<'m, M, const N: usize>(
        &self,
        row: &Runnable<Xn<W>>,
        messages: &'m [M],
        slice: impl Fn(&'m M) -> Option<&'m [u8]>,
        fold: bool,
        tags: &mut [T],
    ) -> Option<usize> {
        let mut list: [&[u8]; N] = [&[]; N];
        let lists = messages.chunks(N).zip(tags.chunks_mut(N));
        for (first, (messages, tags)) in (0..).step_by(N).zip(lists) {
            for (i, (place, message)) in list.iter_mut().zip(messages).enumerate() {
                let Some(message) = slice(message) else { return Some(first + i) };
                *place = message;
            }
            let slices = list.get(..messages.len()).unwrap_or(&[]);
            self.run(row, Messages::Bytes(Layout::Slices(slices)), fold, tags);
        }
        None
    }

    #[inline(always)]
    fn one(&self, message: &[u8], fold: bool) -> T {
        if fold { self.hash_nocase(message) } else { self.hash(message) }
    }

    /// Runs a row. The caller has checked everything.
    #[inline]
    pub(super) fn run(&self, row: &Runnable<Xn<W>>, messages: Messages<'_>, fold: bool, tags: &mut [T]) {
        let rounds = self.rounds.counted();
        row.run(Batch { initial: &self.initial, rounds, fold, messages, tags: T::tags(tags) });
    }
}

pub(super) fn check_count<T>(messages: usize, tags: &[T]) -> Result<(), BatchError> {
    if messages == tags.len() { Ok(()) } else { Err(BatchError::Count { messages, tags: tags.len() }) }
}
