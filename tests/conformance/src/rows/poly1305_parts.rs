//! Poly1305 of packets in parts: `poly1305-parts`.

use super::{Checked, Extent, LONGEST, Row, batch_sizes};
use crate::check::Check;
use crate::input::{Pool, Random, Text};
use crate::vectors::Published;
use keylane::job::poly1305::{self, Key, Parts};
use keylane_ref as spec;
use std::sync::Arc;

/// Extra tags before and after those of the batch. No kernel may write them.
const GUARD: usize = 4;

/// The contents of such a tag.
const UNWRITTEN: [u8; 16] = [0x55; 16];

/// What the checks share.
pub struct Packets {
    pool: Arc<Pool>,
    extent: Extent,
    random: Random,
}

/// The tag of AAD and ciphertext by keylane-ref.
fn expected(key: &[u8; 32], [aad, text]: [&[u8]; 2]) -> [u8; 16] {
    let mut message = Vec::new();
    for part in [aad, text] {
        message.extend(part);
        message.resize(message.len().next_multiple_of(16), 0);
    }
    message.extend((aad.len() as u64).to_le_bytes());
    message.extend((text.len() as u64).to_le_bytes());
    spec::poly1305(key, &message)
}

impl Packets {
    /// Checks packets of these lengths of AAD and text, each somewhere in a part of the pool.
    fn compare(&mut self, row: &Row<Parts>, lengths: &[[usize; 2]], check: &mut Check) {
        let pool = self.pool.clone();
        let parts = [Pool::RANDOM, Pool::STRUCTURED, Pool::ONES];
        let part = parts[self.random.below(3)];
        let mut piece = |len: usize| pool.text(Text::at(part + self.random.below(64), len));
        let packets: Vec<[&[u8]; 2]> = lengths.iter().map(|lengths| lengths.map(&mut piece)).collect();
        let mut key = |i: usize| -> [u8; 32] { if i % 5 == 4 { [0xff; 32] } else { self.random.bytes() } };
        let keys: Vec<[u8; 32]> = (0..lengths.len()).map(&mut key).collect();
        let parsed: Vec<Key> = keys.iter().map(Key::from_bytes).collect();
        let count = lengths.len();
        let mut places = vec![UNWRITTEN; count + 2 * GUARD];
        let tags = &mut places[GUARD..GUARD + count];
        row.kernel.run(poly1305::Packets { keys: &parsed, packets: &packets, tags });
        let around = [&places[..GUARD], &places[GUARD + count..]].concat();
        check.same(around, vec![UNWRITTEN; 2 * GUARD], || "the tags around the batch".into());
        for (i, ((tag, packet), key)) in places[GUARD..].iter().zip(&packets).zip(&keys).enumerate() {
            check.same(*tag, expected(key, *packet), || {
                let [aad, text] = lengths[i];
                format!("packet {i} of {count}: {aad} bytes of AAD, {text} of text")
            });
        }
    }
}

impl Checked for Parts {
    type Truth = Packets;

    fn truth(extent: Extent) -> Packets {
        Packets { pool: Pool::shared(), extent, random: Random(41) }
    }

    fn check_row(row: &Row<Self>, packets: &mut Packets, _: &Published, check: &mut Check) {
        let longest = if packets.extent == Extent::Brief { 200 } else { LONGEST };
        // Packets of one length, of every length, with AADs of one length.
        for len in 0..=longest {
            packets.compare(row, &vec![[len % 70, len]; row.lanes + 1], check);
        }
        // Every length of AAD.
        for aad in 0..=200 {
            packets.compare(row, &vec![[aad, 64 + aad % 65]; row.lanes], check);
        }
        // Long AADs before texts of every kind.
        for aad in [129, 300, 2000, 5000] {
            for text in [1, 129, 600, 5000] {
                packets.compare(row, &vec![[aad, text]; row.lanes + 1], check);
            }
        }
        // Every length in one batch, in order and in disorder.
        let mut lengths: Vec<[usize; 2]> = (0..=longest).map(|len| [len * 7 % 66, len]).collect();
        for _ in 0..3 {
            for lengths in lengths.chunks(61) {
                packets.compare(row, lengths, check);
            }
            packets.random.shuffle(&mut lengths);
        }
        // Batches of every size, with lengths of every kind.
        for size in batch_sizes(row.lanes) {
            for most in [20, 130, 700, 5000] {
                let random = &mut packets.random;
                let lengths: Vec<[usize; 2]> =
                    (0..size).map(|_| [random.below(40) * random.below(3), random.below(most)]).collect();
                packets.compare(row, &lengths, check);
            }
        }
    }
}
