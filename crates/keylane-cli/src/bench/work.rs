//! The code timed: passes over messages. Each pass leaves its tags behind for comparison with the right ones,
//! so the code timed is the code checked.

use keylane::halfsiphash::{self, HalfSipHash};
use keylane::poly1305::{OneTimeKey, Poly1305, Tag, mac, mac_batch};
use keylane::siphash::{self, SipHash};
use keylane_measure::data::{Arrow, Bytes, Random, SHIFTS, moved};
use std::array;
use std::cell::OnceCell;
use std::hint::black_box;
use std::mem::take;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// Number of messages of one length, with one call each. They begin [`STRIDE`] bytes apart, so all but long
/// ones fit in the first-level cache.
const MESSAGES: usize = 64;
const STRIDE: usize = 64;

/// From this length on, one message is enough for a sample.
const ALONE: usize = 64 << 10;

/// How many messages a pass over batches covers, whatever the size of a batch.
const ROWS: usize = 50_000;

/// Poly1305 messages in a call.
const MACS: usize = 64;

/// The approximate total length of Poly1305 messages of unpredictable lengths, in bytes: many messages, but
/// they fit in a core's own cache.
const RAGGED: usize = 512 << 10;

/// The right tags come from streams that take a message in pieces of this many bytes. No timed call uses that
/// path through keylane.
const PIECE: usize = 7;

/// Passes over messages.
pub trait Work {
    /// The number of messages.
    fn messages(&self) -> usize;
    /// Prepares `count` passes over the messages, moved by `shift` bytes.
    fn passes(&mut self, shift: usize, count: usize) -> Box<dyn FnMut() + '_>;
    /// Takes the tags of the last pass and clears them.
    fn take_tags(&mut self) -> Vec<u128>;
    /// The right tags for the messages at shift 0.
    fn right(&self) -> Vec<u128>;
}

/// The tag of a message by a stream, given its number and bytes.
type Right = dyn Fn(usize, &[u8]) -> u128;

/// One call for each message.
struct One<T, F> {
    bytes: Bytes,
    len: usize,
    tags: Vec<T>,
    call: F,
    right: Box<Right>,
}

impl<T: Copy + Default + Into<u128>, F: Fn(usize, &[u8]) -> T> One<T, F> {
    fn new(len: usize, call: F, right: Box<Right>) -> Self {
        let count = if len < ALONE { MESSAGES } else { 1 };
        let bytes = Bytes::new(STRIDE * count + len, 1);
        One { bytes, len, tags: vec![T::default(); count], call, right }
    }

    fn slices(bytes: &[u8], len: usize, count: usize) -> Vec<&[u8]> {
        (0..count).map(|i| bytes.get(i * STRIDE..i * STRIDE + len).unwrap_or_default()).collect()
    }
}

impl<T: Copy + Default + Into<u128>, F: Fn(usize, &[u8]) -> T> Work for One<T, F> {
    fn messages(&self) -> usize {
        self.tags.len()
    }

    fn passes(&mut self, shift: usize, count: usize) -> Box<dyn FnMut() + '_> {
        let One { bytes, len, tags, call, .. } = self;
        let messages = Self::slices(bytes.at(shift), *len, tags.len());
        Box::new(move || {
            for _ in 0..count {
                for (i, (tag, message)) in tags.iter_mut().zip(&messages).enumerate() {
                    *tag = call(i, message);
                }
                black_box(&mut *tags);
            }
        })
    }

    fn take_tags(&mut self) -> Vec<u128> {
        self.tags.iter_mut().map(|tag| take(tag).into()).collect()
    }

    fn right(&self) -> Vec<u128> {
        let messages = Self::slices(self.bytes.at(0), self.len, self.tags.len());
        messages.iter().enumerate().map(|(i, message)| (self.right)(i, message)).collect()
    }
}

/// Messages for batches, and their right tags once they are known.
pub struct Data {
    layout: Layout,
    right: OnceCell<Vec<u128>>,
}

enum Layout {
    U64s(Vec<u64>),
    Rows16(Bytes),
    Offsets(Arrow),
}

impl Data {
    /// Integers.
    pub fn u64s() -> Rc<Self> {
        let mut random = Random::new(3);
        Data::new(Layout::U64s((0..ROWS + SHIFTS / 8).map(|_| random.next_u64()).collect()))
    }

    /// Messages of 16 bytes, one after the other.
    pub fn rows16() -> Rc<Self> {
        Data::new(Layout::Rows16(Bytes::new(16 * ROWS, 3)))
    }

    /// Messages of unpredictable lengths, in Arrow's layout.
    pub fn offsets(lengths: RangeInclusive<usize>) -> Rc<Self> {
        Data::new(Layout::Offsets(Arrow::uniform(ROWS, lengths, 3)))
    }

