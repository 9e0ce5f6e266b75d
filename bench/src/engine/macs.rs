//! Alternatives to SipHash and Poly1305: other MACs, keyed hashes, and hashes that are neither.
//!
//! Each is prepared as much as its crate allows, with the key of the published answer that it must give.

use super::hashers::Hashers;
use super::{KEY, Side, SipHash as _};
use ::keylane::poly1305::{OneTimeKey, mac};
use ::keylane::siphash::{Key, SipHash13, SipHash24, SipHashX24};
use aes_gcm::Aes128Gcm;
use aes_gcm::aead::AeadInOut;
use anyhow::{Result, ensure};
use cmac::Cmac;
use highway::{HighwayHash, HighwayHasher};
use hmac::{Hmac, KeyInit, Mac};
use rapidhash::v3::rapidhash_v3;
use sha2::{Digest, Sha256};
use std::hint::black_box;
use xxhash_rust::xxh3::xxh3_64;

/// An engine.
pub struct Tagger {
    /// Its label in tables and records.
    pub name: String,
    /// Its relation to keylane.
    pub side: Side,
    /// The work to time.
    pub run: Box<Run>,
}

/// Computes the tags of messages, one after the other.
pub type Run = dyn Fn(&[&[u8]]);

/// MACs and keyed hashes, and SHA-256, which has no key.
///
/// # Errors
/// One of them gives a wrong answer.
pub fn macs() -> Result<Vec<Tagger>> {
    let key = Key::from_bytes(KEY);
    let (siphash13, siphash24, double) = (SipHash13::new(&key), SipHash24::new(&key), SipHashX24::new(&key));
    let one_time = bytes("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
    let highway = highway::Key([0, 1, 2, 3].map(|i| 0x0706_0504_0302_0100 + i * 0x0808_0808_0808_0808));
    let blake3 = *b"whats the Elvish word for friend";
    let hmac = Hmac::<Sha256>::new_from_slice(&[0x0b; 20])?;
    let cmac = Cmac::<aes::Aes128>::new(&bytes("2b7e151628aed2a6abf7158809cf4f3c").into());
    let gmac = Aes128Gcm::new(&bytes("77be63708971c4e240d1cb79e8d77feb").into());
    let nonce = bytes("e0e00f19fed7ba0136a797f3").into();
    let sha = if has_sha() { " (sha)" } else { "" };
    let aes = if has_aes() { " (aes)" } else { "" };
    let (ours, other, peer) = (Side::Ours, Side::OurOther, Side::Peer);
    [
        engine("keylane SipHash-2-4", ours, SIPHASH_24, move |m| siphash24.hash(m).to_le_bytes()),
        engine("keylane SipHash-1-3", other, SIPHASH_13, move |m| siphash13.hash(m).to_le_bytes()),
        engine("keylane SipHash-2-4-128", other, (b"", "a3817f04ba25a8e66df67214c7550293"), move |m| {
            double.hash(m).to_le_bytes()
        }),
        engine("keylane Poly1305", other, POLY1305, move |m| {
            mac(OneTimeKey::from_bytes(*black_box(&one_time)), m).to_bytes()
        }),
        engine("HighwayHash-64", peer, (&[0], "78ddcdc7aa43ab7e"), move |m| {
            HighwayHasher::new(highway).hash64(m).to_le_bytes()
        }),
        engine("BLAKE3 keyed", peer, BLAKE3, move |m| *blake3::keyed_hash(&blake3, m).as_bytes()),
        engine(&format!("HMAC-SHA-256{sha}"), peer, HMAC, move |m| {
            hmac.clone().chain_update(m).finalize().into_bytes().into()
        }),
        engine(&format!("CMAC-AES-128{aes}"), peer, CMAC, move |m| {
            cmac.clone().chain_update(m).finalize().into_bytes().into()
        }),
        engine(&format!("GMAC-AES-128{aes}"), peer, GMAC, move |m| {
            let tag = gmac.encrypt_inout_detached(&nonce, m, (&mut [][..]).into());
            tag.map_or([0; 16], Into::into)
        }),
        engine(&format!("SHA-256 without key{sha}"), Side::Other, SHA256, |m| Sha256::digest(m).into()),
    ]
    .into_iter()
    .collect()
}

/// Fast hashes that are not MACs, and SipHash-1-3.
///
/// # Errors
/// One of them gives a wrong answer.
pub fn fast_hashes() -> Result<Vec<Tagger>> {
    let siphash13 = SipHash13::new(&Key::from_bytes(KEY));
    let quality = Hashers(foldhash::quality::FixedState::with_seed(1));
    let fast = Hashers(foldhash::fast::FixedState::with_seed(1));
    let ahash = Hashers(ahash::RandomState::with_seeds(1, 2, 3, 4));
    let other = Side::Other;
    let mut engines = vec![
        engine("keylane SipHash-1-3", Side::Ours, SIPHASH_13, move |m| siphash13.hash(m).to_le_bytes())?,
        engine("XXH3-64", other, (&[0], "dbec4e07f4df4bc4"), |m| xxh3_64(m).to_le_bytes())?,
        engine("rapidhash V3", other, RAPIDHASH, |m| rapidhash_v3(m).to_le_bytes())?,
    ];
    // These promise no stable answers.
    engines.push(unchecked("foldhash quality", other, move |m| quality.hash(m)));
    engines.push(unchecked("foldhash fast", other, move |m| fast.hash(m)));
    engines.push(unchecked("aHash", other, move |m| ahash.hash(m)));
    Ok(engines)
}

/// A message and its published tag.
type Known<'a> = (&'a [u8], &'a str);

/// From the reference code of SipHash, as are the others.
const SIPHASH_24: Known<'_> = (&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], "e545be4961ca29a1");
const SIPHASH_13: Known<'_> = (SIPHASH_24.0, "5699512a6dd820d3");

/// The README of the crate rapidhash 4.
const RAPIDHASH: Known<'_> = (b"hello world", "400924d527cb272f");

/// RFC 8439, section 2.5.2.
const POLY1305: Known<'_> = (b"Cryptographic Forum Research Group", "a8061dc1305136c6c22b8baf0c0127a9");

/// The first of BLAKE3's `test_vectors.json`.
const BLAKE3: Known<'_> = (b"", "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26");

/// RFC 4231, test case 1.
const HMAC: Known<'_> = (b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");

/// FIPS 180-4, the first example.
const SHA256: Known<'_> = (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");

/// RFC 4493, example 2.
const CMAC: Known<'_> = (
    &[0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a],
    "070a16b46b4d4144f79bdd9dd04a287c",
);

