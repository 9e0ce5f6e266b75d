//! ChaCha20-Poly1305 and XChaCha20-Poly1305 through the public API, with each row of the slots that they use.

use keylane::aead::{
    AeadError, ChaCha20Poly1305, Cipher, Key, Numbering, Packet, Receiver, Sender, Tag, XChaCha20Poly1305,
};
use keylane::kernels::{self, Status};
use keylane::siphash::{self, SipHash24};
use keylane_conformance::input::{Random, counting};
use keylane_conformance::packets::sealed;
use keylane_conformance::vectors::{self, PacketCase, Verdict};
use keylane_ref as spec;
use std::sync::{Mutex, PoisonError};

/// Rows are chosen for the whole process, so one test at a time chooses them.
static CHOICE: Mutex<()> = Mutex::new(());

/// Calls `work` with each row of the AEAD's slots that runs here, and at last with the usual rows.
fn with_each_row(mut work: impl FnMut()) {
    let _choice = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
    let is_used = |slot: &str| slot.starts_with("chacha20") || slot == "poly1305-parts";
    let rows: Vec<_> = kernels::list().filter(|row| is_used(row.slot())).collect();
    let usual: Vec<_> = rows.iter().filter(|row| row.status() == Status::Active).collect();
    assert_eq!(usual.len(), 4, "each slot has an active row");
    let choose = |slot: &str, id: &str| kernels::force(slot, id).expect("a row that runs here");
    for row in rows.iter().filter(|row| row.status() != Status::NotOnThisCpu) {
        choose(row.slot(), row.id());
        work();
    }
    for row in usual {
        choose(row.slot(), row.id());
    }
    work();
}

/// Checks one packet in every way to seal and to open it.
fn check_packet<const N: usize>(key: &[u8; 32], nonce: &[u8; N], aad: &[u8], text: &[u8]) {
    let cipher = Cipher::<N>::new(&Key::from_bytes(*key));
    let (ciphertext, tag) = sealed(key, nonce, aad, text);
    let lengths = (text.len(), aad.len());
    let right = Tag::from_bytes(tag);

    let mut data = text.to_vec();
    let given = cipher.seal_with_nonce(nonce, aad, &mut data).expect("a short text");
    assert_eq!((&data, given.to_bytes()), (&ciphertext, tag), "in place: {lengths:?}");
    cipher.open(nonce, aad, &mut data, &right).expect("the right tag");
    assert_eq!(data, text, "opened in place: {lengths:?}");

    let mut to = vec![0x55; text.len()];
    let given = cipher.seal_with_nonce_to(nonce, aad, text, &mut to).expect("a short text");
    assert_eq!((&to, given.to_bytes()), (&ciphertext, tag), "to a destination: {lengths:?}");
    to.fill(0x55);
    cipher.open_to(nonce, aad, &ciphertext, &mut to, &right).expect("the right tag");
    assert_eq!(to, text, "opened to a destination: {lengths:?}");

    let mut joined = [text, &[0x55; 16]].concat();
    cipher.seal_with_nonce_joined(nonce, aad, &mut joined).expect("a short text");
    assert_eq!(joined, [&ciphertext[..], &tag].concat(), "joined: {lengths:?}");
    assert_eq!(cipher.open_joined(nonce, aad, &mut joined).expect("the right tag"), text);
    assert_eq!(joined[text.len()..], tag, "the tag stays: {lengths:?}");
}

