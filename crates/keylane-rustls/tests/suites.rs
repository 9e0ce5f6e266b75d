//! Records and packets beside those of rustls's provider with ring, and RFC 9001's example.

use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, Iv, MessageDecrypter, MessageEncrypter, OutboundChunks,
    OutboundPlainMessage,
};
use rustls::crypto::{CryptoProvider, ring};
use rustls::quic::Algorithm;
use rustls::{CipherSuite, ConnectionTrafficSecrets, ContentType, ProtocolVersion, SupportedCipherSuite};

const KEY: [u8; 32] = *b"0123456789abcdef0123456789ABCDEF";
const IV: [u8; 12] = *b"an IV of 12b";
const NUMBERS: [u64; 5] = [0, 1, 255, 1 << 32, u64::MAX];

fn ours() -> CryptoProvider {
    keylane_rustls::provider(ring::default_provider())
}

fn suite(provider: &CryptoProvider, name: CipherSuite) -> SupportedCipherSuite {
    *provider.cipher_suites.iter().find(|suite| suite.suite() == name).expect("a suite")
}

fn data(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 % 253) as u8).collect()
}

/// Ciphers of both sides that must do the same: ours first.
struct Sides {
    encrypters: [Box<dyn MessageEncrypter>; 2],
    decrypters: [Box<dyn MessageDecrypter>; 2],
    version: ProtocolVersion,
}

impl Sides {
    fn tls13() -> Self {
        let name = CipherSuite::TLS13_CHACHA20_POLY1305_SHA256;
        let algorithms = [ours(), ring::default_provider()]
            .map(|provider| suite(&provider, name).tls13().expect("TLS 1.3").aead_alg);
        assert_eq!(algorithms[0].key_len(), algorithms[1].key_len());
        assert!(!algorithms[0].fips());
        Sides {
            encrypters: algorithms.map(|algorithm| algorithm.encrypter(AeadKey::from(KEY), IV.into())),
            decrypters: algorithms.map(|algorithm| algorithm.decrypter(AeadKey::from(KEY), IV.into())),
            version: ProtocolVersion::TLSv1_3,
        }
    }

    fn tls12(name: CipherSuite) -> Self {
        let algorithms = [ours(), ring::default_provider()].map(|provider| match suite(&provider, name) {
            SupportedCipherSuite::Tls12(suite) => suite.aead_alg,
            SupportedCipherSuite::Tls13(_) => panic!("not TLS 1.2"),
        });
        let [ours, theirs] = algorithms.map(|algorithm| algorithm.key_block_shape());
        assert_eq!(ours.enc_key_len, theirs.enc_key_len);
        assert_eq!(ours.fixed_iv_len, theirs.fixed_iv_len);
        assert_eq!(ours.explicit_nonce_len, theirs.explicit_nonce_len);
        Sides {
            encrypters: algorithms.map(|algorithm| algorithm.encrypter(AeadKey::from(KEY), &IV, &[])),
            decrypters: algorithms.map(|algorithm| algorithm.decrypter(AeadKey::from(KEY), &IV)),
            version: ProtocolVersion::TLSv1_2,
        }
    }

    /// The same record of both.
    fn encrypt(&mut self, typ: ContentType, chunks: &[&[u8]], number: u64) -> Vec<u8> {
        let [ours, theirs] = self.encrypters.each_mut().map(|encrypter| {
            let payload = OutboundChunks::new(chunks);
            let len = payload.len();
            let plain = OutboundPlainMessage { typ, version: self.version, payload };
            let message = encrypter.encrypt(plain, number).expect("a record");
            assert_eq!(message.payload.as_ref().len(), encrypter.encrypted_payload_len(len));
            (message.typ, message.version, message.payload.as_ref().to_vec())
        });
        assert_eq!(ours, theirs);
        ours.2
    }

    /// The same of both: the content, or the error.
    fn decrypt(&mut self, typ: ContentType, record: &[u8], number: u64) -> Result<Vec<u8>, String> {
        // Records of TLS 1.3 say that they are of TLS 1.2.
        let [ours, theirs] = self.decrypters.each_mut().map(|decrypter| {
            let mut record = record.to_vec();
            let message = InboundOpaqueMessage::new(typ, ProtocolVersion::TLSv1_2, &mut record);
            match decrypter.decrypt(message, number) {
                Ok(message) => Ok((message.typ, message.version, message.payload.to_vec())),
                Err(error) => Err(format!("{error:?}")),
            }
        });
        assert_eq!(ours, theirs);
        ours.map(|(_, _, payload)| payload)
    }

