//! The set: a map without values.

use crate::entry::Entry;
use crate::iter::{IntoKeys, Keys};
use crate::key::Key;
use crate::map::Map;
use keylane::siphash::Key as SipHashKey;
use std::borrow::Borrow;
use std::fmt;

/// A hash set under SipHash-1-3, which nobody can flood without the key: a [`Map`] without values.
///
/// ```
/// use keylane_map::Set;
///
/// let mut seen = Set::new();
/// assert!(seen.insert("Ada"));
/// assert!(!seen.insert("Ada"));
/// assert_eq!(seen.insert_many(["Grace", "Ada", "Alan", "Grace"]), 2);
/// assert!(seen.contains_many(&["Charles", "Alan"]).eq([false, true]));
/// ```
#[derive(Clone)]
pub struct Set<K> {
    map: Map<K, ()>,
}

impl<K> Set<K> {
    /// An empty set under a random key. It allocates nothing.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert!(Set::<u64>::new().is_empty());
    /// ```
    pub fn new() -> Self {
        Set { map: Map::new() }
    }

    /// An empty set under your key.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// use keylane::siphash::Key;
    ///
    /// assert!(Set::with_key(&Key::from_bytes([7; 16])).insert("Ada"));
    /// ```
    pub fn with_key(key: &SipHashKey) -> Self {
        Set { map: Map::with_key(key) }
    }

    /// The number of keys.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert_eq!(Set::from([1, 2, 1]).len(), 2);
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether there is no key.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert!(!Set::from([1]).is_empty());
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Removes all keys, and keeps the memory.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let mut set = Set::from([1]);
    /// set.clear();
    /// assert!(set.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.map.clear();
    }

    /// All keys, in no particular order.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert_eq!(Set::from([3, 4]).iter().sum::<i32>(), 7);
    /// ```
    pub fn iter(&self) -> Keys<'_, K> {
        Keys { entries: self.map.table.iter() }
    }
}

impl<K: Key> Set<K> {
    /// An empty set under a random key, with room for this many keys.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert!(Set::<u64>::with_capacity(1000).is_empty());
    /// ```
    pub fn with_capacity(capacity: usize) -> Self {
        Set { map: Map::with_capacity(capacity) }
    }

    /// Makes room for this many more keys, if there is enough memory. Otherwise nothing happens.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let mut set = Set::from([1]);
    /// set.reserve(1000);
    /// assert!(set.contains(&1));
    /// ```
    pub fn reserve(&mut self, additional: usize) {
        self.map.reserve(additional);
    }

    /// Whether the set has a key.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert!(Set::from(["Ada".to_owned()]).contains("Ada"));
    /// ```
    #[inline]
    pub fn contains<Q: Borrow<K::Form> + ?Sized>(&self, key: &Q) -> bool {
        self.map.contains_key(key)
    }

    /// Whether the set has each of many keys: [`Map::contains_many`].
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert!(Set::from([1u64, 2]).contains_many(&[2, 3, 1]).eq([true, false, true]));
    /// ```
    #[inline]
    pub fn contains_many<Q: Borrow<K::Form>>(&self, keys: &[Q]) -> impl ExactSizeIterator<Item = bool> {
        self.map.contains_many(keys)
    }

    /// Adds a key, and returns whether it is new. An existing key is kept.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let mut set = Set::new();
    /// assert!(set.insert(7));
    /// assert!(!set.insert(7));
    /// ```
    #[inline]
    pub fn insert(&mut self, key: K) -> bool {
        self.map.insert(key, ()).is_none()
    }

    /// Adds many keys, and returns how many are new. Existing keys are kept.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let mut set = Set::from([1]);
    /// assert_eq!(set.insert_many([1, 2, 3, 2]), 2);
    /// ```
    pub fn insert_many(&mut self, keys: impl IntoIterator<Item = K>) -> usize {
        self.map.insert_many(keys.into_iter().map(|key| (key, ())))
    }

    /// Adds many keys, and calls `each` in order with what comes with each of them, and with whether the key is new.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let mut first = Vec::new();
    /// let words = ["to", "be", "or", "not", "to", "be"];
    /// Set::new().insert_each(words.map(|word| (word, word)), |word, is_new| {
    ///     if is_new {
    ///         first.push(word);
    ///     }
    /// });
    /// assert_eq!(first, ["to", "be", "or", "not"]);
    /// ```
    pub fn insert_each<T>(&mut self, items: impl IntoIterator<Item = (K, T)>, mut each: impl FnMut(T, bool)) {
        self.map.entry_many(items, |entry, item| {
            let is_new = matches!(entry, Entry::Vacant(_));
            entry.or_insert(());
            each(item, is_new);
        });
    }

    /// Removes a key, and returns whether it was there.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let mut set = Set::from(["Ada"]);
    /// assert!(set.remove("Ada"));
    /// assert!(!set.remove("Ada"));
    /// ```
    #[inline]
    pub fn remove<Q: Borrow<K::Form> + ?Sized>(&mut self, key: &Q) -> bool {
        self.map.remove(key).is_some()
    }
}

impl<K> Default for Set<K> {
    fn default() -> Self {
        Self::new()
    }
}

/// The keys in the set only: the key of the hash stays hidden.
impl<K: fmt::Debug> fmt::Debug for Set<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<K: Key> PartialEq for Set<K> {
    fn eq(&self, other: &Self) -> bool {
        self.map == other.map
    }
}

impl<K: Key> Eq for Set<K> {}

impl<K: Key> Extend<K> for Set<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        self.map.extend(keys.into_iter().map(|key| (key, ())));
    }
}

impl<K: Key> FromIterator<K> for Set<K> {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let mut set = Self::new();
        set.extend(keys);
        set
    }
}

impl<K: Key, const N: usize> From<[K; N]> for Set<K> {
    fn from(keys: [K; N]) -> Self {
        keys.into_iter().collect()
    }
}

impl<'a, K> IntoIterator for &'a Set<K> {
    type Item = &'a K;
    type IntoIter = Keys<'a, K>;

    fn into_iter(self) -> Keys<'a, K> {
        self.iter()
    }
}

impl<K> IntoIterator for Set<K> {
    type Item = K;
    type IntoIter = IntoKeys<K>;

    fn into_iter(self) -> IntoKeys<K> {
        IntoKeys { entries: self.map.table.into_iter() }
    }
}
