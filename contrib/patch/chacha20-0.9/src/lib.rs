//! The interface of the crate `chacha20` 0.9, with keylane behind it.
//!
//! A program that uses `chacha20` itself or through another crate gets this crate by `[patch.crates-io]`, without a change
//! to any code. There are only twenty rounds, no fewer. Keys are always wiped.
//!
//! **A nonce must never come twice under one key**, and a stream cipher does not authenticate. `keylane::aead` does.

#![no_std]

pub use cipher;

use cipher::consts::{U8, U10, U12, U16, U24, U32, U64};
use cipher::generic_array::GenericArray;
use cipher::generic_array::typenum::Unsigned;
use cipher::zeroize::ZeroizeOnDrop;
use cipher::{
    Block, BlockSizeUser, IvSizeUser, KeyIvInit, KeySizeUser, ParBlocks, ParBlocksSizeUser, StreamBackend,
    StreamCipherCore, StreamCipherCoreWrapper, StreamCipherSeekCore, StreamClosure,
};
use core::marker::PhantomData;
use keylane::dispatch::table::CHACHA20_PN;
use keylane::job::chacha20::{self, Run, Stream, Text, words};
use keylane::job::wipe::wipe;

/// A key.
pub type Key = GenericArray<u8, U32>;

/// A nonce of ChaCha20.
pub type Nonce = GenericArray<u8, U12>;

/// A nonce of XChaCha20.
pub type XNonce = GenericArray<u8, U24>;

/// A nonce of ChaCha20 as it was first published.
pub type LegacyNonce = GenericArray<u8, U8>;

/// ChaCha20 with nonces of 12 bytes (RFC 8439).
pub type ChaCha20 = StreamCipherCoreWrapper<ChaChaCore<U12>>;

/// ChaCha20 with nonces of 24 bytes.
pub type XChaCha20 = StreamCipherCoreWrapper<ChaChaCore<U24>>;

/// ChaCha20 with nonces of 8 bytes, as it was first published, but with a block number of 32 bits.
pub type ChaCha20Legacy = StreamCipherCoreWrapper<ChaCha20LegacyCore>;

/// The blocks of [`ChaCha20Legacy`].
pub type ChaCha20LegacyCore = ChaChaCore<U8>;

/// How many blocks are made at a time: as many as the widest kernel makes in one call.
type AtATime = U16;

/// The blocks of a key stream, for nonces of N bytes. It is wiped when it is dropped.
pub struct ChaChaCore<N> {
    key: chacha20::Key,
    nonce: [u32; 3],
    counter: u32,
    size: PhantomData<N>,
}

impl<N> ChaChaCore<N> {
    fn at_the_start(key: chacha20::Key, nonce: [u32; 3]) -> Self {
        ChaChaCore { key, nonce, counter: 0, size: PhantomData }
    }

    /// Makes the next blocks.
    fn fill(&mut self, blocks: &mut [Block<Self>]) {
        let mut stream = [[0; 64]; AtATime::USIZE];
        for blocks in blocks.chunks_mut(AtATime::USIZE) {
            stream.fill([0; 64]);
            let wanted = stream.get_mut(..blocks.len()).unwrap_or_default();
            run(&self.key, self.nonce, self.counter, wanted.as_flattened_mut());
            for (block, stream) in blocks.iter_mut().zip(&stream) {
                block.iter_mut().zip(stream).for_each(|(to, from)| *to = *from);
            }
            self.counter = self.counter.wrapping_add(blocks.len() as u32);
        }
        wipe(&mut stream);
    }
}

/// XORs bytes with the key stream from block `counter` on.
fn run(key: &chacha20::Key, nonce: [u32; 3], counter: u32, bytes: &mut [u8]) {
    let text = Text::in_place(bytes);
    CHACHA20_PN.run(Stream { key, run: Run { nonce, counter, one_time: None, text } });
}

/// The key of the XChaCha20 messages whose nonces begin with these 16 bytes.
fn subkey(key: &Key, start: &[u8]) -> chacha20::Key {
    let start @ [counter, n1, n2, n3] = words(start);
    let (mut key, mut block) = (chacha20::Key::from_bytes(key.as_ref()), [0; 64]);
    run(&key, [n1, n2, n3], counter, &mut block);
    let subkey = chacha20::Key::of_block(&block, start);
    key.wipe();
    wipe(&mut block);
    subkey
}

/// HChaCha20: the key of the XChaCha20 messages whose nonces begin with `input`. R is 10, the double rounds.
#[must_use]
pub fn hchacha<R: Unsigned>(key: &Key, input: &GenericArray<u8, U16>) -> GenericArray<u8, U32> {
    const { assert!(R::U32 == U10::U32, "keylane has twenty rounds, no fewer") }
    let mut subkey = subkey(key, input);
    let mut bytes = GenericArray::<u8, U32>::default();
    for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(subkey.0) {
        *bytes = word.to_le_bytes();
    }
    subkey.wipe();
    bytes
}

impl KeyIvInit for ChaChaCore<U12> {
    fn new(key: &Key, nonce: &Nonce) -> Self {
        Self::at_the_start(chacha20::Key::from_bytes(key.as_ref()), words(nonce))
    }
}

impl KeyIvInit for ChaChaCore<U24> {
    fn new(key: &Key, nonce: &XNonce) -> Self {
        let [_, _, _, _, n0, n1] = words(nonce);
        Self::at_the_start(subkey(key, nonce), [0, n0, n1])
    }
}

impl KeyIvInit for ChaChaCore<U8> {
    fn new(key: &Key, nonce: &LegacyNonce) -> Self {
        let [n0, n1] = words(nonce);
        Self::at_the_start(chacha20::Key::from_bytes(key.as_ref()), [0, n0, n1])
    }
}

impl<N> KeySizeUser for ChaChaCore<N> {
    type KeySize = U32;
}

impl IvSizeUser for ChaChaCore<U12> {
    type IvSize = U12;
}

impl IvSizeUser for ChaChaCore<U24> {
    type IvSize = U24;
}

impl IvSizeUser for ChaChaCore<U8> {
    type IvSize = U8;
}

impl<N> BlockSizeUser for ChaChaCore<N> {
    type BlockSize = U64;
}

impl<N> StreamCipherCore for ChaChaCore<N> {
    fn remaining_blocks(&self) -> Option<usize> {
        (u32::MAX - self.counter).try_into().ok()
    }

    fn process_with_backend(&mut self, f: impl StreamClosure<BlockSize = U64>) {
        f.call(self);
    }
}

impl<N> StreamCipherSeekCore for ChaChaCore<N> {
    type Counter = u32;

    fn get_block_pos(&self) -> u32 {
        self.counter
    }

    fn set_block_pos(&mut self, pos: u32) {
        self.counter = pos;
    }
}

impl<N> ParBlocksSizeUser for ChaChaCore<N> {
    type ParBlocksSize = AtATime;
}

impl<N> StreamBackend for ChaChaCore<N> {
    fn gen_ks_block(&mut self, block: &mut Block<Self>) {
        self.fill(core::slice::from_mut(block));
    }

    fn gen_par_ks_blocks(&mut self, blocks: &mut ParBlocks<Self>) {
        self.fill(blocks);
    }

    fn gen_tail_blocks(&mut self, blocks: &mut [Block<Self>]) {
        self.fill(blocks);
    }
}

impl<N> Drop for ChaChaCore<N> {
    fn drop(&mut self) {
        self.key.wipe();
    }
}

impl<N> ZeroizeOnDrop for ChaChaCore<N> {}