    fn compare(&mut self) {
        for len in [0, 1, 15, 16, 17, 64, 192, 193, 1000, 16383, 16384] {
            let content = data(len);
            for (at, number) in NUMBERS.into_iter().enumerate() {
                let typ = [ContentType::ApplicationData, ContentType::Handshake, ContentType::Alert][at % 3];
                let (start, end) = content.split_at(len * at / NUMBERS.len());
                let record = self.encrypt(typ, &[start, &[], end], number);
                let outer =
                    if self.version == ProtocolVersion::TLSv1_3 { ContentType::ApplicationData } else { typ };
                assert_eq!(self.decrypt(outer, &record, number), Ok(content.clone()));
                assert!(self.decrypt(outer, &record, number ^ 1).is_err());
                for at in [0, len / 2, record.len() - 1] {
                    let mut forged = record.clone();
                    forged[at] ^= 1;
                    assert!(self.decrypt(outer, &forged, number).is_err());
                }
                assert!(self.decrypt(outer, &record[1..], number).is_err());
            }
        }
        for len in 0..=16 {
            assert!(self.decrypt(ContentType::ApplicationData, &data(len), 0).is_err());
        }
        // A peer may send what rustls refuses to read.
        for len in [16385, 16386, 17000] {
            let record = self.encrypt(ContentType::ApplicationData, &[&data(len)], 5);
            let error = self.decrypt(ContentType::ApplicationData, &record, 5);
            assert_eq!(error, Err("PeerSentOversizedRecord".into()));
        }
        let record = self.encrypt(ContentType::ChangeCipherSpec, &[&[1]], 6);
        let tls13 = self.version == ProtocolVersion::TLSv1_3;
        let typ = if tls13 { ContentType::ApplicationData } else { ContentType::ChangeCipherSpec };
        assert_eq!(self.decrypt(typ, &record, 6).is_err(), tls13);
    }
}

#[test]
fn records_of_tls13() {
    Sides::tls13().compare();
}

#[test]
fn records_of_tls12() {
    Sides::tls12(CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256).compare();
    Sides::tls12(CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256).compare();
}

/// Only the suites of ChaCha20-Poly1305 are exchanged, and everything but their cipher remains.
#[test]
fn the_rest_of_the_provider() {
    let (ours, theirs) = (ours(), ring::default_provider());
    assert_eq!(ours.cipher_suites, theirs.cipher_suites);
    let mut exchanged = 0;
    for (ours, theirs) in ours.cipher_suites.iter().zip(&theirs.cipher_suites) {
        let is_same = match (ours, theirs) {
            (SupportedCipherSuite::Tls13(ours), SupportedCipherSuite::Tls13(theirs)) => {
                assert_eq!(ours.common.confidentiality_limit, theirs.common.confidentiality_limit);
                assert_eq!(ours.quic.is_some(), theirs.quic.is_some());
                std::ptr::eq(*ours, *theirs)
            }
            (SupportedCipherSuite::Tls12(ours), SupportedCipherSuite::Tls12(theirs)) => {
                assert_eq!(ours.common.confidentiality_limit, theirs.common.confidentiality_limit);
                assert_eq!((ours.kx, ours.sign), (theirs.kx, theirs.sign));
                std::ptr::eq(*ours, *theirs)
            }
            _ => panic!("another version"),
        };
        assert_eq!(is_same, !keylane_rustls::is_chacha20(ours.suite()));
        exchanged += usize::from(!is_same);
    }
    assert_eq!(exchanged, 3);
}

/// The kernel's TLS gets key and IV as they are.
#[test]
fn keys_for_the_kernel() {
    let extracted = [
        suite(&ours(), CipherSuite::TLS13_CHACHA20_POLY1305_SHA256)
            .tls13()
            .expect("TLS 1.3")
            .aead_alg
            .extract_keys(AeadKey::from(KEY), IV.into()),
        match suite(&ours(), CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256) {
            SupportedCipherSuite::Tls12(suite) => suite.aead_alg.extract_keys(AeadKey::from(KEY), &IV, &[]),
            SupportedCipherSuite::Tls13(_) => panic!("not TLS 1.2"),
        },
    ];
    for secrets in extracted {
        match secrets {
            Ok(ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv }) => {
                assert_eq!((key.as_ref(), iv.as_ref()), (&KEY[..], &IV[..]));
            }
            _ => panic!("other keys"),
        }
    }
}

fn quic(provider: &CryptoProvider) -> &'static dyn Algorithm {
    let suite = suite(provider, CipherSuite::TLS13_CHACHA20_POLY1305_SHA256);
    suite.tls13().expect("TLS 1.3").quic.expect("QUIC")
}

