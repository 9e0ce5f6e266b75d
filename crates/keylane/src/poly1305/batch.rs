//! Many messages in one call, each under its own key.

use super::{OneTimeKey, Tag, mac};
use crate::dispatch::plan::{self, Share};
use crate::dispatch::select::Runnable;
use crate::error::BatchError;
use crate::job::independently;
use crate::job::poly1305::{Batch, Key, Xn};
use crate::job::wipe::{Zero, wipe_table};
use core::mem::ManuallyDrop;

/// How many keys are taken from the iterator before a kernel runs.
const COLLECTED: usize = 64;

/// Places for this many keys are enough for a small batch: they are zeroed in a quarter of the time.
const SMALL_COLLECTION: usize = 16;

/// The keys taken from the iterator while a kernel runs, and the kernel's tags. Both are wiped after the run: the right
/// tag of a forged message is a forgery.
struct Places<const M: usize> {
    keys: [Key; M],
    /// How many of `keys` may hold a key.
    used: usize,
    tags: [[u8; 16]; M],
}

impl<const M: usize> Places<M> {
    const EMPTY: Self = Places { keys: [Key::ZERO; M], used: 0, tags: [[0; 16]; M] };

    /// The tags of at most `M` messages, or `None` if the iterator yields too few keys.
    fn run(
        &mut self,
        kernel: &Runnable<Xn>,
        source: &mut Source<impl Iterator<Item = OneTimeKey>>,
        messages: &[&[u8]],
    ) -> Option<&[[u8; 16]]> {
        let n = messages.len();
        let (keys, tags) = (self.keys.get_mut(..n)?, self.tags.get_mut(..n)?);
        self.used = n;
        for place in keys.iter_mut() {
            // Moves the key: the place is wiped later.
            *place = ManuallyDrop::new(source.next()?).0;
        }
        kernel.run(Batch { keys, messages, tags });
        Some(tags)
    }
}

impl<const M: usize> Drop for Places<M> {
    fn drop(&mut self) {
        self.keys.iter_mut().take(self.used).for_each(Key::wipe);
        wipe_table(&mut self.tags);
    }
}

/// The messages that a kernel gets first.
#[inline(always)]
fn first_of<'a, 'm>(messages: &'a [&'m [u8]]) -> &'a [&'m [u8]] {
    messages.get(..COLLECTED).unwrap_or(messages)
}

/// Passes the tag of each message to `put`, with its output. Fails if the iterator yields too few keys.
#[inline(always)]
fn compute<O>(
    mut keys: impl Iterator<Item = OneTimeKey>,
    messages: &[&[u8]],
    outputs: impl Iterator<Item = O>,
    put: impl Fn(O, Tag),
) -> Result<(), BatchError> {
    independently! {
        if plan::may_share(messages) {
            let share = plan::share(first_of(messages));
            if share.is_some() || messages.len() > COLLECTED {
                return compute_many(share, plan::share, keys, messages, outputs, put);
            }
        }
        for (i, (message, output)) in messages.iter().zip(outputs).enumerate() {
            let Some(key) = keys.next() else {
                return Err(BatchError::Keys { keys: i, messages: messages.len() });
            };
            put(output, mac(key, message));
        }
        Ok(())
    }
}

/// The same for many messages, up to `COLLECTED` at a time: the first of them as `share` says, then as `next` does. Not
/// inlined, so that a few need no stack for its places.
#[inline(never)]
fn compute_many<O>(
    share: Option<Share>,
    next: impl Fn(&[&[u8]]) -> Option<Share>,
    keys: impl Iterator<Item = OneTimeKey>,
    messages: &[&[u8]],
    mut outputs: impl Iterator<Item = O>,
    put: impl Fn(O, Tag),
) -> Result<(), BatchError> {
    let mut share = share;
    let mut keys = Source { keys, taken: 0 };
    let mut rest = messages;
    while !rest.is_empty() {
        let count = share.as_ref().map_or(COLLECTED, |share| share.1);
        let (chunk, after) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        let done = match share {
            None => one_by_one(&mut keys, chunk, &mut outputs, &put),
            Some((kernel, _)) if chunk.len() <= SMALL_COLLECTION => {
                by_kernel::<SMALL_COLLECTION, _>(&kernel, &mut keys, chunk, &mut outputs, &put)
            }
            Some((kernel, _)) => by_kernel::<COLLECTED, _>(&kernel, &mut keys, chunk, &mut outputs, &put),
        };
        if done.is_none() {
            return Err(BatchError::Keys { keys: keys.taken, messages: messages.len() });
        }
        (rest, share) = (after, next(first_of(after)));
    }
    Ok(())
}

/// The tags of messages one after the other.
#[inline(never)]
fn one_by_one<O>(
    keys: &mut Source<impl Iterator<Item = OneTimeKey>>,
    messages: &[&[u8]],
    outputs: &mut impl Iterator<Item = O>,
    put: &impl Fn(O, Tag),
) -> Option<()> {
    for (message, output) in messages.iter().zip(outputs) {
        put(output, mac(keys.next()?, message));
    }
    Some(())
}

/// The tags of at most `M` messages by a kernel.
#[inline(never)]
fn by_kernel<const M: usize, O>(
    kernel: &Runnable<Xn>,
    keys: &mut Source<impl Iterator<Item = OneTimeKey>>,
    messages: &[&[u8]],
    outputs: &mut impl Iterator<Item = O>,
    put: &impl Fn(O, Tag),
) -> Option<()> {
    let mut places = Places::<M>::EMPTY;
    for (tag, output) in places.run(kernel, keys, messages)?.iter().zip(outputs) {
        put(output, Tag(*tag));
    }
    Some(())
}

