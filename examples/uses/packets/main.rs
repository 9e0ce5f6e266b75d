//! Tags for the packets of a tunnel, many in a call: one-time keys from counters, and a window against repetition.
//!
//! ```console
//! cargo run --release -p keylane-uses --bin packets -- 100000
//! ```

mod session;
#[cfg(test)]
mod tests;
mod window;

use session::{Exhausted, Receiver, Sender};
use std::error::Error;
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// The number of this receiver's session.
const INDEX: u32 = 7;

/// Packets that are sealed, and opened, in one call.
const BATCH: usize = 64;

/// How often everything is timed.
const ROUNDS: usize = 5;

/// Payloads of 40 to 1400 bytes.
fn payloads(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|i| vec![i as u8; 40 + i * 997 % 1361]).collect()
}

fn slices(vectors: &[Vec<u8>]) -> Vec<&[u8]> {
    vectors.iter().map(Vec::as_slice).collect()
}

/// The packets for these payloads, `batch` in a call, and the time for one.
fn seal(
    sender: &mut Sender,
    payloads: &[&[u8]],
    batch: usize,
) -> Result<(Vec<Vec<u8>>, Duration), Exhausted> {
    let (start, mut packets) = (Instant::now(), Vec::new());
    for payloads in payloads.chunks(batch) {
        packets.extend(sender.seal(payloads)?);
    }
    Ok((packets, start.elapsed() / payloads.len().max(1) as u32))
}

/// How many packets are accepted, `batch` in a call, and the time for one.
fn open(receiver: &mut Receiver, packets: &[&[u8]], batch: usize) -> (usize, Duration) {
    let start = Instant::now();
    let opened = packets.chunks(batch).map(|packets| receiver.open(packets).iter().flatten().count());
    (opened.sum(), start.elapsed() / packets.len().max(1) as u32)
}

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).map_or(Ok(1024), |count| count.parse())?;
    let payloads = payloads(count);
    println!("{count} packets             sealed a packet    opened a packet");
    for (name, batch) in [("one in a call", 1), ("64 in a call", BATCH)] {
        // The first round finds nothing in the caches. The best of some is printed.
        let mut best = [Duration::MAX; 2];
        for _ in 0..ROUNDS {
            let mut key = Zeroizing::new([0; 32]);
            getrandom::fill(&mut *key)?;
            let (mut sender, mut receiver) = (Sender::new(key.clone(), INDEX), Receiver::new(key, INDEX));
            let (mut packets, sealed) = seal(&mut sender, &slices(&payloads), batch)?;
            let (accepted, opened) = open(&mut receiver, &slices(&packets), batch);
            let (again, _) = open(&mut receiver, &slices(&packets), batch);
            for packet in &mut packets {
                packet[8] ^= 1;
            }
            let (forged, _) = open(&mut receiver, &slices(&packets), batch);
            if (accepted, again, forged) != (count, 0, 0) {
                return Err(format!("accepted: {accepted}, {again} repeated, {forged} forged").into());
            }
            best = [best[0].min(sealed), best[1].min(opened)];
        }
        println!("{name:20} {:>18.1?} {:>18.1?}", best[0], best[1]);
    }
    println!("every packet was accepted once; repeated ones, and those with another counter, were not");
    Ok(())
}
