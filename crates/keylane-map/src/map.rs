//! The map: one key at a time.

use crate::entry::{Entry, OccupiedEntry, VacantEntry};
use crate::error::TryReserveError;
use crate::iter::{Drain, IntoIter, IntoKeys, IntoValues, Iter, IterMut, Keys, Values, ValuesMut};
use crate::key::{Form, Key};
use hashbrown::{HashTable, hash_table};
use keylane::hash_map::RandomState;
use keylane::siphash::{Key as SipHashKey, SipHash13};
use std::borrow::Borrow;
use std::fmt;
use std::hash::BuildHasher;
use std::iter::FusedIterator;
use std::ops::Index;

/// A hash map under SipHash-1-3, which nobody can flood without the key.
///
/// It has the methods of std's `HashMap`, and they do the same, except `reserve`, where too much is no error. The methods
/// that choose a hasher, and `get_disjoint_unchecked_mut`, are left out. Those whose names end in
/// `_many` take many keys: they hash a chunk of them in one call, and request all their entries before they read one.
///
/// Whatever can be borrowed as the key's [`Form`](Key::Form) can be looked up.
///
/// ```
/// use keylane_map::Map;
///
/// let mut born: Map<String, u32> = Map::new();
/// born.insert("Ada".to_owned(), 1815);
/// assert_eq!(born.get("Ada"), Some(&1815));
/// born.insert_many([("Grace".to_owned(), 1906), ("Alan".to_owned(), 1912)]);
/// let years: Vec<_> = born.get_many(&["Alan", "Ada", "Charles"]).collect();
/// assert_eq!(years, [Some(&1912), Some(&1815), None]);
/// ```
#[derive(Clone)]
pub struct Map<K, V> {
    pub(crate) siphash: SipHash13,
    pub(crate) table: HashTable<(K, V)>,
}

/// What of a key is hashed and compared.
#[inline(always)]
pub(crate) fn form<K: Key>(key: &K) -> &K::Form {
    key.borrow()
}

/// The hash of an entry. One closure, so that hashbrown's code that moves entries is compiled once for a type of entry.
#[inline(always)]
pub(crate) fn hash_of<K: Key, V>(siphash: &SipHash13) -> impl Fn(&(K, V)) -> u64 {
    move |(key, _)| form(key).siphash(siphash)
}

impl<K, V> Map<K, V> {
    /// An empty map under a random key. It allocates nothing.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let map: Map<u64, u32> = Map::new();
    /// assert!(map.is_empty());
    /// ```
    pub fn new() -> Self {
        // Hashes under a random key are random to everyone who does not know it.
        let random = RandomState::new();
        let [k0, k1] = [random.hash_one(0u8), random.hash_one(1u8)];
        Self::with_key(&SipHashKey::from_bytes((u128::from(k0) | u128::from(k1) << 64).to_le_bytes()))
    }

    /// An empty map under your key. Two maps with one key and the same history have their entries in the same order.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// use keylane::siphash::Key;
    ///
    /// let mut map = Map::with_key(&Key::from_bytes([7; 16]));
    /// map.insert("Ada", 1815);
    /// assert_eq!(map.len(), 1);
    /// ```
    pub fn with_key(key: &SipHashKey) -> Self {
        Map { siphash: SipHash13::new(key), table: HashTable::new() }
    }

    /// The number of entries.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// assert_eq!(Map::from([("Ada", 1), ("Grace", 2), ("Ada", 3)]).len(), 2);
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is no entry.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// assert!(!Map::from([("Ada", 1)]).is_empty());
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// How many entries the map can have before it needs more memory.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// assert!(Map::<u64, u32>::with_capacity(1000).capacity() >= 1000);
    /// ```
    #[inline]
    pub fn capacity(&self) -> usize {
        self.table.capacity()
    }

    /// Removes all entries, and keeps the memory.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::from([("Ada", 1)]);
    /// map.clear();
    /// assert_eq!(map.get("Ada"), None);
    /// ```
    pub fn clear(&mut self) {
        self.table.clear();
    }