/// Checks that a packet is refused in every way, and that nothing is written.
fn check_forged<const N: usize>(
    cipher: &Cipher<N>,
    nonce: &[u8; N],
    aad: &[u8],
    ciphertext: &[u8],
    tag: [u8; 16],
) {
    let given = Tag::from_bytes(tag);
    let mut data = ciphertext.to_vec();
    assert_eq!(cipher.open(nonce, aad, &mut data, &given), Err(AeadError::Forged));
    assert_eq!(data, ciphertext, "a forged packet stays as it is");
    let mut to = vec![0x55; ciphertext.len()];
    assert_eq!(cipher.open_to(nonce, aad, ciphertext, &mut to, &given), Err(AeadError::Forged));
    assert_eq!(to, vec![0x55; ciphertext.len()], "nothing is written");
    let joined = [ciphertext, &tag].concat();
    let mut buffer = joined.clone();
    assert_eq!(cipher.open_joined(nonce, aad, &mut buffer).err(), Some(AeadError::Forged));
    assert_eq!(buffer, joined, "a forged packet stays as it is");
    let mut packets = [Packet { nonce: *nonce, aad, data: &mut data, tag: given }];
    let mut good = [true];
    assert_eq!(cipher.open_many(&mut packets, &mut good), Err(AeadError::Forged));
    assert_eq!(good, [false]);
    assert_eq!(data, ciphertext, "a forged packet stays as it is");
}

/// Every case of a file whose nonce has N bytes. Returns how many are valid, and how many are not.
fn check_file<const N: usize>(cases: &[PacketCase]) -> [usize; 2] {
    let mut counts = [0; 2];
    for PacketCase { key, nonce, aad, message, ciphertext, tag, verdict } in cases {
        let Ok(nonce) = <&[u8; N]>::try_from(nonce.as_slice()) else { continue };
        match verdict {
            Verdict::Valid => {
                assert_eq!(sealed(key, nonce, aad, message), (ciphertext.clone(), *tag));
                check_packet(key, nonce, aad, message);
                counts[0] += 1;
            }
            Verdict::Invalid => {
                let cipher = Cipher::<N>::new(&Key::from_bytes(*key));
                check_forged(&cipher, nonce, aad, ciphertext, *tag);
                counts[1] += 1;
            }
        }
    }
    counts
}

#[test]
fn wycheproof() {
    let [short, long] = vectors::wycheproof_packets();
    with_each_row(|| {
        assert_eq!(check_file::<12>(&short), [256, 60]);
        assert_eq!(check_file::<24>(&long), [246, 60]);
    });
}

/// draft-irtf-cfrg-xchacha-03, appendix A.3.1.
#[test]
fn xchacha_draft() {
    let text =
        b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
                 sunscreen would be it.";
    let key = std::array::from_fn(|i| 0x80 + i as u8);
    let nonce: [u8; 24] = std::array::from_fn(|i| 0x40 + i as u8);
    let aad = [0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7];
    let cipher = XChaCha20Poly1305::new(&Key::from_bytes(key));
    let mut data = *text;
    let tag = cipher.seal_with_nonce(&nonce, &aad, &mut data).expect("a short text");
    assert_eq!(data[..16], 0xbd6d179d3e83d43b9576579493c0e939u128.to_be_bytes());
    assert_eq!(tag.to_bytes(), 0xc0875924c1c7987947deafd8780acf49u128.to_be_bytes());
    check_packet(&key, &nonce, &aad, text);
}

/// Every length to beyond the pieces that fit into L1, with AAD of several lengths.
#[test]
fn lengths() {
    let mut random = Random(31);
    let pool: Vec<u8> = (0..40_000).map(|_| random.word() as u8).collect();
    with_each_row(|| {
        let some = [4096, 16_319, 16_320, 16_383, 16_384, 16_385, 16_448, 32_704, 32_768, 39_001];
        for len in (0..=2048).chain((2061..2640).step_by(37)).chain(some) {
            let aad = &pool[..[0, 12, 16, 20, 64, 321][len % 6]];
            check_packet::<12>(&random.bytes(), &random.bytes(), aad, &pool[..len]);
        }
        for len in (0..=200).chain([447, 448, 449, 959, 960, 961, 17_000]) {
            check_packet::<24>(&random.bytes(), &random.bytes(), &pool[..len % 33], &pool[..len]);
        }
    });
}

/// Block numbers of more than 16 bits.
#[test]
fn a_long_packet() {
    let text = counting((64 << 16) + 1000);
    check_packet::<12>(&[1; 32], &[2; 12], b"aad", &text);
}