/// RFC 9001, appendix A.5: a packet with a short header.
#[test]
fn the_packet_of_rfc9001() {
    let bytes = |hex: &str| -> Vec<u8> {
        hex.as_bytes()
            .chunks(2)
            .map(|digits| u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap())
            .collect()
    };
    let key = |hex| AeadKey::from(<[u8; 32]>::try_from(bytes(hex)).unwrap());
    let algorithm = quic(&ours());
    let iv: [u8; 12] = bytes("e0459b3474bdd0e44a41c144").try_into().unwrap();
    let packets = algorithm
        .packet_key(key("c6d98ff3441c3fe1b2182094f69caa2ed4b716b65488960a7a984979fb23e1c8"), Iv::from(iv));
    let headers = algorithm
        .header_protection_key(key("25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4"));

    let mut packet = bytes("4200bff401");
    let (header, payload) = packet.split_at_mut(4);
    let tag = packets.encrypt_in_place(654_360_564, header, payload).unwrap();
    packet.extend_from_slice(tag.as_ref());
    let sample = packet[5..21].to_vec();
    let (first, rest) = packet.split_first_mut().unwrap();
    headers.encrypt_in_place(&sample, first, &mut rest[..3]).unwrap();
    assert_eq!(packet, bytes("4cfe4189655e5cd55c41f69080575d7999c25a5bfb"));

    let (first, rest) = packet.split_first_mut().unwrap();
    headers.decrypt_in_place(&sample, first, &mut rest[..3]).unwrap();
    let (header, payload) = packet.split_at_mut(4);
    assert_eq!(header, bytes("4200bff4"));
    assert_eq!(packets.decrypt_in_place(654_360_564, header, payload).unwrap(), [1]);
}

#[test]
fn packets_of_quic() {
    let algorithms = [quic(&ours()), quic(&ring::default_provider())];
    assert_eq!(algorithms[0].aead_key_len(), algorithms[1].aead_key_len());
    let sides = algorithms.map(|algorithm| algorithm.packet_key(AeadKey::from(KEY), IV.into()));
    assert_eq!(sides[0].integrity_limit(), sides[1].integrity_limit());
    assert_eq!(sides[0].confidentiality_limit(), sides[1].confidentiality_limit());
    assert_eq!(sides[0].tag_len(), sides[1].tag_len());
    for len in [0, 1, 16, 100, 1200, 1452, 9000] {
        let header = data(len % 40);
        for number in NUMBERS {
            for path in [None, Some(0), Some(7), Some(u32::MAX)] {
                let [ours, theirs] = sides.each_ref().map(|keys| {
                    let mut packet = data(len);
                    let tag = match path {
                        None => keys.encrypt_in_place(number, &header, &mut packet),
                        Some(path) => keys.encrypt_in_place_for_path(path, number, &header, &mut packet),
                    };
                    packet.extend_from_slice(tag.expect("a packet").as_ref());
                    packet
                });
                assert_eq!(ours, theirs);
                let open = |mut packet: Vec<u8>| {
                    let opened = match path {
                        None => sides[0].decrypt_in_place(number, &header, &mut packet),
                        Some(path) => sides[0].decrypt_in_place_for_path(path, number, &header, &mut packet),
                    };
                    opened.map(<[u8]>::to_vec)
                };
                assert_eq!(open(theirs), Ok(data(len)));
                let mut forged = ours.clone();
                forged[len / 2] ^= 0x80;
                assert_eq!(open(forged), Err(rustls::Error::DecryptError));
                assert_eq!(open(ours[..15].to_vec()), Err(rustls::Error::DecryptError));
            }
        }
    }
}

#[test]
fn headers_of_quic() {
    let sides = [quic(&ours()), quic(&ring::default_provider())]
        .map(|algorithm| algorithm.header_protection_key(AeadKey::from(KEY)));
    assert_eq!(sides[0].sample_len(), sides[1].sample_len());
    for first in 0..=255 {
        let sample = &data(300)[usize::from(first)..][..16];
        for len in 0..=6 {
            for masked in [false, true] {
                let [ours, theirs] = sides.each_ref().map(|keys| {
                    let (mut first, mut number) = (first, data(len));
                    let done = if masked {
                        keys.decrypt_in_place(sample, &mut first, &mut number)
                    } else {
                        keys.encrypt_in_place(sample, &mut first, &mut number)
                    };
                    (done, first, number)
                });
                assert_eq!(ours, theirs);
                assert_eq!(ours.0.is_err(), len > 4);
            }
        }
    }
    for len in [0, 15, 17] {
        let [ours, theirs] =
            sides.each_ref().map(|keys| keys.encrypt_in_place(&data(len), &mut 0x40, &mut [0; 4]));
        assert!(ours.is_err());
        assert_eq!(ours, theirs);
    }
}
