//! ChaCha20-Poly1305 as EVP drives it: a key, a nonce, pieces of additional data, pieces of text, and the tag at the end; and
//! whole records of TLS 1.2.

use crate::mac::{Answer, Refused};
use keylane::aead::{ChaCha20Poly1305, Key, MAX_BYTES, Tag};
use keylane::dispatch::table::CHACHA20_PN;
use keylane::job::chacha20::{self, Run, Stream, Text, words};
use keylane::job::wipe::{wipe, wipe_table};
use keylane::poly1305::{OneTimeKey, Poly1305};

/// Bytes of a key.
pub const KEY: usize = 32;
/// Bytes of a nonce.
pub const NONCE: usize = 12;
/// Bytes of a tag.
pub const TAG: usize = 16;

/// A key. It is wiped when it is dropped.
#[derive(Clone)]
struct Secret([u8; KEY]);

impl Drop for Secret {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

/// How many bytes of key stream are made at a time for short pieces. A vector kernel makes as many blocks in the time of
/// one.
const AT_ONCE: usize = 512;

/// The key stream of a message.
#[derive(Clone)]
struct KeyStream {
    key: Secret,
    nonce: [u8; NONCE],
    /// Where the next byte of text is, counted from the start of block 0.
    at: u64,
    /// The key stream from `from` on.
    ready: [u8; AT_ONCE],
    from: u64,
}

impl KeyStream {
    fn new(key: &Secret, nonce: &[u8; NONCE]) -> Self {
        let mut stream = KeyStream { key: key.clone(), nonce: *nonce, at: 0, ready: [0; AT_ONCE], from: 0 };
        stream.refill();
        stream
    }

    /// Makes key stream for the next bytes.
    fn refill(&mut self) {
        self.from = self.at - self.at % 64;
        self.ready.fill(0);
        run(&self.key, &self.nonce, self.from, &mut self.ready);
    }

    /// XORs the next bytes.
    fn xor(&mut self, bytes: &mut [u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let ready = usize::try_from(self.at - self.from).ok().and_then(|used| self.ready.get(used..));
            let ready = ready.unwrap_or(&[]);
            let count = if !ready.is_empty() {
                rest.len().min(ready.len())
            } else if self.at.is_multiple_of(64) && rest.len() >= AT_ONCE {
                rest.len()
            } else {
                self.refill();
                continue;
            };
            let (piece, others) = rest.split_at_mut_checked(count).unwrap_or_default();
            if ready.is_empty() {
                run(&self.key, &self.nonce, self.at, piece);
            } else {
                Text::in_place(piece).xor(ready);
            }
            self.at += count as u64;
            rest = others;
        }
    }
}

impl Drop for KeyStream {
    fn drop(&mut self) {
        wipe_table(&mut self.ready);
    }
}

/// XORs bytes with the key stream from a block's start on.
fn run(Secret(key): &Secret, nonce: &[u8; NONCE], from: u64, bytes: &mut [u8]) {
    let mut key = chacha20::Key::from_bytes(key);
    // No text is so long that the block number would wrap: `Message::text` sees to it.
    let (nonce, counter) = (words(nonce), (from / 64) as u32);
    CHACHA20_PN
        .run(Stream { key: &key, run: Run { nonce, counter, one_time: None, text: Text::in_place(bytes) } });
    key.wipe();
}

/// How many bytes of text are encrypted before they are authenticated, while they are in L1.
const PIECE: usize = 16 * 1024;

/// A message in progress.
struct Message {
    stream: KeyStream,
    mac: Poly1305,
    /// Bytes of additional data, and of text.
    aad: u64,
    text: u64,
}

impl Message {
    fn begin(key: &Secret, nonce: &[u8; NONCE]) -> Self {
        let mut stream = KeyStream::new(key, nonce);
        // The one-time key is the first half of block 0, and text begins with block 1.
        let one_time = stream.ready.first_chunk().copied().map(OneTimeKey::from_bytes);
        stream.at = 64;
        let mac = Poly1305::new(one_time.unwrap_or_else(|| OneTimeKey::from_bytes([0; 32])));
        Message { stream, mac, aad: 0, text: 0 }
    }

    fn duplicate(&self) -> Self {
        let Message { stream, mac, aad, text } = self;
        Message { stream: stream.clone(), mac: mac.duplicate(), aad: *aad, text: *text }
    }

