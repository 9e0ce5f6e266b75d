//! Many packets in one call.
//!
//! First the key streams of up to 64 packets, whose blocks share the lanes of a kernel, then their tags, while the
//! packets are in L2. To open, the one-time keys come first, then the tags, and then the key streams of the
//! packets whose tags are right.

use super::authenticator::{pair, tag};
use super::cipher::{Cipher, TAG_BYTES, check};
use super::one;
use crate::dispatch::select::Runnable;
use crate::dispatch::table::{CHACHA20_XN, POLY1305_PARTS};
use crate::error::AeadError;
use crate::job::chacha20::{self, Keys, Run, Streams, Text, words};
use crate::job::independently;
use crate::job::limits::{FEWEST_PACKETS, LONG_PACKET, PAIRED_BYTES, SHORT_PACKET};
use crate::job::poly1305::{self, Packets, Parts};
use crate::job::wipe::{Zero, scrub_stack, wipe_table};
use crate::poly1305::Tag;

/// The most packets of a group, which are done together.
const GROUP_PACKETS: usize = 64;

/// Places for this many are enough for a small call: they are zeroed in less time.
const FEW_PACKETS: usize = 8;

/// The most bytes of a group.
const GROUP_BYTES: usize = 128 * 1024;

/// A packet of a call for many.
pub struct Packet<'a, const NONCE: usize = 12> {
    /// The nonce. A [`Sender`](super::Sender) and a [`Receiver`](super::Receiver) set it.
    pub nonce: [u8; NONCE],
    /// The associated data, which are authenticated only.
    pub aad: &'a [u8],
    /// The data, which are encrypted or decrypted in place.
    pub data: &'a mut [u8],
    /// The tag. Sealing sets it, opening reads it.
    pub tag: Tag,
}

