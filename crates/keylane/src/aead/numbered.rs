//! Packets under one key whose nonces are numbers, which nobody has to manage.

use super::cipher::{ChaCha20Poly1305, Key, check};
use super::many::{Ciphers, Packet, check_all, check_flags, open_all};
use super::one;
use super::window::Window;
use crate::error::AeadError;
use crate::job::wipe::wipe;
use crate::poly1305::Tag;
use core::fmt;

/// How a protocol makes a nonce of a packet's number, and how many numbers it allows under one key.
#[derive(Clone, Copy)]
pub struct Numbering {
    /// What the number is combined with.
    iv: [u8; 12],
    /// Whether the number is little-endian, as in WireGuard. It is in the last eight bytes either way.
    is_little_endian: bool,
    /// The first number that may not be used.
    end: u64,
}

impl Numbering {
    /// QUIC's (RFC 9001, section 5.3): the number, big-endian, XOR the IV that belongs to the key. Numbers stay below 2^62.
    pub const fn quic(iv: [u8; 12]) -> Self {
        Numbering { iv, is_little_endian: false, end: 1 << 62 }
    }

    /// TLS 1.3's (RFC 8446, section 5.3): as QUIC's, but numbers stay below 2^64 - 1.
    pub const fn tls13(iv: [u8; 12]) -> Self {
        Numbering { iv, is_little_endian: false, end: u64::MAX }
    }

    /// WireGuard's: four zeros and the number, little-endian. Numbers stay below
    /// 2^64 - 2^13 - 1.
    pub const fn wireguard() -> Self {
        Numbering { iv: [0; 12], is_little_endian: true, end: u64::MAX - (1 << 13) }
    }

    /// The same, but numbers end earlier, at `end`: where a protocol wants a new key.
    pub const fn ending_at(self, end: u64) -> Self {
        Numbering { end: if end < self.end { end } else { self.end }, ..self }
    }

    /// The nonce of a number.
    #[inline]
    fn nonce(&self, number: u64) -> [u8; 12] {
        let number = if self.is_little_endian { number.to_le_bytes() } else { number.to_be_bytes() };
        let mut nonce = self.iv;
        for (byte, number) in nonce.iter_mut().skip(4).zip(number) {
            *byte ^= number;
        }
        nonce
    }
}

/// The numbering of a sender or a receiver. Its IV, which belongs to the key, is wiped when it is dropped.
struct Kept(Numbering);

impl Drop for Kept {
    #[inline]
    fn drop(&mut self) {
        wipe(&mut self.0.iv);
    }
}

impl fmt::Debug for Numbering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Numbering(..)")
    }
}

/// Seals the packets of one direction under one key, numbered 0, 1, 2, ... **It must be the only sender with this key.**
/// It cannot be copied, but what copies a whole process copies it too: after `fork`, only one of the two processes may
/// go on with it, and neither may go on after a restored snapshot of a machine. A new start of the program needs a new
/// key. keylane cannot notice any of these.
///
/// A number is used up before anything is encrypted with it, so no error lets it come twice.
///
/// ```
/// use keylane::aead::{AeadError, Key, Numbering, Receiver, Sender};
///
/// let key = || Key::from_bytes([7; 32]);
/// let mut sender = Sender::new(key(), Numbering::wireguard());
/// let mut receiver = Receiver::new(key(), Numbering::wireguard());
///
/// let mut data = *b"payload";
/// let (number, tag) = sender.seal(b"", &mut data)?;
/// assert_eq!(number, 0);
///
/// let mut again = data;
/// receiver.open(number, b"", &mut data, &tag)?;
/// assert_eq!(&data, b"payload");
/// assert_eq!(receiver.open(number, b"", &mut again, &tag), Err(AeadError::Replayed));
/// # Ok::<(), AeadError>(())
/// ```
pub struct Sender {
    cipher: ChaCha20Poly1305,
    numbering: Kept,
    next: u64,
}

impl Sender {
    /// Begins with number 0. The key is moved: another sender must not have it.
    pub fn new(key: Key, numbering: Numbering) -> Self {
        Sender { cipher: ChaCha20Poly1305::new(&key), numbering: Kept(numbering), next: 0 }
    }