    /// Additional data, all of which come before the text.
    fn aad(&mut self, piece: &[u8]) -> Answer {
        if self.text > 0 {
            return Err(Refused);
        }
        self.aad = self.aad.checked_add(piece.len() as u64).ok_or(Refused)?;
        self.mac.update(piece);
        Ok(())
    }

    /// Encrypts or decrypts some bytes in place.
    fn text(&mut self, seal: bool, bytes: &mut [u8]) -> Answer {
        let text =
            self.text.checked_add(bytes.len() as u64).filter(|text| *text <= MAX_BYTES).ok_or(Refused)?;
        if self.text == 0 {
            self.pad(self.aad);
        }
        self.text = text;
        for piece in bytes.chunks_mut(PIECE) {
            if !seal {
                self.mac.update(piece);
            }
            self.stream.xor(piece);
            if seal {
                self.mac.update(piece);
            }
        }
        Ok(())
    }

    /// Pads what has so many bytes to whole blocks.
    fn pad(&mut self, bytes: u64) {
        let zeros = (TAG - bytes as usize % TAG) % TAG;
        self.mac.update([0; TAG].get(..zeros).unwrap_or(&[]));
    }

    /// The tag.
    fn finish(&mut self) -> Tag {
        self.pad(if self.text == 0 { self.aad } else { self.text });
        let lengths = u128::from(self.aad) | u128::from(self.text) << 64;
        self.mac.update(&lengths.to_le_bytes());
        self.mac.finish_in_place()
    }
}

/// A record of TLS 1.2 (RFC 7905) that is expected.
#[derive(Clone)]
struct Record {
    aad: [u8; RECORD_AAD],
    nonce: [u8; NONCE],
    /// Bytes before the tag.
    payload: usize,
}

/// Bytes of additional data of a record: its number, type, version and length.
const RECORD_AAD: usize = 13;

/// The cipher, from its creation to its end.
pub struct Aead {
    seal: bool,
    key: Option<Secret>,
    nonce: Option<[u8; NONCE]>,
    /// Whether the nonce has served a message.
    used: bool,
    message: Option<Message>,
    record: Option<Record>,
    /// The tag of the last sealed message.
    made: Option<[u8; TAG]>,
    /// The tag of the message to open, whose first `tag_length` bytes count.
    expected: Option<[u8; TAG]>,
    tag_length: u8,
    /// Whether a record has been announced.
    has_records: bool,
}

impl Aead {
    pub fn new() -> Self {
        Aead {
            seal: true,
            key: None,
            nonce: None,
            used: false,
            message: None,
            record: None,
            made: None,
            expected: None,
            tag_length: 0,
            has_records: false,
        }
    }

    pub fn duplicate(&self) -> Self {
        Aead {
            key: self.key.clone(),
            message: self.message.as_ref().map(Message::duplicate),
            record: self.record.clone(),
            ..*self
        }
    }

    /// Begins to seal or to open, with another key or nonce if they are given.
    pub fn init(&mut self, seal: bool, key: Option<&[u8]>, nonce: Option<&[u8]>) -> Answer {
        let key = key.map(<&[u8; KEY]>::try_from).transpose().map_err(|_| Refused)?;
        let nonce = nonce.map(<&[u8; NONCE]>::try_from).transpose().map_err(|_| Refused)?;
        if seal != self.seal || key.is_some() || nonce.is_some() {
            // A nonce of a message that was given up has served, too.
            self.used |= self.message.take().is_some();
            self.record = None;
        }
        self.seal = seal;
        if let Some(key) = key {
            self.key = Some(Secret(*key));
        }
        if let Some(nonce) = nonce {
            self.set_nonce(nonce)?;
        }
        Ok(())
    }

    /// Sets the nonce of a message, from which those of records are made, too.
    pub fn set_nonce(&mut self, nonce: &[u8]) -> Answer {
        self.nonce = Some(nonce.try_into().map_err(|_| Refused)?);
        self.used = false;
        self.message = None;
        Ok(())
    }

    /// The message in progress, or a new one.
    fn message(&mut self) -> Answer<&mut Message> {
        let (Some(key), Some(nonce), false, None) = (&self.key, &self.nonce, self.used, &self.record) else {
            return Err(Refused);
        };
        if self.message.is_none() {
            self.made = None;
        }
        Ok(self.message.get_or_insert_with(|| Message::begin(key, nonce)))
    }

