//! Poly1305 messages whose accumulator reaches the edges of its range. Random messages rarely do.
//!
//! Under r = 1 and s = 0 the tag is the plain sum of the blocks modulo p. So a message can bring the sum to
//! `p - 1`, p, 2^130 or any value where a final reduction may be wrong.
//!
//! The three blocks fb ff .. ff | 00 .. | 00 .. add exactly p. Before a message they change only the lane
//! that its critical sum falls into, if lanes are counted from the front. Some kernels cut the message into
//! groups from its end. For these, each lane gets its separate sum ([`columns`]).
//!
//! Under another r the last block can be solved for.

use super::oracle::key;
use crate::input::Random;
use crate::modp::{self, Residue};
use crate::vectors::Published;

/// A message and its tag.
#[derive(Clone)]
pub struct Wrap {
    /// The key.
    pub key: [u8; 32],
    /// The message.
    pub message: Vec<u8>,
    /// The tag, by additions modulo p.
    pub tag: [u8; 16],
    /// Its name in reports.
    pub name: String,
}

impl Wrap {
    fn new(key: [u8; 32], message: Vec<u8>, name: String) -> Self {
        Wrap { tag: modp::poly1305(&key, &message), key, message, name }
    }
}

/// A message under r = 1 with a separate sum in each lane.
pub struct Column {
    /// The message.
    pub message: Vec<u8>,
    /// The sum of its blocks.
    pub sum: Residue,
    /// Its name in reports.
    pub name: String,
}

/// Three blocks that add 0 modulo p, in each order.
fn triple(order: usize) -> Vec<u8> {
    let mut blocks = [[0; 16]; 3];
    blocks[order] = (u128::MAX - 4).to_le_bytes();
    blocks.concat()
}

/// The messages under r = 1 whose sum is critical: the published ones, and [`edge_sums`].
fn plain_sums(published: &Published) -> Vec<(Vec<u8>, String)> {
    let is_one = |key: &[u8; 32]| modp::key(key).0 == Residue::new(1, 0);
    let cases = published.macs.iter().filter(|case| is_one(&case.key));
    let mut sums: Vec<_> = cases.map(|case| (case.message.clone(), case.source.clone())).collect();
    sums.extend(edge_sums());
    sums
}

/// Groups of 2, 4, 8 and 16 blocks. One lane's sum is critical, every other lane's is a multiple of p.
/// Kernels may take the groups one after the other, in loops of one and two groups, or in loops of up to 16.
/// Each lane has each critical sum, early or late in the message, with a first group that is complete or
/// lacks blocks.
pub fn columns() -> Vec<Column> {
    let mut columns = Vec::new();
    for lanes in [2, 4, 8, 16] {
        for groups in [3, 6, 18, 36] {
            for lane in 0..lanes {
                for (i, (edge, name)) in whole_sums().into_iter().enumerate() {
                    let turn = i + lane;
                    let mut blocks = vec![[0; 16]; lanes * groups];
                    for (j, block) in blocks.iter_mut().enumerate() {
                        let order = (j % lanes + i) % 3;
                        *block = triple(order).as_chunks().0[j / lanes % 3];
                    }
                    let first = if turn % 2 == 0 { 0 } else { groups - 3 };
                    for (j, block) in edge.as_chunks().0.iter().enumerate() {
                        blocks[(first + j) * lanes + lane] = *block;
                    }
                    let lead = triple(i % 3).repeat(turn / 2 % 3);
                    let message = [lead.as_slice(), blocks.as_flattened()].concat();
                    let name = format!(
                        "{name} in lane {lane} of {lanes}, {groups} groups behind {} bytes",
                        lead.len()
                    );
                    let add = |sum, block: &[u8]| sum + Residue::block(block);
                    columns.push(Column { sum: message.chunks(16).fold(Residue::ZERO, add), message, name });
                }
            }
        }
    }
    columns
}

