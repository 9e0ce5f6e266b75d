//! The implementations of ChaCha20 to time: keylane's rows, run directly, and others'.
//!
//! All have the key [`KEY`] and XOR texts with the key stream from block 1 on, as ChaCha20-Poly1305 does.

use super::aead::KEY;
use super::rows::{absent_rows, rows};
use super::{Missing, Side};
use anyhow::Result;
use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use keylane::dispatch::table::{CHACHA20_PN, CHACHA20_XN};
use keylane::job::chacha20::{Key, Keys, Run, Stream, Streams, Text, words};
use std::array;
use std::iter::zip;

/// An implementation.
pub struct Engine {
    /// Its label in tables and records.
    pub name: String,
    /// Its relation to keylane.
    pub side: Side,
    /// Encrypts texts in place, each under its nonce.
    pub run: Box<Xor>,
}

/// Encrypts texts in place, each under its nonce.
pub type Xor = dyn Fn(&[[u8; 12]], &mut [&mut [u8]]);

/// Messages in a call for many.
pub const MANY: usize = 64;

/// keylane's slot for one message: the active row, every row that runs here, and those that cannot.
///
/// # Errors
/// A row fails its self-test.
pub fn one() -> Result<(Vec<Engine>, Vec<Missing>)> {
    let key = Key::from_bytes(&KEY);
    let mut engines = vec![each("keylane", Side::Ours, move |nonce, text| {
        CHACHA20_PN.run(Stream { key: &key, run: run(nonce, text) });
    })];
    for row in rows(&CHACHA20_PN)? {
        engines.push(each(&format!("keylane {}", row.id()), Side::OurKernel, move |nonce, text| {
            row.run(Stream { key: &key, run: run(nonce, text) });
        }));
    }
    Ok((engines, absent_rows(&CHACHA20_PN).collect()))
}

/// keylane's slot for [`MANY`] messages, the same.
///
/// # Errors
/// A row fails its self-test.
pub fn many() -> Result<(Vec<Engine>, Vec<Missing>)> {
    let key = Key::from_bytes(&KEY);
    let ours = Engine {
        name: "keylane".to_owned(),
        side: Side::Ours,
        run: Box::new(move |nonces, texts| {
            let runs = &mut runs(nonces, texts);
            CHACHA20_XN.run(Streams { keys: Keys::One(&key), runs });
        }),
    };
    let mut engines = vec![ours];
    for row in rows(&CHACHA20_XN)? {
        engines.push(Engine {
            name: format!("keylane {}", row.id()),
            side: Side::OurKernel,
            run: Box::new(move |nonces, texts| {
                let runs = &mut runs(nonces, texts);
                row.run(Streams { keys: Keys::One(&key), runs });
            }),
        });
    }
    Ok((engines, absent_rows(&CHACHA20_XN).collect()))
}

/// Every peer in this program.
pub fn peers() -> Vec<Engine> {
    #[cfg(engine = "libsodium")]
    crate::foreign::libsodium::init();
    #[cfg(any(engine = "openssl-newest", engine = "libsodium", feature = "peers"))]
    use crate::foreign::aead as foreign;
    vec![
        #[cfg(engine = "openssl-newest")]
        each("OpenSSL newest, raw", Side::Peer, |nonce, text| {
            foreign::openssl_chacha20(&words(&KEY), words(nonce), text);
        }),
        #[cfg(engine = "libsodium")]
        each("libsodium", Side::Peer, |nonce, text| foreign::libsodium_chacha20(&KEY, nonce, text)),
        #[cfg(feature = "peers")]
        each("AWS-LC", Side::Peer, |nonce, text| foreign::aws_lc_chacha20(&KEY, nonce, text)),
        each("RustCrypto", Side::Peer, |nonce, text| {
            let mut stream = ChaCha20::new(&KEY.into(), nonce.into());
            stream.seek(64);
            stream.apply_keystream(text);
        }),
    ]
}

/// An engine that encrypts text after text.
fn each(name: &str, side: Side, one: impl Fn(&[u8; 12], &mut [u8]) + 'static) -> Engine {
    let run = move |nonces: &[[u8; 12]], texts: &mut [&mut [u8]]| {
        zip(nonces, texts).for_each(|(nonce, text)| one(nonce, text));
    };
    Engine { name: name.to_owned(), side, run: Box::new(run) }
}

/// A text from block 1 on.
fn run<'a>(nonce: &[u8; 12], text: &'a mut [u8]) -> Run<'a> {
    Run { nonce: words(nonce), counter: 1, one_time: None, text: Text::in_place(text) }
}

/// The same of [`MANY`] texts.
fn runs<'a>(nonces: &[[u8; 12]], texts: &'a mut [&mut [u8]]) -> [Run<'a>; MANY] {
    let mut parts = zip(nonces, texts);
    array::from_fn(|_| parts.next().map_or(Run::NOTHING, |(nonce, text)| run(nonce, text)))
}
