//! keylane-ref against every answer in `tests/testdata/` that applies to it.
//!
//! Each test asserts how many cases it ran. If a file shrinks or a filter
//! drops cases, the test fails instead of passing silently.
//! `tests/testdata/PROVENANCE.md` describes the files and their origin.

use keylane_ref::{
    UjBlock, chacha20, chacha20_poly1305_tag, fold, halfsiphash32, halfsiphash64, poly1305, poly1305_from,
    siphash13_uj, siphash64, siphash128, xchacha20_inner,
};
use serde_json::Value;

const TESTDATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/testdata/");

fn parse(name: &str) -> Value {
    let path = format!("{TESTDATA}{name}");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    assert!(text.is_ascii(), "{path}: not ASCII");
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The cases of one of keylane's own files.
fn cases(name: &str) -> Vec<Value> {
    let file = parse(name);
    let cases = file["cases"].as_array().expect("cases").clone();
    assert_eq!(file["count"].as_u64(), Some(cases.len() as u64), "{name}: count");
    cases
}

/// The tests of all groups of a Wycheproof file.
fn wycheproof(name: &str) -> Vec<Value> {
    let file = parse(&format!("wycheproof/{name}"));
    let groups = file["testGroups"].as_array().expect("testGroups");
    let tests: Vec<Value> =
        groups.iter().flat_map(|group| group["tests"].as_array().expect("tests").clone()).collect();
    assert_eq!(file["numberOfTests"].as_u64(), Some(tests.len() as u64), "{name}: numberOfTests");
    tests
}

fn text<'a>(case: &'a Value, field: &str) -> &'a str {
    case[field].as_str().unwrap_or_else(|| panic!("no {field} in {case}"))
}

fn number(case: &Value, field: &str) -> u32 {
    let number = case[field].as_u64().unwrap_or_else(|| panic!("no {field} in {case}"));
    number.try_into().expect("32 bits")
}