/// Random packets, which x/crypto seals too (go/bench/chacha20poly1305_test.go): the hash of all ciphertexts and tags
/// must be the one there.
#[test]
fn packets_of_go() {
    let mut random = Random(59);
    let mut sealed = Vec::new();
    for i in 0..300 {
        let (key, nonce) = (random.bytes(), random.bytes());
        let some = |random: &mut Random, most| {
            let len = random.below(most);
            (0..len).map(|_| random.word() as u8).collect::<Vec<u8>>()
        };
        let (aad, text) = (some(&mut random, 100), some(&mut random, 3000));
        let cipher = ChaCha20Poly1305::new(&Key::from_bytes(key));
        let mut data = text.clone();
        let tag = cipher.seal_with_nonce(&nonce, &aad, &mut data).expect("a short text");
        sealed.extend([&data[..], &tag.to_bytes()].concat());
        cipher.open(&nonce, &aad, &mut data, &tag).expect("a genuine packet");
        assert_eq!(data, text, "packet {i}");
    }
    let hash = SipHash24::new(&siphash::Key::from_bytes([0; 16])).hash(&sealed);
    assert_eq!(hash, 0x4341_e0b0_5369_5600);
}

/// The first and the last bytes of everything that is authenticated.
#[test]
fn forged() {
    let mut random = Random(32);
    let key = random.bytes();
    let (nonce, aad): ([u8; 12], [u8; 20]) = (random.bytes(), random.bytes());
    with_each_row(|| {
        let cipher = ChaCha20Poly1305::new(&Key::from_bytes(key));
        for len in [0, 1, 16, 63, 64, 65, 192, 193, 448, 449, 960, 961, 1500, 17_000] {
            let text: Vec<u8> = (0..len).map(|_| random.word() as u8).collect();
            let (ciphertext, tag) = sealed(&key, &nonce, &aad, &text);
            for bit in [0, 7, 63, 64, 127] {
                let mut tag = tag;
                tag[bit / 8] ^= 1 << (bit % 8);
                check_forged(&cipher, &nonce, &aad, &ciphertext, tag);
            }
            for byte in [0, len / 2, usize::saturating_sub(len, 1)] {
                let mut changed = ciphertext.clone();
                if let Some(byte) = changed.get_mut(byte) {
                    *byte ^= 0x80;
                    check_forged(&cipher, &nonce, &aad, &changed, tag);
                }
            }
            let mut other = nonce;
            other[11] ^= 1;
            check_forged(&cipher, &other, &aad, &ciphertext, tag);
            check_forged(&cipher, &nonce, &aad[..19], &ciphertext, tag);
            check_forged(&cipher, &nonce, &[&aad[..], &[0]].concat(), &ciphertext, tag);
        }
    });
}

/// A batch: the packets' nonces, AAD and texts.
struct Batch<const N: usize> {
    key: [u8; 32],
    packets: Vec<([u8; N], Vec<u8>, Vec<u8>)>,
}

impl<const N: usize> Batch<N> {
    /// Random packets of these lengths.
    fn random(random: &mut Random, lengths: &[usize]) -> Self {
        let packet = |&len: &usize| {
            let aad = (0..[0, 5, 16, 33][random.below(4)]).map(|_| random.word() as u8).collect();
            (random.bytes(), aad, (0..len).map(|_| random.word() as u8).collect())
        };
        let packets = lengths.iter().map(packet).collect();
        Batch { key: Random(lengths.len() as u64).bytes(), packets }
    }

