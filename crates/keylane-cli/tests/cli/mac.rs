//! `keylane mac`

use crate::tool::{Dir, has, hex, run};
use std::process::Command;

const POLY1305_KEY: &str = "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b";
const POLY1305_TAG: &str = "a8061dc1305136c6c22b8baf0c0127a9";

fn rfc_8439() -> Dir {
    let dir = Dir::new();
    dir.write("pkey", POLY1305_KEY);
    dir.write("m", "Cryptographic Forum Research Group");
    dir
}

#[test]
fn published_answers() {
    let dir = rfc_8439();
    assert_eq!(dir.run("mac poly1305 --key-file pkey m").ok(), format!("{POLY1305_TAG}\n"));
    let stdin = "Cryptographic Forum Research Group";
    assert_eq!(dir.run_with("mac poly1305 --key-file pkey", stdin).ok(), format!("{POLY1305_TAG}\n"));
    assert_eq!(dir.run_with("mac poly1305 --key-file pkey -", stdin).ok(), format!("{POLY1305_TAG}\n"));
    dir.write("m", (0..15).collect::<Vec<u8>>());
    assert_eq!(dir.run("mac siphash-2-4-64 --key-file key m").ok(), "e545be4961ca29a1\n");
    dir.write("half", "0001020304050607");
    assert_eq!(dir.run("mac halfsiphash-2-4-32 --key-file half m").ok(), "74fe2b97\n");
}

#[test]
fn verification() {
    let dir = rfc_8439();
    let verify =
        |tag: &str| run(dir.command().args(["mac", "poly1305", "--key-file", "pkey", "m", "--verify", tag]));
    verify(POLY1305_TAG).is(0, "OK\n", "");
    verify(&POLY1305_TAG.to_uppercase()).is(0, "OK\n", "");
    for byte in 0..16 {
        let mut tag = base16ct::lower::decode_vec(POLY1305_TAG).unwrap();
        tag[byte] ^= 1;
        let wrong = verify(&hex(&tag));
        wrong.is(1, "", "keylane: m: the tag does not match\n");
    }
    let expected = "keylane: --verify: expected 32 hex digits, the length of Poly1305 tags\n";
    for tag in [
        "",
        "a8",
        &POLY1305_TAG[1..],
        &format!("{POLY1305_TAG}00"),
        &POLY1305_TAG.replace('0', "g"),
        "\u{e9}",
    ] {
        verify(tag).is(2, "", expected);
    }
    dir.run_with(&format!("mac poly1305 --key-file pkey --verify {POLY1305_TAG}"), "other").is(
        1,
        "",
        "keylane: -: the tag does not match\n",
    );
}

#[test]
fn what_cannot_be_done() {
    let dir = rfc_8439();
    dir.run("mac poly1305 --key-file pkey missing").is(
        1,
        "",
        "keylane: missing: No such file or directory\n",
    );
    dir.run("mac poly1305 --key-file pkey .").is(1, "", "keylane: .: Is a directory\n");
    dir.run("mac poly1305 --key-file pkey m m").is_usage_error("unexpected argument 'm'");
    dir.run("mac sha256 --key-file pkey m").is_usage_error("none of siphash-C-D-64");
    dir.run("mac --key-file pkey").is_usage_error("<ALG>");
}

#[test]
fn equal_to_openssl() {
    if !has("openssl", "mac -help") {
        return;
    }
    let dir = Dir::new();
    let openssl = |algorithm: &str, options: &[String]| {
        let mut command = Command::new("openssl");
        command.current_dir(dir.path()).arg("mac");
        for option in options {
            command.args(["-macopt", option]);
        }
        let output = command.args(["-in", "m", algorithm]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().to_lowercase()
    };
    for len in [0, 1, 15, 16, 17, 63, 64, 1000, 128 * 1024, 300_001] {
        dir.write("m", (0..len).map(|i: u32| (i * 7) as u8).collect::<Vec<_>>());
        let key = dir.run("keygen --alg poly1305").ok();
        dir.write("k", &key);
        let tag = dir.run("mac poly1305 --key-file k m").ok();
        assert_eq!(openssl("POLY1305", &[format!("hexkey:{}", key.trim())]), tag, "Poly1305, {len} bytes");
        let key = dir.run("keygen").ok();
        dir.write("k", &key);
        for (c, d) in [(1, 1), (1, 3), (2, 4), (4, 8), (3, 7)] {
            for bits in [64, 128] {
                let tag = dir.run(&format!("mac siphash-{c}-{d}-{bits} --key-file k m")).ok();
                let options = [
                    format!("hexkey:{}", key.trim()),
                    format!("size:{}", bits / 8),
                    format!("c-rounds:{c}"),
                    format!("d-rounds:{d}"),
                ];
                assert_eq!(openssl("SIPHASH", &options), tag, "SipHash-{c}-{d}-{bits}, {len} bytes");
            }
        }
    }
}