    /// The number of the next packet. QUIC's AAD contains it.
    pub fn next_number(&self) -> u64 {
        self.next
    }

    /// Encrypts `data` in place, and returns the packet's number and its tag.
    ///
    /// # Errors
    /// * [`AeadError::TooLong`]: there are more than [`MAX_BYTES`](super::MAX_BYTES).
    /// * [`AeadError::Exhausted`]: there is no number left. Only a new key helps.
    ///
    /// Nothing is written and no number is used then.
    pub fn seal(&mut self, aad: &[u8], data: &mut [u8]) -> Result<(u64, Tag), AeadError> {
        check(data.len())?;
        let number = self.reserve(1)?;
        Ok((number, self.cipher.seal_with_nonce(&self.numbering.0.nonce(number), aad, data)?))
    }

    /// Encrypts all packets in place and sets their nonces and tags. Returns the number of the first; the others have
    /// the numbers after it, in their order.
    ///
    /// # Errors
    /// * [`AeadError::TooLong`]: a packet has more than [`MAX_BYTES`](super::MAX_BYTES).
    /// * [`AeadError::Exhausted`]: there are fewer numbers left than packets.
    ///
    /// Nothing is written and no number is used then.
    ///
    /// ```
    /// use keylane::aead::{AeadError, Key, Numbering, Packet, Sender, Tag};
    ///
    /// let mut sender = Sender::new(Key::from_bytes([7; 32]), Numbering::quic([1; 12]));
    /// let mut data = [*b"first ", *b"second"];
    /// let mut packets =
    ///     data.each_mut().map(|data| Packet { nonce: [0; 12], aad: b"", data, tag: Tag::default() });
    /// assert_eq!(sender.seal_many(&mut packets)?, 0);
    /// assert_eq!(sender.next_number(), 2);
    /// # Ok::<(), AeadError>(())
    /// ```
    pub fn seal_many(&mut self, packets: &mut [Packet<'_>]) -> Result<u64, AeadError> {
        check_all(packets)?;
        let first = self.reserve(packets.len() as u64)?;
        for (number, packet) in (first..).zip(packets.iter_mut()) {
            packet.nonce = self.numbering.0.nonce(number);
        }
        self.cipher.seal_many_with_nonces(packets)?;
        Ok(first)
    }

    /// Uses up the next numbers, and returns the first of them.
    fn reserve(&mut self, count: u64) -> Result<u64, AeadError> {
        let first = self.next;
        let next = first.checked_add(count).filter(|&next| next <= self.numbering.0.end);
        self.next = next.ok_or(AeadError::Exhausted)?;
        Ok(first)
    }
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender(..)")
    }
}

/// How many forged packets ChaCha20-Poly1305 may meet under one key: 2^36 (RFC 9001, section 6.6).
const FORGERIES: u64 = 1 << 36;

/// Opens the packets of a [`Sender`]: each number once, in any order. It remembers which of the last 1984 numbers it has
/// opened, up to the greatest one. It rejects older numbers as replays, and so it does numbers that the [`Numbering`]
/// does not allow.
///
/// It counts forged packets. After 2^36 of them (RFC 9001, section 6.6), or as many as
/// [`with_forgeries`](Self::with_forgeries) says, it opens nothing any more.
pub struct Receiver {
    cipher: ChaCha20Poly1305,
    numbering: Kept,
    /// `None` if replays are opened.
    window: Option<Window>,
    /// How many forged packets it may still meet.
    forgeries: u64,
}

impl Receiver {
    /// A receiver that has opened nothing yet.
    pub fn new(key: Key, numbering: Numbering) -> Self {
        let cipher = ChaCha20Poly1305::new(&key);
        let numbering = Kept(numbering);
        Receiver { cipher, numbering, window: Some(Window::EMPTY), forgeries: FORGERIES }
    }

    /// The same, but it opens a number as often as it comes: for protocols that notice replays themselves, as TLS does by
    /// counting.
    pub fn with_replays(self) -> Self {
        Receiver { window: None, ..self }
    }

