//! Packets beside tags that are computed one by one; what is refused; the window beside a set.

use super::session::{Exhausted, HEADER, Receiver, Sender, TAG};
use super::window::Window;
use super::{payloads, slices};
use keylane::poly1305::{mac, rfc8439};
use std::collections::HashSet;
use zeroize::Zeroizing;

const KEY: [u8; 32] = *b"thirty-two bytes of a secret key";
const INDEX: u32 = 0x01020304;

fn sender() -> Sender {
    Sender::new(Zeroizing::new(KEY), INDEX)
}

fn receiver() -> Receiver {
    Receiver::new(Zeroizing::new(KEY), INDEX)
}

#[test]
fn packets_are_those_of_the_format() {
    let payloads = payloads(200);
    let packets = sender().seal(&slices(&payloads)).expect("counters");
    for ((counter, packet), payload) in (0_u64..).zip(&packets).zip(&payloads) {
        let (message, tag) = packet.split_at(packet.len() - TAG);
        let (header, rest) = message.split_at(HEADER);
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&counter.to_le_bytes());
        assert_eq!(header[..8], [4, 0, 0, 0, 4, 3, 2, 1]);
        assert_eq!(header[8..], counter.to_le_bytes());
        assert_eq!(rest, payload);
        assert_eq!(tag, mac(rfc8439::one_time_key(&KEY, &nonce), message).as_ref());
    }
}

#[test]
fn calls_continue_the_counter() {
    let (payloads, mut part_sender) = (payloads(100), sender());
    let whole = sender().seal(&slices(&payloads)).expect("counters");
    let parts = [1, 0, 2, 30, 67].map({
        let mut rest = &payloads[..];
        move |count| {
            let (some, after) = rest.split_at(count);
            rest = after;
            part_sender.seal(&slices(some)).expect("counters")
        }
    });
    assert_eq!(parts.concat(), whole);
    let opened = receiver().open(&slices(&whole));
    assert!(opened.into_iter().eq(payloads.iter().map(|payload| Some(&payload[..]))));
}

#[test]
fn every_changed_bit_and_every_missing_byte_is_noticed() {
    let packet = &sender().seal(&[b"a payload"]).expect("counters")[0];
    let mut receiver = receiver();
    for bit in 0..8 * packet.len() {
        let mut changed = packet.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(receiver.open(&[&changed]), [None], "bit {bit}");
    }
    for length in 0..packet.len() {
        assert_eq!(receiver.open(&[&packet[..length]]), [None], "{length} bytes");
    }
    assert_eq!(receiver.open(&[packet]), [Some(&b"a payload"[..])]);
}

#[test]
fn one_forged_packet_does_not_spoil_a_batch() {
    let payloads = payloads(64);
    let mut packets = sender().seal(&slices(&payloads)).expect("counters");
    packets[20][HEADER] ^= 1;
    packets[30].clear();
    let opened = receiver().open(&slices(&packets));
    for (i, (opened, payload)) in opened.into_iter().zip(&payloads).enumerate() {
        assert_eq!(opened, (i != 20 && i != 30).then_some(&payload[..]), "packet {i}");
    }
}

#[test]
fn a_packet_comes_through_once() {
    let packets = sender().seal(&[b"one", b"two", b"three"]).expect("counters");
    let [one, two, three] = [&packets[0][..], &packets[1], &packets[2]];
    let mut receiver = receiver();
    let accepted = |opened: Vec<Option<&[u8]>>| opened.iter().map(Option::is_some).collect::<Vec<_>>();
    assert_eq!(accepted(receiver.open(&[three, one, one])), [true, true, false]);
    assert_eq!(accepted(receiver.open(&[one, two, three, two])), [false, true, false, false]);
}

#[test]
fn packets_of_other_sessions_are_refused() {
    let other_key = Zeroizing::new([1; 32]);
    for mut sender in [Sender::new(other_key, INDEX), Sender::new(Zeroizing::new(KEY), INDEX + 1)] {
        let packets = sender.seal(&[b"payload"]).expect("counters");
        assert_eq!(receiver().open(&slices(&packets)), [None]);
    }
}

#[test]
fn a_sender_ends_before_its_counter_repeats() {
    let limit = u64::MAX - (1 << 13);
    let mut sender = Sender::starting_at(Zeroizing::new(KEY), INDEX, limit - 2);
    assert_eq!(sender.seal(&[b"1", b"2", b"3"]), Err(Exhausted));
    assert!(sender.seal(&[b"1", b"2"]).is_ok());
    assert_eq!(sender.seal(&[b"3"]), Err(Exhausted));
    assert_eq!(sender.seal(&[]), Ok(vec![]));
}

/// Counters in a random order, near the highest and far from it, also at the end of their range.
#[test]
fn the_window_agrees_with_a_set() {
    for start in [0, u64::MAX - 3000] {
        let (mut window, mut accepted, mut highest) = (Window::default(), HashSet::new(), None::<u64>);
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let step = (state >> 33) % if state >> 63 == 0 { 8 } else { 300 };
            let counter = highest.map_or(start, |highest| highest.saturating_add(3).saturating_sub(step));
            let in_time = highest.is_none_or(|highest| counter > highest || highest - counter < 128);
            let new = in_time && counter != u64::MAX && accepted.insert(counter);
            assert_eq!(window.accept(counter), new, "{counter} after {highest:?}");
            highest = highest.max(Some(counter).filter(|_| new));
        }
    }
}
