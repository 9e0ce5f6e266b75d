//! Many messages in one call, each under its own key.

use super::{OneTimeKey, Tag, mac};
use crate::dispatch::select::Runnable;
use crate::dispatch::table::POLY1305_XN;
use crate::error::BatchError;
use crate::job::limits::Class;
use crate::job::poly1305::{Batch, Key, Xn};
use crate::job::wipe::Zero;
use core::mem::ManuallyDrop;

/// How many keys are taken from the iterator before a kernel runs.
const COLLECTED: usize = 64;

/// Places for this many keys are enough for a small batch: they are zeroed in a quarter of the time.
const FEW_COLLECTED: usize = 16;

/// The keys taken from the iterator while a kernel runs, and the kernel's tags. The keys are wiped after the run.
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
    }
}

/// A kernel, and how many messages it takes.
type Share = (Runnable<Xn>, usize);

/// The kernel for the first of at most `COLLECTED` messages, if it is faster than one message after the other.
///
/// Lanes wait for the longest message of their group. So messages of several lengths are sorted first, which costs
/// more, and is profitable only for more and longer messages.
#[inline(never)]
fn profitable(messages: &[&[u8]]) -> Option<Share> {
    let (Some(first), n) = (messages.first(), messages.len()) else { return None };
    let equal = POLY1305_XN.if_profitable(first.len()).and_then(|kernel| share(kernel, n, first.len()));
    if equal.is_none() && n < LEAST_UNEVEN {
        return None;
    }
    let (mut differ, mut total) = (0, 0usize);
    for message in messages {
        differ |= message.len() ^ first.len();
        total = total.wrapping_add(message.len());
    }
    if differ == 0 {
        return equal;
    }
    let mean = total >> n.next_power_of_two().trailing_zeros();
    let kernel = POLY1305_XN.if_profitable(mean / UNEVEN)?;
    (n >= LEAST_UNEVEN && n >= 2 * kernel.lanes() && takes_uneven(&kernel)).then_some((kernel, n))
}

/// How many of n messages of one length the kernel takes, if any.
///
/// The fewer groups, the longer the messages that pay for the set-up. A group that is not full needs long ones, and all
/// lanes but one of eight.
#[inline(always)]
fn share(kernel: Runnable<Xn>, n: usize, len: usize) -> Option<Share> {
    let lanes = kernel.lanes();
    // A kernel has as many lanes as a power of two.
    let rest = n & lanes.wrapping_sub(1);
    let is_worth = |fifths| POLY1305_XN.if_profitable(len / 5 * fifths).is_some();
    if 8 * rest >= 7 * lanes && is_worth(2) {
        Some((kernel, n))
    } else if n >= 3 * lanes || n >= 2 * lanes && is_worth(4) || n >= lanes && is_worth(3) {
        Some((kernel, n - rest))
    } else {
        None
    }
}

/// Messages of several lengths are profitable if they are at least so many, and so many times as long.
const LEAST_UNEVEN: usize = 32;
const UNEVEN: usize = 4;

/// Whether a kernel gains with messages of several lengths. Four lanes of AVX2 do not: 49 of 50 cells took longer
/// than one by one (`bench/record/zen3/2026-11-25/against-loop.csv`, 32 to 128 messages of 40 to 1500 bytes).
///
/// Nor do eight lanes on Zen 4. For 40 to 1500 bytes in the cache they take 0.95 to 1.03 of the loop's time, from memory
/// 1.5 to 1.8. A prefetcher sees no streams in eight messages side by side. Other CPUs of the class were not measured.
#[inline(always)]
fn takes_uneven(kernel: &Runnable<Xn>) -> bool {
    !cfg!(target_arch = "x86_64") || kernel.lanes() > 4 && Class::current() != Class::Other
}

/// Whether the messages are worth a look at each of them, by the lengths of the first and of the last. The look takes
/// as long as an eighth of a short message.
#[inline(always)]
fn may_be_profitable(messages: &[&[u8]]) -> bool {
    let ([first, _, _, .., last], n) = (messages, messages.len()) else { return false };
    let is_even = first.len() == last.len();
    let len = if is_even {
        first.len() - first.len() / 5 * 2usize.saturating_sub(n / 8)
    } else if n >= LEAST_UNEVEN {
        // Twice as long as in `profitable`, at least: these are two of many.
        (first.len() / 2 + last.len() / 2) / (UNEVEN / 2)
    } else {
        return false;
    };
    let is_worth = |kernel: Runnable<Xn>| 8 * n >= 7 * kernel.lanes() && (is_even || takes_uneven(&kernel));
    POLY1305_XN.if_profitable(len).is_some_and(is_worth)
}

/// The messages that a kernel gets first.
#[inline(always)]
fn first_of<'a, 'm>(messages: &'a [&'m [u8]]) -> &'a [&'m [u8]] {
    messages.get(..COLLECTED).unwrap_or(messages)
}

/// Passes the tag of each message to `put`, with its output. Fails if the iterator yields too few keys.
#[inline(always)]
fn each<O>(
    mut keys: impl Iterator<Item = OneTimeKey>,
    messages: &[&[u8]],
    outputs: impl Iterator<Item = O>,
    put: impl Fn(O, Tag),
) -> Result<(), BatchError> {
    if may_be_profitable(messages) {
        let share = profitable(first_of(messages));
        if share.is_some() || messages.len() > COLLECTED {
            return many(share, keys, messages, outputs, put);
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

/// The same for many messages, up to `COLLECTED` at a time, the first of them as `share` says. Not inlined, so that a few
/// need no stack for its places.
#[inline(never)]
fn many<O>(
    share: Option<Share>,
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
        let (some, after) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        let done = match share {
            None => one_by_one(&mut keys, some, &mut outputs, &put),
            Some((kernel, _)) if some.len() <= FEW_COLLECTED => {
                together::<FEW_COLLECTED, _>(&kernel, &mut keys, some, &mut outputs, &put)
            }
            Some((kernel, _)) => together::<COLLECTED, _>(&kernel, &mut keys, some, &mut outputs, &put),
        };
        if done.is_none() {
            return Err(BatchError::Keys { keys: keys.taken, messages: messages.len() });
        }
        (rest, share) = (after, profitable(first_of(after)));
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
fn together<const M: usize, O>(
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
    each(keys, messages, tags.iter_mut(), |place, tag| *place = tag)
        .inspect_err(|_| tags.fill(Tag::default()))
}

/// [`mac_batch`] that passes each tag to `put`, with its output.
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
    each(keys, messages, outputs, put)
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
    let check = |(given, good): (&Tag, &mut bool), tag: Tag| *good = tag.verify(given).is_ok();
    each(keys, messages, tags.iter().zip(good.iter_mut()), check).inspect_err(|_| good.fill(false))
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
