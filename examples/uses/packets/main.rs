//! Encrypted datagrams between two processes over loopback, 64 in a call: numbers as nonces, and a window against replays.
//!
//! ```console
//! cargo run --release -p keylane-uses --features ring --bin packets -- 100000
//! ```

mod link;
#[cfg(test)]
mod tests;
#[cfg(feature = "ring")]
mod with_ring;

use keylane::aead::Key;
use link::{BATCH, Inbox, Outbox, framed};
use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::UdpSocket;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, io};

/// FIXED PRE-SHARED KEYS, which everybody can read here. Both processes have them, one for each direction, and every run
/// starts again with number 0 under them. So they protect nothing: a real program agrees on new keys for each session.
const THERE: [u8; 32] = *b"fixed pre-shared key: to receive";
const BACK: [u8; 32] = *b"fixed pre-shared key: and return";

/// How long one process waits for the other.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a batch waits for the rest of its datagrams, which may be lost.
const PAUSE: Duration = Duration::from_millis(50);

/// The longest datagram.
const LONGEST: usize = 2048;

/// How often each work without the network is timed. The best counts.
const ROUNDS: usize = 5;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Seals and opens datagrams in one direction, in calls of up to [`BATCH`].
trait Cipher {
    fn seal(&mut self, datagrams: &mut [Vec<u8>]) -> Result<()>;
    /// Returns how many datagrams are good.
    fn open(&mut self, datagrams: &mut [Vec<u8>]) -> Result<usize>;
}

struct Keylane(Outbox, Inbox);

impl Cipher for Keylane {
    fn seal(&mut self, datagrams: &mut [Vec<u8>]) -> Result<()> {
        Ok(self.0.seal(datagrams)?)
    }

    fn open(&mut self, datagrams: &mut [Vec<u8>]) -> Result<usize> {
        Ok(self.1.open(datagrams)?.iter().flatten().count())
    }
}

#[cfg(feature = "ring")]
impl Cipher for with_ring::Ring {
    fn seal(&mut self, datagrams: &mut [Vec<u8>]) -> Result<()> {
        self.seal(datagrams).map_err(|_| "ring does not seal".into())
    }

    fn open(&mut self, datagrams: &mut [Vec<u8>]) -> Result<usize> {
        Ok(self.open(datagrams).iter().flatten().count())
    }
}

/// The ciphers to compare, by name.
const CIPHERS: &[&str] = &[
    "keylane",
    #[cfg(feature = "ring")]
    "ring",
];

/// A cipher by its name.
fn cipher(name: &str, key: [u8; 32]) -> Result<Box<dyn Cipher>> {
    match name {
        // One object for both ends of a direction: each process uses one half of it.
        "keylane" => {
            Ok(Box::new(Keylane(Outbox::new(Key::from_bytes(key)), Inbox::new(Key::from_bytes(key)))))
        }
        #[cfg(feature = "ring")]
        "ring" => Ok(Box::new(with_ring::Ring::new(&key).map_err(|_| "ring takes no key")?)),
        _ => Err(format!("{name}: no such cipher").into()),
    }
}

/// Datagrams with data of this many bytes, not sealed yet.
fn batch(count: usize, bytes: usize) -> Vec<Vec<u8>> {
    vec![framed(&vec![7; bytes]); count]
}

/// The time to seal a datagram, and to open it, without a network.
fn alone(name: &str, bytes: usize) -> Result<[Duration; 2]> {
    let (mut cipher, mut best) = (cipher(name, THERE)?, [Duration::MAX; 2]);
    let mut batches = vec![batch(BATCH, bytes); 16];
    for _ in 0..ROUNDS {
        let start = Instant::now();
        batches.iter_mut().try_for_each(|batch| cipher.seal(batch))?;
        let sealed = start.elapsed();
        let good: usize = batches.iter_mut().map(|batch| cipher.open(batch)).sum::<Result<_>>()?;
        let opened = start.elapsed() - sealed;
        if good != 16 * BATCH {
            return Err(format!("{name}: only {good} datagrams are good").into());
        }
        best = [best[0].min(sealed), best[1].min(opened)];
    }
    Ok(best.map(|time| time / (16 * BATCH as u32)))
}

