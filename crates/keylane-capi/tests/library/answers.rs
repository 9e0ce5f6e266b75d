//! The published answers through the library: from C, C++ and Python, and under valgrind.

use crate::library::{CRATE, GCC, LANGUAGES, Library, run, there};
use keylane_conformance::vectors::{
    AesCase, HashCase, MacCase, PacketCase, Verdict, dns_cookies, hashes, poly1305, poly1305_aes, unpadded,
    wycheproof_aead, wycheproof_hashes, wycheproof_packets,
};
use std::fmt::Write;
use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes in hex, or `-` if there are none.
fn hex(bytes: &[u8]) -> String {
    if bytes.is_empty() { "-".into() } else { bytes.iter().map(|byte| format!("{byte:02x}")).collect() }
}

/// A message: its bytes, or one byte and how often it is repeated.
fn message(bytes: &[u8]) -> String {
    match bytes {
        [first, rest @ ..] if bytes.len() > 10_000 && rest.iter().all(|byte| byte == first) => {
            format!("*{}:{first:02x}", bytes.len())
        }
        _ => hex(bytes),
    }
}

fn number(verdict: Verdict) -> u8 {
    (verdict == Verdict::Valid).into()
}

/// All answers, one per line. `tests/c/answers.c` documents the words of each line.
fn lines() -> String {
    let mut lines = String::new();
    let mut line = |text: String| writeln!(lines, "{text}").expect("a line");
    let files = hashes().into_iter().flat_map(|(_, cases)| cases);
    for HashCase { variant, key, message: bytes, tag, tag_nocase, verdict, .. } in
        files.chain(wycheproof_hashes())
    {
        let size = variant.tag_size();
        let digits = |tag: u128| hex(&tag.to_le_bytes()[..size]);
        line(format!(
            "hash {} {} {} {} {} {} {} {} {}",
            if variant.half { "half" } else { "sip" },
            variant.c,
            variant.d,
            8 * size,
            hex(&key),
            message(&bytes),
            digits(tag),
            tag_nocase.map_or("-".into(), digits),
            number(verdict)
        ));
    }
    for case in unpadded() {
        let blocks: Vec<String> = case.blocks.iter().map(|block| hex(block)).collect();
        line(format!("unpadded {} {} {}", hex(&case.key), hex(&case.tag.to_le_bytes()), blocks.join(" ")));
    }
    for case in dns_cookies() {
        let address = match case.client {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        };
        line(format!(
            "cookie {} {} {} {} {} {} {}",
            hex(&case.secret),
            hex(&case.client_cookie),
            u8::from(case.reserved == [0; 3]),
            case.timestamp,
            hex(&address),
            hex(&case.server_cookie),
            number(case.verdict)
        ));
    }
    let mac = |MacCase { key, message, tag, verdict, .. }: &MacCase| {
        format!("mac {} {} {} {}", hex(key), hex(message), hex(tag), number(*verdict))
    };
    poly1305().iter().for_each(|case| line(mac(case)));
    for AesCase { r, aes_key, nonce, message, tag, .. } in poly1305_aes() {
        line(format!("aes {} {} {} {} {}", hex(&aes_key), hex(&r), hex(&nonce), hex(&message), hex(&tag)));
    }
    for case in wycheproof_aead() {
        line(mac(&case.mac));
        if case.nonce.len() == 12 {
            let MacCase { message, tag, verdict, .. } = &case.mac;
            let (key, nonce) = (hex(&case.cipher_key), hex(&case.nonce));
            line(format!("rfc8439 {key} {nonce} {} {} {}", hex(message), hex(tag), number(*verdict)));
        }
    }
    let [short, extended] = wycheproof_packets();
    for PacketCase { key, nonce, aad, message, ciphertext, tag, verdict } in short
        .iter()
        .filter(|case| case.nonce.len() == 12)
        .chain(extended.iter().filter(|case| case.nonce.len() == 24))
    {
        line(format!(
            "packet {} {} {} {} {} {} {}",
            hex(key),
            hex(nonce),
            hex(aad),
            hex(message),
            hex(ciphertext),
            hex(tag),
            number(*verdict)
        ));
    }
    lines
}

/// The file of all answers.
pub fn file(library: &Library) -> PathBuf {
    let path = library.file("answers");
    fs::write(&path, lines()).expect("a file");
    path
}

#[test]
fn every_language_gives_the_published_answers() {
    let library = Library::new();
    let answers = file(&library);
    for language in LANGUAGES {
        if let Some(program) = library.compile(language, "answers.c", &[]) {
            print!("{}: {}", language.compiler, run(program.command(&[]).arg(&answers)));
        }
    }
}

#[test]
fn the_archive_gives_the_published_answers() {
    let library = Library::new();
    let answers = file(&library);
    fs::remove_file(library.file("libkeylane.so"))
        .expect("the shared library, so that the archive is linked");
    let program = library.compile(GCC, "answers.c", &[]).expect("gcc");
    print!("archive: {}", run(program.command(&[]).arg(&answers)));
}

#[test]
fn memory_is_clean() {
    let library = Library::new();
    let program = library.compile(GCC, "answers.c", &[]).expect("gcc");
    if there("valgrind") {
        let memcheck =
            ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "--track-origins=yes"];
        print!("valgrind: {}", run(program.command(&memcheck).arg(file(&library))));
    }
}

#[test]
fn python_gives_the_published_answers() {
    let library = Library::new();
    if there("python3") {
        let mut python = Command::new("python3");
        python.arg(Path::new(CRATE).join("tests/answers.py"));
        print!("python: {}", run(python.arg(library.file("libkeylane.so")).arg(file(&library))));
    }
}
