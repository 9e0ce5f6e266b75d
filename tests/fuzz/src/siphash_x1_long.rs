//! One message under SipHash: rows of `siphash-x1-long` hand a state to each other; also streams.

use crate::hash;
use crate::input::{Bytes, Text, coded};
use crate::steps::{Step, Subject, drive};
use keylane::dispatch::select::Runnable;
use keylane::dispatch::table;
use keylane::job::siphash::{Long, State, X1Long};
use keylane_conformance::public::{PublicHash, PublicStream, hashes};
use keylane_conformance::variants::{Family, Variant};
use keylane_ref::fold;

/// The longest message.
const LARGEST: usize = 1 << 14;

coded! {
    /// A key, a variant, and steps.
    pub struct Case<'a> {
        /// The key.
        pub key: [u8; 16],
        /// A number that selects the rounds.
        pub rounds: u8,
        /// Whether tags have two words.
        pub double: bool,
        /// Whether ASCII capitals are folded.
        pub fold: bool,
        /// The steps.
        pub steps: Vec<Step<'a>>,
    }
}

impl Case<'_> {
    /// Panics if an answer is wrong.
    pub fn run(&self) {
        let variant = hash::variant(false, self.rounds, self.double);
        let names = hashes(variant, &self.key);
        let message = Message {
            variant,
            fold: self.fold,
            key: &self.key,
            state: State::new(u64::key(&self.key), self.double),
            message: Vec::new(),
            absorbed: 0,
            streams: names.iter().map(|hash| hash.stream()).collect(),
            names: &names,
        };
        drive(&table::SIPHASH_X1_LONG, message, &self.steps);
    }

    /// Calls `keep` with each published answer as a case.
    pub fn seeds(keep: &mut dyn FnMut(&Case<'_>)) {
        for (case, rounds) in hash::published(false) {
            let key = case.key.as_slice().try_into().expect("16 bytes of key");
            let (first, second) = case.message.split_at(case.message.len() / 3);
            let update = |bytes| Step::Update { text: Text::Given { bytes: Bytes(bytes) } };
            let steps = vec![update(first), Step::Switch { row: 1 }, update(second), Step::Finish {}];
            let fold = case.tag_nocase.is_some();
            keep(&Case { key, rounds, double: case.variant.double, fold, steps });
        }
        for len in [511, 512, 513, 1023, 4096] {
            let steps = vec![
                Step::Update { text: Text::Counting { len } },
                Step::Clone {},
                Step::Switch { row: 1 },
                Step::Force { row: 1 },
                Step::Update { text: Text::Random { seed: 1, len } },
                Step::Turn { to: 0 },
                Step::Update { text: Text::Fill { byte: b'Z', len } },
            ];
            keep(&Case { key: [7; 16], rounds: 3, double: false, fold: true, steps });
        }
    }
}

/// A message so far.
struct Message<'a> {
    variant: Variant,
    fold: bool,
    key: &'a [u8],
    state: State<u64>,
    message: Vec<u8>,
    /// The number of bytes that the state has absorbed.
    absorbed: usize,
    /// The public types of the variant, and a stream of each.
    names: &'a [Box<dyn PublicHash>],
    streams: Vec<Box<dyn PublicStream>>,
}

impl Clone for Message<'_> {
    fn clone(&self) -> Self {
        let streams = self.streams.iter().map(|stream| stream.boxed()).collect();
        Message { message: self.message.clone(), streams, ..*self }
    }
}

impl Subject for Message<'_> {
    type Shape = X1Long;

    fn update(&mut self, kernel: &Runnable<X1Long>, piece: &[u8]) {
        let piece = &piece[..piece.len().min(LARGEST - self.message.len())];
        self.streams.iter_mut().for_each(|stream| stream.update(piece));
        self.message.extend(piece);
        let words: Box<[[u8; 8]]> = self.message[self.absorbed..].as_chunks().0.into();
        self.absorbed += 8 * words.len();
        let rounds = self.variant.rounds();
        kernel.run(Long { state: &mut self.state, rounds, fold: self.fold, words: &words });
    }

    fn check(&mut self, kernel: &Runnable<X1Long>) {
        let tail = &self.message[self.absorbed..];
        let tail = if self.fold { fold(tail) } else { tail.to_vec() };
        let mut last = [0; 8];
        last[..tail.len()].copy_from_slice(&tail);
        last[7] = self.message.len() as u8;
        let (mut state, rounds) = (self.state, self.variant.rounds());
        state.absorb(rounds, u64::from_le_bytes(last));
        let tag = if self.variant.double {
            state.double_tag::<false>(rounds)
        } else {
            state.single_tag::<false>(rounds).into()
        };
        let expected = |fold| hash::expected(self.variant, self.key, &self.message, fold);
        assert_eq!(tag, expected(self.fold), "{}", kernel.id());

        let plain = expected(false);
        for (hash, stream) in self.names.iter().zip(&self.streams) {
            assert_eq!(stream.finish(), plain, "a stream");
            assert_eq!(hash.hash(&self.message), plain, "one call");
            assert!(hash.verifies(&self.message, plain), "verify");
            assert!(!hash.verifies(&self.message, plain ^ 1), "verify of another tag");
            if self.fold {
                assert_eq!(hash.hash_nocase(&self.message), expected(true), "one call, either case");
            }
        }
    }
}