/// Sends `count` datagrams to a new process, and prints how fast they arrived.
///
/// After each batch the other process says that it has opened it, so that the datagrams find room in its socket.
fn send(name: &str, count: usize, bytes: usize) -> Result<()> {
    let mut receiver = Command::new(env::current_exe()?)
        .args(["receive", name, &count.to_string()])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut said = BufReader::new(receiver.stdout.take().ok_or("no output of the receiver")?);
    let mut port = String::new();
    said.read_line(&mut port)?;
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    socket.connect(("127.0.0.1", port.trim().parse()?))?;
    socket.set_read_timeout(Some(PATIENCE))?;

    let (mut there, mut back, mut answer) = (cipher(name, THERE)?, cipher(name, BACK)?, [0; LONGEST]);
    let start = Instant::now();
    for first in (0..count).step_by(BATCH) {
        let mut datagrams = batch(BATCH.min(count - first), bytes);
        there.seal(&mut datagrams)?;
        for datagram in &datagrams {
            socket.send(datagram)?;
        }
        let len = socket.recv(&mut answer)?;
        if back.open(&mut [answer[..len].to_vec()])? != 1 {
            return Err("an answer from elsewhere".into());
        }
    }
    let seconds = start.elapsed().as_secs_f64();

    let mut opened = String::new();
    said.read_to_string(&mut opened)?;
    let status = receiver.wait()?;
    let opened: usize = opened.trim().parse().map_err(|_| format!("the receiver ended: {status}"))?;
    let (rate, bits) = (opened as f64 / seconds, 8.0 * (opened * bytes) as f64 / seconds);
    let [sealed, alone] = alone(name, bytes)?;
    println!(
        "{name:8} {sealed:>10.1?} {alone:>10.1?} {rate:>12.0} {:>8.2}   {opened} of {count}",
        bits / 1e9
    );
    Ok(())
}

/// Receives up to `count` datagrams, answers each batch, and says how many were good.
fn receive(name: &str, count: usize) -> Result<()> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    println!("{}", socket.local_addr()?.port());
    io::stdout().flush()?;
    let (mut there, mut back) = (cipher(name, THERE)?, cipher(name, BACK)?);
    let (mut received, mut good, mut buffer) = (0, 0, [0; LONGEST]);
    while received < count {
        let (mut datagrams, mut sender) = (Vec::new(), None);
        while datagrams.len() < BATCH.min(count - received) {
            socket.set_read_timeout(Some(if datagrams.is_empty() { PATIENCE } else { PAUSE }))?;
            match socket.recv_from(&mut buffer) {
                Ok((len, from)) => {
                    datagrams.push(buffer[..len].to_vec());
                    sender = Some(from);
                }
                // Some were lost.
                Err(_) => break,
            }
        }
        let Some(sender) = sender else { break };
        received += datagrams.len();
        good += there.open(&mut datagrams)?;
        let mut answer = batch(1, 0);
        back.seal(&mut answer)?;
        socket.send_to(&answer[0], sender)?;
    }
    println!("{good}");
    Ok(())
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |place: usize, default| arguments.get(place).map_or(Ok(default), |text| text.parse());
    if let [word, name, count] = &arguments[..]
        && word == "receive"
    {
        return receive(name, count.parse()?);
    }
    let (count, bytes): (usize, usize) = (number(0, 10_000)?, number(1, 1400)?);
    if framed(&[]).len() + bytes > LONGEST {
        return Err(format!("a datagram has at most {LONGEST} bytes").into());
    }
    println!("{count} datagrams of {bytes} bytes, {BATCH} in a call, under fixed pre-shared keys");
    println!("{:8} {:>10} {:>10} {:>12} {:>8}   opened", "", "sealing", "opening", "datagrams/s", "Gbit/s");
    CIPHERS.iter().try_for_each(|name| send(name, count, bytes))?;
    println!("sealing and opening: the time of a datagram without the network; the rest over loopback");
    Ok(())
}
