//! Many messages in one call, each under its own key.

use super::{OneTimeKey, Tag};
use crate::arch::wipe::Zero;
use crate::error::BatchError;
use crate::kernel::poly1305::{Batch, Key};
use crate::kernel::table::POLY1305_XN;

/// How many keys are taken before a kernel runs.
const COLLECTED: usize = 32;

/// Keys taken from their owner for one run of a kernel, and wiped behind it.
struct Keys([Key; COLLECTED]);

impl Drop for Keys {
    fn drop(&mut self) {
        self.0.iter_mut().for_each(Key::wipe);
    }
}

/// `tags[i]` = the tag of `messages[i]` under key `i`. Every key is consumed.
///
/// # Errors
/// [`BatchError::Count`], [`BatchError::Keys`]: there are not as many tags, or keys, as messages.
/// Then nothing is written. If `keys` ends before the length that it stated, all tags are zeros.
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
pub fn mac_batch<K>(keys: K, messages: &[&[u8]], tags: &mut [Tag]) -> Result<(), BatchError>
where
    K: IntoIterator<Item = OneTimeKey, IntoIter: ExactSizeIterator>,
{
    let mut keys = checked(keys, messages, [tags.len()])?;
    for (messages, tags) in messages.chunks(COLLECTED).zip(tags.chunks_mut(COLLECTED)) {
        for (place, tag) in tags.iter_mut().zip(run(&mut keys, messages)) {
            *place = Tag(tag);
        }
    }
    keys.all_there().inspect_err(|_| tags.fill(Tag::default()))
}

/// `good[i]` = whether `tags[i]` is the tag of `messages[i]` under key `i`. Every key is consumed.
/// The time does not depend on where a tag differs.
///
/// # Errors
/// As [`mac_batch`]; if `keys` ends before the length that it stated, nothing is good.
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
pub fn verify_batch<K>(keys: K, messages: &[&[u8]], tags: &[Tag], good: &mut [bool]) -> Result<(), BatchError>
where
    K: IntoIterator<Item = OneTimeKey, IntoIter: ExactSizeIterator>,
{
    let mut keys = checked(keys, messages, [tags.len(), good.len()])?;
    let places = tags.chunks(COLLECTED).zip(good.chunks_mut(COLLECTED));
    for (messages, (tags, good)) in messages.chunks(COLLECTED).zip(places) {
        for ((good, given), tag) in good.iter_mut().zip(tags).zip(run(&mut keys, messages)) {
            *good = Tag(tag).verify(given).is_ok();
        }
    }
    keys.all_there().inspect_err(|_| good.fill(false))
}

/// The keys of a batch, as far as they have come.
struct Source<I> {
    keys: I,
    taken: usize,
    messages: usize,
}

/// The source of keys, once it states as many as there are messages, and there are as many places
/// of each kind.
fn checked<K, const N: usize>(
    keys: K,
    messages: &[&[u8]],
    places: [usize; N],
) -> Result<Source<K::IntoIter>, BatchError>
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
    Ok(Source { keys, taken: 0, messages })
}

impl<I: Iterator<Item = OneTimeKey>> Source<I> {
    /// Whether as many keys came as were stated: `ExactSizeIterator` may be wrong.
    fn all_there(&self) -> Result<(), BatchError> {
        let Source { taken: keys, messages, .. } = *self;
        if keys == messages { Ok(()) } else { Err(BatchError::Keys { keys, messages }) }
    }
}

/// The tags of at most `COLLECTED` messages.
fn run(source: &mut Source<impl Iterator<Item = OneTimeKey>>, messages: &[&[u8]]) -> [[u8; 16]; COLLECTED] {
    let mut keys = Keys([Key::ZERO; COLLECTED]);
    for (place, key) in keys.0.iter_mut().zip(source.keys.by_ref().take(messages.len())) {
        *place = key.0;
        source.taken += 1;
    }
    let mut tags = [[0; 16]; COLLECTED];
    let n = messages.len();
    if let (Some(keys), Some(tags)) = (keys.0.get(..n), tags.get_mut(..n)) {
        POLY1305_XN.run(Batch { keys, messages, tags });
    }
    tags
}
