//! The implementations that take a message in pieces, ours and others'.

use super::{KEY, KEY_WORDS, Rounds, Side};
use keylane::poly1305::{OneTimeKey, mac};
use keylane::siphash::{Key, SipHash};
use poly1305::universal_hash::{KeyInit, UniversalHash};
use poly1305::{Block, Poly1305};
use siphasher::sip::{SipHasher13, SipHasher24};
use std::hash::Hasher;

/// An implementation.
pub struct Stream<T> {
    /// Its label in tables and records.
    pub name: &'static str,
    /// Its relation to keylane.
    pub side: Side,
    /// The length of its pieces must be a multiple of this.
    pub block: usize,
    /// The tag of a message in pieces of the given length; the last piece may be shorter.
    pub tag: fn(&[u8], usize) -> T,
}

impl<T> Stream<T> {
    fn peer(name: &'static str, tag: fn(&[u8], usize) -> T) -> Self {
        Stream { name, side: Side::Peer, block: 1, tag }
    }
}

/// The key of every stream of Poly1305.
pub const POLY1305_KEY: [u8; 32] = {
    let mut key = [0; 32];
    let mut i = 0;
    while i < 32 {
        key[i] = 0x80 + i as u8;
        i += 1;
    }
    key
};

/// Streams of Poly1305: keylane, its call for a whole message, and every peer in this program.
pub fn poly1305() -> Vec<Stream<[u8; 16]>> {
    let mut streams = vec![
        Stream {
            name: "keylane",
            side: Side::Ours,
            block: 1,
            tag: |message, piece| {
                let mut state = keylane::poly1305::Poly1305::new(OneTimeKey::from_bytes(POLY1305_KEY));
                message.chunks(piece).for_each(|piece| state.update(piece));
                state.finish().to_bytes()
            },
        },
        Stream {
            name: "keylane in one piece",
            side: Side::OurOther,
            block: 1,
            tag: |message, _| mac(OneTimeKey::from_bytes(POLY1305_KEY), message).to_bytes(),
        },
    ];
    streams.extend(foreign());
    // It takes whole blocks, and the rest of the message at the end.
    streams.push(Stream {
        block: 16,
        ..Stream::peer("RustCrypto", |message, piece| {
            let mut state = Poly1305::new((&POLY1305_KEY).into());
            let (blocks, tail) = Block::slice_as_chunks(message);
            blocks.chunks(piece / 16).for_each(|blocks| state.update(blocks));
            state.compute_unpadded(tail).into()
        })
    });
    streams
}

fn foreign() -> Vec<Stream<[u8; 16]>> {
    #[cfg(feature = "peers")]
    use crate::foreign::poly1305::stream;

    #[cfg(engine = "libsodium")]
    crate::foreign::libsodium::init();
    vec![
        #[cfg(engine = "openssl-newest")]
        Stream::peer("OpenSSL newest, raw", |message, piece| {
            stream::openssl(&POLY1305_KEY, message.chunks(piece))
        }),
        #[cfg(engine = "libsodium")]
        Stream::peer("libsodium", |message, piece| stream::libsodium(&POLY1305_KEY, message.chunks(piece))),
        #[cfg(feature = "peers")]
        Stream::peer("AWS-LC", |message, piece| stream::aws_lc(&POLY1305_KEY, message.chunks(piece))),
    ]
}

/// Streams of SipHash: keylane, its call for a whole message, and every peer.
pub fn siphash(rounds: Rounds) -> Vec<Stream<u64>> {
    match rounds {
        Rounds::R12 => keylane_siphash::<1, 2>().into(),
        Rounds::R13 => {
            let peer = Stream::peer("siphasher Hasher", |message, piece| {
                written(SipHasher13::new_with_keys(KEY_WORDS[0], KEY_WORDS[1]), message, piece)
            });
            keylane_siphash::<1, 3>().into_iter().chain([peer]).collect()
        }
        Rounds::R24 => {
            let peer = Stream::peer("siphasher Hasher", |message, piece| {
                written(SipHasher24::new_with_keys(KEY_WORDS[0], KEY_WORDS[1]), message, piece)
            });
            keylane_siphash::<2, 4>().into_iter().chain([peer]).collect()
        }
    }
}

fn keylane_siphash<const C: usize, const D: usize>() -> [Stream<u64>; 2] {
    [
        Stream {
            name: "keylane",
            side: Side::Ours,
            block: 1,
            tag: |message, piece| {
                let mut state = SipHash::<C, D>::new(&Key::from_bytes(KEY)).stream();
                message.chunks(piece).for_each(|piece| state.update(piece));
                state.finish()
            },
        },
        Stream {
            name: "keylane in one piece",
            side: Side::OurOther,
            block: 1,
            tag: |message, _| SipHash::<C, D>::new(&Key::from_bytes(KEY)).hash(message),
        },
    ]
}

fn written(mut hasher: impl Hasher, message: &[u8], piece: usize) -> u64 {
    message.chunks(piece).for_each(|piece| hasher.write(piece));
    hasher.finish()
}
