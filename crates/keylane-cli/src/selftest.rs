//! `keylane selftest`: every kernel that runs here, and published answers through the public calls.

use crate::error::{Error, Outcome};
use base16ct::lower::encode_string;
use keylane::halfsiphash::{self, HalfSipHash13, HalfSipHash24, HalfSipHashX24};
use keylane::kernels::{Status, list};
use keylane::poly1305::{OneTimeKey, Poly1305, Tag, mac, mac_batch};
use keylane::siphash::{self, SipHash13, SipHash24, SipHash48, SipHashX24};
use std::array;
use std::io::{self, Write};

/// Runs the command.
pub fn run() -> Result<Outcome, Error> {
    let mut output = io::stdout().lock();
    let (mut passed, mut failed, mut elsewhere) = (0, 0, 0);
    for kernel in list() {
        let result = match kernel.status() {
            Status::Active | Status::Ready => {
                passed += 1;
                "passed".to_owned()
            }
            Status::NotOnThisCpu => {
                elsewhere += 1;
                format!("not on this cpu, which lacks {}", kernel.missing().collect::<Vec<_>>().join(" "))
            }
            _ => {
                failed += 1;
                "FAILED".to_owned()
            }
        };
        writeln!(output, "{} {}: {result}", kernel.slot(), kernel.id())?;
    }
    for (what, right) in published() {
        *(if right { &mut passed } else { &mut failed }) += 1;
        writeln!(output, "{what}: {}", if right { "passed" } else { "FAILED" })?;
    }
    write!(output, "{passed} passed, {failed} failed")?;
    if elsewhere > 0 {
        write!(output, ", {elsewhere} not on this cpu")?;
    }
    writeln!(output)?;
    output.flush()?;
    Ok(Outcome::of(failed == 0))
}

/// Whether one call, a stream, a batch and the comparison agree with the answers for the messages 00 01 02
/// ... of some lengths.
macro_rules! agrees {
    ($prepared:expr, $answers:expr) => {{
        let prepared = $prepared;
        let message = counting::<63>();
        $answers.into_iter().all(|(len, answer): (usize, &str)| {
            let message = message.get(..len).unwrap_or_default();
            let mut stream = prepared.stream();
            message.chunks(7).for_each(|piece| stream.update(piece));
            let mut tags = [Default::default(); 9];
            let batch = prepared.hash_many(&[message; 9], &mut tags);
            batch.is_ok()
                && tags.into_iter().chain([prepared.hash(message), stream.finish()]).all(|tag| {
                    encode_string(&tag.to_le_bytes()) == answer && prepared.verify(message, tag).is_ok()
                })
        })
    }};
}

/// The published answers by source, and whether the public calls give them.
pub fn published() -> [(&'static str, bool); 8] {
    let key = siphash::Key::from_bytes(counting());
    let half_key = halfsiphash::Key::from_bytes(counting());
    [
        (
            "SipHash-2-4-64, its authors",
            agrees!(SipHash24::new(&key), [(15, "e545be4961ca29a1"), (63, "724506eb4c328a95")]),
        ),
        (
            "SipHash-2-4-128, its authors",
            agrees!(
                SipHashX24::new(&key),
                [(15, "5493e99933b0a8117e08ec0f97cfc3d9"), (63, "5150d1772f50834a503e069a973fbd7c")]
            ),
        ),
        (
            "SipHash-1-3-64, Rust's standard library",
            agrees!(SipHash13::new(&key), [(15, "5699512a6dd820d3"), (63, "a8b3bbb76290199d")]),
        ),
        ("SipHash-4-8-64, OpenSSL", agrees!(SipHash48::new(&key), [(63, "e67784bc5503de23")])),
        (
            "HalfSipHash-2-4-32, its authors",
            agrees!(HalfSipHash24::new(&half_key), [(15, "74fe2b97"), (63, "59ea4a74")]),
        ),
        (
            "HalfSipHash-2-4-64, its authors",
            agrees!(HalfSipHashX24::new(&half_key), [(15, "217d0bcb4e81c902"), (63, "2ea63c71bf326087")]),
        ),
        (
            "HalfSipHash-1-3-32, Linux",
            agrees!(HalfSipHash13::new(&half_key), [(15, "047b25d0"), (63, "04831787")]),
        ),
        ("Poly1305, RFC 8439", poly1305()),
    ]
}

/// RFC 8439, section 2.5.2.
fn poly1305() -> bool {
    let key = [
        0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01,
        0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b,
    ];
    let message = b"Cryptographic Forum Research Group";
    let answer = "a8061dc1305136c6c22b8baf0c0127a9";
    let mut stream = Poly1305::new(OneTimeKey::from_bytes(key));
    message.chunks(7).for_each(|piece| stream.update(piece));
    let mut tags = [Tag::default(); 9];
    let batch =
        mac_batch(array::from_fn::<_, 9, _>(|_| OneTimeKey::from_bytes(key)), &[&message[..]; 9], &mut tags);
    let tag = mac(OneTimeKey::from_bytes(key), message);
    batch.is_ok()
        && tags
            .into_iter()
            .chain([tag, stream.finish()])
            .all(|other| encode_string(other.as_ref()) == answer && tag.verify(&other).is_ok())
}

/// 00 01 02 ...
fn counting<const N: usize>() -> [u8; N] {
    array::from_fn(|i| i as u8)
}
