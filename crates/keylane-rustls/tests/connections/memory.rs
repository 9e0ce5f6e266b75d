//! Between keylane and ring, in memory.

use super::{bytes, client, identity, name, ours, server, theirs};
use rustls::crypto::CryptoProvider;
use rustls::quic::{self, KeyChange, Keys, Version};
use rustls::version::{TLS12, TLS13};
use rustls::{
    ClientConnection, Connection, ServerConnection, SupportedCipherSuite, SupportedProtocolVersion,
};
use std::io::{Read, Write};
use std::ptr;
use std::sync::Arc;

/// Brings everything that `from` has written to the other side, and returns what that can read.
fn deliver(from: &mut Connection, to: &mut Connection) -> Vec<u8> {
    let (mut wire, mut read) = (Vec::new(), Vec::new());
    while from.wants_write() {
        from.write_tls(&mut wire).expect("memory");
    }
    let mut wire = &wire[..];
    while !wire.is_empty() {
        to.read_tls(&mut wire).expect("memory");
        let ready = to.process_new_packets().expect("good records").plaintext_bytes_to_read();
        let at = read.len();
        read.resize(at + ready, 0);
        to.reader().read_exact(&mut read[at..]).expect("as many bytes");
    }
    read
}

/// Whether a connection runs on a suite of this provider, and not only on one of its name.
fn runs_on(connection: &Connection, provider: &CryptoProvider) -> bool {
    let negotiated = connection.negotiated_cipher_suite().expect("a suite");
    provider.cipher_suites.iter().any(|suite| match (suite, negotiated) {
        (SupportedCipherSuite::Tls13(a), SupportedCipherSuite::Tls13(b)) => ptr::eq(*a, b),
        (SupportedCipherSuite::Tls12(a), SupportedCipherSuite::Tls12(b)) => ptr::eq(*a, b),
        _ => false,
    })
}

/// A handshake and 16 MB in each direction.
fn connect(
    of_client: Arc<CryptoProvider>,
    of_server: Arc<CryptoProvider>,
    version: &'static SupportedProtocolVersion,
) {
    let identity = identity();
    let config = client(of_client.clone(), version, &identity);
    let mut client: Connection = ClientConnection::new(config, name()).expect("a client").into();
    let config = server(of_server.clone(), version, &identity);
    let mut server: Connection = ServerConnection::new(config).expect("a server").into();
    while client.is_handshaking() || server.is_handshaking() {
        deliver(&mut client, &mut server);
        deliver(&mut server, &mut client);
    }
    assert!(runs_on(&client, &of_client) && runs_on(&server, &of_server));

    let all = bytes(16 << 20);
    for connection in [&mut client, &mut server] {
        connection.set_buffer_limit(None);
    }
    for (at, piece) in all.chunks(1_000_003).enumerate() {
        for (from, to) in [(0, 1), (1, 0)] {
            let sides = [&mut client, &mut server];
            // Keys change in mid-stream.
            if at % 4 == 3 && *version == TLS13 {
                sides[from].refresh_traffic_keys().expect("new keys");
            }
            sides[from].writer().write_all(piece).expect("memory");
            let [client, server] = sides;
            let read = if from < to { deliver(client, server) } else { deliver(server, client) };
            assert!(read == piece);
        }
    }
}

#[test]
fn tls13() {
    connect(ours(), theirs(), &TLS13);
    connect(theirs(), ours(), &TLS13);
    connect(ours(), ours(), &TLS13);
}

#[test]
fn tls12() {
    connect(ours(), theirs(), &TLS12);
    connect(theirs(), ours(), &TLS12);
    connect(ours(), ours(), &TLS12);
}

/// A side forges a record: the other one ends the connection.
#[test]
fn forged() {
    let identity = identity();
    let config = client(ours(), &TLS13, &identity);
    let mut client: Connection = ClientConnection::new(config, name()).expect("a client").into();
    let config = server(ours(), &TLS13, &identity);
    let mut server: Connection = ServerConnection::new(config).expect("a server").into();
    while client.is_handshaking() || server.is_handshaking() {
        deliver(&mut client, &mut server);
        deliver(&mut server, &mut client);
    }
    client.writer().write_all(b"data").expect("memory");
    let mut wire = Vec::new();
    client.write_tls(&mut wire).expect("memory");
    wire[7] ^= 1;
    server.read_tls(&mut &wire[..]).expect("memory");
    assert_eq!(server.process_new_packets().expect_err("a forged record"), rustls::Error::DecryptError);
}

/// Keys of QUIC, from a handshake between a client and a server.
fn handshake(of_client: Arc<CryptoProvider>, of_server: Arc<CryptoProvider>) -> [Keys; 2] {
    let identity = identity();
    let config = client(of_client, &TLS13, &identity);
    let client = quic::ClientConnection::new(config, Version::V1, name(), vec![1]).expect("a client");
    let config = server(of_server, &TLS13, &identity);
    let server = quic::ServerConnection::new(config, Version::V1, vec![2]).expect("a server");
    let mut sides: [quic::Connection; 2] = [client.into(), server.into()];
    let mut found = [None, None];
    while found.iter().any(Option::is_none) {
        for from in [0, 1] {
            let mut messages = Vec::new();
            let change = sides[from].write_hs(&mut messages);
            if let Some(KeyChange::OneRtt { keys, .. }) = change {
                found[from] = Some(keys);
            }
            sides[1 - from].read_hs(&messages).expect("good messages");
        }
    }
    found.map(|keys| keys.expect("keys"))
}

#[test]
fn quic_packets() {
    for (of_client, of_server) in [(ours(), theirs()), (theirs(), ours())] {
        let [client, server] = handshake(of_client, of_server);
        for (from, to) in [(&client.local, &server.remote), (&server.local, &client.remote)] {
            for number in 0..1000u32 {
                let payload = bytes(20 + number as usize);
                let (mut first, mut low) = (0x43, number.to_be_bytes());
                let header = [&[first], &low[..]].concat();
                let mut packet = payload.clone();
                let tag =
                    from.packet.encrypt_in_place(number.into(), &header, &mut packet).expect("a packet");
                packet.extend_from_slice(tag.as_ref());
                from.header.encrypt_in_place(&packet[..16], &mut first, &mut low).expect("a header");
                to.header.decrypt_in_place(&packet[..16], &mut first, &mut low).expect("a header");
                assert_eq!([&[first], &low[..]].concat(), header);
                let opened = to.packet.decrypt_in_place(number.into(), &header, &mut packet);
                assert_eq!(opened.expect("a good packet"), payload);
            }
        }
    }
}