    /// Takes a piece of the additional data.
    pub fn aad(&mut self, piece: &[u8]) -> Answer {
        self.message()?.aad(piece)
    }

    /// Encrypts or decrypts a piece of text in place, or a whole record. The result is how many bytes come out.
    pub fn text(&mut self, bytes: &mut [u8]) -> Answer<usize> {
        if let Some(record) = self.record.take() {
            return self.one_record(&record, bytes);
        }
        let seal = self.seal;
        self.message()?.text(seal, bytes)?;
        Ok(bytes.len())
    }

    /// Ends a message: makes its tag, or compares it with the expected one.
    pub fn finish(&mut self) -> Answer {
        if !self.seal && self.expected.is_none() {
            return Err(Refused);
        }
        let tag = self.message()?.finish();
        self.message = None;
        self.used = true;
        if self.seal {
            self.made = Some(tag.to_bytes());
            return Ok(());
        }
        // Where fewer bytes count, the others are those of the right tag.
        let mut given = tag.to_bytes();
        for (place, byte) in given.iter_mut().zip(self.expected.iter().flatten()).take(self.tag_length.into())
        {
            *place = *byte;
        }
        tag.verify(&Tag::from_bytes(given)).map_err(|_| Refused)
    }

    /// Sets the tag to compare with, or only its length.
    pub fn expect(&mut self, length: usize, tag: Option<&[u8]>) -> Answer {
        let count =
            u8::try_from(length).ok().filter(|count| (1..=TAG as u8).contains(count)).ok_or(Refused)?;
        if let Some(tag) = tag {
            if self.seal {
                return Err(Refused);
            }
            let mut expected = [0; TAG];
            for (place, byte) in expected.iter_mut().zip(tag) {
                *place = *byte;
            }
            self.expected = Some(expected);
        }
        self.tag_length = count;
        Ok(())
    }

    /// How many bytes of the tag count; 0 as long as nobody has said.
    pub fn tag_length(&self) -> u8 {
        self.tag_length
    }

    /// The tag of the message that was sealed.
    pub fn tag(&self) -> Answer<[u8; TAG]> {
        if self.seal { self.made.ok_or(Refused) } else { Err(Refused) }
    }

    /// Announces a record of TLS 1.2 by its additional data, whose length counts the tag if it is to be opened.
    pub fn announce(&mut self, aad: &[u8]) -> Answer {
        let mut aad: [u8; RECORD_AAD] = aad.try_into().map_err(|_| Refused)?;
        let mut nonce = self.nonce.ok_or(Refused)?;
        let [n0, n1, n2, n3, n4, n5, n6, n7, _, _, _, high, low] = &mut aad;
        let number = [*n0, *n1, *n2, *n3, *n4, *n5, *n6, *n7];
        let mut payload = u16::from_be_bytes([*high, *low]);
        if !self.seal {
            payload = payload.checked_sub(TAG as u16).ok_or(Refused)?;
            [*high, *low] = payload.to_be_bytes();
        }
        for (byte, number) in nonce.iter_mut().skip(4).zip(number) {
            *byte ^= number;
        }
        self.message = None;
        self.record = Some(Record { aad, nonce, payload: payload.into() });
        self.has_records = true;
        Ok(())
    }

    /// How many bytes a record is longer than its payload; 0 before the first one.
    pub fn record_overhead(&self) -> u8 {
        if self.has_records { TAG as u8 } else { 0 }
    }

    /// Seals or opens a record, whose last 16 bytes are the tag. A forged one stays as it is.
    fn one_record(&mut self, record: &Record, bytes: &mut [u8]) -> Answer<usize> {
        let Secret(key) = self.key.as_ref().ok_or(Refused)?;
        let length = bytes.len();
        let (data, place) = bytes.split_last_chunk_mut::<TAG>().ok_or(Refused)?;
        if data.len() != record.payload {
            return Err(Refused);
        }
        let cipher = ChaCha20Poly1305::new(&Key::from_bytes(*key));
        if !self.seal {
            let opened = cipher.open(&record.nonce, &record.aad, data, &Tag::from_bytes(*place));
            return opened.map(|()| record.payload).map_err(|_| Refused);
        }
        let tag = cipher.seal_with_nonce(&record.nonce, &record.aad, data).map_err(|_| Refused)?;
        *place = tag.to_bytes();
        self.made = Some(*place);
        Ok(length)
    }
}