    fn new(layout: Layout) -> Rc<Self> {
        Rc::new(Data { layout, right: OnceCell::new() })
    }

    /// All messages in turn.
    fn each(&self, mut see: impl FnMut(&[u8])) {
        match &self.layout {
            Layout::U64s(integers) => moved(integers, 0).iter().for_each(|x| see(&x.to_le_bytes())),
            Layout::Rows16(bytes) => bytes.at(0).chunks(16).for_each(see),
            Layout::Offsets(arrow) => slices(arrow, 0).into_iter().for_each(see),
        }
    }
}

/// Messages as slices.
fn slices(arrow: &Arrow, shift: usize) -> Vec<&[u8]> {
    let bytes = arrow.bytes(shift);
    let message = |ends: &[i32]| match *ends {
        [start, end] => bytes.get(start as usize..end as usize).unwrap_or_default(),
        _ => &[],
    };
    arrow.offsets().windows(2).map(message).collect()
}

/// The input of a call for many messages.
enum Batch<'a> {
    U64s(&'a [u64]),
    Rows16(&'a [u8]),
    Offsets(&'a [u8], &'a [i32]),
}

/// Calls for `size` messages at a time.
struct Many<T, F> {
    data: Rc<Data>,
    size: usize,
    tags: Vec<T>,
    call: F,
    right: Box<Right>,
}

impl<T: Copy + Default + Into<u128>, F: Fn(Batch<'_>, &mut [T])> Many<T, F> {
    fn new(data: Rc<Data>, size: usize, call: F, right: Box<Right>) -> Self {
        Many { data, size, tags: vec![T::default(); ROWS], call, right }
    }
}

impl<T: Copy + Default + Into<u128>, F: Fn(Batch<'_>, &mut [T])> Work for Many<T, F> {
    fn messages(&self) -> usize {
        self.tags.len()
    }

    fn passes(&mut self, shift: usize, count: usize) -> Box<dyn FnMut() + '_> {
        let Many { data, size, tags, call, .. } = self;
        let size = *size;
        let mut pass = move || match &data.layout {
            Layout::U64s(integers) => {
                for (integers, tags) in moved(integers, shift).chunks(size).zip(tags.chunks_mut(size)) {
                    call(Batch::U64s(integers), tags);
                }
            }
            Layout::Rows16(bytes) => {
                for (rows, tags) in bytes.at(shift).chunks(16 * size).zip(tags.chunks_mut(size)) {
                    call(Batch::Rows16(rows), tags);
                }
            }
            Layout::Offsets(arrow) => {
                let (bytes, offsets) = (arrow.bytes(shift), arrow.offsets());
                for (batch, tags) in tags.chunks_mut(size).enumerate() {
                    let first = batch * size;
                    call(
                        Batch::Offsets(bytes, offsets.get(first..=first + tags.len()).unwrap_or_default()),
                        tags,
                    );
                }
            }
        };
        Box::new(move || (0..count).for_each(|_| pass()))
    }

    fn take_tags(&mut self) -> Vec<u128> {
        self.tags.iter_mut().map(|tag| take(tag).into()).collect()
    }

    fn right(&self) -> Vec<u128> {
        let all = || {
            let mut tags = Vec::with_capacity(ROWS);
            self.data.each(|message| tags.push((self.right)(tags.len(), message)));
            tags
        };
        self.data.right.get_or_init(all).clone()
    }
}

/// SipHash-C-D.
#[derive(Clone)]
pub struct Sip<const C: usize, const D: usize>(SipHash<C, D>);

impl<const C: usize, const D: usize> Sip<C, D> {
    /// Under the key 00 01 02 ...
    pub fn new() -> Self {
        Sip(SipHash::new(&siphash::Key::from_bytes(array::from_fn(|i| i as u8))))
    }

    fn right(&self) -> Box<Right> {
        let Sip(hash) = self.clone();
        Box::new(move |_, message| {
            let mut stream = hash.stream();
            message.chunks(PIECE).for_each(|piece| stream.update(piece));
            stream.finish().into()
        })
    }

    /// One call for each message of this length.
    pub fn one(&self, len: usize) -> Box<dyn Work> {
        let Sip(hash) = self.clone();
        Box::new(One::new(len, move |_, message| hash.hash(message), self.right()))
    }

    /// Calls for `size` messages at a time.
    pub fn many(&self, data: &Rc<Data>, size: usize) -> Box<dyn Work> {
        let Sip(hash) = self.clone();
        // No call fails: each has room for every tag, and its offsets rise. The check would notice a missing
        // tag.
        let call = move |batch: Batch<'_>, tags: &mut [u64]| {
            let _ = match batch {
                Batch::U64s(integers) => hash.hash_u64s(integers, tags),
                Batch::Rows16(rows) => hash.hash_rows(rows, 16, tags),
                Batch::Offsets(bytes, offsets) => hash.hash_offsets(bytes, offsets, tags),
            };
        };
        Box::new(Many::new(Rc::clone(data), size, call, self.right()))
    }
}

