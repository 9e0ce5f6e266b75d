//! Random points: the key stream of ChaCha20 under a seed of the operating system.

use super::field::Fp;
use crate::seed;
use keylane_ref::chacha20_block;
use std::cell::RefCell;
use std::sync::OnceLock;

/// The seed of this process, twice: a key.
fn key() -> &'static [u8; 32] {
    static KEY: OnceLock<[u8; 32]> = OnceLock::new();
    KEY.get_or_init(|| {
        let seed = seed();
        std::array::from_fn(|i| seed[i % 16])
    })
}

/// The numbers of one run.
#[derive(Default)]
struct Stream {
    /// Which run of this thread it is; 0 before the first.
    run: u64,
    counter: u32,
    words: Vec<u64>,
}

thread_local! {
    static STREAM: RefCell<Stream> = RefCell::default();
}

/// Begins a run with points of its own. The first on a thread, which is a test, prints the seed.
pub fn begin() {
    STREAM.with_borrow_mut(|stream| {
        if stream.run == 0 {
            let digits: String = key()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
            println!("KEYLANE_SYMBOLS_SEED={digits}");
        }
        *stream = Stream { run: stream.run + 1, ..Stream::default() };
    });
}

/// A random word.
pub fn word() -> u64 {
    STREAM.with_borrow_mut(|stream| {
        if let Some(word) = stream.words.pop() {
            return word;
        }
        // Each test has its own part of the key stream: its thread is named after it.
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("").bytes();
        let name = name.fold(0u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
        let mut nonce = [0; 12];
        nonce[..4].copy_from_slice(&name.to_le_bytes());
        nonce[4..].copy_from_slice(&stream.run.to_le_bytes());
        let block = chacha20_block(key(), stream.counter, &nonce);
        stream.counter += 1;
        stream.words.extend(block.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)));
        stream.words.pop().unwrap_or(0)
    })
}

/// A uniformly random element of F_p.
pub fn random() -> Fp {
    loop {
        let low = u128::from(word()) << 64 | u128::from(word());
        if let Some(x) = Fp::below_p(low, (word() & 3) as u8) {
            return x;
        }
    }
}