    /// Seals all in one call; forges those that `is_forged` names; opens all in one call.
    fn check(&self, is_forged: impl Fn(usize) -> bool) {
        let cipher = Cipher::<N>::new(&Key::from_bytes(self.key));
        let mut data: Vec<Vec<u8>> = self.packets.iter().map(|(_, _, text)| text.clone()).collect();
        let mut packets: Vec<Packet<'_, N>> = self
            .packets
            .iter()
            .zip(&mut data)
            .map(|((nonce, aad, _), data)| Packet { nonce: *nonce, aad, data, tag: Tag::default() })
            .collect();
        cipher.seal_many_with_nonces(&mut packets).expect("short texts");
        let count = packets.len();
        for (i, (packet, (nonce, aad, text))) in packets.iter_mut().zip(&self.packets).enumerate() {
            let (ciphertext, tag) = sealed(&self.key, nonce, aad, text);
            assert_eq!(
                (&*packet.data, packet.tag.to_bytes()),
                (&ciphertext[..], tag),
                "packet {i} of {count}"
            );
            if is_forged(i) {
                let mut tag = tag;
                tag[i % 16] ^= 1;
                packet.tag = Tag::from_bytes(tag);
            }
        }
        let mut good = vec![false; count];
        let result = cipher.open_many(&mut packets, &mut good);
        let any = (0..count).any(&is_forged);
        assert_eq!(result, if any { Err(AeadError::Forged) } else { Ok(()) });
        for (i, ((packet, good), (nonce, aad, text))) in
            packets.iter().zip(good).zip(&self.packets).enumerate()
        {
            assert_eq!(good, !is_forged(i), "packet {i} of {count}");
            let left = if good { text.clone() } else { sealed(&self.key, nonce, aad, text).0 };
            assert_eq!(packet.data, left, "packet {i} of {count}");
        }
    }
}

/// Batches of every size to 70, of one length and mixed, with forged packets at every place.
#[test]
fn batches() {
    let mut random = Random(33);
    with_each_row(|| {
        for count in (0..=70).chain([127, 128, 129, 200]) {
            for kind in 0..3 {
                let lengths: Vec<usize> =
                    (0..count).map(|_| [64, random.below(200), random.below(1500)][kind]).collect();
                let batch = Batch::<12>::random(&mut random, &lengths);
                batch.check(|_| false);
                batch.check(|i| i % 4 == count % 4);
                batch.check(|i| i == count / 2);
            }
            let lengths: Vec<usize> = (0..count).map(|_| random.below(300)).collect();
            Batch::<24>::random(&mut random, &lengths).check(|i| i % 5 == 1);
        }
        // Each place alone, and all.
        let batch = Batch::<12>::random(&mut random, &[100; 20]);
        (0..20).for_each(|place| batch.check(|i| i == place));
        batch.check(|_| true);
        // More bytes than are done together, packets that are done by themselves, and few before one of these.
        for lengths in [
            &[30_000; 12][..],
            &[8192; 20],
            &[8193; 5],
            &[7000; 40],
            &[9000, 10],
            &[100, 100, 9000, 100, 9000, 9000, 50],
            &[64, 64, 9000, 300, 300, 300, 300, 9000, 64],
        ] {
            for is_forged in [|_| false, |i| i == 2, |i| i % 3 == 1] {
                Batch::<12>::random(&mut random, lengths).check(is_forged);
                Batch::<24>::random(&mut random, lengths).check(is_forged);
            }
        }
    });
}

