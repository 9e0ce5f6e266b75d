//! Runs kernels of ChaCha20 on symbols, and compares texts and one-time keys with the specification's.

use super::Symbol;
use super::specification::{chacha20, hchacha20};
use super::vectors32::{OneSymbol, begin, mark};
use keylane::arch::portable::chacha20_x1::hchacha20_of;
use keylane::arch::portable::poly1305_inline;
use keylane::job::chacha20::{Key, Keys, Run, Seal, Stream, Streams, Text};
use keylane::job::poly1305;
use std::array::from_fn;

/// A kernel for one message.
pub type OneKernel = fn(Stream<'_>);

/// A kernel for many messages.
pub type ManyKernel = fn(Streams<'_>);

/// The bytes of one message, and what is done with them.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// The bytes of the text.
    pub length: usize,
    /// The number of the first block.
    pub counter: u32,
    /// Whether the first block is for Poly1305's key.
    pub one_time: bool,
    /// Whether the text goes from one place to another.
    pub copied: bool,
}

/// A message on symbols: its key, nonce and text, as words.
struct Symbols {
    key: [Symbol<32>; 8],
    nonce: [Symbol<32>; 3],
    text: Vec<Symbol<32>>,
    source: Vec<u8>,
    place: Vec<u8>,
    one_time: poly1305::Key,
}

/// What stands behind a text, and in a place that nothing was written to.
const BEHIND: u8 = 0xa5;

impl Symbols {
    /// Message `i` of a call. Messages share a key if `one_key`.
    fn new(message: Message, i: usize, one_key: bool) -> Self {
        let words = message.length.div_ceil(4);
        let free = |kind: u32, i: usize, n: usize| Symbol::free(kind << 28 | (i as u32) << 16 | n as u32);
        let text: Vec<_> = (0..words).map(|n| free(3, i, n)).collect();
        let mut source = text.iter().flat_map(|&word| mark(word).to_le_bytes()).collect::<Vec<u8>>();
        source.truncate(message.length);
        let mut place = if message.copied { vec![BEHIND; message.length] } else { source.clone() };
        place.extend([BEHIND; 80]);
        Symbols {
            key: from_fn(|n| free(1, if one_key { 0 } else { i }, n)),
            nonce: from_fn(|n| free(2, i, n)),
            text,
            source,
            place,
            one_time: poly1305::Key { r: [0; 2], s: [0; 2] },
        }
    }

    /// The key, in words that stand for its terms.
    fn key(&self) -> Key {
        Key(self.key.map(mark))
    }

    fn run(&mut self, message: Message) -> Run<'_> {
        let nonce = self.nonce.map(mark);
        let place = &mut self.place[..message.length];
        let text = if message.copied { Text::copied(&self.source, place) } else { Text::in_place(place) };
        let one_time = message.one_time.then_some(&mut self.one_time);
        Run { nonce, counter: message.counter, one_time, text }
    }

    /// Fails unless the text and the one-time key are the specification's.
    fn check(&self, message: Message, what: &dyn Fn() -> String) {
        let mut counter = message.counter;
        let mut next_block = || {
            let block = chacha20(self.key, Symbol::number(counter.into()), self.nonce);
            counter = counter.wrapping_add(1);
            block
        };
        if message.one_time {
            let bytes: Vec<u8> =
                next_block()[..8].iter().flat_map(|&word| mark(word).to_le_bytes()).collect();
            let [r0, r1, s0, s1] = from_fn(|i| bytes.as_chunks().0[i]).map(u64::from_le_bytes);
            // RFC 8439, section 2.5: the top four bits of r[3], r[7], r[11], r[15] are clear, and the two lowest of
            // r[4], r[8], r[12].
            let top = !0xf000_0000_f000_0000;
            let wanted = ([r0 & top & !(3 << 32), r1 & top & !(3 << 32 | 3)], [s0, s1]);
            assert!((self.one_time.r, self.one_time.s) == wanted, "{}: the one-time key", what());
        }
        for (block, text) in self.text.chunks(16).enumerate() {
            let stream = next_block();
            for (i, (&text, stream)) in text.iter().zip(stream).enumerate() {
                let at = 64 * block + 4 * i;
                let stop = message.length.min(at + 4);
                let word = &self.place[at..stop];
                // Whole blocks are words, last blocks are bytes.
                let as_word = mark(text ^ stream).to_le_bytes();
                let as_bytes = (mark(text) ^ mark(stream)).to_le_bytes();
                let equal = word == as_word || word == &as_bytes[..stop - at];
                assert!(equal, "{}: byte {at} of the text", what());
            }
        }
        let behind = &self.place[message.length..];
        assert!(behind.iter().all(|&byte| byte == BEHIND), "{}: a byte behind the text", what());
    }
}

