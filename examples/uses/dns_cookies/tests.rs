//! The answers of RFC 9018, appendix A; what is refused; and a server over UDP.

use super::cookies::{Checked, Secrets};
use super::message::{BAD_COOKIE, FORMAT_ERROR, read_answer, write_query};
use super::{Client, server, start};
use keylane::siphash::Key;
use std::net::IpAddr;

const SECRET: u128 = 0xe5e973e5a6b2a43f48e7dc849e37bfcf;

fn secrets(secret: u128) -> Secrets {
    Secrets::new(key(secret))
}

fn key(secret: u128) -> Key {
    Key::from_bytes(secret.to_be_bytes())
}

fn ip(address: &str) -> IpAddr {
    address.parse().expect("an address")
}

/// The cookies of a query in the RFC's notation.
fn check(secrets: &Secrets, client_cookie: u64, given: Option<u128>, client: &str, now: u32) -> (bool, u128) {
    let given = given.map(u128::to_be_bytes);
    let Checked { good, cookie } =
        secrets.check(&client_cookie.to_be_bytes(), given.as_ref(), ip(client), now);
    (good, u128::from_be_bytes(cookie))
}

/// Appendix A.1: a client without a server cookie.
#[test]
fn a1_learning_a_new_server_cookie() {
    let checked = check(&secrets(SECRET), 0x2464c4abcf10c957, None, "198.51.100.100", 1559731985);
    assert_eq!(checked, (false, 0x010000005cf79f111f8130c3eee29480));
}

/// Appendix A.2: the same client 40 minutes later.
#[test]
fn a2_learning_a_renewed_server_cookie() {
    let given = Some(0x010000005cf79f111f8130c3eee29480);
    let checked = check(&secrets(SECRET), 0x2464c4abcf10c957, given, "198.51.100.100", 1559734385);
    assert_eq!(checked, (true, 0x010000005cf7a871d4a564a1442aca77));
}

/// Appendix A.3: reserved bytes that are not zero are hashed too. The cookie is right, but older than an hour when the
/// server replaces it.
#[test]
fn a3_another_client_learning_a_renewed_server_cookie() {
    let given = 0x01abcdef5cf78f71a314227b6679ebf5;
    let (secrets, cookie, client) = (secrets(SECRET), 0xfc93fc62807ddb86, "203.0.113.203");
    assert_eq!(check(&secrets, cookie, Some(given), client, 1559727985), (true, given));
    let checked = check(&secrets, cookie, Some(given), client, 1559734700);
    assert_eq!(checked, (false, 0x010000005cf7a9acf73a7810aca2381e));
}

/// Appendix A.4: IPv6, and a cookie of the previous secret.
#[test]
fn a4_ipv6_and_a_rolled_secret() {
    let (cookie, client) = (0x22681ab97d52c298, "2001:db8:220:1:59de:d0f4:8769:82b8");
    let given = 0x010000005cf7c57926556bd0934c72f8;
    let mut secrets = secrets(0xdd3bdf9344b678b185a6f5cb60fca715);
    assert_eq!(check(&secrets, cookie, None, client, 1559741817), (false, given));
    secrets.roll(key(0x445536bcd2513298075a5d379663c962));
    let checked = check(&secrets, cookie, Some(given), client, 1559741961);
    assert_eq!(checked, (true, 0x010000005cf7c609a6bb79d16625507a));
    secrets.roll(key(SECRET));
    assert!(!check(&secrets, cookie, Some(given), client, 1559741961).0);
}

#[test]
fn a_cookie_is_good_for_its_client_and_its_time() {
    let (secrets, client, made) = (secrets(SECRET), "198.51.100.100", 1559731985_u32);
    let given = check(&secrets, 1, None, client, made).1;
    for (age, good, kept) in [
        (-301, false, false),
        (-300, true, true),
        (0, true, true),
        (1800, true, true),
        (1801, true, false),
        (3600, true, false),
        (3601, false, false),
    ] {
        let checked = check(&secrets, 1, Some(given), client, made.wrapping_add_signed(age));
        assert_eq!((checked.0, checked.1 == given), (good, kept), "{age} seconds");
    }
    assert!(!check(&secrets, 1, Some(given), "198.51.100.101", made).0);
    assert!(!check(&secrets, 2, Some(given), client, made).0);
    for bit in 0..128 {
        assert!(!check(&secrets, 1, Some(given ^ 1 << bit), client, made).0, "bit {bit}");
    }
    // The time in seconds passes 2^32 in 2106.
    let given = check(&secrets, 1, None, client, u32::MAX).1;
    assert_eq!(check(&secrets, 1, Some(given), client, 59), (true, given));
}

