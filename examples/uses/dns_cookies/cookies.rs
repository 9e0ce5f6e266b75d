//! Which server cookies are made, accepted and renewed (RFC 9018, sections 4 and 5).

use keylane::siphash::{Key, dns_cookie, verify_dns_cookie};
use std::mem;
use std::net::IpAddr;

/// A cookie is accepted for an hour. The clock of the server that made it may be five minutes ahead.
const OLDEST: i32 = 60 * 60;
const NEWEST: i32 = -5 * 60;

/// A cookie older than this is replaced, in seconds.
const RENEWED: i32 = 30 * 60;

/// The secret that makes cookies, and the one before it, whose cookies are still accepted.
pub struct Secrets {
    current: Key,
    previous: Option<Key>,
}

/// What a server learns of a query's cookies.
#[derive(Debug, PartialEq, Eq)]
pub struct Checked {
    /// Whether the client showed a good cookie, so that its address is real.
    pub good: bool,
    /// The server cookie for the answer.
    pub cookie: [u8; 16],
}

impl Secrets {
    /// One secret for all cookies.
    pub fn new(secret: Key) -> Secrets {
        Secrets { current: secret, previous: None }
    }

    /// From now on `next` makes the cookies. Those of the secret until now are still accepted.
    pub fn roll(&mut self, next: Key) {
        self.previous = Some(mem::replace(&mut self.current, next));
    }

    /// Checks the cookies of a query. `now` is in seconds, modulo 2^32.
    pub fn check(
        &self,
        client_cookie: &[u8; 8],
        given: Option<&[u8; 16]>,
        client: IpAddr,
        now: u32,
    ) -> Checked {
        let fresh = || dns_cookie(&self.current, client_cookie, now, client);
        let Some(given) = given else { return Checked { good: false, cookie: fresh() } };
        let made_by = |secret| verify_dns_cookie(secret, client_cookie, given, client).is_ok();
        let current = made_by(&self.current);
        let good = (current || self.previous.as_ref().is_some_and(made_by))
            && (NEWEST..=OLDEST).contains(&age(given, now));
        let keep = good && current && age(given, now) <= RENEWED;
        Checked { good, cookie: if keep { *given } else { fresh() } }
    }
}

/// The age of a cookie in seconds. Times are compared modulo 2^32 (RFC 1982), so the year 2106 changes nothing.
fn age(cookie: &[u8; 16], now: u32) -> i32 {
    let [_, _, _, _, t0, t1, t2, t3, ..] = *cookie;
    now.wrapping_sub(u32::from_be_bytes([t0, t1, t2, t3])) as i32
}