/// Sets `tags[i]` to the tag of `messages[i]` under key `i`. Every key is consumed.
///
/// # Errors
/// * [`BatchError::Count`]: `tags` and `messages` differ in length.
/// * [`BatchError::Keys`]: there are not as many keys as messages.
///
/// Nothing is written then, with one exception: if `keys` yields fewer keys than its length promised, all tags are
/// zero.
///
/// ```
/// use keylane::poly1305::{OneTimeKey, Tag, mac, mac_batch};
///
/// let keys = || [[1; 32], [2; 32]].map(OneTimeKey::from_bytes);
/// let messages: [&[u8]; 2] = [b"first packet", b"second"];
/// let mut tags = [Tag::default(); 2];
/// mac_batch(keys(), &messages, &mut tags)?;
/// for ((key, message), tag) in keys().into_iter().zip(messages).zip(tags) {
///     assert!(mac(key, message).verify(&tag).is_ok());
/// }
/// # Ok::<(), keylane::poly1305::BatchError>(())
/// ```
#[inline(always)]
pub fn mac_batch<K>(keys: K, messages: &[&[u8]], tags: &mut [Tag]) -> Result<(), BatchError>
where
    K: IntoIterator<Item = OneTimeKey, IntoIter: ExactSizeIterator>,
{
    let keys = checked(keys, messages, [tags.len()])?;
    compute(keys, messages, tags.iter_mut(), |place, tag| *place = tag)
        .inspect_err(|_| tags.fill(Tag::default()))
}

/// Like [`mac_batch`], but calls `put` with each tag and the output that it belongs to.
///
/// # Errors
/// The keys end before the messages.
#[cfg(feature = "internals")]
#[doc(hidden)]
#[inline(always)]
pub fn mac_each<O>(
    keys: impl Iterator<Item = OneTimeKey>,
    messages: &[&[u8]],
    outputs: impl Iterator<Item = O>,
    put: impl Fn(O, Tag),
) -> Result<(), BatchError> {
    compute(keys, messages, outputs, put)
}

/// [`mac_batch`] by the active row, whatever the number and the lengths of the messages: what a benchmark compares the call
/// with.
///
/// # Errors
/// The same as [`mac_batch`]. If `keys` ends early, some tags may have been written.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub fn macs_by_kernel<K>(keys: K, messages: &[&[u8]], tags: &mut [Tag]) -> Result<(), BatchError>
where
    K: IntoIterator<Item = OneTimeKey, IntoIter: ExactSizeIterator>,
{
    let keys = checked(keys, messages, [tags.len()])?;
    let row = |messages: &[&[u8]]| Some((plan::row_of_macs()?, messages.len()));
    compute_many(row(first_of(messages)), row, keys, messages, tags.iter_mut(), |place, tag| *place = tag)
}

/// How many messages make a whole group of the active row.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub fn kernel_group() -> usize {
    plan::row_of_macs().map_or(1, |row| row.lanes())
}

/// Sets `good[i]` to whether `tags[i]` is the tag of `messages[i]` under key `i`. Every key is consumed. The time does
/// not depend on which bytes of a tag differ.
///
/// # Errors
/// The same as [`mac_batch`]. If `keys` yields fewer keys than its length promised, all of `good` is `false`.
///
/// ```
/// use keylane::poly1305::{OneTimeKey, Tag, mac, verify_batch};
///
/// let keys = || [[1; 32], [2; 32]].map(OneTimeKey::from_bytes);
/// let tags = [mac(OneTimeKey::from_bytes([1; 32]), b"one"), Tag::default()];
/// let mut good = [false; 2];
/// verify_batch(keys(), &[b"one", b"two"], &tags, &mut good)?;
/// assert_eq!(good, [true, false]);
/// # Ok::<(), keylane::poly1305::BatchError>(())
/// ```
#[inline(always)]
pub fn verify_batch<K>(keys: K, messages: &[&[u8]], tags: &[Tag], good: &mut [bool]) -> Result<(), BatchError>
where
    K: IntoIterator<Item = OneTimeKey, IntoIter: ExactSizeIterator>,
{
    let keys = checked(keys, messages, [tags.len(), good.len()])?;
    let check = |(given, good): (&Tag, &mut bool), tag: Tag| *good = tag.is(given);
    compute(keys, messages, tags.iter().zip(good.iter_mut()), check).inspect_err(|_| good.fill(false))
}

/// The iterator of a batch's keys, with a count of the keys taken.
struct Source<I> {
    keys: I,
    taken: usize,
}

impl<I: Iterator<Item = OneTimeKey>> Source<I> {
    /// The next key. There is none if the iterator ended early: `ExactSizeIterator` may be wrong.
    #[inline(always)]
    fn next(&mut self) -> Option<OneTimeKey> {
        let key = self.keys.next()?;
        self.taken += 1;
        Some(key)
    }
}

/// Checks that the iterator promises as many keys as there are messages, and that every output has as many places.
#[inline(always)]
fn checked<K, const N: usize>(
    keys: K,
    messages: &[&[u8]],
    places: [usize; N],
) -> Result<K::IntoIter, BatchError>
where
    K: IntoIterator<Item = OneTimeKey, IntoIter: ExactSizeIterator>,
{
    let (keys, messages) = (keys.into_iter(), messages.len());
    if let Some(tags) = places.into_iter().find(|&places| places != messages) {
        return Err(BatchError::Count { messages, tags });
    }
    if keys.len() != messages {
        return Err(BatchError::Keys { keys: keys.len(), messages });
    }
    Ok(keys)
}