fn unhex(digits: &str) -> Vec<u8> {
    assert!(digits.is_ascii() && digits.len().is_multiple_of(2), "hex: {digits}");
    let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hex");
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn bytes(case: &Value, field: &str) -> Vec<u8> {
    unhex(text(case, field))
}

fn array<const N: usize>(case: &Value, field: &str) -> [u8; N] {
    bytes(case, field).try_into().unwrap_or_else(|_| panic!("{field} is not {N} bytes: {case}"))
}

/// A `valid` case must have the published tag, an `invalid` case must not.
fn judge(case: &Value, tag: &[u8]) {
    let published = bytes(case, "tag");
    assert_eq!(tag.len(), published.len(), "length of the tag: {case}");
    match text(case, "result") {
        "valid" => assert_eq!(tag, published, "{case}"),
        "invalid" => assert_ne!(tag, published, "{case}"),
        other => panic!("result {other}: {case}"),
    }
}

/// Computes the tag for a case of SipHash or HalfSipHash.
fn hash(case: &Value, message: &[u8]) -> Vec<u8> {
    let (c, d) = (number(case, "c"), number(case, "d"));
    match (text(case, "algorithm"), number(case, "tag_bits")) {
        ("SipHash", 64) => siphash64(c, d, &array(case, "key"), message).to_le_bytes().into(),
        ("SipHash", 128) => siphash128(c, d, &array(case, "key"), message).to_le_bytes().into(),
        ("HalfSipHash", 32) => halfsiphash32(c, d, &array(case, "key"), message).to_le_bytes().into(),
        ("HalfSipHash", 64) => halfsiphash64(c, d, &array(case, "key"), message).to_le_bytes().into(),
        other => panic!("{other:?}: {case}"),
    }
}

/// Hashes and judges every case of a file. Returns their number.
fn hash_file(name: &str) -> usize {
    let cases = cases(name);
    for case in &cases {
        judge(case, &hash(case, &bytes(case, "msg")));
    }
    cases.len()
}

#[test]
fn siphash() {
    assert_eq!(hash_file("siphash.json"), 744);
}

#[test]
fn siphash_long() {
    let cases = cases("siphash_long.json");
    for case in &cases {
        let repeat = &case["msg_repeat"];
        let message = bytes(repeat, "byte").repeat(number(repeat, "count") as usize);
        judge(case, &hash(case, &message));
    }
    assert_eq!(cases.len(), 1);
}

#[test]
fn siphash_generated() {
    assert_eq!(hash_file("siphash_generated.json"), 320);
}

#[test]
fn halfsiphash() {
    assert_eq!(hash_file("halfsiphash.json"), 192);
}

#[test]
fn siphash_uj() {
    let cases = cases("siphash_uj.json");
    let mut jumbos = 0;
    for case in &cases {
        let mut blocks = Vec::new();
        for block in case["blocks"].as_array().expect("blocks") {
            let block = unhex(block.as_str().expect("a block"));
            if let Ok(word) = block.as_slice().try_into() {
                blocks.push(UjBlock::Word(u64::from_le_bytes(word)));
            } else {
                blocks.push(UjBlock::Jumbo(block.try_into().expect("8 or 32 bytes")));
                jumbos += 1;
            }
        }
        judge(case, &siphash13_uj(&array(case, "key"), &blocks).to_le_bytes());
    }
    assert_eq!((cases.len(), jumbos), (40, 37));
}

#[test]
fn redis_nocase() {
    let cases = cases("redis_nocase.json");
    let mut folded = 0;
    for case in &cases {
        let message = bytes(case, "msg");
        let lower = fold(&message);
        judge(case, &hash(case, &message));
        assert_eq!(hash(case, &lower), bytes(case, "tag_nocase"), "{case}");
        folded += usize::from(lower != message);
    }
    assert_eq!(cases.len(), 162);
    assert_eq!(folded, 156, "cases that have an upper-case letter");
}

#[test]
fn dns_cookies() {
    let cases = cases("dns_cookies.json");
    let mut invalid = 0;
    for case in &cases {
        // RFC 9018 section 4.4: cookie | version | reserved | timestamp | address.
        let mut message = bytes(case, "client_cookie");
        message.push(number(case, "version").try_into().expect("8 bits"));
        message.extend(bytes(case, "reserved"));
        message.extend(number(case, "timestamp").to_be_bytes());
        match text(case, "client_ip").parse().expect("an address") {
            std::net::IpAddr::V4(ip) => message.extend(ip.octets()),
            std::net::IpAddr::V6(ip) => message.extend(ip.octets()),
        }
        assert_eq!(message, bytes(case, "msg"), "{case}");
        judge(case, &hash(case, &message));
        invalid += usize::from(text(case, "result") == "invalid");
    }
    assert_eq!((cases.len(), invalid), (10, 1));
}

#[test]
fn poly1305_published() {
    let cases = cases("poly1305.json");
    for case in &cases {
        judge(case, &poly1305(&array(case, "key"), &bytes(case, "msg")));
    }
    assert_eq!(cases.len(), 240);
}

#[test]
fn poly1305_state() {
    let cases = cases("poly1305_state.json");
    for case in &cases {
        let h = array(case, "initial_h_le");
        judge(case, &poly1305_from(&h, &array(case, "key"), &bytes(case, "msg")));
    }
    assert_eq!(cases.len(), 4);
}

/// Poly1305-AES with AES already done: s is given as `aes_key_nonce`.
#[test]
fn poly1305_aes() {
    let cases = cases("poly1305_aes.json");
    for case in &cases {
        let key = [bytes(case, "r"), bytes(case, "aes_key_nonce")].concat();
        judge(case, &poly1305(&key.try_into().expect("32 bytes"), &bytes(case, "msg")));
    }
    assert_eq!(cases.len(), 4);
}

/// The tag of 256 tags. Two of the three procedures: the third takes 10^10
/// tags.
#[test]
fn poly1305_composite() {
    let cases = cases("poly1305_composite.json");
    let (mut ran, mut skipped) = (0, 0);
    for case in &cases {
        let second_half: fn(u8) -> u8 = match text(case, "name") {
            "poly1305-donna total" => |i| i,
            "poly1305-opt total" => |_| 0xff,
            "go burn-in" => {
                skipped += 1;
                continue;
            }
            other => panic!("{other}"),
        };
        let mut tags = Vec::new();
        for i in 0..=255 {
            let mut key = [i; 32];
            key[16..].fill(second_half(i));
            tags.extend(poly1305(&key, &vec![i; i.into()]));
        }
        let total = poly1305(&array(case, "outer_key"), &tags);
        assert_eq!(total.as_slice(), bytes(case, "expected"), "{case}");
        ran += 1;
    }
    assert_eq!((ran, skipped), (2, 1));
}

#[test]
fn wycheproof_siphash() {
    let mut ran = 0;
    for (name, c, d) in
        [("siphash_1_3_test.json", 1, 3), ("siphash_2_4_test.json", 2, 4), ("siphash_4_8_test.json", 4, 8)]
    {
        for case in wycheproof(name) {
            let tag = siphash64(c, d, &array(&case, "key"), &bytes(&case, "msg"));
            judge(&case, &tag.to_le_bytes());
            ran += 1;
        }
    }
    assert_eq!(ran, 3 * 40);
}

#[test]
fn wycheproof_siphashx() {
    let mut ran = 0;
    for (name, c, d) in [("siphashx_2_4_test.json", 2, 4), ("siphashx_4_8_test.json", 4, 8)] {
        for case in wycheproof(name) {
            let tag = siphash128(c, d, &array(&case, "key"), &bytes(&case, "msg"));
            judge(&case, &tag.to_le_bytes());
            ran += 1;
        }
    }
    assert_eq!(ran, 2 * 40);
}

/// The counts for an AEAD file: cases by result, and cases left out.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    valid: usize,
    invalid: usize,
    nonce_size: usize,
}