/// HalfSipHash-C-D.
#[derive(Clone)]
pub struct Half<const C: usize, const D: usize>(HalfSipHash<C, D>);

impl<const C: usize, const D: usize> Half<C, D> {
    /// Under the key 00 01 02 ...
    pub fn new() -> Self {
        Half(HalfSipHash::new(&halfsiphash::Key::from_bytes(array::from_fn(|i| i as u8))))
    }

    /// Calls for `size` messages at a time.
    pub fn many(&self, data: &Rc<Data>, size: usize) -> Box<dyn Work> {
        let (Half(hash), Half(stream)) = (self.clone(), self.clone());
        // As in [`Sip::many`].
        let call = move |batch: Batch<'_>, tags: &mut [u32]| {
            let _ = match batch {
                Batch::U64s(integers) => hash.hash_u64s(integers, tags),
                Batch::Rows16(rows) => hash.hash_rows(rows, 16, tags),
                Batch::Offsets(bytes, offsets) => hash.hash_offsets(bytes, offsets, tags),
            };
        };
        let right = move |_: usize, message: &[u8]| {
            let mut stream = stream.stream();
            message.chunks(PIECE).for_each(|piece| stream.update(piece));
            stream.finish().into()
        };
        Box::new(Many::new(Rc::clone(data), size, call, Box::new(right)))
    }
}

/// Poly1305 keys. A benchmark uses them again and again; no real program may.
fn keys(count: usize) -> Vec<[u8; 32]> {
    let bytes = Random::new(5).bytes(32 * count);
    bytes.as_chunks().0.to_vec()
}

/// The tag of a message, by a stream.
fn stream(key: &[u8; 32], message: &[u8]) -> u128 {
    let mut stream = Poly1305::new(OneTimeKey::from_bytes(*key));
    message.chunks(PIECE).for_each(|piece| stream.update(piece));
    number(stream.finish())
}

fn number(tag: Tag) -> u128 {
    u128::from_le_bytes(tag.to_bytes())
}

/// Poly1305: one call for each message of this length.
pub fn poly1305_one(len: usize) -> Box<dyn Work> {
    let keys: Rc<[[u8; 32]; MESSAGES]> = Rc::new(keys(MESSAGES).try_into().unwrap_or([[0; 32]; MESSAGES]));
    let right = Rc::clone(&keys);
    let call =
        move |i: usize, message: &[u8]| number(mac(OneTimeKey::from_bytes(keys[i % MESSAGES]), message));
    let right = move |i: usize, message: &[u8]| stream(&right[i % MESSAGES], message);
    Box::new(One::new(len, call, Box::new(right)))
}

/// Poly1305: calls for 64 messages.
struct Macs {
    keys: Vec<[u8; 32]>,
    messages: Arrow,
    tags: Vec<Tag>,
}

/// Poly1305: calls for 64 messages of these lengths.
pub fn poly1305_batch(lengths: RangeInclusive<usize>) -> Box<dyn Work> {
    let mean = (lengths.start() + lengths.end()) / 2;
    let calls = if lengths.start() == lengths.end() { 1 } else { (RAGGED / mean).div_ceil(MACS) };
    let count = calls * MACS;
    let tags = vec![Tag::default(); count];
    Box::new(Macs { keys: keys(count), messages: Arrow::uniform(count, lengths, 3), tags })
}

impl Work for Macs {
    fn messages(&self) -> usize {
        self.tags.len()
    }

    fn passes(&mut self, shift: usize, count: usize) -> Box<dyn FnMut() + '_> {
        let Macs { keys, messages, tags } = self;
        let messages = slices(messages, shift);
        Box::new(move || (0..count).for_each(|_| macs(keys, &messages, tags)))
    }

    fn take_tags(&mut self) -> Vec<u128> {
        self.tags.iter_mut().map(|tag| number(take(tag))).collect()
    }

    fn right(&self) -> Vec<u128> {
        let messages = slices(&self.messages, 0);
        self.keys.iter().zip(messages).map(|(key, message)| stream(key, message)).collect()
    }
}

/// A pass of [`Macs`].
#[inline(never)]
fn macs(keys: &[[u8; 32]], messages: &[&[u8]], tags: &mut [Tag]) {
    for (keys, (messages, tags)) in keys.chunks(MACS).zip(messages.chunks(MACS).zip(tags.chunks_mut(MACS))) {
        // No call fails: there is a key and room for a tag for each message. The check would notice a missing
        // tag.
        let _ = mac_batch(keys.iter().map(|key| OneTimeKey::from_bytes(*key)), messages, tags);
    }
    black_box(tags);
}
