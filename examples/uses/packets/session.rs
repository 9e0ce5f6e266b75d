//! One direction of a session: packets get tags, and packets whose tags are right get through once.

use crate::window::Window;
use keylane::poly1305::{OneTimeKey, Tag, mac_batch, rfc8439, verify_batch};
use std::error::Error;
use std::fmt;
use zeroize::Zeroizing;

/// The sizes of a packet's header and of its tag.
pub const HEADER: usize = 16;
pub const TAG: usize = 16;

/// The first bytes of a packet with data.
const KIND: [u8; 4] = [4, 0, 0, 0];

/// No counter reaches this, in WireGuard too.
const LIMIT: u64 = u64::MAX - (1 << 13);

/// Why no batch fails.
const COUNTS: &str = "as many keys and tags as messages";

/// The secret of one direction, and the number by which the receiver knows the session.
struct Session {
    key: Zeroizing<[u8; 32]>,
    receiver: u32,
}

impl Session {
    /// The key for one packet. Its nonce is that of WireGuard.
    fn one_time_key(&self, counter: u64) -> OneTimeKey {
        let mut nonce = [0; 12];
        let (_, place) = nonce.split_at_mut(4);
        place.copy_from_slice(&counter.to_le_bytes());
        rfc8439::one_time_key(&self.key, &nonce)
    }

    /// A packet without its tag.
    fn write(&self, counter: u64, payload: &[u8]) -> Vec<u8> {
        let mut packet = Vec::with_capacity(HEADER + payload.len() + TAG);
        packet.extend(KIND);
        packet.extend(self.receiver.to_le_bytes());
        packet.extend(counter.to_le_bytes());
        packet.extend(payload);
        packet
    }

    /// Counter, message and tag of a packet for this session.
    fn read<'p>(&self, packet: &'p [u8]) -> Option<(u64, &'p [u8], Tag)> {
        let (message, &tag) = packet.split_last_chunk()?;
        let (&kind, rest) = message.split_first_chunk()?;
        let (&receiver, rest) = rest.split_first_chunk()?;
        let &counter = rest.first_chunk()?;
        let ours = kind == KIND && u32::from_le_bytes(receiver) == self.receiver;
        ours.then(|| (u64::from_le_bytes(counter), message, Tag::from_bytes(tag)))
    }
}

/// Makes packets.
pub struct Sender {
    session: Session,
    next: u64,
}

/// The counters are used up: the session needs a new key.
#[derive(Debug, PartialEq, Eq)]
pub struct Exhausted;

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the counters are used up")
    }
}

impl Error for Exhausted {}

impl Sender {
    /// A key must be used for one sender only.
    pub fn new(key: Zeroizing<[u8; 32]>, receiver: u32) -> Sender {
        Sender { session: Session { key, receiver }, next: 0 }
    }

    /// A sender whose first packets were sent before.
    #[cfg(test)]
    pub fn starting_at(key: Zeroizing<[u8; 32]>, receiver: u32, next: u64) -> Sender {
        Sender { next, ..Sender::new(key, receiver) }
    }

    /// A packet for each payload.
    pub fn seal(&mut self, payloads: &[&[u8]]) -> Result<Vec<Vec<u8>>, Exhausted> {
        let first = self.next;
        let count = u64::try_from(payloads.len()).map_err(|_| Exhausted)?;
        self.next = first.checked_add(count).filter(|&next| next <= LIMIT).ok_or(Exhausted)?;
        let mut packets: Vec<Vec<u8>> =
            (first..).zip(payloads).map(|(counter, payload)| self.session.write(counter, payload)).collect();

        let messages: Vec<&[u8]> = packets.iter().map(Vec::as_slice).collect();
        let mut tags = vec![Tag::default(); messages.len()];
        let keys = (0..messages.len()).map(|i| self.session.one_time_key(first + i as u64));
        mac_batch(keys, &messages, &mut tags).expect(COUNTS);

        for (packet, tag) in packets.iter_mut().zip(&tags) {
            packet.extend(tag.as_ref());
        }
        Ok(packets)
    }
}

/// Accepts packets.
pub struct Receiver {
    session: Session,
    window: Window,
}

impl Receiver {
    /// The key is that of the sender.
    pub fn new(key: Zeroizing<[u8; 32]>, receiver: u32) -> Receiver {
        Receiver { session: Session { key, receiver }, window: Window::default() }
    }

    /// The payloads of the packets that are for this session, right and new; `None` in the places of the others.
    pub fn open<'p>(&mut self, packets: &[&'p [u8]]) -> Vec<Option<&'p [u8]>> {
        let mut payloads = vec![None; packets.len()];
        let read = |(at, packet): (usize, &&'p [u8])| Some((at, self.session.read(packet)?));
        let known: Vec<_> = packets.iter().enumerate().filter_map(read).collect();

        let messages: Vec<&[u8]> = known.iter().map(|(_, (_, message, _))| *message).collect();
        let tags: Vec<Tag> = known.iter().map(|(_, (_, _, tag))| *tag).collect();
        let keys = known.iter().map(|(_, (counter, ..))| self.session.one_time_key(*counter));
        let mut good = vec![false; known.len()];
        verify_batch(keys, &messages, &tags, &mut good).expect(COUNTS);

        for ((at, (counter, message, _)), good) in known.into_iter().zip(good) {
            if good && self.window.accept(counter) {
                payloads[at] = message.get(HEADER..);
            }
        }
        payloads
    }
}
