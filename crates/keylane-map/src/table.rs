//! For programs that keep a [`HashTable`] of their own: many look-ups in one call, by hashes that they have.
//!
//! A query engine, for example, hashes a column once, keeps the hashes, and uses them for several tables. Its tables
//! have row numbers, and it compares columns. The types of this module are those of hashbrown 0.17.
//!
//! ```
//! use keylane::siphash::{Key, SipHash13};
//! use keylane_map::hashbrown::HashTable;
//! use keylane_map::table::{find_many, hash_many};
//!
//! // A join on a column: the table has numbers of rows.
//! let siphash = SipHash13::new(&Key::from_bytes([7; 16]));
//! let customers = ["Ada", "Grace", "Alan"];
//! let hashes = hash_many(&siphash, &customers);
//! let mut table = HashTable::new();
//! for (row, &hash) in hashes.iter().enumerate() {
//!     table.insert_unique(hash, row, |&row| hashes[row]);
//! }
//!
//! let orders = ["Alan", "Charles", "Ada", "Alan"];
//! let rows = find_many(&table, &hash_many(&siphash, &orders), |i, &row| customers[row] == orders[i])
//!     .map(|row| row.copied())
//!     .collect::<Vec<_>>();
//! assert_eq!(rows, [Some(2), None, Some(0), Some(2)]);
//! ```
//!
//! A column of integers, fixed rows or Arrow offsets can also be hashed where it is, by the batch calls of
//! [`SipHash13`]. [`request`] is the part of a look-up that fetches memory, for loops that insert.

use crate::key::{Form, Key};
pub use crate::prefetch::prefetch;
use hashbrown::HashTable;
use keylane::siphash::SipHash13;
use std::fmt;
use std::iter::FusedIterator;

/// How many keys are hashed together, and how many entries are requested together.
pub(crate) const CHUNK: usize = 64;

/// The least size of a table, in bytes, that is assumed not to be in the inner caches. In a smaller one, requests
/// cost more than they save.
const LARGE: usize = 1 << 20;

#[inline]
pub(crate) fn is_large<T>(table: &HashTable<T>) -> bool {
    table.allocation_size() >= LARGE
}

/// Finds and requests the most probable entry of each hash: the first with the same seven bits of it. None has been
/// read. Without one, the table has no entry with this hash.
#[inline(always)]
pub(crate) fn expect<'t, T>(table: &'t HashTable<T>, hashes: &[u64], likely: &mut [Option<&'t T>]) {
    for (likely, &hash) in likely.iter_mut().zip(hashes) {
        *likely = table.find(hash, |_| true);
        if let Some(entry) = *likely {
            prefetch(entry);
        }
    }
}

/// The hashes of many keys, made side by side. Those of [`Form::siphash`].
///
/// ```
/// use keylane::siphash::{Key, SipHash13};
/// use keylane_map::table::hash_many;
///
/// let siphash = SipHash13::new(&Key::from_bytes([7; 16]));
/// assert_eq!(hash_many(&siphash, &["Ada", "Grace"]), [siphash.hash(b"Ada"), siphash.hash(b"Grace")]);
/// assert_eq!(hash_many(&siphash, &[7u64]), [siphash.hash_u64(7)]);
/// ```
pub fn hash_many<K: Key>(siphash: &SipHash13, keys: &[K]) -> Vec<u64> {
    let mut hashes = vec![0; keys.len()];
    K::Form::siphash_many(keys.iter().map(K::borrow), siphash, &mut hashes);
    hashes
}

