//! Many messages under one key in one call.

use super::one::HashOne;
use super::prepared::Prepared;
use crate::dispatch::words::Dispatched;
use crate::error::BatchError;
use crate::job::siphash::{Batch, Layout, Messages, Tag};

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
}

/// An offset into the bytes of a batch, as in Arrow: `i32` or `i64`.
pub trait Offset: sealed::Sealed + Copy + Ord + Default + TryInto<usize> {
    /// The layout for kernels.
    #[doc(hidden)]
    #[allow(private_interfaces)]
    fn layout<'a>(bytes: &'a [u8], offsets: &'a [Self]) -> Layout<'a>;
}

impl Offset for i32 {
    #[allow(private_interfaces)]
    fn layout<'a>(bytes: &'a [u8], offsets: &'a [Self]) -> Layout<'a> {
        Layout::Offsets32 { bytes, offsets }
    }
}

impl Offset for i64 {
    #[allow(private_interfaces)]
    fn layout<'a>(bytes: &'a [u8], offsets: &'a [Self]) -> Layout<'a> {
        Layout::Offsets64 { bytes, offsets }
    }
}

/// How many messages `hash_many` collects before a kernel runs. The smaller buffer serves small batches.
const COLLECTED: usize = 512;
const FEW_COLLECTED: usize = 64;

