//! ChaCha20-Poly1305 in one pass: `chacha20poly1305-pn`.

use super::{Checked, Extent, LONGEST, Row};
use crate::check::Check;
use crate::input::{Pool, Random};
use crate::vectors::Published;
use keylane::job::chacha20::{Key, Seal, Sealing, words};
use keylane::job::poly1305::{self, State};
use keylane_ref as spec;
use std::sync::Arc;

/// The bytes before and after each destination. No kernel may write them.
const GUARD: usize = 65;

/// The contents of such a byte, and of a destination at first.
const UNWRITTEN: u8 = 0x55;

/// What the checks share.
pub struct Packets {
    pool: Arc<Pool>,
    extent: Extent,
    random: Random,
}

impl Packets {
    /// Checks a packet of this length, of which some bytes are encrypted and some of those absorbed.
    fn compare(
        &mut self,
        row: &Row<Sealing>,
        len: usize,
        before: [usize; 2],
        is_copied: bool,
        check: &mut Check,
    ) {
        let random = &mut self.random;
        let (key, nonce, mac_key): ([u8; 32], [u8; 12], [u8; 32]) =
            (random.bytes(), random.bytes(), random.bytes());
        let text = &self.pool.bytes()[[Pool::RANDOM, Pool::STRUCTURED, Pool::ONES][random.below(3)]..][..len];
        let sealed = spec::chacha20(&key, 1, &nonce, text);
        let [mut encrypted, mut absorbed] = before;
        let mut place = vec![UNWRITTEN; len + 2 * GUARD];
        if !is_copied {
            place[GUARD..][..len].copy_from_slice(text);
        }
        place[GUARD..][..encrypted].copy_from_slice(&sealed[..encrypted]);
        let mut right = place.clone();
        let mut state = State::new(poly1305::Key::from_bytes(&mac_key));
        row.kernel.run(Seal {
            key: &Key::from_bytes(&key),
            nonce: words(&nonce),
            source: is_copied.then_some(text),
            destination: &mut place[GUARD..][..len],
            encrypted: &mut encrypted,
            absorbed: &mut absorbed,
            state: &mut state,
        });
        let name =
            |what: &str| format!("{what} of {len} bytes after {before:?}, to a destination: {is_copied}");
        let is_far = encrypted <= len && encrypted + 64 * row.lanes > len && encrypted.is_multiple_of(64);
        let is_behind = absorbed <= encrypted && absorbed.is_multiple_of(16) && absorbed >= before[1];
        check.same((is_far, is_behind), (true, true), || name("the progress"));
        let (encrypted, absorbed) = (encrypted.clamp(before[0], len), absorbed.clamp(before[1], len));
        right[GUARD..][before[0]..encrypted].copy_from_slice(&sealed[before[0]..encrypted]);
        check.same(place, right, || name("the bytes"));
        let tag = spec::poly1305(&mac_key, &sealed[before[1]..absorbed]);
        check.same(state.tag().to_le_bytes(), tag, || name("the tag"));
    }
}

impl Checked for Sealing {
    type Truth = Packets;

    fn truth(extent: Extent) -> Packets {
        Packets { pool: Pool::shared(), extent, random: Random(43) }
    }

    fn check_row(row: &Row<Self>, packets: &mut Packets, _: &Published, check: &mut Check) {
        let longest = if packets.extent == Extent::Brief { 200 } else { 2 * LONGEST };
        // Every length, with every number of blocks before the row's.
        for len in 0..=longest {
            let encrypted = 64 * (len % 13).min(len / 64);
            let absorbed = 16 * (len % 7).min(encrypted / 16);
            packets.compare(row, len, [encrypted, absorbed], len % 2 == 0, check);
        }
        // Every number of bytes that are not yet absorbed.
        for behind in 0..=100 {
            packets.compare(row, 3000, [1600, 1600 - 16 * behind], behind % 2 == 0, check);
        }
        for len in [4096, 9973, 20_000] {
            packets.compare(row, len, [448, 0], false, check);
            packets.compare(row, len, [448, 0], true, check);
        }
    }

    /// A packet goes on in another row.
    fn check_pair(first: &Row<Self>, second: &Row<Self>, packets: &mut Packets, check: &mut Check) {
        let text = &packets.pool.bytes()[Pool::RANDOM..][..5000];
        for cut in [64, 1000, 2048, 4999] {
            let (key, nonce, mac_key) =
                (packets.random.bytes(), packets.random.bytes(), packets.random.bytes());
            let sealed = spec::chacha20(&key, 1, &nonce, text);
            let mut bytes = text.to_vec();
            let (mut encrypted, mut absorbed) = (0, 0);
            let mut state = State::new(poly1305::Key::from_bytes(&mac_key));
            for (row, len) in [(first, cut), (second, 5000)] {
                row.kernel.run(Seal {
                    key: &Key::from_bytes(&key),
                    nonce: words(&nonce),
                    source: None,
                    destination: &mut bytes[..len],
                    encrypted: &mut encrypted,
                    absorbed: &mut absorbed,
                    state: &mut state,
                });
            }
            let result = (bytes[..encrypted].to_vec(), state.tag().to_le_bytes());
            let right = (sealed[..encrypted].to_vec(), spec::poly1305(&mac_key, &sealed[..absorbed]));
            check.same(result, right, || format!("from byte {cut} on by {}", second.kernel.id()));
        }
    }
}
