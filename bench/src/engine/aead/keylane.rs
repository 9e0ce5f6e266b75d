//! keylane itself.

use super::{Aead, Engine, KEY};
use crate::engine::Side;
use crate::engine::keylane::{Slot, kernels_of, settle, without};
use crate::work::aead::{Packets, open_each, seal_each};
use anyhow::Result;
use keylane::aead::{ChaCha20Poly1305, Key, Packet, Tag};
use std::array;
use std::iter::zip;

/// keylane's calls for one packet, by default, with every kernel of its slot that runs here, and without AVX-512. All
/// answers are checked.
///
/// # Errors
/// A kernel gives a wrong answer or fails its self-test.
pub fn one() -> Result<Vec<Engine>> {
    let mut engines = kernels_of(Slot::AeadOne, || Box::new(Keylane::new()) as _)?;
    engines.extend(without_avx512(&engines));
    engines.iter().try_for_each(Engine::check)?;
    Ok(engines)
}

/// keylane's calls for many packets, the same, and a loop over single calls. The answers are checked in each cell.
///
/// # Errors
/// A kernel fails its self-test.
pub fn many() -> Result<Vec<Engine>> {
    let mut engines = kernels_of(Slot::AeadMany, || Box::new(Keylane::new()) as _)?;
    engines.extend(without_avx512(&engines));
    engines.push(Engine::aead("keylane one by one", Side::OurOther, OneByOne(Keylane::new())));
    settle(&mut engines);
    Ok(engines)
}

/// keylane as a CPU without AVX-512 has it, beside peers that do not use it either.
fn without_avx512(engines: &[Engine]) -> Option<Engine> {
    let engine = Engine::aead("keylane without AVX-512", Side::OurOther, Keylane::new());
    without("avx512", engine, engines)
}

/// keylane as its users get it.
struct Keylane(ChaCha20Poly1305);

impl Keylane {
    fn new() -> Self {
        Keylane(ChaCha20Poly1305::new(&Key::from_bytes(KEY)))
    }

    /// Encrypts N packets in one call.
    #[inline(always)]
    fn seal_array<const N: usize>(&self, mut packets: Packets<'_, '_>) {
        let mut array = array::<N>(&mut packets);
        self.0.seal_many_with_nonces(&mut array).expect("short texts");
        let tags = array.map(|packet| packet.tag.to_bytes());
        packets.tags.copy_from_slice(&tags);
    }

    /// Decrypts N packets in one call.
    #[inline(always)]
    fn open_array<const N: usize>(&self, mut packets: Packets<'_, '_>) -> bool {
        self.0.open_many(&mut array::<N>(&mut packets), &mut [false; N]).is_ok()
    }
}

/// The first N packets in keylane's form.
#[inline(always)]
fn array<'a, const N: usize>(packets: &'a mut Packets<'_, '_>) -> [Packet<'a>; N] {
    let aad = packets.aad;
    let mut parts = zip(packets.nonces, zip(&mut *packets.data, &*packets.tags));
    array::from_fn(|_| {
        let (&nonce, (data, &tag)) = parts.next().expect("N packets");
        Packet { nonce, aad, data, tag: Tag::from_bytes(tag) }
    })
}

impl Aead for Keylane {
    #[inline(always)]
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> [u8; 16] {
        self.0.seal_with_nonce(nonce, aad, data).expect("a short text").to_bytes()
    }

    #[inline(always)]
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> bool {
        self.0.open(nonce, aad, data, &Tag::from_bytes(*tag)).is_ok()
    }

    #[inline(always)]
    fn seal_many(&self, packets: Packets<'_, '_>) {
        match packets.nonces.len() {
            8 => self.seal_array::<8>(packets),
            16 => self.seal_array::<16>(packets),
            64 => self.seal_array::<64>(packets),
            _ => seal_each(self, packets),
        }
    }

    #[inline(always)]
    fn open_many(&self, packets: Packets<'_, '_>) -> bool {
        match packets.nonces.len() {
            8 => self.open_array::<8>(packets),
            16 => self.open_array::<16>(packets),
            64 => self.open_array::<64>(packets),
            _ => open_each(self, packets),
        }
    }
}

/// keylane with a call for each packet. Its calls for many must never be slower.
struct OneByOne(Keylane);

impl Aead for OneByOne {
    #[inline(always)]
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> [u8; 16] {
        self.0.seal(nonce, aad, data)
    }

    #[inline(always)]
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> bool {
        self.0.open(nonce, aad, data, tag)
    }
}