    /// All entries, in no particular order.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let map = Map::from([("Ada", 1), ("Grace", 2)]);
    /// assert_eq!(map.iter().map(|(_, value)| value).sum::<i32>(), 3);
    /// ```
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { entries: self.table.iter() }
    }

    /// All entries, in no particular order, with values that can be changed.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::from([("Ada", 1), ("Grace", 2)]);
    /// for (_, value) in map.iter_mut() {
    ///     *value *= 10;
    /// }
    /// assert_eq!(map.get("Grace"), Some(&20));
    /// ```
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut { entries: self.table.iter_mut() }
    }

    /// All keys, in no particular order.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// assert_eq!(Map::from([(3, 'a'), (4, 'b')]).keys().sum::<i32>(), 7);
    /// ```
    pub fn keys(&self) -> Keys<'_, K, V> {
        Keys { entries: self.table.iter() }
    }

    /// All keys of a map that is used up, in no particular order.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// assert_eq!(Map::from([(3, 'a'), (4, 'b')]).into_keys().sum::<i32>(), 7);
    /// ```
    pub fn into_keys(self) -> IntoKeys<K, V> {
        IntoKeys { entries: self.table.into_iter() }
    }

    /// All values, in no particular order.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// assert_eq!(Map::from([('a', 3), ('b', 4)]).values().sum::<i32>(), 7);
    /// ```
    pub fn values(&self) -> Values<'_, K, V> {
        Values { entries: self.table.iter() }
    }

    /// All values of a map that is used up, in no particular order.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// assert_eq!(Map::from([('a', 3), ('b', 4)]).into_values().sum::<i32>(), 7);
    /// ```
    pub fn into_values(self) -> IntoValues<K, V> {
        IntoValues { entries: self.table.into_iter() }
    }

    /// All values, in no particular order, to change them.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::from([("Ada", 1)]);
    /// map.values_mut().for_each(|value| *value += 1);
    /// assert_eq!(map.get("Ada"), Some(&2));
    /// ```
    pub fn values_mut(&mut self) -> ValuesMut<'_, K, V> {
        ValuesMut { entries: self.table.iter_mut() }
    }

    /// Removes all entries, returns them, and keeps the memory.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::from([("Ada", 1)]);
    /// assert_eq!(map.drain().collect::<Vec<_>>(), [("Ada", 1)]);
    /// assert!(map.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, K, V> {
        Drain { entries: self.table.drain() }
    }

    /// Removes the entries for which `keep` returns false.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map: Map<u32, u32> = (0..10).map(|x| (x, x * x)).collect();
    /// map.retain(|key, _| key % 2 == 0);
    /// assert_eq!(map.len(), 5);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.table.retain(|(key, value)| keep(key, value));
    }

    /// Removes and returns the entries for which `take` returns true, as the iterator comes to them. Those that it does
    /// not come to stay in the map.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map: Map<u32, u32> = (0..10).map(|x| (x, x * x)).collect();
    /// let odd: Map<u32, u32> = map.extract_if(|key, _| key % 2 == 1).collect();
    /// assert_eq!([map.len(), odd.len()], [5, 5]);
    /// ```
    pub fn extract_if(
        &mut self,
        mut take: impl FnMut(&K, &mut V) -> bool,
    ) -> impl FusedIterator<Item = (K, V)> {
        self.table.extract_if(move |(key, value)| take(key, value))
    }
}

impl<K: Key, V> Map<K, V> {
    /// An empty map under a random key, with [room](Self::reserve) for this many entries.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let map: Map<u64, u32> = Map::with_capacity(1000);
    /// assert!(map.is_empty() && map.capacity() >= 1000);
    /// ```
    pub fn with_capacity(capacity: usize) -> Self {
        let mut map = Self::new();
        map.reserve(capacity);
        map
    }

    /// Makes room for this many more entries, if there is enough memory. Otherwise nothing happens.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::from([("Ada", 1)]);
    /// map.reserve(1000);
    /// assert!(map.capacity() >= 1001);
    /// map.reserve(usize::MAX);
    /// assert_eq!(map.get("Ada"), Some(&1));
    /// ```
    pub fn reserve(&mut self, additional: usize) {
        // Room is a hint: without it the map grows entry by entry.
        let _ = self.try_reserve(additional);
    }

