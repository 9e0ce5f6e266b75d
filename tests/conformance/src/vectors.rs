//! The published answers of `tests/testdata/`. PROVENANCE.md there describes each file.

use crate::variants::Variant;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use chacha20::{ChaCha20, XChaCha20};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error};
use std::net::IpAddr;

/// The text of a file of `tests/testdata/`.
macro_rules! testdata {
    ($name:literal) => {
        include_str!(concat!("../../testdata/", $name))
    };
}

/// Bytes written as hex digits.
#[derive(Clone, Debug, Default)]
struct Hex(Vec<u8>);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(pair).collect();
        let even = digits.len().is_multiple_of(2);
        bytes.filter(|_| even).map(Hex).ok_or_else(|| D::Error::custom(format!("not hex: {digits}")))
    }
}

impl Hex {
    /// The bytes, if their number is fixed.
    fn array<const N: usize>(&self) -> [u8; N] {
        self.0.as_slice().try_into().unwrap_or_else(|_| panic!("{} bytes, not {N}", self.0.len()))
    }
}

/// Whether an answer must be accepted or refused.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The tag is right.
    Valid,
    /// The tag is wrong.
    Invalid,
}

/// One of the project's own files.
#[derive(Deserialize)]
struct File<C> {
    count: usize,
    cases: Vec<C>,
}

fn cases<C: DeserializeOwned>(text: &str) -> Vec<C> {
    let file: File<C> = serde_json::from_str(text).expect("a file of testdata");
    assert_eq!(file.count, file.cases.len(), "the file says how many cases it has");
    file.cases
}

/// A file of Wycheproof.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wycheproof<C> {
    number_of_tests: usize,
    test_groups: Vec<Group<C>>,
}

#[derive(Deserialize)]
struct Group<C> {
    tests: Vec<C>,
}

fn wycheproof<C: DeserializeOwned>(text: &str) -> Vec<C> {
    let file: Wycheproof<C> = serde_json::from_str(text).expect("a file of Wycheproof");
    let tests: Vec<C> = file.test_groups.into_iter().flat_map(|group| group.tests).collect();
    assert_eq!(file.number_of_tests, tests.len(), "the file says how many tests it has");
    tests
}

/// A message under SipHash or HalfSipHash.
#[derive(Clone, Debug)]
pub struct HashCase {
    /// The hash.
    pub variant: Variant,
    /// The key.
    pub key: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
    /// The tag as a number.
    pub tag: u128,
    /// The tag with ASCII capitals folded, if it was published.
    pub tag_nocase: Option<u128>,
    /// Whether the tag is right.
    pub verdict: Verdict,
    /// Its publication.
    pub source: String,
}

#[derive(Deserialize)]
struct RawHash {
    algorithm: String,
    c: u8,
    d: u8,
    tag_bits: usize,
    key: Hex,
    msg: Option<Hex>,
    msg_repeat: Option<Repeat>,
    tag: Hex,
    tag_nocase: Option<Hex>,
    result: Verdict,
    source: String,
}

#[derive(Deserialize)]
struct Repeat {
    byte: Hex,
    count: usize,
}

impl From<RawHash> for HashCase {
    fn from(raw: RawHash) -> Self {
        let half = match raw.algorithm.as_str() {
            "SipHash" => false,
            "HalfSipHash" => true,
            other => panic!("an algorithm {other}"),
        };
        let single = if half { 32 } else { 64 };
        assert!(raw.tag_bits == single || raw.tag_bits == 2 * single, "a tag of {} bits", raw.tag_bits);
        let variant = Variant { half, c: raw.c, d: raw.d, double: raw.tag_bits > single };
        let message = match (raw.msg, raw.msg_repeat) {
            (Some(msg), None) => msg.0,
            (None, Some(repeat)) => repeat.byte.0.repeat(repeat.count),
            _ => panic!("one message for each case"),
        };
        HashCase {
            variant,
            key: raw.key.0,
            message,
            tag: variant.number(&raw.tag.0),
            tag_nocase: raw.tag_nocase.map(|tag| variant.number(&tag.0)),
            verdict: raw.result,
            source: raw.source,
        }
    }
}