/// Fewer integers, or fewer other messages, than this are hashed one by one: the call of a kernel would cost more than
/// it gains.
const FEW_INTEGERS: usize = 4;
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
    pub fn hash_rows(&self, bytes: &[u8], width: usize, tags: &mut [T]) -> Result<(), BatchError> {
        self.rows(bytes, width, false, tags)
    }

    /// Does what [`hash_rows`](Self::hash_rows) does, with ASCII capitals made small as in
    /// [`hash_nocase`](Self::hash_nocase).
    ///
    /// # Errors
    /// The same as `hash_rows`.
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
    pub fn hash_many<M: AsRef<[u8]>>(&self, messages: &[M], tags: &mut [T]) -> Result<(), BatchError> {
        self.many(messages, false, tags)
    }

    /// Does what [`hash_many`](Self::hash_many) does, with ASCII capitals made small as in
    /// [`hash_nocase`](Self::hash_nocase).
    ///
    /// # Errors
    /// The same as `hash_many`.
    pub fn hash_many_nocase<M: AsRef<[u8]>>(&self, messages: &[M], tags: &mut [T]) -> Result<(), BatchError> {
        self.many(messages, true, tags)
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
        if tags.len() < FEW_INTEGERS {
            for (&integer, tag) in integers.iter().zip(tags) {
                *tag = hash(integer);
            }
        } else {
            self.run(messages(integers), false, tags);
        }
        Ok(())
    }

    fn rows(&self, bytes: &[u8], width: usize, fold: bool, tags: &mut [T]) -> Result<(), BatchError> {
        if width.checked_mul(tags.len()) != Some(bytes.len()) {
            return Err(BatchError::Rows { bytes: bytes.len(), width, rows: tags.len() });
        }
        // Kernels treat messages of an integer's width as integers.
        let few = if matches!(width, 4 | 8 | 16) { FEW_INTEGERS } else { FEW };
        match width {
            _ if tags.len() >= few => self.run(Messages::Bytes(Layout::Rows { bytes, width }), fold, tags),
            4 if !fold => self.arrays::<4>(bytes, tags),
            8 if !fold => self.arrays::<8>(bytes, tags),
            16 if !fold => self.arrays::<16>(bytes, tags),
            _ => {
                let mut rest = bytes;
                for tag in tags {
                    let (row, behind) = rest.split_at_checked(width).unwrap_or_default();
                    *tag = self.one(row, fold);
                    rest = behind;
                }
            }
        }
        Ok(())
    }

    /// Hashes messages of N bytes one by one.
    #[inline(always)]
    fn arrays<const N: usize>(&self, bytes: &[u8], tags: &mut [T]) {
        for (row, tag) in bytes.as_chunks::<N>().0.iter().zip(tags) {
            *tag = self.hash_array(row);
        }
    }

    fn offsets<O: Offset>(
        &self,
        bytes: &[u8],
        offsets: &[O],
        fold: bool,
        tags: &mut [T],
    ) -> Result<(), BatchError> {
        check_count(offsets.len().saturating_sub(1), tags)?;
        check_offsets(bytes.len(), offsets)?;
        if tags.len() < FEW {
            let index = |offset: O| offset.try_into().unwrap_or_default();
            for (pair, tag) in offsets.windows(2).zip(tags) {
                let &[start, stop] = pair else { continue };
                *tag = self.one(bytes.get(index(start)..index(stop)).unwrap_or_default(), fold);
            }
        } else {
            self.run(Messages::Bytes(O::layout(bytes, offsets)), fold, tags);
        }
        Ok(())
    }

    fn many<M: AsRef<[u8]>>(&self, messages: &[M], fold: bool, tags: &mut [T]) -> Result<(), BatchError> {
        check_count(messages.len(), tags)?;
        if messages.len() < FEW {
            self.few(messages, fold, tags);
            return Ok(());
        }
        // The first use of a slot tests kernels, which takes stack: not below the list of slices.
        W::xn().choose();
        if messages.len() <= FEW_COLLECTED {
            self.collected::<M, FEW_COLLECTED>(messages, fold, tags);
        } else {
            self.collected::<M, COLLECTED>(messages, fold, tags);
        }
        Ok(())
    }

    /// `hash_many` of slices, which are read where they are: no list of them is made on the stack. With `fold`, ASCII
    /// capitals are made small.
    ///
    /// # Errors
    /// The same as `hash_many`.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn hash_slices(&self, messages: &[&[u8]], fold: bool, tags: &mut [T]) -> Result<(), BatchError> {
        check_count(messages.len(), tags)?;
        if messages.len() < FEW {
            self.few(messages, fold, tags);
        } else {
            self.run(Messages::Bytes(Layout::Slices(messages)), fold, tags);
        }
        Ok(())
    }

    #[inline(always)]
    fn few<M: AsRef<[u8]>>(&self, messages: &[M], fold: bool, tags: &mut [T]) {
        for (message, tag) in messages.iter().zip(tags) {
            *tag = self.one(message.as_ref(), fold);
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
            self.run(Messages::Bytes(Layout::Slices(slices)), fold, tags);
        }
    }

    #[inline(always)]
    fn one(&self, message: &[u8], fold: bool) -> T {
        if fold { self.hash_nocase(message) } else { self.hash(message) }
    }

    /// Runs the active kernel. The caller has checked everything.
    fn run(&self, messages: Messages<'_>, fold: bool, tags: &mut [T]) {
        let rounds = self.rounds.counted();
        W::xn().run(Batch { initial: &self.initial, rounds, fold, messages, tags: T::tags(tags) });
    }
}

fn check_count<T>(messages: usize, tags: &[T]) -> Result<(), BatchError> {
    if messages == tags.len() { Ok(()) } else { Err(BatchError::Count { messages, tags: tags.len() }) }
}

/// Whether all offsets lie in `0..=len` and none is smaller than the previous one.
fn check_offsets<O: Offset>(len: usize, offsets: &[O]) -> Result<(), BatchError> {
    // Two passes. The first has no early exit, so it runs in vector registers; it finds that all is well. If not, the
    // second finds the first bad offset.
    let ascends = || offsets.windows(2).fold(true, |all, pair| all & matches!(pair, [a, b] if a <= b));
    let inside = |offset: O| offset >= O::default() && offset.try_into().is_ok_and(|offset| offset <= len);
    let bounded = |offset: Option<&O>| offset.is_none_or(|&offset| inside(offset));
    if offsets.len() > FEW && ascends() && bounded(offsets.first()) && bounded(offsets.last()) {
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
