//! The specification that symbols are compared with, on numbers: every published answer.

use keylane_symbols::terms::specification::{Scalar, chacha20, hchacha20, siphash};
use serde_json::Value;
use std::array::from_fn;

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits.map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap()).collect()
}

fn words<const N: usize>(bytes: &[u8]) -> [u32; N] {
    from_fn(|i| u32::of_bytes(&bytes[4 * i..4 * i + 4], false))
}

/// All cases of a file: how many there were.
fn check(text: &str) -> usize {
    let file: Value = serde_json::from_str(text).unwrap();
    let cases = file["cases"].as_array().unwrap();
    for case in cases {
        let field = |name: &str| bytes(case[name].as_str().unwrap_or(""));
        let number = |name: &str| u32::try_from(case[name].as_u64().unwrap()).unwrap();
        let (rounds, bits) = ([number("c"), number("d")], number("tag_bits"));
        let (key, message) = (field("key"), field("msg"));
        let tag = |fold| -> Vec<u8> {
            if case["algorithm"] == "SipHash" {
                let key = [u64::of_bytes(&key[..8], false), u64::of_bytes(&key[8..], false)];
                siphash(key, rounds, bits == 128, fold, &message).map(u64::to_le_bytes).concat()
            } else {
                let key = [u32::of_bytes(&key[..4], false), u32::of_bytes(&key[4..], false)];
                siphash(key, rounds, bits == 64, fold, &message).map(u32::to_le_bytes).concat()
            }
        };
        let size = bits as usize / 8;
        assert_eq!(tag(false)[..size], field("tag"), "{case}");
        if case.get("tag_nocase").is_some() {
            assert_eq!(tag(true)[..size], field("tag_nocase"), "{case}");
        }
    }
    cases.len()
}

#[test]
fn siphash_and_halfsiphash() {
    assert_eq!(check(include_str!("../../testdata/siphash.json")), 744);
    assert_eq!(check(include_str!("../../testdata/halfsiphash.json")), 192);
    assert_eq!(check(include_str!("../../testdata/redis_nocase.json")), 162);
}

/// RFC 8439, section 2.3.2.
#[test]
fn chacha20_block() {
    let key: Vec<u8> = (0..32).collect();
    let block = chacha20(words(&key), 1, words(&bytes("000000090000004a00000000")));
    let wanted = "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e\
                  d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e";
    assert_eq!(block, words(&bytes(wanted)));
}

/// draft-irtf-cfrg-xchacha-03, section 2.2.1.
#[test]
fn hchacha20_key() {
    let key: Vec<u8> = (0..32).collect();
    let derived = hchacha20(words(&key), words(&bytes("000000090000004a0000000031415927")));
    let wanted = "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc";
    assert_eq!(derived, words(&bytes(wanted)));
}
