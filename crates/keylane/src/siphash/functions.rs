//! Functions that fix a variant of SipHash and a format of message.

use super::prepared::{self, Prepared};
use super::{Key, SipHash13, SipHash24};
use crate::error::TagMismatch;
use crate::job::independently;
use crate::job::siphash::{Fixed, Tag};
use core::net::IpAddr;

/// The `hsiphash` of Linux on 64-bit machines: the low 32 bits of SipHash-1-3. For hash tables only.
///
/// ```
/// # use keylane::siphash::{Key, SipHash13, hsiphash64};
/// let key = Key::from_bytes([7; 16]);
/// assert_eq!(hsiphash64(&key, b"message"), SipHash13::new(&key).hash(b"message") as u32);
/// ```
///
/// Source: Linux, Documentation/security/siphash.rst.
#[inline]
pub fn hsiphash64(key: &Key, message: &[u8]) -> u32 {
    SipHash13::new(key).hash(message) as u32
}

/// The `hsiphash` of Linux on 32-bit machines: HalfSipHash-1-3 with a 32-bit tag. For hash tables only.
///
/// ```
/// # use keylane::{halfsiphash::{HalfSipHash13, Key}, siphash::hsiphash32};
/// let key = Key::from_bytes([7; 8]);
/// assert_eq!(hsiphash32(&key, b"message"), HalfSipHash13::new(&key).hash(b"message"));
/// ```
///
/// Source: Linux, Documentation/security/siphash.rst.
#[inline]
pub fn hsiphash32(key: &prepared::Key<u32>, message: &[u8]) -> u32 {
    Prepared::<u32, Fixed<1, 3>, u32>::new(key).hash(message)
}

/// A DNS server cookie: the 16 bytes that a server sends after the client's 8. `timestamp` is in seconds, modulo 2^32.
///
/// Source: RFC 9018, section 4 ("interoperable" cookies), version 1 with the reserved bytes zero.
///
/// ```
/// use keylane::siphash::{Key, dns_cookie, verify_dns_cookie};
///
/// // RFC 9018, appendix A.1.
/// let secret = Key::from_bytes(0xe5e973e5a6b2a43f48e7dc849e37bfcfu128.to_be_bytes());
/// let client_cookie = 0x2464c4abcf10c957u64.to_be_bytes();
/// let client = "198.51.100.100".parse()?;
/// let cookie = dns_cookie(&secret, &client_cookie, 1559731985, client);
/// assert_eq!(cookie, 0x010000005cf79f111f8130c3eee29480u128.to_be_bytes());
/// assert!(verify_dns_cookie(&secret, &client_cookie, &cookie, client).is_ok());
/// # Ok::<(), core::net::AddrParseError>(())
/// ```
pub fn dns_cookie(secret: &Key, client_cookie: &[u8; 8], timestamp: u32, client: IpAddr) -> [u8; 16] {
    let [t0, t1, t2, t3] = timestamp.to_be_bytes();
    let head = [1, 0, 0, 0, t0, t1, t2, t3];
    let hash = cookie_hash(secret, client_cookie, head, client).to_le_bytes();
    let mut cookie = [0; 16];
    for (byte, value) in cookie.iter_mut().zip(head.into_iter().chain(hash)) {
        *byte = value;
    }
    cookie
}

/// Checks that `server_cookie` is the [`dns_cookie`] of this secret and client. The time does not depend on which bytes
/// differ. The reserved bytes may have any value; the hash covers them.
///
/// The caller checks whether the timestamp (bytes 4..8, big-endian) is recent. RFC 9018, section 4.3, allows at most
/// one hour in the past and five minutes in the future.
///
/// # Errors
/// [`TagMismatch`]: the cookie was not made with this secret for this client, or its version is not 1.
pub fn verify_dns_cookie(
    secret: &Key,
    client_cookie: &[u8; 8],
    server_cookie: &[u8; 16],
    client: IpAddr,
) -> Result<(), TagMismatch> {
    independently! {
        let (&[head, hash], _) = server_cookie.as_chunks().0.split_first_chunk().ok_or(TagMismatch)?;
        let expected = cookie_hash(secret, client_cookie, head, client);
        let equal = <u64 as Tag<u64>>::eq_constant_time(expected, u64::from_le_bytes(hash));
        if equal && head.first() == Some(&1) { Ok(()) } else { Err(TagMismatch) }
    }
}

/// SipHash-2-4 of the client cookie, the version, the reserved bytes, the timestamp and the address.
fn cookie_hash(secret: &Key, client_cookie: &[u8; 8], head: [u8; 8], client: IpAddr) -> u64 {
    let mut stream = SipHash24::new(secret).stream();
    stream.update(client_cookie);
    stream.update(&head);
    match client {
        IpAddr::V4(address) => stream.update(&address.octets()),
        IpAddr::V6(address) => stream.update(&address.octets()),
    }
    stream.finish()
}