/// A key for each packet.
#[test]
fn keys_each() {
    fn check<const N: usize>(random: &mut Random, count: usize) {
        let keys: Vec<[u8; 32]> = (0..count).map(|_| random.bytes()).collect();
        let ciphers: Vec<Cipher<N>> =
            keys.iter().map(|key| Cipher::<N>::new(&Key::from_bytes(*key))).collect();
        let ciphers: Vec<&Cipher<N>> = ciphers.iter().collect();
        let batch = Batch::<N>::random(random, &(0..count).map(|i| 37 * i % 500).collect::<Vec<_>>());
        let mut data: Vec<Vec<u8>> = batch.packets.iter().map(|(_, _, text)| text.clone()).collect();
        let mut packets: Vec<Packet<'_, N>> = batch
            .packets
            .iter()
            .zip(&mut data)
            .map(|((nonce, aad, _), data)| Packet { nonce: *nonce, aad, data, tag: Tag::default() })
            .collect();
        Cipher::seal_each_with_nonces(&ciphers, &mut packets).expect("short texts");
        for ((packet, (nonce, aad, text)), key) in packets.iter().zip(&batch.packets).zip(&keys) {
            let (ciphertext, tag) = sealed(key, nonce, aad, text);
            assert_eq!((&*packet.data, packet.tag.to_bytes()), (&ciphertext[..], tag));
        }
        let mut good = vec![false; count];
        Cipher::open_each(&ciphers, &mut packets, &mut good).expect("the right tags");
        for (packet, (_, _, text)) in packets.iter().zip(&batch.packets) {
            assert_eq!(packet.data, text);
        }
    }
    let mut random = Random(34);
    with_each_row(|| {
        for count in [0, 1, 2, 7, 8, 9, 63, 64, 65, 130] {
            check::<12>(&mut random, count);
            check::<24>(&mut random, count);
        }
    });
    let cipher = ChaCha20Poly1305::new(&Key::from_bytes([1; 32]));
    let error = AeadError::Count { packets: 0, others: 1 };
    assert_eq!(ChaCha20Poly1305::seal_each_with_nonces(&[&cipher], &mut []), Err(error));
    assert_eq!(ChaCha20Poly1305::open_each(&[&cipher], &mut [], &mut []), Err(error));
}

/// Bad input is an error, and nothing is written.
#[test]
fn refused() {
    let cipher = ChaCha20Poly1305::new(&Key::from_bytes([1; 32]));
    let mut to = [0x55; 4];
    let error = AeadError::Destination { source: 3, destination: 4 };
    assert_eq!(cipher.seal_with_nonce_to(&[0; 12], b"", b"abc", &mut to).err(), Some(error));
    assert_eq!(cipher.open_to(&[0; 12], b"", b"abc", &mut to, &Tag::default()), Err(error));
    assert_eq!(to, [0x55; 4]);

    let mut short = [0x55; 15];
    let error = AeadError::NoRoom { bytes: 15 };
    assert_eq!(cipher.seal_with_nonce_joined(&[0; 12], b"", &mut short), Err(error));
    assert_eq!(cipher.open_joined(&[0; 12], b"", &mut short).err(), Some(AeadError::Forged));
    assert_eq!(short, [0x55; 15]);

    let mut data = [0x55; 4];
    let mut packets = [Packet { nonce: [0; 12], aad: b"", data: &mut data, tag: Tag::default() }];
    let mut good = [true; 2];
    let error = AeadError::Count { packets: 1, others: 2 };
    assert_eq!(cipher.open_many(&mut packets, &mut good), Err(error));
    assert_eq!((data, good), ([0x55; 4], [false; 2]));
    assert_eq!(cipher.seal_many_with_nonces(&mut []), Ok(()));
    assert_eq!(cipher.open_many(&mut [], &mut []), Ok(()));
}

/// A packet of these bytes.
fn packet<'a>(data: &'a mut [u8], tag: Tag) -> Packet<'a> {
    Packet { nonce: [0; 12], aad: b"aad", data, tag }
}

/// The nonces of the first numbers: RFC 9001, section 5.3; RFC 8446, section 5.3; WireGuard's paper, section 5.4.6.
#[test]
fn numberings() {
    let iv = std::array::from_fn(|i| 0x10 + i as u8);
    let mut quic: [u8; 12] = iv;
    quic[11] ^= 2;
    let expected = [
        (Numbering::quic(iv), quic),
        (Numbering::tls13(iv), quic),
        (Numbering::wireguard(), {
            let mut nonce = [0; 12];
            nonce[4] = 2;
            nonce
        }),
    ];
    for (numbering, nonce) in expected {
        let mut sender = Sender::new(Key::from_bytes([9; 32]), numbering);
        let mut data = [[7; 20]; 3];
        sender.seal(b"aad", &mut data[0]).expect("a number");
        sender.seal(b"aad", &mut data[1]).expect("a number");
        let (number, tag) = sender.seal(b"aad", &mut data[2]).expect("a number");
        let (ciphertext, expected) = spec::chacha20_poly1305(&[9; 32], &nonce, b"aad", &[7; 20]);
        assert_eq!((number, &data[2][..], tag.to_bytes()), (2, &ciphertext[..], expected));
    }
}

