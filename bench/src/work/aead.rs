//! ChaCha20-Poly1305: packets under one key, encrypted and decrypted in place.

use std::hint::black_box;
use std::iter::zip;

/// Packets in calls of an engine. The numbers of all three lists are equal.
pub struct Packets<'a, 'd> {
    /// A nonce for each.
    pub nonces: &'a [[u8; 12]],
    /// The associated data of all.
    pub aad: &'a [u8],
    /// The data of each.
    pub data: &'a mut [&'d mut [u8]],
    /// The tag of each.
    pub tags: &'a mut [[u8; 16]],
}

impl<'d> Packets<'_, 'd> {
    /// The packets of each call of `size`; the last may have fewer.
    #[inline(always)]
    fn calls(&mut self, size: usize) -> impl Iterator<Item = Packets<'_, 'd>> {
        let parts = zip(self.data.chunks_mut(size), self.tags.chunks_mut(size));
        let aad = self.aad;
        zip(self.nonces.chunks(size), parts).map(move |(nonces, (data, tags))| Packets {
            nonces,
            aad,
            data,
            tags,
        })
    }
}

/// ChaCha20-Poly1305 under one key: one packet, and many.
///
/// By default an engine uses the loop over single calls that its user would write.
pub trait Aead {
    /// Encrypts a packet and returns its tag.
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> [u8; 16];

    /// Decrypts a packet and returns whether its tag is right.
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &[u8; 16]) -> bool;

    /// Encrypts packets and sets their tags.
    #[inline(always)]
    fn seal_many(&self, packets: Packets<'_, '_>) {
        seal_each(self, packets);
    }

    /// Decrypts packets and returns whether all tags are right.
    #[inline(always)]
    fn open_many(&self, packets: Packets<'_, '_>) -> bool {
        open_each(self, packets)
    }
}

/// [`Aead::seal_many`] by single calls.
#[inline(always)]
pub fn seal_each<E: Aead + ?Sized>(engine: &E, packets: Packets<'_, '_>) {
    let Packets { nonces, aad, data, tags } = packets;
    for (nonce, (data, tag)) in zip(nonces, zip(data, tags)) {
        *tag = engine.seal(nonce, aad, data);
    }
}

/// [`Aead::open_many`] by single calls.
#[inline(always)]
pub fn open_each<E: Aead + ?Sized>(engine: &E, packets: Packets<'_, '_>) -> bool {
    let Packets { nonces, aad, data, tags } = packets;
    let mut good = true;
    for (nonce, (data, tag)) in zip(nonces, zip(data, tags)) {
        good &= engine.open(nonce, aad, data, tag);
    }
    good
}

/// The work of an engine of any type. Every [`Aead`] can do it.
pub trait Work {
    /// Encrypts packets, `size` in a call, `passes` times one after the other.
    fn seal(&self, packets: Packets<'_, '_>, size: usize, passes: usize);

    /// Decrypts packets, `size` in a call, `passes` times. Returns whether all tags were right.
    ///
    /// Decryption is encryption, so the second pass gives the ciphertexts back, if it takes the plaintexts for ciphertexts
    /// and `others` are their tags as such. The third is like the first.
    fn open(&self, packets: Packets<'_, '_>, others: &mut [[u8; 16]], size: usize, passes: usize) -> bool;
}

impl<E: Aead> Work for E {
    fn seal(&self, packets: Packets<'_, '_>, size: usize, passes: usize) {
        seal(self, packets, size, passes);
    }

    fn open(&self, packets: Packets<'_, '_>, others: &mut [[u8; 16]], size: usize, passes: usize) -> bool {
        open(self, packets, others, size, passes)
    }
}

#[inline(never)]
fn seal<E: Aead>(engine: &E, mut packets: Packets<'_, '_>, size: usize, passes: usize) {
    for _ in 0..passes {
        packets.calls(size).for_each(|packets| engine.seal_many(packets));
        black_box(&mut *packets.tags);
    }
}

#[inline(never)]
fn open<E: Aead>(
    engine: &E,
    packets: Packets<'_, '_>,
    others: &mut [[u8; 16]],
    size: usize,
    passes: usize,
) -> bool {
    let Packets { nonces, aad, data, tags } = packets;
    let mut good = true;
    for pass in 0..passes {
        let tags = if pass % 2 == 0 { &mut *tags } else { &mut *others };
        let mut packets = Packets { nonces, aad, data: &mut *data, tags };
        packets.calls(size).for_each(|packets| good &= engine.open_many(packets));
    }
    good
}