    /// Makes room for this many more entries.
    ///
    /// # Errors
    /// Fails if there is not enough memory. The map is as it was.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::from([("Ada", 1)]);
    /// assert!(map.try_reserve(1000).is_ok());
    /// assert!(map.try_reserve(usize::MAX).is_err());
    /// assert_eq!(map.get("Ada"), Some(&1));
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.table.try_reserve(additional, hash_of(&self.siphash)).map_err(TryReserveError)
    }

    /// Gives back memory that the entries do not need.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::with_capacity(1000);
    /// map.insert("Ada", 1);
    /// map.shrink_to_fit();
    /// assert!(map.capacity() < 1000);
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.shrink_to(0);
    }

    /// Gives back memory that the entries do not need, but keeps room for this many entries.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::with_capacity(1000);
    /// map.insert("Ada", 1);
    /// map.shrink_to(100);
    /// assert!((100..1000).contains(&map.capacity()));
    /// ```
    pub fn shrink_to(&mut self, capacity: usize) {
        self.table.shrink_to(capacity, hash_of(&self.siphash));
    }

    /// The value of a key.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let map = Map::from([("Ada".to_owned(), 1)]);
    /// assert_eq!(map.get("Ada"), Some(&1));
    /// assert_eq!(map.get(&"Grace".to_owned()), None);
    /// ```
    #[inline]
    pub fn get<Q: Borrow<K::Form> + ?Sized>(&self, key: &Q) -> Option<&V> {
        if self.is_empty() {
            return None;
        }
        let wanted = key.borrow();
        self.find(wanted.siphash(&self.siphash), wanted)
    }

    /// The entry of a key: the key that is in the map, and its value.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let map = Map::from([("Ada".to_owned(), 1)]);
    /// assert_eq!(map.get_key_value("Ada"), Some((&"Ada".to_owned(), &1)));
    /// ```
    #[inline]
    pub fn get_key_value<Q: Borrow<K::Form> + ?Sized>(&self, key: &Q) -> Option<(&K, &V)> {
        if self.is_empty() {
            return None;
        }
        let wanted = key.borrow();
        let hash = wanted.siphash(&self.siphash);
        self.table.find(hash, |(key, _)| form(key) == wanted).map(|(key, value)| (key, value))
    }

    /// The value of a key, to change it.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::from([("Ada", 1)]);
    /// if let Some(value) = map.get_mut("Ada") {
    ///     *value += 1;
    /// }
    /// assert_eq!(map.get("Ada"), Some(&2));
    /// ```
    #[inline]
    pub fn get_mut<Q: Borrow<K::Form> + ?Sized>(&mut self, key: &Q) -> Option<&mut V> {
        if self.is_empty() {
            return None;
        }
        let wanted = key.borrow();
        let hash = wanted.siphash(&self.siphash);
        self.table.find_mut(hash, |(key, _)| form(key) == wanted).map(|(_, value)| value)
    }

    /// The values of some different keys, to change them all.
    ///
    /// # Panics
    /// If two of the keys are equal, and the map has them. std's map panics then too.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::from([("Ada", 1), ("Grace", 2)]);
    /// if let [Some(ada), Some(grace), None] = map.get_disjoint_mut(["Ada", "Grace", "Alan"]) {
    ///     std::mem::swap(ada, grace);
    /// }
    /// assert_eq!([map.get("Ada"), map.get("Grace")], [Some(&2), Some(&1)]);
    /// ```
    pub fn get_disjoint_mut<Q: Borrow<K::Form> + ?Sized, const N: usize>(
        &mut self,
        keys: [&Q; N],
    ) -> [Option<&mut V>; N] {
        let wanted = keys.map(Q::borrow);
        let hashes = wanted.map(|wanted| wanted.siphash(&self.siphash));
        self.table
            .get_disjoint_mut(hashes, |i, (key, _)| wanted.get(i).is_some_and(|&wanted| form(key) == wanted))
            .map(|found| found.map(|(_, value)| value))
    }

    /// Whether the map has a key.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// assert!(Map::from([(7u64, ())]).contains_key(&7));
    /// ```
    #[inline]
    pub fn contains_key<Q: Borrow<K::Form> + ?Sized>(&self, key: &Q) -> bool {
        self.get(key).is_some()
    }

    /// Sets the value of a key, and returns the previous one if there was one. An existing key is kept.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::new();
    /// assert_eq!(map.insert("Ada", 1), None);
    /// assert_eq!(map.insert("Ada", 2), Some(1));
    /// ```
    #[inline]
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.entry(key).set(value)
    }

    /// Removes a key, and returns its value if there was one.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::from([("Ada", 1)]);
    /// assert_eq!(map.remove("Ada"), Some(1));
    /// assert_eq!(map.remove("Ada"), None);
    /// ```
    #[inline]
    pub fn remove<Q: Borrow<K::Form> + ?Sized>(&mut self, key: &Q) -> Option<V> {
        self.remove_entry(key).map(|(_, value)| value)
    }

    /// Removes a key, and returns its entry if there was one.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::from([("Ada", 1)]);
    /// assert_eq!(map.remove_entry("Ada"), Some(("Ada", 1)));
    /// assert_eq!(map.remove_entry("Ada"), None);
    /// ```
    #[inline]
    pub fn remove_entry<Q: Borrow<K::Form> + ?Sized>(&mut self, key: &Q) -> Option<(K, V)> {
        let wanted = key.borrow();
        let hash = wanted.siphash(&self.siphash);
        let place = self.table.find_entry(hash, |(key, _)| form(key) == wanted).ok()?;
        let (entry, _) = place.remove();
        Some(entry)
    }

    /// The place of a key, whether the map has it or not.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::new();
    /// *map.entry("Ada").or_insert(0) += 1;
    /// assert_eq!(map.get("Ada"), Some(&1));
    /// ```
    #[inline]
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        let hash = form(&key).siphash(&self.siphash);
        self.entry_of(hash, key)
    }

    /// The value of a key whose hash is known.
    #[inline(always)]
    pub(crate) fn find(&self, hash: u64, wanted: &K::Form) -> Option<&V> {
        self.table.find(hash, |(key, _)| form(key) == wanted).map(|(_, value)| value)
    }

    /// The place of a key whose hash is known.
    #[inline(always)]
    pub(crate) fn entry_of(&mut self, hash: u64, key: K) -> Entry<'_, K, V> {
        if self.table.len() == self.table.capacity() {
            self.grow();
        }
        let wanted = form(&key);
        match self.table.entry(hash, |(key, _)| form(key) == wanted, hash_of(&self.siphash)) {
            hash_table::Entry::Occupied(place) => Entry::Occupied(OccupiedEntry { place }),
            hash_table::Entry::Vacant(place) => Entry::Vacant(VacantEntry { key, place }),
        }
    }
}

