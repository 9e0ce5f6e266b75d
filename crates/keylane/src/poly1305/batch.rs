//! Many messages in one call, each under its own key.

use super::{OneTimeKey, Tag};
use crate::dispatch::table::POLY1305_XN;
use crate::error::BatchError;
use crate::job::poly1305::{Batch, Key};
use crate::job::wipe::Zero;
use core::mem::ManuallyDrop;

/// How many keys are taken from the iterator before a kernel runs.
const COLLECTED: usize = 64;

/// The keys taken from the iterator while a kernel runs, and the kernel's tags. The keys are wiped after the last run.
struct Places {
    keys: [Key; COLLECTED],
    /// How many of `keys` have held a key.
    used: usize,
    tags: [[u8; 16]; COLLECTED],
}

impl Places {
    const EMPTY: Self = Places { keys: [Key::ZERO; COLLECTED], used: 0, tags: [[0; 16]; COLLECTED] };

    /// The tags of at most `COLLECTED` messages.
    fn run(
        &mut self,
        source: &mut Source<impl Iterator<Item = OneTimeKey>>,
        messages: &[&[u8]],
    ) -> &[[u8; 16]] {
        let n = messages.len();
        let (Some(keys), Some(tags)) = (self.keys.get_mut(..n), self.tags.get_mut(..n)) else {
            return &[];
        };
        self.used = self.used.max(n);
        let before = source.taken;
        for (place, key) in keys.iter_mut().zip(source.keys.by_ref().take(n)) {
            // Moves the key: the place is wiped later.
            *place = ManuallyDrop::new(key).0;
            source.taken += 1;
        }
        // Places that got no key are zeroed: an old key must not serve a second message.
        keys.iter_mut().skip(source.taken - before).for_each(|place| *place = Key::ZERO);
        POLY1305_XN.run(Batch { keys, messages, tags });
        tags
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        self.keys.iter_mut().take(self.used).for_each(Key::wipe);
    }
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
pub fn mac_batch<K>(keys: K, messages: &[&[u8]], tags: &mut [Tag]) -> Result<(), BatchError>
where
    K: IntoIterator<Item = OneTimeKey, IntoIter: ExactSizeIterator>,
{
    let mut keys = checked(keys, messages, [tags.len()])?;
    let mut places = Places::EMPTY;
    for (messages, tags) in messages.chunks(COLLECTED).zip(tags.chunks_mut(COLLECTED)) {
        for (place, tag) in tags.iter_mut().zip(places.run(&mut keys, messages)) {
            *place = Tag(*tag);
        }
    }
    keys.all_there().inspect_err(|_| tags.fill(Tag::default()))
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
pub fn verify_batch<K>(keys: K, messages: &[&[u8]], tags: &[Tag], good: &mut [bool]) -> Result<(), BatchError>
where
    K: IntoIterator<Item = OneTimeKey, IntoIter: ExactSizeIterator>,
{
    let mut keys = checked(keys, messages, [tags.len(), good.len()])?;
    let mut places = Places::EMPTY;
    let answers = tags.chunks(COLLECTED).zip(good.chunks_mut(COLLECTED));
    for (messages, (tags, good)) in messages.chunks(COLLECTED).zip(answers) {
        for ((good, given), tag) in good.iter_mut().zip(tags).zip(places.run(&mut keys, messages)) {
            *good = Tag(*tag).verify(given).is_ok();
        }
    }
    keys.all_there().inspect_err(|_| good.fill(false))
}

/// The iterator of a batch's keys, with a count of the keys taken.
struct Source<I> {
    keys: I,
    taken: usize,
    messages: usize,
}

/// Checks that the iterator promises as many keys as there are messages, and that every output has as many places.
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
    /// Checks that the iterator yielded every key that it promised: `ExactSizeIterator` may be wrong.
    fn all_there(&self) -> Result<(), BatchError> {
        let Source { taken: keys, messages, .. } = *self;
        if keys == messages { Ok(()) } else { Err(BatchError::Keys { keys, messages }) }
    }
}