/// Three blocks: two are chosen, and the third brings the sum, before any reduction, to 2^130 + d for d
/// around -5 (p) and 0.
fn whole_sums() -> Vec<(Vec<u8>, String)> {
    let mut sums = Vec::new();
    // The three blocks add 3 * 2^128 to their bytes, so the bytes must sum to 2^128 + d.
    let fill = |d: i128, others: u128| (u128::MAX - others).wrapping_add_signed(d + 1);
    for d in -8..=3 {
        for at in 0..3 {
            let others = if d >= 0 { d as u128 + 1 } else { 0 };
            let mut blocks = [[0; 16]; 3];
            blocks[at] = fill(d, others).to_le_bytes();
            blocks[(at + 1) % 3] = others.to_le_bytes();
            sums.push((blocks.concat(), format!("2^130 + {d}, block {at} of 3")));
        }
    }
    sums
}

/// [`whole_sums`], the same with a last block of n bytes, and sums around the carries of limbs.
fn edge_sums() -> Vec<(Vec<u8>, String)> {
    let mut sums = whole_sums();
    // A last block of n bytes adds 2^(8 n) to its bytes. With two whole blocks before it the sum is 2^130 +
    // d.
    for d in [-6, -5, -4, -1, 0, 1] {
        for n in 1..16 {
            let last = vec![0xff; n];
            let rest = (1u128 << (8 * n)).wrapping_mul(2).wrapping_sub(1);
            // a + b + 2 * 2^128 + rest = 4 * 2^128 + d, with a = 2^128 - 1.
            let b = 1u128.wrapping_add_signed(d).wrapping_sub(rest);
            let message = [&u128::MAX.to_le_bytes()[..], &b.to_le_bytes(), &last].concat();
            sums.push((message, format!("2^130 + {d}, last block of {n} bytes")));
        }
    }
    // Carries out of each bit: 2^k - 1 and 1, and the reverse.
    for k in 1..128 {
        let ones = ((1u128 << k) - 1).to_le_bytes();
        let one = 1u128.to_le_bytes();
        sums.push(([ones, one].concat(), format!("a carry at bit {k}")));
        sums.push(([one, ones, ones].concat(), format!("carries at bit {k}")));
    }
    sums
}

/// Every message of [`plain_sums`] after 0 to `most` triples in each order. The key is r = 1 with s = 0 or s = 2^128 -
/// 1.
pub fn pushed_sums(published: &Published, most: usize) -> Vec<Wrap> {
    let mut wraps = Vec::new();
    for (message, name) in plain_sums(published) {
        for triples in 0..=most {
            for order in 0..3 {
                let message = [triple(order).repeat(triples), message.clone()].concat();
                let s = if order == 0 { u128::MAX } else { 0 };
                let name = format!("{name}, behind {triples} triples of order {order}");
                wraps.push(Wrap::new(key(1, s), message, name));
            }
        }
    }
    wraps
}

/// Messages of 1 to 33 blocks under random keys whose accumulator ends at the smallest and largest numbers. A
/// result left in p..2^130 has another tag. Kernels that use powers of r reach such a result by other paths
/// than under r = 1.
pub fn solved() -> Vec<Wrap> {
    let mut random = Random(7);
    let largest = Residue::ZERO - Residue::new(1, 0);
    let mut wraps = Vec::new();
    for _ in 0..3 {
        let key: [u8; 32] = random.bytes();
        let (r, _) = modp::key(&key);
        let inverse = r.inverse();
        assert_eq!(r * inverse, Residue::new(1, 0), "r has an inverse");
        for blocks in 1..=33 {
            for small in 0..6 {
                for end in [Residue::new(small, 0), largest - Residue::new(small, 0)] {
                    if let Some(message) = solve(&mut random, r, end * inverse, blocks) {
                        let name = format!("{blocks} blocks that end at {end:x?}");
                        wraps.push(Wrap::new(key, message, name));
                    }
                }
            }
        }
    }
    wraps
}

/// A message of `blocks` blocks whose accumulator is `sum` before the last multiplication. Blocks are numbers
/// in 2^128..2^129, so after a random beginning a fitting last block exists in a fourth of all tries. Without
/// a beginning there is only one try.
fn solve(random: &mut Random, r: Residue, sum: Residue, blocks: usize) -> Option<Vec<u8>> {
    for _ in 0..100 {
        let mut message: Vec<u8> = (0..16 * (blocks - 1)).map(|_| random.word() as u8).collect();
        if let Some(block) = (sum - modp::absorb(Residue::ZERO, r, &message)).as_block() {
            message.extend(block);
            return Some(message);
        }
    }
    None
}
