//! The same datagrams by ring, one by one: for comparison. It has no window, so it opens replays.

use crate::link::parts;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::error::Unspecified;

/// A key, and the number of the next datagram to seal.
pub struct Ring {
    key: LessSafeKey,
    next: u64,
}

impl Ring {
    pub fn new(key: &[u8; 32]) -> Result<Self, Unspecified> {
        Ok(Ring { key: LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, key)?), next: 0 })
    }

    /// Numbers and seals datagrams.
    pub fn seal(&mut self, datagrams: &mut [Vec<u8>]) -> Result<(), Unspecified> {
        for (header, data, tag) in datagrams.iter_mut().filter_map(|datagram| parts(datagram)) {
            *header = self.next.to_be_bytes();
            let right = self.key.seal_in_place_separate_tag(nonce(self.next), Aad::from(&*header), data)?;
            tag.copy_from_slice(right.as_ref());
            self.next = self.next.checked_add(1).ok_or(Unspecified)?;
        }
        Ok(())
    }

    /// The data of each datagram that is genuine; `None` in the places of the others.
    pub fn open<'d>(&mut self, datagrams: &'d mut [Vec<u8>]) -> Vec<Option<&'d [u8]>> {
        let open = |datagram: &'d mut Vec<u8>| {
            let (header, data, tag) = parts(datagram)?;
            let (nonce, aad) = (nonce(u64::from_be_bytes(*header)), Aad::from(&*header));
            let data = self.key.open_in_place_separate_tag(nonce, aad, (*tag).into(), data, 0..).ok()?;
            Some(&*data)
        };
        datagrams.iter_mut().map(open).collect()
    }
}

/// WireGuard's nonce.
fn nonce(number: u64) -> Nonce {
    let [a, b, c, d, e, f, g, h] = number.to_le_bytes();
    Nonce::assume_unique_for_key([0, 0, 0, 0, a, b, c, d, e, f, g, h])
}
