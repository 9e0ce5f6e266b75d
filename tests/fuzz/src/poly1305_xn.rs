//! Many messages under Poly1305, each under its own key: rows of `poly1305-xn`, and the public API.

use crate::input::{Bytes, Text, coded};
use crate::mac::{self, AssumedMethods, KeyOf};
use crate::steps::{Forced, STEPS};
use keylane::dispatch::select::Runnable;
use keylane::dispatch::table;
use keylane::job::kernel::Shape;
use keylane::job::poly1305::{Batch as Job, Key, Xn};
use keylane::poly1305::{OneTimeKey, Tag, mac_batch, verify_batch};
use keylane_conformance::vectors::MacCase;

/// Extra tags before and after those of a batch. No kernel may write them.
const GUARD: usize = 3;

/// The contents of such a tag.
const UNWRITTEN: [u8; 16] = [0x55; 16];

/// The most messages in a batch: more than the number of keys that the API takes at a time.
const COUNT: usize = 130;

/// The most bytes in a batch.
const BYTES: usize = 1 << 14;

coded! {
    /// Steps.
    pub struct Case<'a> {
        /// The lengths where kernels switch to other loops.
        pub methods: u8,
        /// The steps.
        pub steps: Vec<Step<'a>>,
    }
}

coded! {
    /// A step. Row numbers are modulo the number of rows.
    pub enum Step<'a> {
        /// Adds a message.
        Message {
            /// Its key.
            key: KeyOf,
            /// The message.
            text: Text<'a>
        },
        /// Repeats the last message.
        Again {
            /// How often.
            times: u8
        },
        /// Computes the tags of the messages so far, by the row and by the public API.
        Finish {},
        /// Switches to another row.
        Switch {
            /// Which.
            row: u8
        },
        /// Forces the public API to use another row.
        Force {
            /// Which.
            row: u8
        },
    }
}

impl Case<'_> {
    /// Panics if an answer is wrong.
    pub fn run(&self) {
        let _methods = AssumedMethods::assume(self.methods);
        let rows: Vec<Runnable<Xn>> = table::POLY1305_XN.runnable().collect();
        let mut forced = Forced::new(Xn::SLOT);
        let mut batch = Batch::default();
        let mut row = &rows[0];
        for step in self.steps.iter().take(4 * STEPS) {
            match step {
                Step::Message { key, text } => batch.push(key.bytes(), text.bytes()),
                Step::Again { times } => batch.repeat(*times),
                Step::Switch { row: number } => row = &rows[usize::from(*number) % rows.len()],
                Step::Force { row } => forced.force(*row),
                Step::Finish {} => batch.check(row),
            }
        }
        batch.check(row);
    }

    /// Calls `keep` with cases of published answers, several in a batch.
    pub fn seeds(keep: &mut dyn FnMut(&Case<'_>)) {
        let published: Vec<MacCase> = mac::published().filter(|case| case.message.len() <= 300).collect();
        for (methods, cases) in (0..).zip(published.chunks(13)) {
            let key = |case: &MacCase| KeyOf::Given { bytes: case.key };
            let mut steps: Vec<Step<'_>> =
                cases.iter().map(|case| Step::Message { key: key(case), text: given(case) }).collect();
            steps.extend([Step::Finish {}, Step::Switch { row: 1 }, Step::Force { row: 1 }]);
            keep(&Case { methods, steps });
        }
        for (methods, len) in (0..3).flat_map(|methods| [16, 64, 100, 1000].map(|len| (methods, len))) {
            let long = Step::Message { key: KeyOf::Large { s: 0xff }, text: Text::Fill { byte: 0xff, len } };
            let short = Step::Message { key: KeyOf::Small { r: 1, s: 0 }, text: Text::Counting { len: 20 } };
            keep(&Case {
                methods,
                steps: vec![long, Step::Again { times: 9 }, short, Step::Again { times: 66 }],
            });
        }
    }
}

/// Messages and their keys.
#[derive(Default)]
struct Batch {
    keys: Vec<[u8; 32]>,
    messages: Vec<Box<[u8]>>,
    bytes: usize,
}

impl Batch {
    fn push(&mut self, key: [u8; 32], message: Box<[u8]>) {
        if self.keys.len() < COUNT && self.bytes + message.len() <= BYTES {
            self.bytes += message.len();
            self.keys.push(key);
            self.messages.push(message);
        }
    }

    fn repeat(&mut self, times: u8) {
        if let (Some(&key), Some(message)) = (self.keys.last(), self.messages.last().cloned()) {
            (0..times).for_each(|_| self.push(key, message.clone()));
        }
    }

    fn check(&self, row: &Runnable<Xn>) {
        let messages: Vec<&[u8]> = self.messages.iter().map(AsRef::as_ref).collect();
        let keys: Box<[Key]> = self.keys.iter().map(Key::from_bytes).collect();
        let all = self.keys.iter().zip(&messages);
        let expected: Vec<[u8; 16]> = all.map(|(key, message)| keylane_ref::poly1305(key, message)).collect();

        let mut places = vec![UNWRITTEN; messages.len() + 2 * GUARD];
        let here = GUARD..GUARD + messages.len();
        row.run(Job { keys: &keys, messages: &messages, tags: &mut places[here.clone()] });
        assert_eq!(places[here.clone()], expected, "{}", row.id());
        let mut around = places[..GUARD].iter().chain(&places[here.end..]);
        assert!(around.all(|tag| *tag == UNWRITTEN), "{}: the tags around the batch", row.id());

        let keys = || self.keys.iter().map(|key| OneTimeKey::from_bytes(*key));
        let mut tags = vec![Tag::default(); messages.len()];
        assert_eq!(mac_batch(keys(), &messages, &mut tags), Ok(()));
        assert!(tags.iter().map(Tag::to_bytes).eq(expected), "the public API");

        // Every third tag is wrong.
        let wrong = |i| i % 3 == 1;
        for (i, tag) in tags.iter_mut().enumerate().filter(|(i, _)| wrong(*i)) {
            let mut bytes = tag.to_bytes();
            bytes[i % 16] ^= 1 << (i % 8);
            *tag = Tag::from_bytes(bytes);
        }
        let mut good = vec![true; messages.len()];
        assert_eq!(verify_batch(keys(), &messages, &tags, &mut good), Ok(()));
        assert!(good.iter().enumerate().all(|(i, &good)| good != wrong(i)), "verdicts {good:?}");
    }
}

fn given(case: &MacCase) -> Text<'_> {
    Text::Given { bytes: Bytes(&case.message) }
}