/// The five files of SipHash and HalfSipHash, with their names.
pub fn hashes() -> Vec<(&'static str, Vec<HashCase>)> {
    let read = |text| cases::<RawHash>(text).into_iter().map(HashCase::from).collect();
    vec![
        ("siphash.json", read(testdata!("siphash.json"))),
        ("siphash_generated.json", read(testdata!("siphash_generated.json"))),
        ("siphash_long.json", read(testdata!("siphash_long.json"))),
        ("redis_nocase.json", read(testdata!("redis_nocase.json"))),
        ("halfsiphash.json", read(testdata!("halfsiphash.json"))),
    ]
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawWycheproofHash {
    tc_id: u32,
    key: Hex,
    msg: Hex,
    tag: Hex,
    result: Verdict,
}

/// The five files of Wycheproof for SipHash.
pub fn wycheproof_hashes() -> Vec<HashCase> {
    let files = [
        ("siphash_1_3", Variant::sip(1, 3, false), testdata!("wycheproof/siphash_1_3_test.json")),
        ("siphash_2_4", Variant::sip(2, 4, false), testdata!("wycheproof/siphash_2_4_test.json")),
        ("siphash_4_8", Variant::sip(4, 8, false), testdata!("wycheproof/siphash_4_8_test.json")),
        ("siphashx_2_4", Variant::sip(2, 4, true), testdata!("wycheproof/siphashx_2_4_test.json")),
        ("siphashx_4_8", Variant::sip(4, 8, true), testdata!("wycheproof/siphashx_4_8_test.json")),
    ];
    let case = |name: &str, variant: Variant, raw: RawWycheproofHash| HashCase {
        variant,
        key: raw.key.0,
        message: raw.msg.0,
        tag: variant.number(&raw.tag.0),
        tag_nocase: None,
        verdict: raw.result,
        source: format!("Wycheproof {name} {}", raw.tc_id),
    };
    let file = |(name, variant, text)| wycheproof(text).into_iter().map(move |raw| case(name, variant, raw));
    files.into_iter().flat_map(file).collect()
}

/// A sequence of blocks under SipHash-1-3-UJ.
pub struct UjCase {
    /// The key.
    pub key: [u8; 16],
    /// The blocks: 8 or 32 bytes each.
    pub blocks: Vec<Vec<u8>>,
    /// The tag.
    pub tag: u64,
}

#[derive(Deserialize)]
struct RawUj {
    key: Hex,
    blocks: Vec<Hex>,
    tag: Hex,
}

/// siphash_uj.json.
pub fn unpadded() -> Vec<UjCase> {
    let case = |raw: RawUj| UjCase {
        key: raw.key.array(),
        blocks: raw.blocks.into_iter().map(|block| block.0).collect(),
        tag: u64::from_le_bytes(raw.tag.array()),
    };
    cases(testdata!("siphash_uj.json")).into_iter().map(case).collect()
}

/// A DNS server cookie.
pub struct CookieCase {
    /// The server's secret.
    pub secret: [u8; 16],
    /// The client's part.
    pub client_cookie: [u8; 8],
    /// The three reserved bytes.
    pub reserved: [u8; 3],
    /// Its time stamp.
    pub timestamp: u32,
    /// The client's address.
    pub client: IpAddr,
    /// The server's cookie.
    pub server_cookie: [u8; 16],
    /// Whether the server must accept it.
    pub verdict: Verdict,
}

#[derive(Deserialize)]
struct RawCookie {
    key: Hex,
    client_cookie: Hex,
    reserved: Hex,
    timestamp: u32,
    client_ip: IpAddr,
    cookie_option: Hex,
    result: Verdict,
}

/// dns_cookies.json.
pub fn dns_cookies() -> Vec<CookieCase> {
    let case = |raw: RawCookie| CookieCase {
        secret: raw.key.array(),
        client_cookie: raw.client_cookie.array(),
        reserved: raw.reserved.array(),
        timestamp: raw.timestamp,
        client: raw.client_ip,
        server_cookie: Hex(raw.cookie_option.0[8..].to_vec()).array(),
        verdict: raw.result,
    };
    cases(testdata!("dns_cookies.json")).into_iter().map(case).collect()
}

/// What kce1.json says of a key alone: a subkey, the key of rows, or a check value.
#[derive(Deserialize)]
pub struct KeyCase {
    key: Hex,
    /// The context of a subkey.
    pub context: Option<String>,
    message: Option<Hex>,
    subkey: Option<Hex>,
    check: Option<Hex>,
}

impl KeyCase {
    /// The key.
    pub fn key(&self) -> [u8; 16] {
        self.key.array()
    }

    /// The message that SipHash-4-8-128 hashes. There is none if the context is reserved.
    pub fn message(&self) -> Option<&[u8]> {
        self.message.as_ref().map(|hex| &*hex.0)
    }

    /// The bytes of the subkey.
    pub fn subkey(&self) -> Option<&[u8]> {
        self.subkey.as_ref().map(|hex| &*hex.0)
    }

    /// The bytes of the check value.
    pub fn check(&self) -> Option<&[u8]> {
        self.check.as_ref().map(|hex| &*hex.0)
    }
}

/// The subkeys and the check values of kce1.json.
pub fn subkeys() -> Vec<KeyCase> {
    let all: Vec<serde_json::Value> = cases(testdata!("kce1.json"));
    all.into_iter()
        .filter(|case| ["derive", "row key", "check"].iter().any(|mode| case["mode"] == *mode))
        .map(|case| serde_json::from_value(case).expect("a case of a key"))
        .collect()
}

/// A message under Poly1305.
#[derive(Clone, Debug)]
pub struct MacCase {
    /// The key: r, s.
    pub key: [u8; 32],
    /// The message.
    pub message: Vec<u8>,
    /// The tag.
    pub tag: [u8; 16],
    /// Whether the tag is right.
    pub verdict: Verdict,
    /// Its publication.
    pub source: String,
}

#[derive(Deserialize)]
struct RawMac {
    key: Hex,
    msg: Hex,
    tag: Hex,
    result: Verdict,
    source: String,
}

/// poly1305.json.
pub fn poly1305() -> Vec<MacCase> {
    let case = |raw: RawMac| MacCase {
        key: raw.key.array(),
        message: raw.msg.0,
        tag: raw.tag.array(),
        verdict: raw.result,
        source: raw.source,
    };
    cases(testdata!("poly1305.json")).into_iter().map(case).collect()
}

/// A message with a preset accumulator.
pub struct PresetCase {
    /// The accumulator, little-endian.
    pub h: [u8; 24],
    /// The key: r, s.
    pub key: [u8; 32],
    /// The message.
    pub message: Vec<u8>,
    /// The tag.
    pub tag: [u8; 16],
}

#[derive(Deserialize)]
struct RawPreset {
    initial_h_le: Hex,
    key: Hex,
    msg: Hex,
    tag: Hex,
}

/// poly1305_state.json.
pub fn poly1305_presets() -> Vec<PresetCase> {
    let case = |raw: RawPreset| PresetCase {
        h: raw.initial_h_le.array(),
        key: raw.key.array(),
        message: raw.msg.0,
        tag: raw.tag.array(),
    };
    cases(testdata!("poly1305_state.json")).into_iter().map(case).collect()
}

/// A message under Poly1305-AES.
pub struct AesCase {
    /// r.
    pub r: [u8; 16],
    /// The key of AES.
    pub aes_key: [u8; 16],
    /// The nonce.
    pub nonce: [u8; 16],
    /// AES of the nonce: s.
    pub s: [u8; 16],
    /// The message.
    pub message: Vec<u8>,
    /// The tag.
    pub tag: [u8; 16],
}

#[derive(Deserialize)]
struct RawAes {
    r: Hex,
    aes_key: Hex,
    nonce: Hex,
    aes_key_nonce: Hex,
    msg: Hex,
    tag: Hex,
}

/// poly1305_aes.json.
pub fn poly1305_aes() -> Vec<AesCase> {
    let case = |raw: RawAes| AesCase {
        r: raw.r.array(),
        aes_key: raw.aes_key.array(),
        nonce: raw.nonce.array(),
        s: raw.aes_key_nonce.array(),
        message: raw.msg.0,
        tag: raw.tag.array(),
    };
    cases(testdata!("poly1305_aes.json")).into_iter().map(case).collect()
}

impl From<AesCase> for MacCase {
    fn from(case: AesCase) -> Self {
        MacCase {
            key: std::array::from_fn(|i| if i < 16 { case.r[i] } else { case.s[i - 16] }),
            message: case.message,
            tag: case.tag,
            verdict: Verdict::Valid,
            source: "Bernstein 2005, appendix B".into(),
        }
    }
}

/// The tag of 256 tags. Message i, for i from 0 to 255, has i bytes of value i. Its key has 16 bytes of value i and 16 others.
pub struct CompositeCase {
    /// The key of the tag of tags.
    pub outer_key: [u8; 32],
    /// The tag of tags.
    pub tag: [u8; 16],
    /// The byte that fills the second half of key `i`.
    pub second_half: fn(u8) -> u8,
}

impl CompositeCase {
    /// Key and message `i`.
    pub fn inner(&self, i: u8) -> ([u8; 32], Vec<u8>) {
        let byte = (self.second_half)(i);
        (std::array::from_fn(|at| if at < 16 { i } else { byte }), vec![i; i.into()])
    }
}

#[derive(Deserialize)]
struct RawComposite {
    name: String,
    outer_key: Option<Hex>,
    expected: Hex,
}

/// poly1305_composite.json, without Go's burn-in, which takes 10^10 tags.
pub fn poly1305_composites() -> Vec<CompositeCase> {
    let case = |raw: RawComposite| {
        let second_half: fn(u8) -> u8 = match raw.name.as_str() {
            "poly1305-donna total" => |i| i,
            "poly1305-opt total" => |_| 0xff,
            "go burn-in" => return None,
            other => panic!("no procedure for {other}"),
        };
        let outer_key = raw.outer_key.expect("a key").array();
        Some(CompositeCase { outer_key, tag: raw.expected.array(), second_half })
    };
    cases(testdata!("poly1305_composite.json")).into_iter().filter_map(case).collect()
}

/// The Poly1305 part of a ChaCha20-Poly1305 (nonces of 12 bytes) or XChaCha20-Poly1305 (24) record.
pub struct AeadCase {
    /// The key of the cipher.
    pub cipher_key: [u8; 32],
    /// The nonce.
    pub nonce: Vec<u8>,
    /// The one-time key, the authenticated message, and the tag.
    pub mac: MacCase,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawAead {
    tc_id: u32,
    key: Hex,
    iv: Hex,
    aad: Hex,
    ct: Hex,
    tag: Hex,
    result: Verdict,
}

/// RFC 8439, section 2.8: the one-time key is the first 32 bytes of the key stream. The authenticated message
/// is pad16(aad) | pad16(ct) | le64(aad length) | le64(ct length). Without a nonce of the cipher's size there
/// is no key stream, and Poly1305 has nothing to do.
fn aead<C: KeyIvInit + StreamCipher>(name: &str, raw: RawAead) -> Option<AeadCase> {
    let Ok(mut cipher) = C::new_from_slices(&raw.key.0, &raw.iv.0) else {
        assert_eq!(raw.result, Verdict::Invalid, "{name} {}", raw.tc_id);
        return None;
    };
    let mut one_time = [0; 32];
    cipher.apply_keystream(&mut one_time);
    let mut message = Vec::new();
    for part in [&raw.aad.0, &raw.ct.0] {
        message.extend(part);
        message.resize(message.len().next_multiple_of(16), 0);
    }
    message.extend((raw.aad.0.len() as u64).to_le_bytes());
    message.extend((raw.ct.0.len() as u64).to_le_bytes());
    Some(AeadCase {
        cipher_key: raw.key.array(),
        nonce: raw.iv.0,
        mac: MacCase {
            key: one_time,
            message,
            tag: raw.tag.array(),
            verdict: raw.result,
            source: format!("Wycheproof {name} {}", raw.tc_id),
        },
    })
}

/// The two files of Wycheproof for ChaCha20-Poly1305 and XChaCha20-Poly1305.
pub fn wycheproof_aead() -> Vec<AeadCase> {
    let chacha20 = wycheproof(testdata!("wycheproof/chacha20_poly1305_test.json")).into_iter();
    let xchacha20 = wycheproof(testdata!("wycheproof/xchacha20_poly1305_test.json")).into_iter();
    let chacha20 = chacha20.filter_map(|raw| aead::<ChaCha20>("chacha20_poly1305", raw));
    let xchacha20 = xchacha20.filter_map(|raw| aead::<XChaCha20>("xchacha20_poly1305", raw));
    chacha20.chain(xchacha20).collect()
}

/// A rule to cut a stream into pieces.
#[derive(Deserialize)]
pub struct Pattern {
    /// Its origin.
    pub name: String,
    /// The pieces' sizes.
    #[serde(default)]
    pub sizes: Vec<usize>,
    /// Sizes, each repeated until the input ends.
    #[serde(default)]
    pub sizes_repeat: Vec<usize>,
    /// Lists of sizes, each repeated until the input ends.
    #[serde(default)]
    pub patterns: Vec<Vec<usize>>,
    /// The numbers in the rule.
    #[serde(default)]
    pub parameters: Vec<usize>,
}

/// chunk_patterns.json.
pub fn chunk_patterns() -> Vec<Pattern> {
    cases(testdata!("chunk_patterns.json"))
}

/// Every published answer that applies to a kernel.
pub struct Published {
    /// For SipHash and HalfSipHash.
    pub hashes: Vec<HashCase>,
    /// For Poly1305.
    pub macs: Vec<MacCase>,
    /// For Poly1305 from a preset accumulator.
    pub presets: Vec<PresetCase>,
    /// For Poly1305 of the tags of other messages.
    pub composites: Vec<CompositeCase>,
}

impl Published {
    /// All of them.
    pub fn load() -> Self {
        let files = hashes().into_iter().flat_map(|(_, cases)| cases);
        let aes = poly1305_aes().into_iter().map(MacCase::from);
        let aead = wycheproof_aead().into_iter().map(|case| case.mac);
        Published {
            hashes: files.chain(wycheproof_hashes()).collect(),
            macs: poly1305().into_iter().chain(aes).chain(aead).collect(),
            presets: poly1305_presets(),
            composites: poly1305_composites(),
        }
    }
}

/// A packet of Wycheproof's files for AEADs.
#[derive(Clone, Debug)]
pub struct PacketCase {
    /// The key.
    pub key: [u8; 32],
    /// The nonce, of any length.
    pub nonce: Vec<u8>,
    /// The associated data.
    pub aad: Vec<u8>,
    /// The plaintext.
    pub message: Vec<u8>,
    /// The ciphertext.
    pub ciphertext: Vec<u8>,
    /// The tag.
    pub tag: [u8; 16],
    /// Whether the packet opens.
    pub verdict: Verdict,
}

#[derive(Deserialize)]
struct RawPacket {
    key: Hex,
    iv: Hex,
    aad: Hex,
    msg: Hex,
    ct: Hex,
    tag: Hex,
    result: Verdict,
}

/// The two files of Wycheproof for ChaCha20-Poly1305, then XChaCha20-Poly1305. Their 9 cases each with a nonce of a wrong
/// length have no tag, and are left out: such a nonce has no type here.
pub fn wycheproof_packets() -> [Vec<PacketCase>; 2] {
    let case = |raw: RawPacket| PacketCase {
        key: raw.key.array(),
        nonce: raw.iv.0,
        aad: raw.aad.0,
        message: raw.msg.0,
        ciphertext: raw.ct.0,
        tag: raw.tag.array(),
        verdict: raw.result,
    };
    [
        testdata!("wycheproof/chacha20_poly1305_test.json"),
        testdata!("wycheproof/xchacha20_poly1305_test.json"),
    ]
    .map(|text| {
        wycheproof(text).into_iter().filter(|raw: &RawPacket| raw.tag.0.len() == 16).map(case).collect()
    })
}