impl<const NONCE: usize> Cipher<NONCE> {
    /// Encrypts all packets in place and sets their tags. **The caller must never use a nonce twice under one key**: not
    /// in this call, nor before or afterwards.
    ///
    /// The result is that of [`seal_with_nonce`](Self::seal_with_nonce) for each packet. The packets' blocks share the
    /// lanes of vectors, so a call is meant for many short packets.
    ///
    /// # Errors
    /// [`AeadError::TooLong`]: a packet has more than [`MAX_BYTES`](super::MAX_BYTES). Nothing is written then.
    ///
    /// ```
    /// use keylane::aead::{AeadError, ChaCha20Poly1305, Key, Packet, Tag};
    ///
    /// let cipher = ChaCha20Poly1305::new(&Key::from_bytes([7; 32]));
    /// let (mut first, mut second) = (*b"first packet", *b"second");
    /// let packet = |number, data| {
    ///     let nonce = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number];
    ///     Packet { nonce, aad: b"header", data, tag: Tag::default() }
    /// };
    /// let mut packets = [packet(1, &mut first[..]), packet(2, &mut second[..])];
    /// cipher.seal_many_with_nonces(&mut packets)?;
    ///
    /// let mut good = [false; 2];
    /// cipher.open_many(&mut packets, &mut good)?;
    /// assert_eq!((&first, &second), (b"first packet", b"second"));
    /// # Ok::<(), AeadError>(())
    /// ```
    pub fn seal_many_with_nonces(&self, packets: &mut [Packet<'_, NONCE>]) -> Result<(), AeadError> {
        check_all(packets)?;
        seal_all(Ciphers::One(self), packets);
        Ok(())
    }

    /// Encrypts every packet in place under its own cipher, and sets their tags. **The caller must never use a nonce
    /// twice under one key.**
    ///
    /// # Errors
    /// * [`AeadError::Count`]: there are not as many ciphers as packets.
    /// * [`AeadError::TooLong`]: a packet has more than [`MAX_BYTES`](super::MAX_BYTES).
    ///
    /// Nothing is written then.
    ///
    /// ```
    /// use keylane::aead::{AeadError, ChaCha20Poly1305, Key, Packet, Tag};
    ///
    /// let [first, second] = [1, 2].map(|n| ChaCha20Poly1305::new(&Key::from_bytes([n; 32])));
    /// let mut data = [*b"to the first ", *b"to the second"];
    /// let mut packets =
    ///     data.each_mut().map(|data| Packet { nonce: [7; 12], aad: b"", data, tag: Tag::default() });
    /// ChaCha20Poly1305::seal_each_with_nonces(&[&first, &second], &mut packets)?;
    /// ChaCha20Poly1305::open_each(&[&first, &second], &mut packets, &mut [false; 2])?;
    /// assert_eq!(data, [*b"to the first ", *b"to the second"]);
    /// # Ok::<(), AeadError>(())
    /// ```
    pub fn seal_each_with_nonces(
        ciphers: &[&Self],
        packets: &mut [Packet<'_, NONCE>],
    ) -> Result<(), AeadError> {
        check_ciphers(ciphers, packets)?;
        check_all(packets)?;
        seal_all(Ciphers::Each(ciphers), packets);
        Ok(())
    }

    /// Decrypts in place every packet whose tag is right, and sets `good[i]` to whether packet i is one. The data of the
    /// others stay as they are.
    ///
    /// # Errors
    /// * [`AeadError::Forged`]: at least one packet is forged, and `good` says which. The others have been decrypted.
    /// * [`AeadError::Count`]: there are not as many places in `good` as packets.
    /// * [`AeadError::TooLong`]: a packet has more than [`MAX_BYTES`](super::MAX_BYTES).
    ///
    /// With the last two, no packet is decrypted, and all of `good` is `false`.
    ///
    /// ```
    /// use keylane::aead::{AeadError, ChaCha20Poly1305, Key, Packet, Tag};
    ///
    /// let cipher = ChaCha20Poly1305::new(&Key::from_bytes([7; 32]));
    /// let mut data = [*b"genuine", *b"changed"];
    /// let tags = [1, 2].map(|n| cipher.seal_with_nonce(&[n; 12], b"", &mut data[usize::from(n) - 1]));
    /// data[1][3] ^= 1;
    /// let forged = data[1];
    ///
    /// let [first, second] = &mut data;
    /// let [first_tag, second_tag] = tags;
    /// let mut packets = [
    ///     Packet { nonce: [1; 12], aad: b"", data: first, tag: first_tag? },
    ///     Packet { nonce: [2; 12], aad: b"", data: second, tag: second_tag? },
    /// ];
    /// let mut good = [false; 2];
    /// assert_eq!(cipher.open_many(&mut packets, &mut good), Err(AeadError::Forged));
    /// assert_eq!(good, [true, false]);
    /// assert_eq!(data, [*b"genuine", forged]);
    /// # Ok::<(), AeadError>(())
    /// ```
    pub fn open_many(&self, packets: &mut [Packet<'_, NONCE>], good: &mut [bool]) -> Result<(), AeadError> {
        check_flags(packets, good)?;
        open_all(Ciphers::One(self), packets, good, |_, is_genuine| is_genuine);
        if good.iter().all(|&good| good) { Ok(()) } else { Err(AeadError::Forged) }
    }

    /// [`open_many`](Self::open_many), with `reveal` between the comparison of the tags and the branches on its results,
    /// which are public: for a tool that follows secrets.
    ///
    /// # Errors
    /// Those of [`open_many`](Self::open_many).
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn open_many_revealing(
        &self,
        packets: &mut [Packet<'_, NONCE>],
        good: &mut [bool],
        reveal: fn(bool) -> bool,
    ) -> Result<(), AeadError> {
        check_flags(packets, good)?;
        open_all(Ciphers::One(self), packets, good, |_, is_genuine| reveal(is_genuine));
        if good.iter().all(|&good| good) { Ok(()) } else { Err(AeadError::Forged) }
    }

    /// [`open_many`](Self::open_many) with a cipher for each packet.
    ///
    /// # Errors
    /// Those of [`open_many`](Self::open_many), and [`AeadError::Count`] if there are not as many ciphers as packets.
    pub fn open_each(
        ciphers: &[&Self],
        packets: &mut [Packet<'_, NONCE>],
        good: &mut [bool],
    ) -> Result<(), AeadError> {
        check_flags(packets, good)?;
        check_ciphers(ciphers, packets)?;
        open_all(Ciphers::Each(ciphers), packets, good, |_, is_genuine| is_genuine);
        if good.iter().all(|&good| good) { Ok(()) } else { Err(AeadError::Forged) }
    }
}

/// The ciphers of packets.
#[derive(Clone, Copy)]
pub(super) enum Ciphers<'a, const NONCE: usize> {
    /// One for all.
    One(&'a Cipher<NONCE>),
    /// One for each.
    Each(&'a [&'a Cipher<NONCE>]),
}

impl<'a, const NONCE: usize> Ciphers<'a, NONCE> {
    /// Those of the packets from `first` on.
    fn from(self, first: usize) -> Self {
        match self {
            Ciphers::One(_) => self,
            Ciphers::Each(ciphers) => Ciphers::Each(ciphers.get(first..).unwrap_or(&[])),
        }
    }

    /// The cipher of the first packet, if there is one.
    fn first(self) -> Option<&'a Cipher<NONCE>> {
        match self {
            Ciphers::One(cipher) => Some(cipher),
            Ciphers::Each(ciphers) => ciphers.first().copied(),
        }
    }

    /// The key of ChaCha20 if all packets have the same.
    #[inline(always)]
    fn common(self) -> Option<&'a chacha20::Key> {
        match self {
            Ciphers::One(cipher) if NONCE == 12 => Some(&cipher.key),
            _ => None,
        }
    }
}

/// Encrypts all packets in place and sets their tags.
fn seal_all<const NONCE: usize>(ciphers: Ciphers<'_, NONCE>, packets: &mut [Packet<'_, NONCE>]) {
    independently! {
        let (mut rest, mut first) = (packets, 0);
        while !rest.is_empty() {
            let count = share(rest, Some(SHORT_PACKET));
            let (some, after) = rest.split_at_mut_checked(count).unwrap_or_default();
            let ciphers = ciphers.from(first);
            match (some, ciphers.first()) {
                ([packet], Some(cipher)) => {
                    let Packet { nonce, aad, data, tag } = packet;
                    *tag = cipher.with(nonce, |key, nonce| one::seal(key, nonce, aad, None, data));
                }
                (some, _) if some.len() <= FEW_PACKETS => Places::<FEW_PACKETS>::seal(ciphers, some),
                (some, _) => Places::<GROUP_PACKETS>::seal(ciphers, some),
            }
            (rest, first) = (after, first + count);
        }
    }
}

/// Decrypts every packet for which `accept` returns true. `accept` gets the packet's index and whether its tag is right.
/// It is called for the packets of a group in their order, when all their tags are known and none is decrypted yet.
pub(super) fn open_all<const NONCE: usize>(
    ciphers: Ciphers<'_, NONCE>,
    packets: &mut [Packet<'_, NONCE>],
    good: &mut [bool],
    mut accept: impl FnMut(usize, bool) -> bool,
) {
    independently! {
        let (mut rest, mut flags, mut first) = (packets, good, 0);
        while !rest.is_empty() {
            // The one-time keys are a call of their own here, which few packets would wait for.
            let count = share(rest, None);
            let ciphers = ciphers.from(first);
            let (some, after) = rest.split_at_mut_checked(count).unwrap_or_default();
            let (verdicts, flags_after) = flags.split_at_mut_checked(count).unwrap_or_default();
            match (some, verdicts, ciphers.first()) {
                ([packet], [good], Some(cipher)) => {
                    let Packet { nonce, aad, data, tag } = packet;
                    let judge = |is_genuine| one::genuine(accept(first, is_genuine));
                    let opened =
                        cipher.with(nonce, |key, nonce| one::open(key, nonce, aad, None, data, tag, judge));
                    *good = opened.is_ok();
                }
                (some, verdicts, _) if some.len() <= FEW_PACKETS => {
                    Places::<FEW_PACKETS>::open(ciphers, some, verdicts, |i, is_genuine| {
                        accept(first + i, is_genuine)
                    });
                }
                (some, verdicts, _) => {
                    Places::<GROUP_PACKETS>::open(ciphers, some, verdicts, |i, is_genuine| {
                        accept(first + i, is_genuine)
                    });
                }
            }
            (rest, flags, first) = (after, flags_after, first + count);
        }
    }
}

/// Checks that there are as many ciphers as packets.
fn check_ciphers<const NONCE: usize>(
    ciphers: &[&Cipher<NONCE>],
    packets: &[Packet<'_, NONCE>],
) -> Result<(), AeadError> {
    let (packets, others) = (packets.len(), ciphers.len());
    if packets == others { Ok(()) } else { Err(AeadError::Count { packets, others }) }
}

/// Sets all flags to `false`. Checks that there are as many as packets, and the lengths of all packets.
pub(super) fn check_flags<const NONCE: usize>(
    packets: &[Packet<'_, NONCE>],
    good: &mut [bool],
) -> Result<(), AeadError> {
    good.fill(false);
    if packets.len() != good.len() {
        return Err(AeadError::Count { packets: packets.len(), others: good.len() });
    }
    check_all(packets)
}

/// Checks the lengths of all packets.
pub(super) fn check_all<const NONCE: usize>(packets: &[Packet<'_, NONCE>]) -> Result<(), AeadError> {
    packets.iter().try_for_each(|packet| check(packet.data.len()))
}

/// How many packets from the first one on are done together: one if it is long, or if they are few and one of them is longer
/// than `short`.
fn share<const NONCE: usize>(packets: &[Packet<'_, NONCE>], short: Option<usize>) -> usize {
    let (mut count, mut bytes, mut longest) = (0, 0, 0);
    for packet in packets.iter().take(GROUP_PACKETS) {
        let len = packet.data.len();
        if len > LONG_PACKET || bytes + len > GROUP_BYTES {
            break;
        }
        (count, bytes, longest) = (count + 1, bytes + len, longest.max(len));
    }
    let is_few = count < FEWEST_PACKETS && short.is_none_or(|short| longest > short);
    if count == 0 || is_few { 1 } else { count }
}

/// The keys of at most M packets while they are done. They are wiped afterwards.
struct Places<const M: usize> {
    one_time: [poly1305::Key; M],
    /// The keys of ChaCha20, unless all packets have the same.
    keys: [chacha20::Key; M],
    /// How many of them may hold keys.
    used: usize,
}

impl<const M: usize> Places<M> {
    /// Encrypts packets and sets their tags.
    #[inline(never)]
    fn seal<const NONCE: usize>(ciphers: Ciphers<'_, NONCE>, packets: &mut [Packet<'_, NONCE>]) {
        let mut places = Self::EMPTY;
        places.take(ciphers, packets);
        let Places { one_time, keys, .. } = &mut places;
        let runs = one_time.iter_mut().zip(packets.iter_mut()).map(|(one_time, packet)| Run {
            nonce: inner_nonce(&packet.nonce),
            counter: 0,
            one_time: Some(one_time),
            text: Text::in_place(packet.data),
        });
        run::<M>(keys_of(ciphers, keys), runs);
        let mut tags = [[0; TAG_BYTES]; M];
        tags_of(one_time, packets, &mut tags);
        for (packet, tag) in packets.iter_mut().zip(&tags) {
            packet.tag = Tag::from_bytes(*tag);
        }
    }

    /// Checks the tags of packets and decrypts those that `accept` takes.
    #[inline(never)]
    fn open<const NONCE: usize>(
        ciphers: Ciphers<'_, NONCE>,
        packets: &mut [Packet<'_, NONCE>],
        good: &mut [bool],
        mut accept: impl FnMut(usize, bool) -> bool,
    ) {
        let mut places = Self::EMPTY;
        places.take(ciphers, packets);
        let Places { one_time, keys, .. } = &mut places;
        let runs = one_time.iter_mut().zip(packets.iter()).map(|(one_time, packet)| Run {
            nonce: inner_nonce(&packet.nonce),
            counter: 0,
            one_time: Some(one_time),
            text: Text::in_place(&mut []),
        });
        run::<M>(keys_of(ciphers, keys), runs);
        let mut tags = [[0; TAG_BYTES]; M];
        tags_of(one_time, packets, &mut tags);
        for ((packet, tag), good) in packets.iter().zip(&tags).zip(&mut *good) {
            *good = Tag::from_bytes(*tag).is(&packet.tag);
        }
        // The right tag of a forged packet would be a forgery.
        wipe_table(&mut tags);
        for (i, good) in good.iter_mut().enumerate() {
            *good = accept(i, *good);
        }
        let runs = packets.iter_mut().zip(good).map(|(packet, good)| Run {
            nonce: inner_nonce(&packet.nonce),
            counter: 1,
            one_time: None,
            // A forged packet has no block to do, but it keeps its place beside its key.
            text: Text::in_place(if *good { packet.data } else { &mut [] }),
        });
        run::<M>(keys_of(ciphers, keys), runs);
    }

    /// No key yet. A constant: a function would return it by a copy, which needs as much stack again.
    const EMPTY: Self =
        Places { one_time: [poly1305::Key::ZERO; M], keys: [chacha20::Key([0; 8]); M], used: 0 };

    /// Takes the packets' keys of ChaCha20, if these differ.
    #[inline(always)]
    fn take<const NONCE: usize>(&mut self, ciphers: Ciphers<'_, NONCE>, packets: &[Packet<'_, NONCE>]) {
        self.used = packets.len();
        let each = self.keys.iter_mut().take(packets.len());
        match ciphers {
            Ciphers::One(_) if NONCE == 12 => {}
            Ciphers::One(cipher) => each.for_each(|key| *key = cipher.key),
            Ciphers::Each(ciphers) => each.zip(ciphers).for_each(|(key, cipher)| *key = cipher.key),
        }
        if NONCE != 12 {
            derive(&mut self.keys, packets);
        }
    }
}

impl<const M: usize> Drop for Places<M> {
    fn drop(&mut self) {
        self.one_time.iter_mut().take(self.used).for_each(poly1305::Key::wipe);
        self.keys.iter_mut().take(self.used).for_each(chacha20::Key::wipe);
    }
}

/// How many keys are derived together: as many as the widest row has lanes.
const DERIVED: usize = 16;

/// Derives the key of each packet from its cipher's key and the first 16 bytes of its nonce (HChaCha20).
#[inline(never)]
fn derive<const NONCE: usize>(keys: &mut [chacha20::Key], packets: &[Packet<'_, NONCE>]) {
    for (keys, packets) in keys.chunks_mut(DERIVED).zip(packets.chunks(DERIVED)) {
        let mut blocks = [[0; 64]; DERIVED];
        let runs = blocks.iter_mut().zip(packets).map(|(block, packet)| {
            let [counter, nonce @ ..] = words::<4>(&packet.nonce);
            Run { nonce, counter, one_time: None, text: Text::in_place(block) }
        });
        run::<DERIVED>(Keys::Each(keys), runs);
        for ((key, block), packet) in keys.iter_mut().zip(&blocks).zip(packets) {
            *key = chacha20::Key::of_block(block, words(&packet.nonce));
        }
        wipe_table(&mut blocks);
    }
}

/// Computes the tags of packets: by a row with a lane for each, if there is one, or in general registers.
#[inline(always)]
fn tags_of<const NONCE: usize>(
    keys: &[poly1305::Key],
    packets: &[Packet<'_, NONCE>],
    tags: &mut [[u8; TAG_BYTES]],
) {
    match POLY1305_PARTS.if_profitable(packets.len()) {
        Some(row) => tags_by_row(&row, keys, packets, tags),
        None => tags_in_registers(keys, packets, tags),
    }
    if packets.iter().any(|packet| packet.data.len() > PAIRED_BYTES) {
        scrub_stack();
    }
}

/// Computes the tags of packets in general registers: of two short ones side by side.
#[inline(never)]
fn tags_in_registers<const NONCE: usize>(
    keys: &[poly1305::Key],
    packets: &[Packet<'_, NONCE>],
    tags: &mut [[u8; TAG_BYTES]],
) {
    for ((keys, packets), tags) in keys.chunks(2).zip(packets.chunks(2)).zip(tags.chunks_mut(2)) {
        if let ([key, other_key], [packet, other], [place, other_place]) = (keys, packets, &mut *tags)
            && pair(
                [key, other_key],
                [packet.aad, other.aad],
                [packet.data, other.data],
                [place, other_place],
            )
        {
            continue;
        }
        for ((key, packet), place) in keys.iter().zip(packets).zip(tags) {
            *place = tag(key, packet.aad, packet.data).to_bytes();
        }
    }
}

/// How many packets a row of [`POLY1305_PARTS`] gets at a time: a list of more would need more stack.
const LISTED: usize = 32;

/// Computes the tags of packets by a row.
#[inline(never)]
fn tags_by_row<const NONCE: usize>(
    row: &Runnable<Parts>,
    keys: &[poly1305::Key],
    packets: &[Packet<'_, NONCE>],
    tags: &mut [[u8; TAG_BYTES]],
) {
    let mut parts: [[&[u8]; 2]; LISTED] = [[&[]; 2]; LISTED];
    let chunks = packets.chunks(LISTED).zip(tags.chunks_mut(LISTED));
    for (keys, (packets, tags)) in keys.chunks(LISTED).zip(chunks) {
        for (part, packet) in parts.iter_mut().zip(packets) {
            *part = [packet.aad, packet.data];
        }
        let count = packets.len();
        if let (Some(keys), Some(packets), Some(tags)) =
            (keys.get(..count), parts.get(..count), tags.get_mut(..count))
        {
            row.run(Packets { keys, packets, tags });
        }
    }
}

/// The keys of ChaCha20: the common one, or these.
#[inline(always)]
fn keys_of<'a, const NONCE: usize>(ciphers: Ciphers<'a, NONCE>, keys: &'a [chacha20::Key]) -> Keys<'a> {
    ciphers.common().map_or(Keys::Each(keys), Keys::One)
}

/// The nonce of ChaCha20: the whole of a nonce of 12 bytes; of one of 24 bytes, zeros and its end.
#[inline(always)]
fn inner_nonce<const NONCE: usize>(nonce: &[u8; NONCE]) -> [u32; 3] {
    let [n0, n1, n2, _, n4, n5] = words(nonce);
    if NONCE == 12 { [n0, n1, n2] } else { [0, n4, n5] }
}

/// Does at most M runs. Not inlined, so that two calls need the stack of one.
#[inline(never)]
fn run<'a, const M: usize>(keys: Keys<'_>, runs: impl Iterator<Item = Run<'a>>) {
    let mut places = [const { Run::NOTHING }; M];
    let mut used = 0;
    for (place, run) in places.iter_mut().zip(runs) {
        *place = run;
        used += 1;
    }
    CHACHA20_XN.run(Streams { keys, runs: places.get_mut(..used).unwrap_or(&mut []) });
}