/// A sender ends before a number comes twice, and an error uses none up.
#[test]
fn a_sender_ends() {
    let mut sender = Sender::new(Key::from_bytes([9; 32]), Numbering::quic([3; 12]).ending_at(5));
    let mut data = [[7u8; 30]; 4];
    let mut packets = data.each_mut().map(|data| packet(data, Tag::default()));
    assert_eq!(sender.seal_many(&mut packets), Ok(0));
    let sealed = data;
    let mut packets = data.each_mut().map(|data| packet(data, Tag::default()));
    assert_eq!(sender.seal_many(&mut packets), Err(AeadError::Exhausted));
    assert_eq!((data, sender.next_number()), (sealed, 4), "nothing is written, no number is used");
    assert_eq!(sender.seal(b"aad", &mut data[0]).map(|(number, _)| number), Ok(4));
    let before = data;
    assert_eq!(sender.seal(b"aad", &mut data[1]).err(), Some(AeadError::Exhausted));
    assert_eq!(sender.seal_many(&mut []), Ok(5));
    assert_eq!(data, before);
}

/// Packets that are lost, reordered, forged or repeated, one by one and in one call.
#[test]
fn a_receiver_opens_once() {
    let numbering = Numbering::wireguard();
    let mut sender = Sender::new(Key::from_bytes([9; 32]), numbering);
    let texts: Vec<Vec<u8>> = (0..100).map(|i| vec![i as u8; 3 * i]).collect();
    let sealed: Vec<(Vec<u8>, Tag)> = texts
        .iter()
        .map(|text| {
            let mut data = text.clone();
            let (_, tag) = sender.seal(b"aad", &mut data).expect("a number");
            (data, tag)
        })
        .collect();

    let mut receiver = Receiver::new(Key::from_bytes([9; 32]), numbering);
    // Equal numbers in one call, and a forged packet before the genuine one of its number.
    let numbers = [5, 3, 5, 99, 3, 0, 7, 7];
    let mut data: Vec<Vec<u8>> = numbers.iter().map(|&number| sealed[number].0.clone()).collect();
    data[6][0] ^= 1;
    let before = data.clone();
    let mut packets: Vec<Packet<'_>> =
        data.iter_mut().zip(numbers).map(|(data, number)| packet(data, sealed[number].1)).collect();
    let mut good = [false; 8];
    let wide = numbers.map(|number| number as u64);
    assert_eq!(receiver.open_many(&wide, &mut packets, &mut good), Err(AeadError::Forged));
    assert_eq!(good, [true, true, false, true, false, true, false, true]);
    for (i, number) in numbers.into_iter().enumerate() {
        assert_eq!(&data[i], if good[i] { &texts[number] } else { &before[i] }, "packet {i}");
    }

    // The same once more: all are replays but the forged one.
    let mut data = before.clone();
    let mut packets: Vec<Packet<'_>> =
        data.iter_mut().zip(numbers).map(|(data, number)| packet(data, sealed[number].1)).collect();
    assert_eq!(receiver.open_many(&wide, &mut packets, &mut good), Err(AeadError::Forged));
    assert_eq!((good, &data), ([false; 8], &before));
    for number in [5, 3, 99, 0, 7] {
        let (mut data, tag) = sealed[number].clone();
        let result = receiver.open(number as u64, b"aad", &mut data, &tag);
        assert_eq!((result, &data), (Err(AeadError::Replayed), &sealed[number].0));
    }
    // Only replays are another error.
    let (mut data, tag) = sealed[3].clone();
    let result = receiver.open_many(&[3], &mut [packet(&mut data, tag)], &mut [true]);
    assert_eq!(result, Err(AeadError::Replayed));
    // A new one is opened once.
    let (mut data, tag) = sealed[50].clone();
    assert_eq!(receiver.open(50, b"aad", &mut data, &tag), Ok(()));
    assert_eq!(data, texts[50]);

    let mut receiver = Receiver::new(Key::from_bytes([9; 32]), numbering).with_replays();
    for _ in 0..2 {
        let (mut data, tag) = sealed[50].clone();
        assert_eq!(receiver.open(50, b"aad", &mut data, &tag), Ok(()));
    }
}

