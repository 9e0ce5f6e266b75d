//! A corpus that the libraries of other languages hash too. They compare their digests with the same file.

use keylane_conformance::input::Random;
use keylane_conformance::public::{SPREAD, hashes};
use keylane_records::passed::digest;

/// Messages have all lengths below this one. Each begins `length % 7` bytes into the same random bytes.
const LENGTHS: usize = 600;

/// One line per variant: its name, and the digest of the tags of all messages. Each tag is followed by the
/// one with the case folded.
fn lines() -> Vec<String> {
    let mut random = Random(50);
    let bytes: Vec<u8> = (0..1024).map(|_| random.word() as u8).collect();
    let messages: Vec<&[u8]> = (0..LENGTHS).map(|len| &bytes[len % 7..][..len]).collect();
    let mut lines = vec!["name,digest".to_owned()];
    for variant in SPREAD {
        let hash = hashes(variant, &bytes[..variant.key_size()]).remove(0);
        let tags = messages.iter().flat_map(|message| [hash.hash(message), hash.hash_nocase(message)]);
        let tags: Vec<u8> = tags.flat_map(|tag| tag.to_le_bytes()[..variant.tag_size()].to_vec()).collect();
        let family = if variant.half { "halfsiphash" } else { "siphash" };
        let (c, d, bits) = (variant.c, variant.d, 8 * variant.tag_size());
        lines.push(format!("{family}-{c}-{d}-{bits},{}", digest(&tags)));
    }
    lines
}

#[test]
fn corpus() {
    let file: Vec<&str> = include_str!("../../testdata/corpus.csv").lines().collect();
    assert_eq!(lines(), file);
}