/// Requests from memory what look-ups by these hashes will probably read, in a table that is larger than the inner
/// caches. Then calls `each` with the probable entries, to [`prefetch`] what they refer to.
///
/// Some 64 hashes are best: enough to wait for all of them at once, and few enough to stay in the cache until the
/// look-ups come. No entry is promised: `each` may get those of other hashes, and not all.
///
/// ```
/// use keylane::siphash::{Key, SipHash13};
/// use keylane_map::hashbrown::HashTable;
/// use keylane_map::table::{hash_many, prefetch, request};
///
/// let siphash = SipHash13::new(&Key::from_bytes([7; 16]));
/// let words = ["to", "be", "or", "not", "to", "be"];
/// let mut groups: Vec<(&str, u32)> = Vec::new();
/// let mut table: HashTable<(u64, usize)> = HashTable::new();
/// for words in words.chunks(64) {
///     let hashes = hash_many(&siphash, words);
///     request(&table, &hashes, |&(_, group)| groups.get(group).into_iter().for_each(prefetch));
///     for (&word, &hash) in words.iter().zip(&hashes) {
///         let entry = table.entry(hash, |&(_, group)| groups[group].0 == word, |&(hash, _)| hash);
///         let &mut (_, group) = entry.or_insert_with(|| (hash, groups.len())).into_mut();
///         if group == groups.len() {
///             groups.push((word, 0));
///         }
///         groups[group].1 += 1;
///     }
/// }
/// assert_eq!(groups, [("to", 2), ("be", 2), ("or", 1), ("not", 1)]);
/// ```
pub fn request<'t, T>(table: &'t HashTable<T>, hashes: &[u64], mut each: impl FnMut(&'t T)) {
    if !is_large(table) {
        return;
    }
    for hashes in hashes.chunks(CHUNK) {
        let mut likely = [None; CHUNK];
        expect(table, hashes, &mut likely);
        likely.into_iter().flatten().for_each(&mut each);
    }
}

/// What the table has for each of many hashes. Equal to [`HashTable::find`] for each.
///
/// `eq(i, entry)` says whether the entry is that of the key with the hash `hashes[i]`. Nothing is looked up before the
/// iterator is asked. In a table larger than the inner caches, it requests 64 entries before it reads the first.
///
/// ```
/// use keylane_map::hashbrown::HashTable;
/// use keylane_map::table::find_many;
///
/// let mut table = HashTable::new();
/// table.insert_unique(100, (100, "one hundred"), |&(hash, _)| hash);
/// let hashes = [7, 100];
/// assert!(find_many(&table, &hashes, |i, entry| entry.0 == hashes[i]).eq([None, Some(&(100, "one hundred"))]));
/// ```
pub fn find_many<'t, 'h, T, E: FnMut(usize, &T) -> bool>(
    table: &'t HashTable<T>,
    hashes: &'h [u64],
    eq: E,
) -> FindMany<'t, 'h, T, E> {
    FindMany { table, hashes, eq, next: 0, is_large: is_large(table), likely: [None; CHUNK] }
}

/// What a table has for many hashes: [`find_many`].
pub struct FindMany<'t, 'h, T, E> {
    table: &'t HashTable<T>,
    hashes: &'h [u64],
    eq: E,
    /// The place of the next hash.
    next: usize,
    is_large: bool,
    /// The probable entries of the current chunk of hashes, if the table is large.
    likely: [Option<&'t T>; CHUNK],
}

impl<'t, T, E: FnMut(usize, &T) -> bool> Iterator for FindMany<'t, '_, T, E> {
    type Item = Option<&'t T>;

    #[inline]
    fn next(&mut self) -> Option<Option<&'t T>> {
        let (i, &hash) = (self.next, self.hashes.get(self.next)?);
        self.next += 1;
        if self.is_large {
            if i % CHUNK == 0 {
                expect(self.table, self.hashes.get(i..).unwrap_or_default(), &mut self.likely);
            }
            match self.likely.get(i % CHUNK).copied().flatten() {
                None => return Some(None),
                Some(entry) if (self.eq)(i, entry) => return Some(Some(entry)),
                Some(_) => {}
            }
        }
        Some(self.table.find(hash, |entry| (self.eq)(i, entry)))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.hashes.len() - self.next;
        (len, Some(len))
    }
}

impl<T, E: FnMut(usize, &T) -> bool> ExactSizeIterator for FindMany<'_, '_, T, E> {}
impl<T, E: FnMut(usize, &T) -> bool> FusedIterator for FindMany<'_, '_, T, E> {}

impl<T, E> fmt::Debug for FindMany<'_, '_, T, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FindMany").finish_non_exhaustive()
    }
}