/// One message.
pub fn one(kernel: OneKernel, seed: [u8; 16], message: Message) {
    begin(seed);
    let mut symbols = Symbols::new(message, 0, true);
    let key = symbols.key();
    kernel(Stream { key: &key, run: symbols.run(message) });
    symbols.check(message, &|| format!("{message:?}, seed {seed:02x?}"));
}

/// Many messages, under one key or under a key each.
pub fn many(kernel: ManyKernel, seed: [u8; 16], messages: &[Message], one_key: bool) {
    begin(seed);
    let mut symbols: Vec<_> =
        messages.iter().enumerate().map(|(i, &message)| Symbols::new(message, i, one_key)).collect();
    let keys: Vec<Key> = symbols.iter().map(Symbols::key).collect();
    let mut runs: Vec<Run<'_>> =
        symbols.iter_mut().zip(messages).map(|(symbols, &message)| symbols.run(message)).collect();
    let keys = match keys.first() {
        Some(key) if one_key => Keys::One(key),
        _ => Keys::Each(&keys),
    };
    kernel(Streams { keys, runs: &mut runs });
    for (i, (symbols, &message)) in symbols.iter().zip(messages).enumerate() {
        let what = || format!("message {i} of {messages:?}, one key: {one_key}, seed {seed:02x?}");
        symbols.check(message, &what);
    }
}

/// A kernel for a packet that is authenticated while it is encrypted.
pub type SealKernel = fn(Seal<'_>);

/// A packet of some calls, in two jobs. Poly1305 gets numbers, which stand for words of the ciphertext: the tag shows
/// whether it gets the right ones in the right order.
pub fn sealed(kernel: SealKernel, seed: [u8; 16], lengths: [usize; 2], copied: bool) {
    begin(seed);
    let message = Message { length: lengths[1], counter: 1, one_time: false, copied };
    let mut symbols = Symbols::new(message, 0, true);
    let what = || format!("{lengths:?}, copied: {copied}, seed {seed:02x?}");
    let (key, nonce) = (symbols.key(), symbols.nonce.map(mark));
    let start = || poly1305::State::new(poly1305::Key::from_bytes(&from_fn(|i| seed[i % 16] ^ i as u8)));
    let (mut encrypted, mut absorbed, mut state) = (0, 0, start());
    for length in lengths {
        let (source, place) = (&symbols.source[..], &mut symbols.place[..length]);
        kernel(Seal {
            key: &key,
            nonce,
            source: copied.then_some(source),
            destination: place,
            encrypted: &mut encrypted,
            absorbed: &mut absorbed,
            state: &mut state,
        });
        assert!(encrypted == length && absorbed <= length, "{}: {encrypted}, {absorbed}", what());
    }
    symbols.check(message, &what);
    let mut wanted = start();
    poly1305_inline(&mut wanted, symbols.place[..absorbed].as_chunks().0, &[]);
    assert!(state.tag() == wanted.tag(), "{}: the tag", what());
}

/// The key of XChaCha20.
pub fn derived_key(seed: [u8; 16]) {
    begin(seed);
    let key: [Symbol<32>; 8] = from_fn(|i| Symbol::free(i as u32));
    let nonce: [Symbol<32>; 4] = from_fn(|i| Symbol::free(100 + i as u32));
    let mut place = Key([0; 8]);
    hchacha20_of(OneSymbol, &Key(key.map(mark)), nonce.map(mark), &mut place);
    assert_eq!(place.0, hchacha20(key, nonce).map(mark), "seed {seed:02x?}");
}
