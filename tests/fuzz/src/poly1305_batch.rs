//! Batch calls of Poly1305, with the right or a wrong number of keys, tags and verdicts. Some iterators of keys yield
//! fewer keys than they promise.

use crate::input::{Text, coded, random_bytes};
use crate::steps::Forced;
use keylane::job::kernel::Shape;
use keylane::job::poly1305::Xn;
use keylane::poly1305::{BatchError, OneTimeKey, Tag, mac_batch, verify_batch};

/// The most messages in a batch.
const COUNT: usize = 200;

/// The longest message: keylane-ref is slow, and `poly1305_xn` covers lengths.
const LENGTH: usize = 300;

coded! {
    /// A batch.
    pub struct Case<'a> {
        /// The row that the public API is forced to use.
        pub row: u8,
        /// The number of messages.
        pub count: u8,
        /// The number of keys stated: messages plus this minus 128.
        pub stated: u8,
        /// The number of keys that come: messages plus this minus 128.
        pub coming: u8,
        /// The number of tags: messages plus this minus 128.
        pub tags: u8,
        /// The number of verdicts: messages plus this minus 128.
        pub verdicts: u8,
        /// The seed of the keys.
        pub seed: u32,
        /// Message i is the first one without its last i times `cut` bytes.
        pub cut: u8,
        /// The first message.
        pub text: Text<'a>,
    }
}

/// Keys that state another number than there are.
struct Keys<I> {
    keys: I,
    stated: usize,
}

impl<I: Iterator<Item = OneTimeKey>> Iterator for Keys<I> {
    type Item = OneTimeKey;

    fn next(&mut self) -> Option<OneTimeKey> {
        self.keys.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.stated, Some(self.stated))
    }
}

impl<I: Iterator<Item = OneTimeKey>> ExactSizeIterator for Keys<I> {}

impl Case<'_> {
    /// Panics if an answer is wrong.
    pub fn run(&self) {
        let mut forced = Forced::new(Xn::SLOT);
        forced.force(self.row);
        let count = usize::from(self.count) % (COUNT + 1);
        let about = |number: u8| (count + usize::from(number)).saturating_sub(128);
        let (stated, coming) = (about(self.stated), about(self.coming));
        let text = self.text.bytes();
        let text = &text[..text.len().min(LENGTH)];
        let cut = |i| &text[..text.len().saturating_sub(i * usize::from(self.cut))];
        let messages: Vec<&[u8]> = (0..count).map(cut).collect();
        let key = |i: usize| -> [u8; 32] {
            random_bytes(self.seed.wrapping_add(i as u32), 32).as_ref().try_into().expect("32 bytes")
        };
        let keys = || Keys { keys: (0..coming).map(|i| OneTimeKey::from_bytes(key(i))), stated };
        let right: Vec<[u8; 16]> =
            messages.iter().enumerate().map(|(i, message)| keylane_ref::poly1305(&key(i), message)).collect();

        // The rules: the API first counts tags and verdicts, then checks the stated number of keys, and at
        // the end the number that came.
        let early = |places: &[usize]| {
            let wrong = places.iter().find(|&&places| places != count);
            let stated = (stated != count).then_some(BatchError::Keys { keys: stated, messages: count });
            wrong.map(|&tags| BatchError::Count { messages: count, tags }).or(stated)
        };
        let late = (coming < count).then_some(BatchError::Keys { keys: coming, messages: count });

        let unwritten = [0x5a; 16];
        let mut tags = vec![Tag::from_bytes(unwritten); about(self.tags)];
        let result = mac_batch(keys(), &messages, &mut tags);
        let expected = match (early(&[tags.len()]), late) {
            (Some(error), _) => (Err(error), vec![unwritten; tags.len()]),
            (None, Some(error)) => (Err(error), vec![[0; 16]; tags.len()]),
            (None, None) => (Ok(()), right.clone()),
        };
        assert_eq!((result, tags.iter().map(Tag::to_bytes).collect()), expected);

        // Every other tag is wrong.
        let given: Vec<Tag> = (0..about(self.tags))
            .map(|i| {
                let mut tag = right.get(i).copied().unwrap_or_default();
                tag[i % 16] ^= (i % 2) as u8;
                Tag::from_bytes(tag)
            })
            .collect();
        let mut good = vec![true; about(self.verdicts)];
        let result = verify_batch(keys(), &messages, &given, &mut good);
        let expected = match (early(&[given.len(), good.len()]), late) {
            (Some(error), _) => (Err(error), vec![true; good.len()]),
            (None, Some(error)) => (Err(error), vec![false; good.len()]),
            (None, None) => (Ok(()), (0..count).map(|i| i % 2 == 0).collect()),
        };
        assert_eq!((result, good), expected);
    }

    /// Calls `keep` with a case of each kind.
    pub fn seeds(keep: &mut dyn FnMut(&Case<'_>)) {
        for count in [0, 1, 7, 64, 65, 200] {
            let right = Case {
                row: count,
                count,
                stated: 128,
                coming: 128,
                tags: 128,
                verdicts: 128,
                seed: 1,
                cut: 3,
                text: Text::Counting { len: 300 },
            };
            keep(&right);
            keep(&Case { stated: 127, ..right.clone() });
            keep(&Case { coming: 100, ..right.clone() });
            keep(&Case { coming: 129, ..right.clone() });
            keep(&Case { tags: 129, ..right.clone() });
            keep(&Case { verdicts: 120, ..right });
        }
    }
}