/// A call does up to 64 packets and 128 KiB together. If two genuine packets have one number, the first opens, wherever
/// in the call they stand.
#[test]
fn equal_numbers_open_once_in_a_call() {
    let numbering = Numbering::quic([3; 12]);
    for (count, len) in [(200, 20), (40, 7000), (24, 20_000)] {
        let mut sender = Sender::new(Key::from_bytes([9; 32]), numbering);
        let text = |number: usize| vec![number as u8; len];
        let sealed: Vec<(Vec<u8>, Tag)> = (0..count)
            .map(|number| {
                let mut data = text(number);
                let (_, tag) = sender.seal(b"aad", &mut data).expect("a number");
                (data, tag)
            })
            .collect();
        for first in [0, 5, 7, 8, 17, 62, 63, 64, 127].into_iter().filter(|&first| first + 1 < count) {
            let seconds = [first + 1, 8, 9, 18, 63, 64, 65, 128, 129, count - 1];
            for second in seconds.into_iter().filter(|&second| first < second && second < count) {
                for is_forged in [false, true] {
                    let mut numbers: Vec<usize> = (0..count).collect();
                    numbers[second] = first;
                    let mut data: Vec<Vec<u8>> =
                        numbers.iter().map(|&number| sealed[number].0.clone()).collect();
                    data[first][len / 2] ^= u8::from(is_forged);
                    let before = data.clone();
                    let mut packets: Vec<Packet<'_>> = data
                        .iter_mut()
                        .zip(&numbers)
                        .map(|(data, &number)| packet(data, sealed[number].1))
                        .collect();
                    let wide: Vec<u64> = numbers.iter().map(|&number| number as u64).collect();
                    let mut good = vec![true; count];
                    let mut receiver = Receiver::new(Key::from_bytes([9; 32]), numbering);
                    let result = receiver.open_many(&wide, &mut packets, &mut good);
                    let error = if is_forged { AeadError::Forged } else { AeadError::Replayed };
                    let refused = if is_forged { first } else { second };
                    assert_eq!(result, Err(error), "{first} and {second} of {count}");
                    for (i, &number) in numbers.iter().enumerate() {
                        assert_eq!(good[i], i != refused, "{first} and {second} of {count}: {i}");
                        let right = if good[i] { &text(number) } else { &before[i] };
                        assert_eq!(&data[i], right, "{first} and {second} of {count}: {i}");
                    }
                }
            }
        }
    }
}

