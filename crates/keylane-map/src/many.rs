//! The map: many keys at a time.

use crate::entry::Entry;
use crate::key::{Form, Key};
use crate::map::{Map, form};
use crate::prefetch::prefetch;
use crate::table::{CHUNK, expect, is_large};
use std::borrow::Borrow;
use std::fmt;
use std::iter::FusedIterator;
use std::mem::take;

/// Fewer keys than this are looked up one by one: in a large table, and in a smaller one.
const LOOP_BELOW: [usize; 2] = [3, 14];

/// Whether the form of a key is in another place than the key.
const fn is_elsewhere<K: Key>() -> bool {
    size_of::<&K::Form>() > size_of::<usize>()
}

/// The first `len` elements, or all.
#[inline(always)]
pub(crate) fn split_mut<T>(all: &mut [T], len: usize) -> &mut [T] {
    let len = len.min(all.len());
    all.split_at_mut(len).0
}

impl<K: Key, V> Map<K, V> {
    /// The values of many keys, in the order of the keys. Equal to [`get`](Self::get) of each.
    ///
    /// In a map that is larger than the inner caches this is several times as fast as a loop of `get`. A call with
    /// hundreds of keys is best. Nothing is looked up before the iterator is asked.
    ///
    /// ```
    /// use keylane_map::Map;
    ///
    /// let squares: Map<u64, u64> = (0..1000).map(|x| (x, x * x)).collect();
    /// let wanted = [3, 5000, 7, 3];
    /// assert_eq!(squares.get_many(&wanted).collect::<Vec<_>>(), [Some(&9), None, Some(&49), Some(&9)]);
    /// assert_eq!(squares.get_many(&wanted).flatten().sum::<u64>(), 67);
    /// ```
    #[inline]
    pub fn get_many<'m, 'k, Q: Borrow<K::Form>>(&'m self, keys: &'k [Q]) -> GetMany<'m, 'k, K, V, Q> {
        let [large, small] = LOOP_BELOW;
        let loop_below = if is_large(&self.table) { large } else { small };
        GetMany { map: self, keys, loop_below, found: Vec::new(), next: 0 }
    }

    /// Whether the map has each of many keys. Equal to [`contains_key`](Self::contains_key) of each.
    ///
    /// ```
    /// use keylane_map::Map;
    ///
    /// let map = Map::from([("Ada", 1), ("Grace", 2)]);
    /// assert!(map.contains_many(&["Grace", "Alan", "Ada"]).eq([true, false, true]));
    /// ```
    #[inline]
    pub fn contains_many<Q: Borrow<K::Form>>(&self, keys: &[Q]) -> impl ExactSizeIterator<Item = bool> {
        self.get_many(keys).map(|found| found.is_some())
    }

    /// Inserts many entries, in order, and returns how many of their keys are new. Equal to
    /// [`insert`](Self::insert) of each.
    ///
    /// If a key occurs more than once, its last value counts. Values that are replaced are dropped. To see them, use
    /// [`entry_many`](Self::entry_many). The map grows as keys need it; if most of them are new, call
    /// [`reserve`](Self::reserve) first, or `extend`, which does.
    ///
    /// ```
    /// use keylane_map::Map;
    ///
    /// let mut map = Map::from([("Ada", 1)]);
    /// assert_eq!(map.insert_many([("Ada", 2), ("Grace", 3), ("Grace", 4)]), 1);
    /// assert_eq!([map.get("Ada"), map.get("Grace")], [Some(&2), Some(&4)]);
    /// ```
    pub fn insert_many(&mut self, entries: impl IntoIterator<Item = (K, V)>) -> usize {
        let before = self.len();
        self.entry_many(entries, |entry, value| {
            entry.set(value);
        });
        self.len() - before
    }