/// NIST's `gcmEncryptExtIV128.rsp`: the first case with 16 bytes to authenticate and none to encrypt.
const GMAC: Known<'_> = (
    &[0x7a, 0x43, 0xec, 0x1d, 0x9c, 0x0a, 0x5a, 0x78, 0xa0, 0xb1, 0x65, 0x33, 0xa6, 0x21, 0x3c, 0xab],
    "209fcc8d3675ed938e9c7166709dd946",
);

/// An engine whose published answer is checked.
fn engine<const N: usize>(
    name: &str,
    side: Side,
    (message, published): Known<'_>,
    tag: impl Fn(&[u8]) -> [u8; N] + 'static,
) -> Result<Tagger> {
    ensure!(tag(message) == bytes(published), "{name}: not the published answer");
    Ok(unchecked(name, side, tag))
}

/// An engine. Its loop is compiled for it, so calls are inlined, or not, just as in a program that uses it.
fn unchecked<T>(name: &str, side: Side, tag: impl Fn(&[u8]) -> T + 'static) -> Tagger {
    let run = move |messages: &[&[u8]]| {
        for message in messages {
            black_box(tag(message));
        }
    };
    Tagger { name: name.to_owned(), side, run: Box::new(run) }
}

/// The bytes of a hexadecimal text.
fn bytes<const N: usize>(hexadecimal: &str) -> [u8; N] {
    assert_eq!(hexadecimal.len(), 2 * N, "two digits for a byte");
    std::array::from_fn(|i| u8::from_str_radix(&hexadecimal[2 * i..][..2], 16).expect("digits"))
}

// Whether the CPU has the instructions. The crates make the same check at run time.

#[cfg(target_arch = "x86_64")]
fn has_sha() -> bool {
    std::is_x86_feature_detected!("sha")
}

#[cfg(target_arch = "x86_64")]
fn has_aes() -> bool {
    std::is_x86_feature_detected!("aes") && std::is_x86_feature_detected!("pclmulqdq")
}

#[cfg(target_arch = "aarch64")]
fn has_sha() -> bool {
    std::arch::is_aarch64_feature_detected!("sha2")
}

#[cfg(target_arch = "aarch64")]
fn has_aes() -> bool {
    std::arch::is_aarch64_feature_detected!("aes")
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn has_sha() -> bool {
    false
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn has_aes() -> bool {
    false
}