/// A receiver remembers 1984 numbers, and opens none that the protocol does not have. Forged packets change nothing.
#[test]
fn the_numbers_of_a_receiver() {
    let open = |receiver: &mut Receiver, number: u64, is_forged: bool, is_call: bool| {
        let mut nonce = [3; 12];
        nonce[4..].iter_mut().zip(number.to_be_bytes()).for_each(|(byte, number)| *byte ^= number);
        let (mut data, mut tag) = sealed(&[9; 32], &nonce, b"aad", b"text");
        tag[0] ^= u8::from(is_forged);
        let (before, tag, mut good) = (data.clone(), Tag::from_bytes(tag), [false]);
        let result = if is_call {
            receiver.open_many(&[number], &mut [packet(&mut data, tag)], &mut good)
        } else {
            receiver.open(number, b"aad", &mut data, &tag)
        };
        assert_eq!(data, if result.is_err() { &before[..] } else { b"text" }, "{number}");
        result
    };
    for is_call in [false, true] {
        let key = || Key::from_bytes([9; 32]);
        let numbering = Numbering::quic([3; 12]);
        let mut receiver = Receiver::new(key(), numbering.ending_at(12_000));
        let mut opens = |number| open(&mut receiver, number, false, is_call);
        assert_eq!(opens(3000), Ok(()));
        assert_eq!(open(&mut receiver, 5000, true, is_call), Err(AeadError::Forged));
        let mut opens = |number| open(&mut receiver, number, false, is_call);
        assert_eq!(opens(2999), Ok(()), "a forged packet does not move the window");
        assert_eq!(opens(5000), Ok(()), "a forged packet uses no number up");
        // The window, in order and far ahead.
        for greatest in (5000..=5200).chain([5300, 9999]) {
            if greatest > 5000 {
                assert_eq!(opens(greatest), Ok(()));
            }
            assert_eq!(opens(greatest - 1984), Err(AeadError::Replayed), "too old at {greatest}");
            assert_eq!(opens(greatest - 1983), Ok(()), "the oldest number at {greatest}");
        }
        for number in 9999 - 1982..9999 {
            assert_eq!(opens(number), Ok(()), "{number}");
        }
        for number in 9999 - 1983..=9999 {
            assert_eq!(opens(number), Err(AeadError::Replayed), "{number}");
        }
        // The end.
        for number in [12_000, 12_001, u64::MAX] {
            assert_eq!(opens(number), Err(AeadError::Replayed), "{number} does not exist");
        }
        assert_eq!(opens(11_999), Ok(()));
        let mut receiver = Receiver::new(key(), numbering).with_replays();
        assert_eq!(open(&mut receiver, (1 << 62) - 1, false, is_call), Ok(()));
        assert_eq!(open(&mut receiver, 1 << 62, false, is_call), Err(AeadError::Replayed));
    }
}

/// After its forged packets a receiver opens nothing, and bad input is refused.
#[test]
fn a_receiver_ends() {
    let numbering = Numbering::quic([3; 12]);
    let mut sender = Sender::new(Key::from_bytes([9; 32]), numbering);
    let mut data = [7; 40];
    let (_, tag) = sender.seal(b"aad", &mut data).expect("a number");
    let sealed = data;
    let mut receiver = Receiver::new(Key::from_bytes([9; 32]), numbering).with_forgeries(2);

    let mut good = [true];
    let counts = [
        (receiver.open_many(&[], &mut [packet(&mut data, tag)], &mut good), 0),
        (receiver.open_many(&[0, 1], &mut [packet(&mut data, tag)], &mut good), 2),
    ];
    for (result, others) in counts {
        assert_eq!(result, Err(AeadError::Count { packets: 1, others }));
    }
    assert_eq!((good, data), ([false], sealed));

    assert_eq!(receiver.open(1, b"aad", &mut data, &tag), Err(AeadError::Forged));
    let two = [sealed, sealed];
    let mut both = two;
    let mut packets = both.each_mut().map(|data| packet(data, tag));
    assert_eq!(receiver.open_many(&[0, 1], &mut packets, &mut [true; 2]), Err(AeadError::TooManyForged));
    assert_eq!(both, two);
    assert_eq!(receiver.open_many(&[1], &mut [packet(&mut data, tag)], &mut good), Err(AeadError::Forged));
    assert_eq!(receiver.open(0, b"aad", &mut data, &tag), Err(AeadError::TooManyForged));
    assert_eq!(data, sealed);
}

/// Neither a key nor a cipher shows its bytes.
#[test]
fn debug_hides_keys() {
    let key = Key::from_bytes([0xab; 32]);
    assert_eq!(format!("{key:?} {:?}", ChaCha20Poly1305::new(&key)), "Key(..) Cipher(..)");
    let numbering = Numbering::quic([0xab; 12]);
    let sender = Sender::new(Key::from_bytes([0xab; 32]), numbering);
    let receiver = Receiver::new(key, numbering);
    assert_eq!(format!("{numbering:?} {sender:?} {receiver:?}"), "Numbering(..) Sender(..) Receiver(..)");
}