/// Makes the key and the nonce of ChaCha20-Poly1305 of those of a cipher whose nonces have N bytes.
type Inner<const N: usize> = fn(&[u8; 32], &[u8; N]) -> ([u8; 32], [u8; 12]);

/// Opens the packets of a file. `inner` gives the key and the nonce of
/// ChaCha20. Cases whose nonce does not have `N` bytes have none; they are
/// counted as left out.
fn aead<const N: usize>(name: &str, inner: Inner<N>) -> Tally {
    let mut tally = Tally::default();
    for case in wycheproof(name) {
        let Ok(nonce) = bytes(&case, "iv").try_into() else {
            assert_eq!(text(&case, "result"), "invalid", "{case}");
            assert_eq!(case["flags"], serde_json::json!(["InvalidNonceSize"]), "{case}");
            tally.nonce_size += 1;
            continue;
        };
        let (key, nonce) = inner(&array(&case, "key"), &nonce);
        let ciphertext = bytes(&case, "ct");
        judge(&case, &chacha20_poly1305_tag(&key, &nonce, &bytes(&case, "aad"), &ciphertext));
        match text(&case, "result") {
            "valid" => {
                assert_eq!(chacha20(&key, 1, &nonce, &ciphertext), bytes(&case, "msg"), "{case}");
                tally.valid += 1;
            }
            _ => tally.invalid += 1,
        }
    }
    tally
}

#[test]
fn wycheproof_chacha20_poly1305() {
    let tally = aead::<12>("chacha20_poly1305_test.json", |key, nonce| (*key, *nonce));
    assert_eq!(tally, Tally { valid: 256, invalid: 60, nonce_size: 9 });
}

#[test]
fn wycheproof_xchacha20_poly1305() {
    let tally = aead::<24>("xchacha20_poly1305_test.json", xchacha20_inner);
    assert_eq!(tally, Tally { valid: 246, invalid: 60, nonce_size: 9 });
}