    /// The same, but it meets at most this many forged packets. Any packet may turn out forged, so a call needs as many left
    /// as it has packets.
    pub fn with_forgeries(self, most: u64) -> Self {
        Receiver { forgeries: most, ..self }
    }

    /// Decrypts `data` in place if the tag is right, and if this is the first packet of its number.
    ///
    /// # Errors
    /// * [`AeadError::Forged`]: this is not what was sealed under this number.
    /// * [`AeadError::Replayed`]: it is, but a packet of this number was opened before, or may have been, or the
    ///   numbering does not allow the number.
    /// * [`AeadError::TooManyForged`]: the key has met as many forged packets as it may.
    /// * [`AeadError::TooLong`]: there are more than [`MAX_BYTES`](super::MAX_BYTES).
    ///
    /// The data stay as they are then.
    pub fn open(&mut self, number: u64, aad: &[u8], data: &mut [u8], tag: &Tag) -> Result<(), AeadError> {
        check(data.len())?;
        self.may_meet(1)?;
        let Receiver { cipher, numbering: Kept(numbering), window, forgeries } = self;
        let judge = |is_genuine| {
            one::genuine(is_genuine)?;
            let is_new = number < numbering.end && is_new(window, number);
            if is_new { Ok(()) } else { Err(AeadError::Replayed) }
        };
        let result = cipher
            .with(&numbering.nonce(number), |key, nonce| one::open(key, nonce, aad, None, data, tag, judge));
        if result == Err(AeadError::Forged) {
            *forgeries -= 1;
        }
        result
    }

    /// Decrypts in place every packet whose tag is right and which is the first of its number, also within this call. Sets
    /// `good[i]` to whether packet i is one, and all nonces. The data of the others stay as they are.
    ///
    /// Numbers are looked up in the order of the packets, and only those of genuine packets count as seen.
    ///
    /// # Errors
    /// * [`AeadError::Forged`]: at least one packet is forged. Otherwise [`AeadError::Replayed`]: at least one is a
    ///   replay. `good` says which are neither; they have been decrypted.
    /// * [`AeadError::Count`]: there are not as many numbers and flags as packets.
    /// * [`AeadError::TooManyForged`]: if all these packets were forged, the key would meet more than it may.
    /// * [`AeadError::TooLong`]: a packet has more than [`MAX_BYTES`](super::MAX_BYTES).
    ///
    /// With the last three, no packet is decrypted, and all of `good` is `false`.
    pub fn open_many(
        &mut self,
        numbers: &[u64],
        packets: &mut [Packet<'_>],
        good: &mut [bool],
    ) -> Result<(), AeadError> {
        check_flags(packets, good)?;
        if numbers.len() != packets.len() {
            return Err(AeadError::Count { packets: packets.len(), others: numbers.len() });
        }
        self.may_meet(packets.len() as u64)?;
        let Receiver { cipher, numbering: Kept(numbering), window, forgeries } = self;
        for (packet, &number) in packets.iter_mut().zip(numbers) {
            packet.nonce = numbering.nonce(number);
        }
        let mut genuine = 0;
        open_all(Ciphers::One(cipher), packets, good, |i, is_genuine| {
            if !is_genuine {
                return false;
            }
            genuine += 1;
            numbers.get(i).is_some_and(|&number| number < numbering.end && is_new(window, number))
        });
        let forged = (packets.len() as u64).saturating_sub(genuine);
        *forgeries = forgeries.saturating_sub(forged);
        if forged > 0 {
            Err(AeadError::Forged)
        } else if good.iter().all(|&good| good) {
            Ok(())
        } else {
            Err(AeadError::Replayed)
        }
    }

    /// Checks that the key may meet this many more forged packets.
    fn may_meet(&self, packets: u64) -> Result<(), AeadError> {
        if packets > self.forgeries { Err(AeadError::TooManyForged) } else { Ok(()) }
    }
}

/// Whether a number has not been opened before. It counts as opened from now on.
#[inline]
fn is_new(window: &mut Option<Window>, number: u64) -> bool {
    window.as_mut().is_none_or(|window| window.add(number))
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receiver(..)")
    }
}
