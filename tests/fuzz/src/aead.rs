//! Packets of ChaCha20-Poly1305: sealed one by one and in one call, some forged, and opened in one call by a receiver that
//! sees some numbers twice.

use crate::input::{Text, coded, random_bytes};
use crate::steps::Forced;
use keylane::aead::{AeadError, ChaCha20Poly1305, Key, Numbering, Packet, Receiver, Tag};
use keylane::job::chacha20::{Pn, Xn};
use keylane::job::kernel::Shape;
use keylane::job::poly1305::Parts;
use std::collections::HashSet;

/// The most packets in a call: more than are done together.
const COUNT: usize = 150;

/// The longest packet: keylane-ref is slow.
const LENGTH: usize = 600;

coded! {
    /// A call.
    pub struct Case<'a> {
        /// The rows that the public API is forced to use: of `chacha20-pn` and `chacha20-xn`.
        pub row: u8,
        /// That of `poly1305-parts`.
        pub parts: u8,
        /// The number of packets.
        pub count: u8,
        /// The seed of the key.
        pub seed: u32,
        /// Packet i has this many bytes of AAD, times i, modulo 71.
        pub aad: u8,
        /// Packet i is the text without its last i times `cut` bytes.
        pub cut: u8,
        /// Every packet of this number is forged; none if 0.
        pub forged: u8,
        /// How many numbers there are; packet i has number i modulo this.
        pub numbers: u8,
        /// The text of the first packet.
        pub text: Text<'a>,
    }
}

impl Case<'_> {
    /// Panics if an answer is wrong.
    pub fn run(&self) {
        let slots = [Pn::SLOT, Xn::SLOT, Parts::SLOT];
        let mut forced = slots.map(Forced::new);
        forced.iter_mut().zip([self.row, self.row, self.parts]).for_each(|(forced, row)| forced.force(row));

        let key: [u8; 32] = random_bytes(self.seed, 32).as_ref().try_into().expect("32 bytes");
        let cipher = ChaCha20Poly1305::new(&Key::from_bytes(key));
        let count = usize::from(self.count) % (COUNT + 1);
        let text = self.text.bytes();
        let text = &text[..text.len().min(LENGTH)];
        let texts: Vec<&[u8]> =
            (0..count).map(|i| &text[..text.len().saturating_sub(i * usize::from(self.cut))]).collect();
        let bytes = random_bytes(self.seed ^ 1, 71);
        let aad = |i: usize| &bytes[..i * usize::from(self.aad) % 71];
        let number = |i: usize| (i % usize::from(self.numbers).max(1)) as u64;
        let nonce = |i: usize| {
            let mut nonce = [0; 12];
            nonce[4..].copy_from_slice(&number(i).to_le_bytes());
            nonce
        };
        let right: Vec<(Vec<u8>, [u8; 16])> =
            (0..count).map(|i| keylane_ref::chacha20_poly1305(&key, &nonce(i), aad(i), texts[i])).collect();

        let mut data: Vec<Vec<u8>> = texts.iter().map(|text| text.to_vec()).collect();
        let mut packets: Vec<Packet<'_>> = data
            .iter_mut()
            .enumerate()
            .map(|(i, data)| Packet { nonce: nonce(i), aad: aad(i), data, tag: Tag::default() })
            .collect();
        cipher.seal_many_with_nonces(&mut packets).expect("short texts");
        for (i, packet) in packets.iter().enumerate() {
            assert_eq!((&*packet.data, packet.tag.to_bytes()), (&right[i].0[..], right[i].1), "packet {i}");
            let mut alone = texts[i].to_vec();
            let tag = cipher.seal_with_nonce(&nonce(i), aad(i), &mut alone).expect("a short text");
            assert_eq!((&alone, tag.to_bytes()), (&right[i].0, right[i].1), "packet {i} alone");
        }

        let is_forged = |i: usize| self.forged > 0 && i.is_multiple_of(usize::from(self.forged));
        for (i, packet) in packets.iter_mut().enumerate().filter(|&(i, _)| is_forged(i)) {
            let mut tag = right[i].1;
            tag[i % 16] ^= 1 << (i % 8);
            packet.tag = Tag::from_bytes(tag);
        }
        let mut receiver = Receiver::new(Key::from_bytes(key), Numbering::wireguard());
        let numbers: Vec<u64> = (0..count).map(number).collect();
        let mut good = vec![true; count];
        let result = receiver.open_many(&numbers, &mut packets, &mut good);
        let mut seen = HashSet::new();
        let opened: Vec<bool> = (0..count).map(|i| !is_forged(i) && seen.insert(number(i))).collect();
        let expected = if (0..count).any(is_forged) {
            Err(AeadError::Forged)
        } else if opened.contains(&false) {
            Err(AeadError::Replayed)
        } else {
            Ok(())
        };
        assert_eq!((result, &good), (expected, &opened));
        for (i, packet) in packets.iter().enumerate() {
            let left = if opened[i] { texts[i] } else { &right[i].0 };
            assert_eq!(packet.data, left, "packet {i}");
        }
    }

    /// Calls `keep` with a case of each kind.
    pub fn seeds(keep: &mut dyn FnMut(&Case<'_>)) {
        for (row, count) in (0..).zip([0, 1, 2, 8, 9, 64, 65, 150]) {
            let right = Case {
                row,
                parts: row,
                count,
                seed: 1,
                aad: 5,
                cut: 3,
                forged: 0,
                numbers: 255,
                text: Text::Counting { len: 400 },
            };
            keep(&right);
            keep(&Case { cut: 0, text: Text::Counting { len: 64 }, ..right.clone() });
            keep(&Case { forged: 3, ..right.clone() });
            keep(&Case { numbers: 7, ..right.clone() });
            keep(&Case { forged: 2, numbers: 70, ..right });
        }
    }
}
