//! Packets of ChaCha20-Poly1305 and XChaCha20-Poly1305: sealed and opened in every way by ciphers, sealed by a sender, and
//! opened by a receiver. Some are forged, some come twice or out of order.

use crate::input::{Text, coded, random_bytes};
use crate::mac::AssumedMethods;
use crate::steps::Forced;
use keylane::aead::{AeadError, Cipher, Key, Numbering, Packet, Receiver, Sender, Tag};
use keylane::job::chacha20::{Pn, Xn};
use keylane::job::kernel::Shape;
use keylane::job::poly1305;
use keylane_conformance::packets::sealed;
use std::collections::HashSet;

/// The most packets in a call: more than are done together.
const COUNT: usize = 150;

/// The most packets in a case, and the longest: keylane-ref is slow.
const PACKETS: usize = 300;
const LENGTH: usize = 600;

/// How many keys packets with a key each have.
const KEYS: usize = 5;

/// The numbers that a receiver remembers, from the greatest one down.
const WINDOW: u64 = 1984;

/// The contents of a destination before a call.
const UNWRITTEN: u8 = 0x55;

coded! {
    /// Calls, and what their packets have in common.
    pub struct Case<'a> {
        /// The seed of the keys.
        pub seed: u32,
        /// The lengths where Poly1305 switches to other loops.
        pub methods: u8,
        /// Packet i has this many bytes of AAD, times i, modulo 71.
        pub aad: u8,
        /// Packet i is the text without its last i times `cut` bytes.
        pub cut: u8,
        /// How numbers become nonces: as in QUIC, TLS 1.3 or WireGuard.
        pub protocol: u8,
        /// The first number that the receiver may get.
        pub base: u64,
        /// How many numbers the sender has, and the receiver from `base` on. With 0 the protocol's limit counts.
        pub numbers: u16,
        /// Whether the receiver looks for replays.
        pub has_window: bool,
        /// How many forged packets the receiver may meet.
        pub forgeries: u16,
        /// The calls.
        pub calls: Vec<Call>,
        /// The text of the first packet of a call.
        pub text: Text<'a>,
    }
}

coded! {
    /// A call.
    pub enum Call {
        /// Forces the public API to use other rows.
        Force {
            /// Those of `chacha20-pn` and `chacha20-xn`.
            chacha20: u8,
            /// Those of Poly1305's slots.
            poly1305: u8
        },
        /// Ciphers seal packets in every way, and open them in every way after some were forged.
        Cipher {
            /// Whether nonces have 24 bytes.
            is_extended: bool,
            /// Whether packets have keys of their own.
            has_keys: bool,
            /// How many packets.
            count: u8,
            /// What is forged.
            forgery: Forgery
        },
        /// The sender seals packets.
        Send {
            /// How many.
            count: u8
        },
        /// The receiver opens packets: packet i has number `base + first + i * step % spread`.
        Receive {
            /// The number of the first.
            first: u16,
            /// From number to number.
            step: u8,
            /// What the numbers are modulo.
            spread: u16,
            /// How many packets.
            count: u8,
            /// What is forged.
            forgery: Forgery
        },
    }
}

coded! {
    /// Changes of packets after they were sealed.
    pub struct Forgery {
        /// Every packet of this number is changed; none if 0.
        pub every: u8,
        /// What is changed, and which bit.
        pub place: u16,
    }
}

impl Forgery {
    /// Whether packet i is changed.
    fn has(&self, i: usize) -> bool {
        self.every > 0 && i.is_multiple_of(usize::from(self.every))
    }

    /// Changes some of the packets. Returns which.
    fn of<const N: usize>(&self, packets: &mut [Sealed<N>]) -> Vec<bool> {
        for (i, packet) in packets.iter_mut().enumerate().filter(|&(i, _)| self.has(i)) {
            packet.forge(usize::from(self.place) + i);
        }
        (0..packets.len()).map(|i| self.has(i)).collect()
    }
}

/// A packet as it is sent.
#[derive(Clone, Debug, PartialEq)]
struct Sealed<const N: usize> {
    nonce: [u8; N],
    aad: Vec<u8>,
    data: Vec<u8>,
    tag: [u8; 16],
}

