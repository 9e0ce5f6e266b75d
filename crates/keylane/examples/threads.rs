//! Hashes a batch on several threads, with rayon: the tags are cut into pieces, and all threads share the key.

use keylane::siphash::{BatchError, Key, SipHash13};
use rayon::prelude::*;

/// Messages in a piece: enough to hide the overhead of a piece.
const PIECE: usize = 1 << 14;

fn hash_u64s(key: &SipHash13, integers: &[u64], tags: &mut [u64]) -> Result<(), BatchError> {
    if integers.len() != tags.len() {
        return Err(BatchError::Count { messages: integers.len(), tags: tags.len() });
    }
    let pieces = integers.par_chunks(PIECE).zip(tags.par_chunks_mut(PIECE));
    pieces.try_for_each(|(integers, tags)| key.hash_u64s(integers, tags))
}

/// Each piece takes all bytes and its own offsets, one more than it has messages: offsets may start above 0.
fn hash_offsets(key: &SipHash13, bytes: &[u8], offsets: &[i32], tags: &mut [u64]) -> Result<(), BatchError> {
    if offsets.len().saturating_sub(1) != tags.len() {
        return Err(BatchError::Count { messages: offsets.len().saturating_sub(1), tags: tags.len() });
    }
    tags.par_chunks_mut(PIECE).enumerate().try_for_each(|(i, tags)| {
        let first = i * PIECE;
        let offsets = offsets.get(first..=first + tags.len()).unwrap_or_default();
        key.hash_offsets(bytes, offsets, tags).map_err(|error| match error {
            BatchError::Offsets { index } => BatchError::Offsets { index: first + index },
            other => other,
        })
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let key = SipHash13::new(&Key::from_bytes([7; 16]));

    let integers: Vec<u64> = (0..1 << 20).collect();
    let mut tags = vec![0; integers.len()];
    hash_u64s(&key, &integers, &mut tags)?;
    assert_eq!(tags.last(), integers.last().map(|&last| key.hash_u64(last)).as_ref());

    let words = ["one", "three", "", "fourteen bytes"];
    let mut bytes = Vec::new();
    let mut offsets = vec![0];
    for i in 0..1 << 20 {
        bytes.extend_from_slice(words[i % words.len()].as_bytes());
        offsets.push(i32::try_from(bytes.len())?);
    }
    let mut tags = vec![0; offsets.len() - 1];
    hash_offsets(&key, &bytes, &offsets, &mut tags)?;
    assert_eq!(tags.last(), Some(&key.hash(b"fourteen bytes")));

    println!(
        "{} integers and {} strings on {} threads",
        integers.len(),
        tags.len(),
        rayon::current_num_threads()
    );
    Ok(())
}
