//! ChaCha20-Poly1305 in rustls: keylane's suites beside ring's and AWS-LC's, in cycles a byte.
//!
//! `tls`: what a client writes passes in memory through records of TLS 1.3 to its server. So a byte is sealed and opened
//! once, and copied as rustls copies it. `quic`: packets of 1200 bytes, sealed in place, or copied and opened.
//! keylane is measured twice: how far the ratio of `again` is from 1 is the noise.

use keylane_measure::sample::{Contest, interleaved};
use rcgen::{CertifiedKey, KeyPair};
use rustls::crypto::{CryptoProvider, aws_lc_rs, ring};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::quic::{Keys, PacketKey, Version};
use rustls::version::TLS13;
use rustls::{
    ClientConfig, ClientConnection, Connection, RootCertStore, ServerConfig, ServerConnection, Side,
    SupportedCipherSuite,
};
use std::error::Error;
use std::io::{Read, Write};
use std::sync::Arc;

/// The kept samples of each provider.
const SAMPLES: usize = 31;

/// The bytes of a sample of `tls`.
const BYTES: usize = 1 << 20;

/// The bytes of a packet of QUIC, and the packets of a sample.
const PACKET: usize = 1200;
const PACKETS: usize = 500;

/// The bytes of its header.
const HEADER: [u8; 20] = *b"header of the packet";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Only the suite of ChaCha20-Poly1305.
fn only_chacha20(mut provider: CryptoProvider) -> Arc<CryptoProvider> {
    provider.cipher_suites.retain(|suite| keylane_rustls::is_chacha20(suite.suite()));
    Arc::new(provider)
}

/// Both ends of a connection, after the handshake.
struct Pair([Connection; 2]);

impl Pair {
    fn new(provider: &Arc<CryptoProvider>, identity: &CertifiedKey<KeyPair>) -> Result<Self> {
        let certificate = identity.cert.der().clone();
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone())?;
        let config =
            ClientConfig::builder_with_provider(provider.clone()).with_protocol_versions(&[&TLS13])?;
        let config = config.with_root_certificates(roots).with_no_client_auth();
        let client = ClientConnection::new(Arc::new(config), "localhost".try_into()?)?;
        let key = PrivatePkcs8KeyDer::from(identity.signing_key.serialize_der());
        let config =
            ServerConfig::builder_with_provider(provider.clone()).with_protocol_versions(&[&TLS13])?;
        let config = config.with_no_client_auth().with_single_cert(vec![certificate], key.into())?;
        let server = ServerConnection::new(Arc::new(config))?;
        let mut pair = Pair([client.into(), server.into()]);
        let mut wire = Vec::new();
        while pair.0.iter().any(|end| end.is_handshaking()) {
            pair.deliver(&mut wire, &mut [])?;
            pair.0.reverse();
            pair.deliver(&mut wire, &mut [])?;
            pair.0.reverse();
        }
        Ok(pair)
    }

    /// Brings what the first end has written to the second, which reads it into `read`.
    fn deliver(&mut self, wire: &mut Vec<u8>, mut read: &mut [u8]) -> Result<()> {
        let [from, to] = &mut self.0;
        wire.clear();
        while from.wants_write() {
            from.write_tls(wire)?;
        }
        let mut left = &wire[..];
        while !left.is_empty() {
            to.read_tls(&mut left)?;
            let ready = to.process_new_packets()?.plaintext_bytes_to_read();
            let (now, later) = read.split_at_mut(ready);
            to.reader().read_exact(now)?;
            read = later;
        }
        Ok(())
    }
}

/// Work of each provider, and the bytes of a sample.
struct Race<'a> {
    works: Vec<Box<dyn FnMut() + 'a>>,
    bytes: usize,
}

impl Contest for Race<'_> {
    fn contenders(&self) -> usize {
        self.works.len()
    }

    fn work(&mut self, contender: usize) -> Box<dyn FnMut() + '_> {
        Box::new(&mut self.works[contender])
    }
}