/// The value of a key that the map has.
///
/// # Panics
/// If the map does not have the key. Use [`get`](Map::get) unless you are sure of it.
///
/// ```
/// # use keylane_map::Map;
/// assert_eq!(Map::from([("Ada", 1)])["Ada"], 1);
/// ```
impl<K: Key, V, Q: Borrow<K::Form> + ?Sized> Index<&Q> for Map<K, V> {
    type Output = V;

    #[inline]
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the map does not have the key")
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

/// The entries only: the key of the hash stays hidden.
impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// Maps are equal if they have equal entries, under whatever keys.
impl<K: Key, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl<K: Key, V: Eq> Eq for Map<K, V> {}

/// Does what [`insert_many`](Map::insert_many) does. It makes room first, as std's map does: for as many entries as the
/// iterator promises, or for half of them if the map is not empty.
impl<K: Key, V> Extend<(K, V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        let entries = entries.into_iter();
        let (promised, _) = entries.size_hint();
        self.reserve(if self.is_empty() { promised } else { promised.div_ceil(2) });
        self.insert_many(entries);
    }
}

/// Copies entries into the map.
impl<'a, K: Key + Copy, V: Copy> Extend<(&'a K, &'a V)> for Map<K, V> {
    fn extend<I: IntoIterator<Item = (&'a K, &'a V)>>(&mut self, entries: I) {
        self.extend(entries.into_iter().map(|(&key, &value)| (key, value)));
    }
}

impl<K: Key, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Key, V, const N: usize> From<[(K, V); N]> for Map<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<'a, K, V> IntoIterator for &'a Map<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut Map<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;

    fn into_iter(self) -> IterMut<'a, K, V> {
        self.iter_mut()
    }
}

impl<K, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        IntoIter { entries: self.table.into_iter() }
    }
}