/// A good query, and its answer.
fn good_query(secrets: &Secrets) -> (Vec<u8>, Vec<u8>) {
    let cookie = secrets.check(&[7; 8], None, ip("127.0.0.1"), 0).cookie;
    let query = write_query(1, "www.example.com", &[&[7; 8], &cookie]);
    let answer = server::answer(secrets, &query, ip("127.0.0.1"), 0).expect("an answer");
    (query, answer)
}

#[test]
fn only_a_good_cookie_gets_an_address() {
    let secrets = secrets(SECRET);
    let (query, answer) = good_query(&secrets);
    assert_eq!(read_answer(&answer).map(|(error, _)| error), Some(0));
    assert!(answer.windows(4).any(|bytes| bytes == [192, 0, 2, 34]));

    let flags_of = |answer: &[u8]| u16::from_be_bytes([answer[2], answer[3]]);
    for (cookies, error, truncated) in [
        (&[0; 24][..], BAD_COOKIE, 0),
        (&[0; 8], BAD_COOKIE, 0),
        (&[0; 16], BAD_COOKIE, 0),
        (&[], 0, 1 << 9),
        (&[0; 12], FORMAT_ERROR, 0),
    ] {
        let query = write_query(1, "www.example.com", &[cookies]);
        let answer = server::answer(&secrets, &query, ip("127.0.0.1"), 0).expect("an answer");
        assert_eq!(read_answer(&answer).map(|(error, _)| error), Some(error), "{} bytes", cookies.len());
        assert_eq!(flags_of(&answer) & 1 << 9, truncated);
        assert!(answer.len() <= query.len() + 16);
        assert!(!answer.windows(4).any(|bytes| bytes == [192, 0, 2, 34]));
    }
    // Another type of record has no address, and neither has another class.
    let kind = 12 + "www.example.com".len() + 3;
    for (at, value) in [(kind, 28), (kind + 2, 3)] {
        let mut other = query.clone();
        other[at] = value;
        let answer = server::answer(&secrets, &other, ip("127.0.0.1"), 0).expect("an answer");
        assert_eq!((read_answer(&answer).map(|(error, _)| error), answer[7]), (Some(0), 0));
    }
}

/// No datagram stops the server, and none but a good query is worth a long answer.
#[test]
fn every_change_of_a_query_is_survived() {
    let secrets = secrets(SECRET);
    let (query, _) = good_query(&secrets);
    let mut datagrams: Vec<Vec<u8>> = (0..query.len()).map(|length| query[..length].to_vec()).collect();
    for place in 0..query.len() {
        datagrams.extend((1..=255).map(|change| {
            let mut changed = query.clone();
            changed[place] ^= change;
            changed
        }));
    }
    let mut answers = 0;
    for datagram in datagrams {
        let answer = server::answer(&secrets, &datagram, ip("127.0.0.1"), 0);
        assert!(answer.as_ref().is_none_or(|answer| answer.len() <= datagram.len() + 16));
        answers += usize::from(answer.is_some());
    }
    assert_ne!(answers, 0);
    // An answer is no query: two servers do not talk for ever.
    let (_, answer) = good_query(&secrets);
    assert_eq!(server::answer(&secrets, &answer, ip("127.0.0.1"), 0), None);
}

#[test]
fn a_client_learns_a_cookie_over_udp() {
    let mut client = Client::new(start().expect("a server"), &key(1)).expect("a client");
    let mut ask = |server_cookie: Option<[u8; 16]>| {
        client.server_cookie = server_cookie.or(client.server_cookie);
        client.ask("example.com").expect("an answer").0
    };
    assert_eq!(ask(None), BAD_COOKIE);
    assert_eq!(ask(None), 0);
    assert_eq!(ask(Some([1; 16])), BAD_COOKIE);
    assert_eq!(ask(None), 0);
}