impl<const N: usize> Sealed<N> {
    /// Changes the packet: its AAD, its data or its tag. A nonce would change a receiver's number.
    fn forge(&mut self, place: usize) {
        let (kind, bit) = (place % 5, place / 5);
        let flip = |bytes: &mut [u8]| {
            let len = bytes.len().max(1);
            let byte = bytes.get_mut(bit / 8 % len);
            byte.map(|byte| *byte ^= 1 << (bit % 8)).is_some()
        };
        let is_changed = match kind {
            0 => flip(&mut self.aad),
            1 => flip(&mut self.data),
            2 => self.data.pop().is_some(),
            3 => {
                self.aad.push(0);
                true
            }
            _ => false,
        };
        if !is_changed {
            flip(&mut self.tag);
        }
    }
}

/// The packets of a call.
fn packets<const N: usize>(sealed: &mut [Sealed<N>]) -> Vec<Packet<'_, N>> {
    sealed
        .iter_mut()
        .map(|Sealed { nonce, aad, data, tag }| Packet {
            nonce: *nonce,
            aad,
            data,
            tag: Tag::from_bytes(*tag),
        })
        .collect()
}

/// Calls `seal` with unsealed packets, and checks what it makes of them.
fn check_sealing<const N: usize>(
    right: &[Sealed<N>],
    texts: &[&[u8]],
    seal: impl FnOnce(&mut [Packet<'_, N>]),
) {
    let mut unsealed = right.to_vec();
    for (packet, text) in unsealed.iter_mut().zip(texts) {
        packet.data = text.to_vec();
        packet.tag = [UNWRITTEN; 16];
    }
    let mut packets = packets(&mut unsealed);
    seal(&mut packets);
    for (i, (packet, right)) in packets.iter().zip(right).enumerate() {
        let made = (packet.nonce, &*packet.data, packet.tag.to_bytes());
        assert_eq!(made, (right.nonce, &right.data[..], right.tag), "packet {i} of {}", right.data.len());
    }
}

/// Calls `open` with packets as they were sent, and checks its result and what it makes of them.
fn check_opening<const N: usize>(
    sent: &[Sealed<N>],
    texts: &[&[u8]],
    right: (Result<(), AeadError>, &[bool]),
    open: impl FnOnce(&mut [Packet<'_, N>], &mut [bool]) -> Result<(), AeadError>,
) {
    let mut opened = sent.to_vec();
    let mut good: Vec<bool> = right.1.iter().map(|good| !good).collect();
    let result = open(&mut packets(&mut opened), &mut good);
    assert_eq!((result, &good[..]), right);
    for (i, ((opened, sent), good)) in opened.iter().zip(sent).zip(good).enumerate() {
        assert_eq!(opened.data, if good { texts[i] } else { &sent.data }, "packet {i}");
    }
}

/// Seals one packet in every way.
fn seal_alone<const N: usize>(cipher: &Cipher<N>, right: &Sealed<N>, text: &[u8]) {
    let Sealed { nonce, aad, data, tag } = right;
    let mut same = text.to_vec();
    let given = cipher.seal_with_nonce(nonce, aad, &mut same).expect("a short text");
    assert_eq!((&same, given.to_bytes()), (data, *tag), "in place");
    let mut other = vec![UNWRITTEN; text.len()];
    let given = cipher.seal_with_nonce_to(nonce, aad, text, &mut other).expect("as many bytes");
    assert_eq!((&other, given.to_bytes()), (data, *tag), "to a destination");
    let mut joined = [text, &[UNWRITTEN; 16]].concat();
    cipher.seal_with_nonce_joined(nonce, aad, &mut joined).expect("room for a tag");
    assert_eq!(joined, [&data[..], tag].concat(), "joined");
}

/// Opens one packet in every way. `text` is `None` if it is forged.
fn open_alone<const N: usize>(cipher: &Cipher<N>, sent: &Sealed<N>, text: Option<&[u8]>) {
    let Sealed { nonce, aad, data, tag } = sent;
    let given = Tag::from_bytes(*tag);
    let result = text.map(|_| ()).ok_or(AeadError::Forged);
    let mut same = data.clone();
    assert_eq!(cipher.open(nonce, aad, &mut same, &given), result);
    assert_eq!(same, text.unwrap_or(data), "in place");
    let unwritten = vec![UNWRITTEN; data.len()];
    let mut other = unwritten.clone();
    assert_eq!(cipher.open_to(nonce, aad, data, &mut other, &given), result);
    assert_eq!(other, text.unwrap_or(&unwritten), "to a destination");
    let mut joined = [&data[..], tag].concat();
    assert_eq!(cipher.open_joined(nonce, aad, &mut joined).map(|_| ()), result);
    assert_eq!(joined, [text.unwrap_or(data), tag].concat(), "joined");
}

/// Counts and lengths that differ are errors, and nothing is written.
fn refuse<const N: usize>(cipher: &Cipher<N>, sent: &[Sealed<N>]) {
    let count = sent.len();
    let mut same = sent.to_vec();
    let mut packets = packets(&mut same);
    for others in [count + 1, count.saturating_sub(1)].into_iter().filter(|&others| others != count) {
        let error = Err(AeadError::Count { packets: count, others });
        let (ciphers, some) = (vec![cipher; others], vec![cipher; count]);
        let mut good = vec![true; others];
        assert_eq!(cipher.open_many(&mut packets, &mut good), error);
        assert_eq!(Cipher::open_each(&some, &mut packets, &mut good), error);
        assert!(!good.contains(&true));
        let mut good = vec![true; count];
        assert_eq!(Cipher::open_each(&ciphers, &mut packets, &mut good), error);
        assert!(!good.contains(&true));
        assert_eq!(Cipher::seal_each_with_nonces(&ciphers, &mut packets), error);
    }
    for (packet, sent) in packets.iter().zip(sent) {
        assert_eq!((&*packet.data, packet.tag.to_bytes()), (&sent.data[..], sent.tag));
    }
    let Some(Sealed { nonce, aad, data, tag }) = sent.first() else { return };
    for destination in [data.len() + 1, data.len().wrapping_sub(1)].into_iter().filter(|&len| len <= LENGTH) {
        let error = AeadError::Destination { source: data.len(), destination };
        let mut other = vec![UNWRITTEN; destination];
        assert_eq!(cipher.seal_with_nonce_to(nonce, aad, data, &mut other).err(), Some(error));
        assert_eq!(cipher.open_to(nonce, aad, data, &mut other, &Tag::from_bytes(*tag)), Err(error));
        assert_eq!(other, vec![UNWRITTEN; destination]);
    }
    let mut short = vec![UNWRITTEN; data.len() % 16];
    let error = AeadError::NoRoom { bytes: short.len() };
    assert_eq!(cipher.seal_with_nonce_joined(nonce, aad, &mut short), Err(error));
    assert_eq!(cipher.open_joined(nonce, aad, &mut short).err(), Some(AeadError::Forged));
    assert_eq!(short, vec![UNWRITTEN; data.len() % 16]);
}

/// How the nonces of a sender and a receiver are made, beside [`Numbering`].
struct Protocol {
    iv: [u8; 12],
    is_little_endian: bool,
    numbering: Numbering,
    /// The first number that may not be used.
    end: u64,
}

impl Protocol {
    /// The nonce of a number.
    fn nonce(&self, number: u64) -> [u8; 12] {
        let mut bytes = [0; 12];
        let number = if self.is_little_endian { number.swap_bytes() } else { number };
        bytes[4..].copy_from_slice(&number.to_be_bytes());
        std::array::from_fn(|i| self.iv[i] ^ bytes[i])
    }

    /// The same with another end.
    fn ending_at(self, end: u64) -> Self {
        Protocol { numbering: self.numbering.ending_at(end), end: self.end.min(end), ..self }
    }
}

/// What a receiver must do: a set of all numbers that it has seen.
struct Seen {
    numbers: HashSet<u64>,
    greatest: u64,
    /// How many forged packets may still come.
    forgeries: u64,
}

impl Seen {
    /// Whether a genuine packet of this number opens.
    fn add(&mut self, number: u64) -> bool {
        let is_old = self.greatest.checked_sub(number).is_some_and(|age| age >= WINDOW);
        let is_new = !is_old && self.numbers.insert(number);
        self.greatest = self.greatest.max(number);
        is_new
    }
}

impl Case<'_> {
    /// Panics if an answer is wrong.
    pub fn run(&self) {
        let mut chacha20 = [Pn::SLOT, Xn::SLOT].map(Forced::new);
        let mut poly1305 = [poly1305::X1::SLOT, poly1305::Pn::SLOT, poly1305::Parts::SLOT].map(Forced::new);
        let _methods = AssumedMethods::assume(self.methods);
        let text = self.text.bytes();
        let text = &text[..text.len().min(LENGTH)];
        let sending = self.limited(0);
        let mut sender = Sender::new(self.key(0), sending.numbering);
        let receiving = self.limited(self.base);
        let mut receiver =
            Receiver::new(self.key(0), receiving.numbering).with_forgeries(self.forgeries.into());
        if !self.has_window {
            receiver = receiver.with_replays();
        }
        let mut seen = Seen { numbers: HashSet::new(), greatest: 0, forgeries: self.forgeries.into() };
        let mut left = PACKETS;
        for call in &self.calls {
            let mut texts = |count: u8| -> Vec<&[u8]> {
                let count = (usize::from(count) % (COUNT + 1)).min(left);
                left -= count;
                (0..count).map(|i| &text[..text.len().saturating_sub(i * usize::from(self.cut))]).collect()
            };
            match *call {
                Call::Force { chacha20: row, poly1305: other } => {
                    chacha20.iter_mut().for_each(|forced| forced.force(row));
                    poly1305.iter_mut().for_each(|forced| forced.force(other));
                }
                Call::Cipher { is_extended: false, has_keys, count, ref forgery } => {
                    self.cipher::<12>(has_keys, &texts(count), forgery);
                }
                Call::Cipher { is_extended: true, has_keys, count, ref forgery } => {
                    self.cipher::<24>(has_keys, &texts(count), forgery);
                }
                Call::Send { count } => self.send(&mut sender, &sending, &texts(count)),
                Call::Receive { first, step, spread, count, ref forgery } => {
                    let texts = texts(count);
                    let number = |i: usize| i * usize::from(step) % usize::from(spread).max(1);
                    let number = |i| self.base.saturating_add(u64::from(first) + number(i) as u64);
                    let numbers: Vec<u64> = (0..texts.len()).map(number).collect();
                    self.receive(&mut receiver, (&receiving, &mut seen), &numbers, &texts, forgery);
                }
            }
        }
    }

    /// A key.
    fn key_bytes(&self, number: usize) -> [u8; 32] {
        random_bytes(self.seed ^ number as u32, 32).as_ref().try_into().expect("32 bytes")
    }

    /// The same, as the API takes it.
    fn key(&self, number: usize) -> Key {
        Key::from_bytes(self.key_bytes(number))
    }

    /// Packet i of a text under a key and a nonce.
    fn sealed<const N: usize>(&self, key: usize, nonce: [u8; N], i: usize, text: &[u8]) -> Sealed<N> {
        let aad = random_bytes(self.seed, i * usize::from(self.aad) % 71).into_vec();
        let (data, tag) = sealed(&self.key_bytes(key), &nonce, &aad, text);
        Sealed { nonce, aad, data, tag }
    }

    /// The protocol, with as many numbers from `first` on as the case allows.
    fn limited(&self, first: u64) -> Protocol {
        let iv = random_bytes(!self.seed, 12).as_ref().try_into().expect("12 bytes");
        let (numbering, iv, end) = match self.protocol % 3 {
            0 => (Numbering::quic(iv), iv, 1 << 62),
            1 => (Numbering::tls13(iv), iv, u64::MAX),
            _ => (Numbering::wireguard(), [0; 12], u64::MAX - (1 << 13)),
        };
        let protocol = Protocol { iv, is_little_endian: self.protocol % 3 == 2, numbering, end };
        match self.numbers {
            0 => protocol,
            numbers => protocol.ending_at(first.saturating_add(numbers.into())),
        }
    }

    /// Ciphers seal and open these texts.
    fn cipher<const N: usize>(&self, has_keys: bool, texts: &[&[u8]], forgery: &Forgery) {
        let ciphers: Vec<Cipher<N>> = (0..KEYS).map(|i| Cipher::new(&self.key(i))).collect();
        let key = |i: usize| if has_keys { i % KEYS } else { 0 };
        let each: Vec<&Cipher<N>> = (0..texts.len()).map(|i| &ciphers[key(i)]).collect();
        let nonce = |i: usize| *random_bytes(i as u32, N).first_chunk().expect("N bytes");
        let right: Vec<Sealed<N>> =
            texts.iter().enumerate().map(|(i, text)| self.sealed(key(i), nonce(i), i, text)).collect();

        check_sealing(&right, texts, |packets| match has_keys {
            true => Cipher::seal_each_with_nonces(&each, packets).expect("as many ciphers"),
            false => ciphers[0].seal_many_with_nonces(packets).expect("short texts"),
        });
        for ((cipher, right), text) in each.iter().zip(&right).zip(texts) {
            seal_alone(cipher, right, text);
        }

        let mut sent = right;
        let good: Vec<bool> = forgery.of(&mut sent).iter().map(|is_forged| !is_forged).collect();
        let result = if good.contains(&false) { Err(AeadError::Forged) } else { Ok(()) };
        check_opening(&sent, texts, (result, &good), |packets, good| match has_keys {
            true => Cipher::open_each(&each, packets, good),
            false => ciphers[0].open_many(packets, good),
        });
        for (i, (cipher, sent)) in each.iter().zip(&sent).enumerate() {
            open_alone(cipher, sent, good[i].then_some(texts[i]));
        }
        refuse(&ciphers[0], &sent);
    }

    /// The sender seals these texts: one by itself, more in one call.
    fn send(&self, sender: &mut Sender, protocol: &Protocol, texts: &[&[u8]]) {
        let (first, count) = (sender.next_number(), texts.len() as u64);
        let nonce = |i: usize| protocol.nonce(first + i as u64);
        let mut right: Vec<Sealed<12>> =
            texts.iter().enumerate().map(|(i, text)| self.sealed(0, nonce(i), i, text)).collect();
        let is_exhausted = first + count > protocol.end;
        if is_exhausted {
            // All stays as it was.
            for (packet, text) in right.iter_mut().zip(texts) {
                packet.data = text.to_vec();
                packet.tag = [UNWRITTEN; 16];
            }
        }
        let result = if is_exhausted { Err(AeadError::Exhausted) } else { Ok(first) };
        check_sealing(&right, texts, |packets| match packets {
            [packet] => {
                let sealed = sender.seal(packet.aad, packet.data);
                packet.tag = sealed.map_or(packet.tag, |(_, tag)| tag);
                assert_eq!(sealed.map(|(number, _)| number), result);
            }
            packets => {
                if !is_exhausted {
                    // The sender sets them.
                    packets.iter_mut().for_each(|packet| packet.nonce = [UNWRITTEN; 12]);
                }
                assert_eq!(sender.seal_many(packets), result);
            }
        });
        assert_eq!(sender.next_number(), first + if is_exhausted { 0 } else { count });
    }

    /// The receiver opens these texts: one by itself, more in one call.
    fn receive(
        &self,
        receiver: &mut Receiver,
        (protocol, seen): (&Protocol, &mut Seen),
        numbers: &[u64],
        texts: &[&[u8]],
        forgery: &Forgery,
    ) {
        let count = texts.len();
        let packet = |(i, text): (usize, &&[u8])| self.sealed(0, protocol.nonce(numbers[i]), i, text);
        let mut sent: Vec<Sealed<12>> = texts.iter().enumerate().map(packet).collect();
        let is_forged = forgery.of(&mut sent);
        // The receiver makes the nonces from the numbers.
        sent.iter_mut().for_each(|packet| packet.nonce = [UNWRITTEN; 12]);

        let none = vec![false; count];
        let more = [numbers, &[0]].concat();
        for others in [&more[..], numbers.split_last().map_or(&more[..], |(_, fewer)| fewer)] {
            let error = Err(AeadError::Count { packets: count, others: others.len() });
            check_opening(&sent, texts, (error, &none), |packets, good| {
                receiver.open_many(others, packets, good)
            });
            let mut good = vec![true; others.len()];
            assert_eq!(receiver.open_many(numbers, &mut packets(&mut sent.clone()), &mut good), error);
            assert!(!good.contains(&true));
        }

        let is_refused = count as u64 > seen.forgeries;
        let mut opens = |i: usize| {
            let is_allowed = !is_refused && !is_forged[i] && numbers[i] < protocol.end;
            is_allowed && (!self.has_window || seen.add(numbers[i]))
        };
        let good: Vec<bool> = (0..count).map(&mut opens).collect();
        let forged = is_forged.iter().filter(|&&is_forged| is_forged).count();
        let result = if is_refused {
            Err(AeadError::TooManyForged)
        } else if forged > 0 {
            seen.forgeries -= forged as u64;
            Err(AeadError::Forged)
        } else if good.contains(&false) {
            Err(AeadError::Replayed)
        } else {
            Ok(())
        };
        check_opening(&sent, texts, (result, &good), |packets, good| match packets {
            [packet] => {
                let result = receiver.open(numbers[0], packet.aad, packet.data, &packet.tag);
                good[0] = result.is_ok();
                result
            }
            packets => receiver.open_many(numbers, packets, good),
        });
    }

    /// Calls `keep` with a case of each kind.
    pub fn seeds(keep: &mut dyn FnMut(&Case<'_>)) {
        let right = Forgery { every: 0, place: 0 };
        let forged = |every, place| Forgery { every, place };
        let case = Case {
            seed: 1,
            methods: 0,
            aad: 5,
            cut: 3,
            protocol: 0,
            base: 0,
            numbers: 0,
            has_window: true,
            forgeries: 1000,
            calls: vec![],
            text: Text::Counting { len: 400 },
        };
        for (row, count) in (0..).zip([0, 1, 2, 8, 9, 64, 65, 150]) {
            for (is_extended, has_keys) in [(false, false), (false, true), (true, false), (true, true)] {
                let call = |forgery| Call::Cipher { is_extended, has_keys, count, forgery };
                let calls = vec![Call::Force { chacha20: row, poly1305: row }, call(forged(3, row.into()))];
                keep(&Case { methods: row, calls, ..case.clone() });
                let short = Text::Counting { len: 64 };
                keep(&Case { cut: 0, calls: vec![call(right.clone())], text: short, ..case.clone() });
            }
            // In order, in disorder, and the same numbers again.
            let receive =
                |first, step, spread, forgery| Call::Receive { first, step, spread, count, forgery };
            let calls = vec![
                Call::Send { count },
                receive(0, 1, 150, right.clone()),
                Call::Send { count: 1 },
                receive(100, 7, 90, forged(2, row.into())),
                receive(0, 1, 200, right.clone()),
            ];
            keep(&Case { protocol: row, calls: calls.clone(), ..case.clone() });
            keep(&Case { protocol: row, has_window: false, calls: calls.clone(), ..case.clone() });
            keep(&Case { protocol: row, numbers: 100, forgeries: 40, calls, ..case.clone() });
        }
        // The window's edge, and the last numbers of each protocol.
        let one = |first| Call::Receive { first, step: 0, spread: 0, count: 1, forgery: right.clone() };
        let at = [2000, 17, 16, 17, 63, 64, 1999, 2000, 4000, 2016, 2017].map(one).to_vec();
        let late = Call::Receive { first: 2000, step: 97, spread: 2100, count: 40, forgery: right.clone() };
        keep(&Case { calls: [at, vec![late]].concat(), ..case.clone() });
        for (protocol, base) in (0..).zip([(1 << 62) - 5, u64::MAX - 5, u64::MAX - (1 << 13) - 5]) {
            let calls = [6, 5, 4, 3, 4].map(one).to_vec();
            keep(&Case { protocol, base, calls, ..case.clone() });
        }
    }
}
