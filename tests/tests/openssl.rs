//! OpenSSL's command as an oracle that shares nothing with keylane: `openssl mac`, from 3.0 on.
//!
//! Without it there is nothing to compare with. The test then says so and passes; under CI=true it fails.

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
