//! OpenSSL's command as an oracle that shares nothing with keylane: `openssl mac`, from 3.0 on, and `openssl enc`.
//!
//! Without it there is nothing to compare with. The test then says so and passes; under CI=true it fails.

use keylane::aead::{ChaCha20Poly1305, Key, Packet, Tag};
use keylane::poly1305::{OneTimeKey, mac};
use keylane_conformance::input::Random;
use keylane_conformance::public::hashes;
use keylane_conformance::variants::Variant;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// The reason why there is no `openssl mac` here, if there is none.
fn missing() -> Option<String> {
    let Ok(output) = Command::new("openssl").arg("version").output() else {
        return Some("there is no program openssl".into());
    };
    let version = String::from_utf8_lossy(&output.stdout).trim().to_string();
    // "OpenSSL 3.0.19 27 Jan 2026", "LibreSSL 3.8.2".
    let major = version.strip_prefix("OpenSSL ").and_then(|rest| rest.split('.').next()?.parse().ok());
    (major < Some(3)).then(|| format!("openssl is not OpenSSL 3.0 or newer but {version}"))
}

/// Whether to go on. Prints the reason if not.
fn present() -> bool {
    let Some(why) = missing() else { return true };
    assert_ne!(env::var("CI").as_deref(), Ok("true"), "{why}");
    println!("nothing was compared: {why}");
    false
}

/// A file with a message, removed at the end.
struct Message(PathBuf);

impl Message {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("openssl-{name}"));
        fs::write(&path, bytes).expect("a file");
        Message(path)
    }

    /// Its tag by OpenSSL.
    fn mac(&self, algorithm: &str, options: &[String]) -> Vec<u8> {
        let mut command = Command::new("openssl");
        command.args(["mac", "-binary"]);
        options.iter().for_each(|option| _ = command.args(["-macopt", option]));
        let output = command.arg("-in").arg(&self.0).arg(algorithm).output().expect("openssl");
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// Itself XOR OpenSSL's ChaCha20 from block `counter` on.
    fn chacha20(&self, key: &[u8; 32], counter: u32, nonce: &[u8; 12]) -> Vec<u8> {
        let iv = format!("{}{}", hex(&counter.to_le_bytes()), hex(nonce));
        let mut command = Command::new("openssl");
        command.args(["enc", "-chacha20", "-K", &hex(key), "-iv", &iv, "-in"]).arg(&self.0);
        let output = command.output().expect("openssl");
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Lengths around words, blocks, the wrap of the length byte, and the lengths where long-message kernels take
/// over.
const LENGTHS: [usize; 14] = [0, 1, 7, 8, 9, 15, 16, 17, 63, 64, 255, 256, 257, 1500];

#[test]
fn siphash() {
    if !present() {
        return;
    }
    let mut random = Random(40);
    let mut compared = 0;
    for len in LENGTHS {
        let bytes: Vec<u8> = (0..len).map(|_| random.word() as u8).collect();
        let message = Message::new(&format!("siphash-{len}"), &bytes);
        for (c, d) in [(1, 1), (1, 2), (1, 3), (2, 4), (4, 8), (3, 5), (7, 9), (5, 2)] {
            for double in [false, true] {
                let (variant, key) = (Variant::sip(c, d, double), random.bytes::<16>());
                let options = [
                    format!("hexkey:{}", hex(&key)),
                    format!("c-rounds:{c}"),
                    format!("d-rounds:{d}"),
                    format!("size:{}", variant.tag_size()),
                ];
                let expected = variant.number(&message.mac("SIPHASH", &options));
                for h in hashes(variant, &key) {
                    assert_eq!(h.hash(&bytes), expected, "{variant:?}, {len} bytes");
                }
                compared += 1;
            }
        }
    }
    assert_eq!(compared, 14 * 8 * 2);
}

#[test]
fn poly1305() {
    if !present() {
        return;
    }
    let mut random = Random(41);
    for len in LENGTHS.into_iter().chain([1 << 12, (1 << 16) + 5]) {
        for fill in [None, Some(0xff)] {
            let bytes: Vec<u8> = (0..len).map(|_| fill.unwrap_or(random.word() as u8)).collect();
            let message = Message::new(&format!("poly1305-{len}"), &bytes);
            for key in [random.bytes(), [0xff; 32]] {
                let expected = message.mac("POLY1305", &[format!("hexkey:{}", hex(&key))]);
                assert_eq!(mac(OneTimeKey::from_bytes(key), &bytes).as_ref(), expected, "{len} bytes");
            }
        }
    }
}

/// ChaCha20-Poly1305, put together (RFC 8439, section 2.8) of OpenSSL's ChaCha20 and Poly1305: one packet, and nine in a
/// call.
#[test]
fn chacha20_poly1305() {
    if !present() {
        return;
    }
    let mut random = Random(42);
    for len in LENGTHS.into_iter().chain([961, 1420, 5000, (1 << 16) + 5]) {
        let (key, nonce): ([u8; 32], [u8; 12]) = (random.bytes(), random.bytes());
        let text: Vec<u8> = (0..len).map(|_| random.word() as u8).collect();
        let aad: Vec<u8> = (0..random.below(40)).map(|_| random.word() as u8).collect();
        let one_time = Message::new(&format!("block-{len}"), &[0; 32]).chacha20(&key, 0, &nonce);
        let ciphertext = Message::new(&format!("text-{len}"), &text).chacha20(&key, 1, &nonce);
        let mut message = Vec::new();
        for part in [&aad, &ciphertext] {
            message.extend(part);
            message.resize(message.len().next_multiple_of(16), 0);
        }
        for part in [&aad, &ciphertext] {
            message.extend((part.len() as u64).to_le_bytes());
        }
        let options = [format!("hexkey:{}", hex(&one_time))];
        let tag = Message::new(&format!("packet-{len}"), &message).mac("POLY1305", &options);

        let cipher = ChaCha20Poly1305::new(&Key::from_bytes(key));
        let mut data = text.clone();
        let given = cipher.seal_with_nonce(&nonce, &aad, &mut data).expect("a short text");
        assert_eq!((&data, &given.to_bytes()[..]), (&ciphertext, &tag[..]), "{len} bytes");
        cipher.open(&nonce, &aad, &mut data, &given).expect("the right tag");
        assert_eq!(data, text, "{len} bytes");

        let mut copies = vec![text.clone(); 9];
        let packet = |data| Packet { nonce, aad: &aad, data, tag: Tag::default() };
        let mut packets: Vec<Packet<'_>> = copies.iter_mut().map(|data| packet(&mut data[..])).collect();
        cipher.seal_many_with_nonces(&mut packets).expect("short texts");
        for packet in &packets {
            assert_eq!(
                (&*packet.data, &packet.tag.to_bytes()[..]),
                (&ciphertext[..], &tag[..]),
                "{len} bytes"
            );
        }
        cipher.open_many(&mut packets, &mut [false; 9]).expect("the right tags");
        assert!(copies.iter().all(|data| *data == text), "{len} bytes");
    }
}
