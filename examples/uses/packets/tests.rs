//! Datagrams beside ones that are sealed one by one; what is refused; a network that loses, reorders and repeats.

use super::link::{BATCH, HEADER, Inbox, Outbox, framed};
use keylane::aead::{ChaCha20Poly1305, Key, TAG_BYTES};
use std::collections::HashMap;
use std::net::UdpSocket;
use std::time::Duration;

const KEY: [u8; 32] = *b"thirty-two bytes of a secret key";

fn outbox() -> Outbox {
    Outbox::new(Key::from_bytes(KEY))
}

fn inbox() -> Inbox {
    Inbox::new(Key::from_bytes(KEY))
}

/// The data of a datagram: 0 to 1360 bytes that tell its number.
fn data(number: usize) -> Vec<u8> {
    (0..number * 997 % 1361).map(|i| (number + 31 * i) as u8).collect()
}

/// The first datagrams, sealed in batches.
fn sealed(count: usize) -> Vec<Vec<u8>> {
    let (mut outbox, mut datagrams) = (outbox(), (0..count).map(|i| framed(&data(i))).collect::<Vec<_>>());
    for batch in datagrams.chunks_mut(BATCH) {
        outbox.seal(batch).expect("numbers are left");
    }
    datagrams
}

/// Whether each datagram opens.
fn accepted(inbox: &mut Inbox, datagrams: &[Vec<u8>]) -> Vec<bool> {
    let mut datagrams = datagrams.to_vec();
    inbox.open(&mut datagrams).expect("few forgeries").iter().map(Option::is_some).collect()
}

#[test]
fn datagrams_are_those_of_the_format() {
    let cipher = ChaCha20Poly1305::new(&Key::from_bytes(KEY));
    for (number, datagram) in sealed(200).iter().enumerate() {
        let (header, rest) = datagram.split_at(HEADER);
        assert_eq!(header, (number as u64).to_be_bytes());
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&(number as u64).to_le_bytes());
        let mut right = [&data(number)[..], &[0; TAG_BYTES]].concat();
        cipher.seal_with_nonce_joined(&nonce, header, &mut right).expect("room for a tag");
        assert_eq!(rest, right);
    }
}

#[test]
fn every_changed_bit_and_every_missing_byte_is_noticed() {
    let (datagram, mut inbox) = (sealed(2).swap_remove(1), inbox());
    for bit in (0..8 * datagram.len()).filter(|bit| bit / 8 < 40 || bit / 8 + 40 > datagram.len()) {
        let mut changed = datagram.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(accepted(&mut inbox, &[changed]), [false], "bit {bit}");
    }
    for length in 0..datagram.len() {
        assert_eq!(accepted(&mut inbox, &[datagram[..length].to_vec()]), [false], "{length} bytes");
    }
    assert_eq!(accepted(&mut inbox, &[datagram]), [true]);
}

#[test]
fn a_datagram_comes_through_once() {
    let ([one, two, three], mut inbox) = (<[_; 3]>::try_from(sealed(3)).expect("three"), inbox());
    assert_eq!(accepted(&mut inbox, &[three, one.clone(), one.clone()]), [true, true, false]);
    assert_eq!(accepted(&mut inbox, &[one, two.clone(), two]), [false, true, false]);
}

/// A network over loopback that loses a tenth of the datagrams, sends a tenth of them again at once and a tenth later,
/// changes a tenth, and reorders the rest. Those that it did not lose or change come through, and each once.
#[test]
fn loss_reordering_and_replay() {
    const COUNT: usize = 10 * BATCH;
    let [here, there] = [(), ()].map(|()| UdpSocket::bind("127.0.0.1:0").expect("a port"));
    here.connect(there.local_addr().expect("its address")).expect("loopback");
    there.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");

    let (mut inbox, mut came, mut late) = (inbox(), HashMap::new(), Vec::new());
    let (datagrams, mut buffer) = (sealed(COUNT), [0; 2048]);
    for (at, batch) in datagrams.chunks(BATCH / 2).enumerate() {
        let mut sent = std::mem::take(&mut late);
        for (datagram, number) in batch.iter().zip(BATCH / 2 * at..) {
            match number % 10 {
                0 => continue,
                1 => sent.push(datagram.clone()),
                2 => late.push(datagram.clone()),
                3 => {
                    let mut changed = datagram.clone();
                    let last = changed.len() - 1 - number % changed.len();
                    changed[last] ^= 0x10;
                    sent.push(changed);
                    continue;
                }
                _ => {}
            }
            sent.push(datagram.clone());
        }
        // 7 has no common divisor with most lengths; otherwise the datagrams go in their order.
        let step = if sent.len() % 7 == 0 { 1 } else { 7 };
        for i in 0..sent.len() {
            here.send(&sent[i * step % sent.len()]).expect("loopback");
        }
        let receive = |_| {
            let len = there.recv(&mut buffer).expect("loopback loses nothing");
            buffer[..len].to_vec()
        };
        let mut received: Vec<Vec<u8>> = (0..sent.len()).map(receive).collect();
        let headers: Vec<_> = received.iter().map(|datagram| datagram.first_chunk().copied()).collect();
        let opened = inbox.open(&mut received).expect("few forgeries");
        for (header, opened) in headers.into_iter().zip(opened) {
            let Some(opened) = opened else { continue };
            let number = u64::from_be_bytes(header.expect("a genuine datagram has a header"));
            assert_eq!(came.insert(number, opened.to_vec()), None, "{number} came twice");
        }
    }
    for number in 0..COUNT {
        let right = (!matches!(number % 10, 0 | 3)).then(|| data(number));
        assert_eq!(came.get(&(number as u64)).cloned(), right, "datagram {number}");
    }
}

/// ring opens what keylane has sealed, and the other way round.
#[cfg(feature = "ring")]
#[test]
fn ring_has_the_same_datagrams() {
    let mut ring = super::with_ring::Ring::new(&KEY).expect("a key");
    let mut by_ring: Vec<Vec<u8>> = (0..200).map(|i| framed(&data(i))).collect();
    ring.seal(&mut by_ring).expect("numbers are left");
    let mut by_keylane = sealed(200);
    assert_eq!(by_ring, by_keylane);
    let right: Vec<Vec<u8>> = (0..200).map(data).collect();
    assert!(ring.open(&mut by_keylane).into_iter().eq(right.iter().map(|data| Some(&data[..]))));
    let opened = inbox().open(&mut by_ring).expect("no forgeries");
    assert!(opened.into_iter().eq(right.iter().map(|data| Some(&data[..]))));
}
