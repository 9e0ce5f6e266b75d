//! One message under Poly1305: rows of `poly1305-x1` or `poly1305-pn` hand a state to each other; also the
//! public API.

use crate::input::{Bytes, Text, coded};
use crate::mac::{self, AssumedMethods, KeyOf};
use crate::steps::{Step, Subject, drive};
use keylane::dispatch::select::{Runnable, Slot};
use keylane::dispatch::table;
use keylane::job::kernel::Shape;
use keylane::job::poly1305::{Blocks, Key, Message as Job, Pn, Powers, State, X1};
use keylane::poly1305::{OneTimeKey, Poly1305, mac};
use keylane_conformance::modp::{self, Residue};

/// The longest message.
const LARGEST: usize = 1 << 14;

coded! {
    /// A key, an accumulator to begin with, and steps.
    pub struct Case<'a> {
        /// The key.
        pub key: KeyOf,
        /// The accumulator. Only three bits of the highest word count.
        pub preset: [u64; 3],
        /// The lengths where kernels switch to other loops.
        pub methods: u8,
        /// The steps.
        pub steps: Vec<Step<'a>>,
    }
}

impl Case<'_> {
    /// Panics if an answer of a row of `poly1305-x1` is wrong.
    pub fn run_x1(&self) {
        self.run(&table::POLY1305_X1);
    }

    /// Panics if an answer of a row of `poly1305-pn` is wrong.
    pub fn run_pn(&self) {
        self.run(&table::POLY1305_PN);
    }

    fn run<S: Primitive>(&self, slot: &Slot<S>) {
        let _methods = AssumedMethods::assume(self.methods);
        let key = self.key.bytes();
        let [h0, h1, h2] = self.preset;
        let h = [h0, h1, h2 % 8];
        let message = Message::<S> {
            key,
            preset: (h != [0; 3]).then_some(h),
            state: State { h, ..State::new(Key::from_bytes(&key)) },
            kept: S::nothing(),
            message: Vec::new(),
            absorbed: 0,
            stream: Poly1305::new(OneTimeKey::from_bytes(key)),
        };
        drive(slot, message, &self.steps);
    }

    /// Calls `keep` with each published answer as a case, and with long messages.
    pub fn seeds(keep: &mut dyn FnMut(&Case<'_>)) {
        for case in mac::published() {
            let (first, second) = case.message.split_at(case.message.len() / 3);
            let update = |bytes| Step::Update { text: Text::Given { bytes: Bytes(bytes) } };
            let steps = vec![update(first), Step::Switch { row: 1 }, update(second), Step::Finish {}];
            let key = KeyOf::Given { bytes: case.key };
            keep(&Case { key, preset: [0; 3], methods: 1, steps });
        }
        for case in keylane_conformance::vectors::poly1305_presets() {
            let (words, _) = case.h.as_chunks();
            let preset = std::array::from_fn(|i| u64::from_le_bytes(words[i]));
            let steps = vec![Step::Update { text: Text::Given { bytes: Bytes(&case.message) } }];
            keep(&Case { key: KeyOf::Given { bytes: case.key }, preset, methods: 0, steps });
        }
        for (methods, len) in (0..3).flat_map(|methods| [161, 257, 1025, 4096].map(|len| (methods, len))) {
            let steps = vec![
                Step::Update { text: Text::Fill { byte: 0xff, len } },
                Step::Clone {},
                Step::Switch { row: 1 },
                Step::Force { row: 2 },
                Step::Update { text: Text::Random { seed: 1, len } },
                Step::Turn { to: 0 },
                Step::Switch { row: 3 },
                Step::Update { text: Text::Counting { len } },
            ];
            keep(&Case { key: KeyOf::Large { s: 0xff }, preset: [u64::MAX, u64::MAX, 7], methods, steps });
        }
    }
}

/// A shape whose kernels process one message job by job.
pub trait Primitive: Shape {
    /// The data that a kernel keeps between jobs, besides the state.
    type Kept;
    /// That data before the first job.
    fn nothing() -> Self::Kept;
    /// A copy of it.
    fn copy(kept: &Self::Kept) -> Self::Kept;
    /// Absorbs blocks.
    fn absorb(kernel: &Runnable<Self>, state: &mut State, kept: &mut Self::Kept, blocks: &[[u8; 16]]);
    /// The tag of a message at once.
    fn whole(kernel: &Runnable<Self>, key: &Key, message: &[u8]) -> u128;
}

impl Primitive for X1 {
    type Kept = ();

    fn nothing() {}

    fn copy((): &()) {}

    fn absorb(kernel: &Runnable<X1>, state: &mut State, (): &mut (), blocks: &[[u8; 16]]) {
        kernel.run(Blocks { state, blocks, tail: &[] });
    }

