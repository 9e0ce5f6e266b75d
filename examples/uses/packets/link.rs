//! Datagrams of one direction: a number that everybody can read, encrypted data, and a tag of both.

use keylane::aead::{AeadError, Key, Numbering, Packet, Receiver, Sender, TAG_BYTES, Tag};

/// The bytes of the number.
pub const HEADER: usize = 8;

/// Datagrams that are sealed, and opened, in one call.
pub const BATCH: usize = 64;

/// A datagram that is not sealed yet: room for the number, the data, and room for the tag.
pub fn framed(data: &[u8]) -> Vec<u8> {
    [&[0; HEADER], data, &[0; TAG_BYTES]].concat()
}

/// The parts of a datagram.
pub fn parts(datagram: &mut [u8]) -> Option<(&mut [u8; HEADER], &mut [u8], &mut [u8; TAG_BYTES])> {
    let (header, rest) = datagram.split_first_chunk_mut()?;
    let (data, tag) = rest.split_last_chunk_mut()?;
    Some((header, data, tag))
}

/// Seals datagrams.
pub struct Outbox(Sender);

impl Outbox {
    /// Nobody else may have an outbox with this key.
    pub fn new(key: Key) -> Self {
        Outbox(Sender::new(key, Numbering::wireguard()))
    }

    /// Numbers and seals datagrams. Those too short for a number and a tag stay as they are.
    pub fn seal(&mut self, datagrams: &mut [Vec<u8>]) -> Result<(), AeadError> {
        let (mut packets, mut tags) = (Vec::new(), Vec::new());
        let parts = datagrams.iter_mut().filter_map(|datagram| parts(datagram));
        for (number, (header, data, tag)) in (self.0.next_number()..).zip(parts) {
            *header = number.to_be_bytes();
            packets.push(Packet { nonce: [0; 12], aad: header, data, tag: Tag::default() });
            tags.push(tag);
        }
        self.0.seal_many(&mut packets)?;
        for (packet, tag) in packets.iter().zip(tags) {
            *tag = packet.tag.to_bytes();
        }
        Ok(())
    }
}

/// Opens datagrams.
pub struct Inbox(Receiver);

impl Inbox {
    /// The key is that of the sender.
    pub fn new(key: Key) -> Self {
        Inbox(Receiver::new(key, Numbering::wireguard()))
    }

    /// The data of each datagram that is genuine and the first of its number; `None` in the places of the others.
    pub fn open<'d>(&mut self, datagrams: &'d mut [Vec<u8>]) -> Result<Vec<Option<&'d [u8]>>, AeadError> {
        let mut opened = vec![None; datagrams.len()];
        let (mut places, mut numbers, mut packets) = (Vec::new(), Vec::new(), Vec::new());
        for (place, datagram) in datagrams.iter_mut().enumerate() {
            let Some((header, data, tag)) = parts(datagram) else { continue };
            places.push(place);
            numbers.push(u64::from_be_bytes(*header));
            packets.push(Packet { nonce: [0; 12], aad: header, data, tag: Tag::from_bytes(*tag) });
        }
        let mut good = vec![false; packets.len()];
        match self.0.open_many(&numbers, &mut packets, &mut good) {
            // Anyone can send such datagrams. `good` says which they are.
            Ok(()) | Err(AeadError::Forged | AeadError::Replayed) => {}
            Err(error) => return Err(error),
        }
        for ((place, packet), good) in places.into_iter().zip(packets).zip(good) {
            opened[place] = good.then_some(&*packet.data);
        }
        Ok(opened)
    }
}