    /// Calls `each` with the place of each of many keys, in order, and with what comes with the key. Equal to
    /// [`entry`](Self::entry) of each.
    ///
    /// ```
    /// use keylane_map::Map;
    ///
    /// let rows = [("apples", 3), ("pears", 4), ("apples", 5)];
    /// let mut sums: Map<&str, u32> = Map::new();
    /// sums.entry_many(rows, |sum, row| *sum.or_insert(0) += row);
    /// assert_eq!(sums.get("apples"), Some(&8));
    /// ```
    pub fn entry_many<T>(
        &mut self,
        items: impl IntoIterator<Item = (K, T)>,
        mut each: impl FnMut(Entry<'_, K, V>, T),
    ) {
        let mut items = items.into_iter();
        let mut chunk = Vec::new();
        let mut hashes = [0; CHUNK];
        loop {
            chunk.extend(items.by_ref().take(CHUNK));
            if chunk.is_empty() {
                return;
            }
            let hashes = split_mut(&mut hashes, chunk.len());
            K::Form::siphash_many(chunk.iter().map(|(key, _)| form(key)), &self.siphash, hashes);
            if is_large(&self.table) {
                self.request(hashes);
            }
            for ((key, item), &hash) in chunk.drain(..).zip(&*hashes) {
                each(self.entry_of(hash, key), item);
            }
        }
    }

    /// Requests the most probable entries of some keys.
    fn request(&self, hashes: &[u64]) {
        let mut likely = [None; CHUNK];
        expect(&self.table, hashes, &mut likely);
        self.request_forms(&likely);
    }

    /// Requests the forms of keys that only refer to them, as strings do.
    #[inline(always)]
    fn request_forms(&self, likely: &[Option<&(K, V)>]) {
        if is_elsewhere::<K>() {
            for (key, _) in likely.iter().copied().flatten() {
                prefetch(form(key));
            }
        }
    }
}

/// The values of many keys: [`Map::get_many`].
///
/// ```
/// use keylane_map::Map;
///
/// let map = Map::from([(1u64, "one"), (2, "two")]);
/// let mut values = map.get_many(&[2, 3]);
/// assert_eq!(values.len(), 2);
/// assert_eq!(values.next(), Some(Some(&"two")));
/// assert_eq!(values.next(), Some(None));
/// assert_eq!(values.next(), None);
/// ```
pub struct GetMany<'m, 'k, K, V, Q> {
    map: &'m Map<K, V>,
    /// The keys that have not been looked up.
    keys: &'k [Q],
    /// Fewer keys than this are looked up one by one.
    loop_below: usize,
    /// What was found of the last chunk.
    found: Vec<Option<&'m V>>,
    /// The place of the next result in `found`.
    next: usize,
}

impl<'m, K: Key, V, Q: Borrow<K::Form>> GetMany<'m, '_, K, V, Q> {
    /// The next result if the current chunk has no more.
    #[inline(always)]
    fn advance(&mut self) -> Option<Option<&'m V>> {
        if self.keys.len() < self.loop_below {
            let (key, rest) = self.keys.split_first()?;
            let found = self.map.get(key.borrow());
            self.keys = rest;
            return Some(found);
        }
        self.look_up();
        self.next = 1;
        self.found.first().copied()
    }

    /// Looks up the next chunk. If the code of a key panics, no result and no key is lost.
    #[inline(never)]
    fn look_up(&mut self) {
        let (map, (keys, rest)) = (self.map, self.keys.split_at(self.keys.len().min(CHUNK)));
        let mut found = take(&mut self.found);
        found.clear();
        self.next = 0;
        let mut hashes = [0; CHUNK];
        let hashes = split_mut(&mut hashes, keys.len());
        K::Form::siphash_many(keys.iter().map(Q::borrow), &map.siphash, hashes);
        let wanted = keys.iter().map(Q::borrow).zip(&*hashes);
        if is_large(&map.table) {
            let mut likely = [None; CHUNK];
            expect(&map.table, hashes, &mut likely);
            map.request_forms(&likely);
            found.extend(wanted.zip(likely).map(|((wanted, &hash), likely)| match likely? {
                (key, value) if form(key) == wanted => Some(value),
                _ => map.find(hash, wanted),
            }));
        } else {
            found.extend(wanted.map(|(wanted, &hash)| map.find(hash, wanted)));
        }
        self.found = found;
        self.keys = rest;
    }
}

impl<'m, K: Key, V, Q: Borrow<K::Form>> Iterator for GetMany<'m, '_, K, V, Q> {
    type Item = Option<&'m V>;

    #[inline]
    fn next(&mut self) -> Option<Option<&'m V>> {
        match self.found.get(self.next) {
            Some(&found) => {
                self.next += 1;
                Some(found)
            }
            None => self.advance(),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.keys.len() + (self.found.len() - self.next);
        (len, Some(len))
    }
}

impl<K: Key, V, Q: Borrow<K::Form>> ExactSizeIterator for GetMany<'_, '_, K, V, Q> {}
impl<K: Key, V, Q: Borrow<K::Form>> FusedIterator for GetMany<'_, '_, K, V, Q> {}

impl<K, V, Q> fmt::Debug for GetMany<'_, '_, K, V, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GetMany").finish_non_exhaustive()
    }
}
