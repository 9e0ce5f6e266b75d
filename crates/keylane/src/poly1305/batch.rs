//! Many messages in one call, each under its own key.

use super::{OneTimeKey, Tag};
use crate::dispatch::table::POLY1305_XN;
use crate::error::BatchError;
use crate::job::poly1305::{Batch, Key};
use crate::job::wipe::Zero;
use core::mem::ManuallyDrop;

/// How many keys are taken before a kernel runs.
const COLLECTED: usize = 64;

/// Where the keys taken from their owner stand while a kernel runs, and its tags. The keys are wiped
/// behind the last run.
struct Places {
    keys: [Key; COLLECTED],
    /// How many of `keys` have held one.
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
            // Moved, and wiped where it stands now.
            *place = ManuallyDrop::new(key).0;
            source.taken += 1;
        }
        // What has stood there serves no second message.
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
    let mut places = Places::EMPTY;
    for (messages, tags) in messages.chunks(COLLECTED).zip(tags.chunks_mut(COLLECTED)) {
        for (place, tag) in tags.iter_mut().zip(places.run(&mut keys, messages)) {
            *place = Tag(*tag);
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
    let mut places = Places::EMPTY;
    let answers = tags.chunks(COLLECTED).zip(good.chunks_mut(COLLECTED));
    for (messages, (tags, good)) in messages.chunks(COLLECTED).zip(answers) {
        for ((good, given), tag) in good.iter_mut().zip(tags).zip(places.run(&mut keys, messages)) {
            *good = Tag(*tag).verify(given).is_ok();
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
