//! A server: one datagram in, at most one out.

use crate::cookies::Secrets;
use crate::message::{self, A, BAD_COOKIE, FORMAT_ERROR, IN, LONGEST, Received, TRUNCATED};
use keylane::siphash::Key;
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, UdpSocket};
use std::time::{Duration, Instant, SystemTime};

/// The address of every name.
const ADDRESS: [u8; 4] = [192, 0, 2, 34];

/// How long a secret makes cookies.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The answer to a datagram, if it gets one. `now` is in seconds, modulo 2^32.
pub fn answer(secrets: &Secrets, datagram: &[u8], client: IpAddr, now: u32) -> Option<Vec<u8>> {
    let query = match message::read(datagram) {
        Received::Query(query) => query,
        Received::Malformed(id) => return Some(message::write_error(id, FORMAT_ERROR)),
        Received::Other => return None,
    };
    let Some(cookie) = &query.cookie else {
        return Some(message::write_answer(&query, TRUNCATED, 0, None, None));
    };
    let checked = secrets.check(cookie.client, cookie.server, client, now);
    let has_address = (query.kind, query.class) == (A, IN);
    let (error, address) =
        if checked.good { (0, has_address.then_some(ADDRESS)) } else { (BAD_COOKIE, None) };
    Some(message::write_answer(&query, 0, error, address, Some(checked.cookie)))
}

/// Answers until the socket fails. The secret changes once a day.
pub fn serve(socket: &UdpSocket, mut secrets: Secrets) -> io::Result<Infallible> {
    let mut datagram = [0; LONGEST];
    let mut began = Instant::now();
    loop {
        let (length, client) = socket.recv_from(&mut datagram)?;
        if began.elapsed() > DAY
            && let Ok(next) = Key::generate()
        {
            secrets.roll(next);
            began = Instant::now();
        }
        let datagram = datagram.get(..length).unwrap_or_default();
        // A socket of IPv6 shows clients of IPv4 at longer addresses.
        if let Some(answer) = answer(&secrets, datagram, client.ip().to_canonical(), now()) {
            // A datagram may come from an address that no answer can reach. That is no reason to stop.
            let _ = socket.send_to(&answer, client);
        }
    }
}

/// The time in seconds, modulo 2^32.
fn now() -> u32 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs() as u32)
}