impl Race<'_> {
    /// Prints a line for each provider.
    fn show(mut self, title: &str, names: &[&str]) {
        let measured = interleaved(&mut self, SAMPLES);
        println!("{title}: cycles a byte, keylane / other");
        let ours = measured.samples[measured.ours].clone();
        let all = measured.samples.iter().chain([&measured.again]);
        for (name, samples) in names.iter().chain(&["again"]).zip(all) {
            let cycles = samples.cycles().map_or(f64::NAN, |cycles| cycles.median / self.bytes as f64);
            let ratio = ours.ratio(samples).map_or(f64::NAN, |ratio| ratio.median);
            println!("  {name:8} {cycles:6.3} {ratio:6.3}");
        }
    }
}

/// What a provider does in a sample, and whether it went right.
fn checked<'a>(mut run: impl FnMut() -> Result<bool> + 'a) -> Box<dyn FnMut() + 'a> {
    Box::new(move || assert!(run().is_ok_and(|is_right| is_right), "what was sealed did not open"))
}

fn tls(providers: &[Arc<CryptoProvider>], names: &[&str]) -> Result<()> {
    let identity = rcgen::generate_simple_self_signed(["localhost".into()])?;
    let data = vec![0x5a; BYTES];
    let mut works = Vec::new();
    for provider in providers {
        let mut pair = Pair::new(provider, &identity)?;
        pair.0[0].set_buffer_limit(None);
        let (mut wire, mut read, data) = (Vec::new(), vec![0; BYTES], &data);
        works.push(checked(move || {
            pair.0[0].writer().write_all(data)?;
            pair.deliver(&mut wire, &mut read)?;
            Ok(read.ends_with(&data[BYTES - PACKET..]))
        }));
    }
    Race { works, bytes: BYTES }.show("tls", names);
    Ok(())
}

/// The keys of one side.
fn keys(provider: &CryptoProvider, side: Side) -> Result<Keys> {
    let suite = provider.cipher_suites.iter().find_map(SupportedCipherSuite::tls13).ok_or("no suite")?;
    let quic = suite.quic.ok_or("no QUIC")?;
    Ok(Keys::initial(Version::V1, suite, quic, &[7; 8], side))
}

fn seal(key: &dyn PacketKey, data: &mut [Vec<u8>]) -> Result<()> {
    for (number, packet) in (0..).zip(data) {
        let (text, tag) = packet.split_at_mut(PACKET);
        tag.copy_from_slice(key.encrypt_in_place(number, &HEADER, text)?.as_ref());
    }
    Ok(())
}

fn open(key: &dyn PacketKey, data: &mut [Vec<u8>]) -> Result<bool> {
    let mut is_right = true;
    for (number, packet) in (0..).zip(data) {
        is_right &= key.decrypt_in_place(number, &HEADER, packet)?.len() == PACKET;
    }
    Ok(is_right)
}

fn quic(providers: &[Arc<CryptoProvider>], names: &[&str]) -> Result<()> {
    let (mut sealing, mut opening) = (Vec::new(), Vec::new());
    for provider in providers {
        let (client, server) = (keys(provider, Side::Client)?, keys(provider, Side::Server)?);
        let mut packets = vec![vec![0x5a; PACKET + 16]; PACKETS];
        seal(&*client.local.packet, &mut packets)?;
        let (sealed, mut data) = (packets.clone(), packets.clone());
        opening.push(checked(move || {
            data.clone_from(&sealed);
            open(&*server.remote.packet, &mut data)
        }));
        sealing.push(checked(move || seal(&*client.local.packet, &mut packets).map(|()| true)));
    }
    Race { works: sealing, bytes: PACKETS * PACKET }.show("quic, sealed", names);
    Race { works: opening, bytes: PACKETS * PACKET }.show("quic, opened and copied", names);
    Ok(())
}

fn main() -> Result<()> {
    let keylane = keylane_rustls::provider(ring::default_provider());
    let providers = [keylane, ring::default_provider(), aws_lc_rs::default_provider()].map(only_chacha20);
    let names = ["keylane", "ring", "AWS-LC"];
    tls(&providers, &names)?;
    quic(&providers, &names)
}