    fn whole(kernel: &Runnable<X1>, key: &Key, message: &[u8]) -> u128 {
        let mut state = State::new(*key);
        let (blocks, tail) = message.as_chunks();
        kernel.run(Blocks { state: &mut state, blocks, tail });
        state.tag()
    }
}

impl Primitive for Pn {
    type Kept = Powers;

    fn nothing() -> Powers {
        Powers::Unknown
    }

    fn copy(kept: &Powers) -> Powers {
        match kept {
            Powers::Unknown => Powers::Unknown,
            Powers::Pair44(pair) => Powers::Pair44(*pair),
            Powers::Base44(table) => Powers::Base44(*table),
            Powers::Base26(table) => Powers::Base26(*table),
        }
    }

    fn absorb(kernel: &Runnable<Pn>, state: &mut State, powers: &mut Powers, blocks: &[[u8; 16]]) {
        kernel.run(Job::Piece { state, powers, blocks });
    }

    fn whole(kernel: &Runnable<Pn>, key: &Key, message: &[u8]) -> u128 {
        let mut tag = 0x55;
        kernel.run(Job::Whole { key, message, tag: &mut tag });
        if let Some(by_registers) = kernel.mac(key.r, key.s, message) {
            assert_eq!(by_registers, tag, "{}: the register entry", kernel.id());
        }
        tag
    }
}

/// A message so far.
struct Message<S: Primitive> {
    key: [u8; 32],
    /// The initial accumulator, if it is not 0.
    preset: Option<[u64; 3]>,
    state: State,
    kept: S::Kept,
    message: Vec<u8>,
    /// The number of bytes that the state has absorbed.
    absorbed: usize,
    /// The public API's stream, fed the same pieces. After a tag, and in a copy, it gets everything so far in
    /// one piece.
    stream: Poly1305,
}

impl<S: Primitive> Message<S> {
    /// A stream that has taken the message.
    fn fresh_stream(&self) -> Poly1305 {
        let mut stream = Poly1305::new(OneTimeKey::from_bytes(self.key));
        stream.update(&self.message);
        stream
    }
}

impl<S: Primitive> Clone for Message<S> {
    fn clone(&self) -> Self {
        let (message, kept, stream) = (self.message.clone(), S::copy(&self.kept), self.fresh_stream());
        Message { message, kept, stream, ..*self }
    }
}

impl<S: Primitive> Subject for Message<S> {
    type Shape = S;

    fn update(&mut self, kernel: &Runnable<S>, piece: &[u8]) {
        let piece = &piece[..piece.len().min(LARGEST - self.message.len())];
        self.stream.update(piece);
        self.message.extend(piece);
        let blocks: Box<[[u8; 16]]> = self.message[self.absorbed..].as_chunks().0.into();
        self.absorbed += 16 * blocks.len();
        S::absorb(kernel, &mut self.state, &mut self.kept, &blocks);
        let key = Key::from_bytes(&self.key);
        assert!(self.state.h[2] <= 7, "{} left h = {:x?}", kernel.id(), self.state.h);
        assert_eq!([self.state.key.r, self.state.key.s], [key.r, key.s], "{}: the key", kernel.id());
    }

    fn check(&mut self, kernel: &Runnable<S>) {
        let mut state = self.state;
        let tail: Box<[u8]> = self.message[self.absorbed..].into();
        table::POLY1305_X1.run(Blocks { state: &mut state, blocks: &[], tail: &tail });
        if let Some([h0, h1, h2]) = self.preset {
            let (r, s) = modp::key(&self.key);
            let low = u128::from(h0) | u128::from(h1) << 64;
            let h = modp::absorb(Residue::new(low, h2 as u8), r, &self.message);
            assert_eq!(state.tag(), h.low().wrapping_add(s), "{} from a preset state", kernel.id());
        }
        let expected = u128::from_le_bytes(keylane_ref::poly1305(&self.key, &self.message));
        if self.preset.is_none() {
            assert_eq!(state.tag(), expected, "{}", kernel.id());
        }
        let message: Box<[u8]> = self.message.as_slice().into();
        let whole = S::whole(kernel, &Key::from_bytes(&self.key), &message);
        assert_eq!(whole, expected, "{}, a whole message", kernel.id());

        let key = || OneTimeKey::from_bytes(self.key);
        assert_eq!(mac(key(), &message).to_bytes(), expected.to_le_bytes(), "one call");
        let fresh = self.fresh_stream();
        let stream = std::mem::replace(&mut self.stream, fresh);
        assert_eq!(stream.finish().to_bytes(), expected.to_le_bytes(), "a stream");
    }
}
