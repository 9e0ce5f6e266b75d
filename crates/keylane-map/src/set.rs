//! The set: a map without values.

use crate::entry::Entry;
use crate::error::TryReserveError;
use crate::iter::{DrainKeys, IntoKeys, Keys};
use crate::key::{Form, Key};
use crate::map::{Map, form};
use keylane::siphash::Key as SipHashKey;
use std::borrow::Borrow;
use std::fmt;
use std::iter::FusedIterator;
use std::mem::replace;
use std::ops::{BitAnd, BitOr, BitXor, Sub};

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
        self.map.keys()
    }

    /// How many keys the set can have before it needs more memory.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert!(Set::<u64>::with_capacity(1000).capacity() >= 1000);
    /// ```
    #[inline]
    pub fn capacity(&self) -> usize {
        self.map.capacity()
    }

    /// Removes all keys, returns them, and keeps the memory.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let mut set = Set::from(["Ada"]);
    /// assert_eq!(set.drain().collect::<Vec<_>>(), ["Ada"]);
    /// assert!(set.is_empty());
    /// ```
    pub fn drain(&mut self) -> DrainKeys<'_, K> {
        DrainKeys { entries: self.map.table.drain() }
    }

    /// Removes the keys for which `keep` returns false.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let mut set: Set<u32> = (0..10).collect();
    /// set.retain(|key| key % 2 == 0);
    /// assert_eq!(set.len(), 5);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(&K) -> bool) {
        self.map.retain(|key, ()| keep(key));
    }

    /// Removes and returns the keys for which `take` returns true, as the iterator comes to them. Those that it does not
    /// come to stay in the set.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let mut set: Set<u32> = (0..10).collect();
    /// assert_eq!(set.extract_if(|key| key % 2 == 1).sum::<u32>(), 25);
    /// assert_eq!(set.len(), 5);
    /// ```
    pub fn extract_if(&mut self, mut take: impl FnMut(&K) -> bool) -> impl FusedIterator<Item = K> {
        self.map.extract_if(move |key, ()| take(key)).map(|(key, ())| key)
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

    /// Makes room for this many more keys.
    ///
    /// # Errors
    /// Fails if there is not enough memory. The set is as it was.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert!(Set::from([1u64]).try_reserve(usize::MAX).is_err());
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        self.map.try_reserve(additional)
    }

    /// Gives back memory that the keys do not need.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let mut set: Set<u64> = Set::with_capacity(1000);
    /// set.shrink_to_fit();
    /// assert!(set.capacity() < 1000);
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.map.shrink_to_fit();
    }

    /// Gives back memory that the keys do not need, but keeps room for this many keys.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let mut set: Set<u64> = Set::with_capacity(1000);
    /// set.shrink_to(100);
    /// assert!((100..1000).contains(&set.capacity()));
    /// ```
    pub fn shrink_to(&mut self, capacity: usize) {
        self.map.shrink_to(capacity);
    }

    /// The key in the set that is equal to this one.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert_eq!(Set::from(["Ada".to_owned()]).get("Ada"), Some(&"Ada".to_owned()));
    /// ```
    #[inline]
    pub fn get<Q: Borrow<K::Form> + ?Sized>(&self, key: &Q) -> Option<&K> {
        self.map.get_key_value(key).map(|(key, ())| key)
    }

    /// The keys that this set has and the other has not.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert!(Set::from([1, 2]).difference(&Set::from([2, 3])).eq(&[1]));
    /// ```
    pub fn difference<'a>(&'a self, other: &'a Set<K>) -> impl FusedIterator<Item = &'a K> + Clone {
        self.iter().filter(|key| !other.contains(form(*key)))
    }

    /// The keys that one of two sets has, and not both.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let (a, b) = (Set::from([1, 2]), Set::from([2, 3]));
    /// assert_eq!(a.symmetric_difference(&b).sum::<i32>(), 4);
    /// ```
    pub fn symmetric_difference<'a>(&'a self, other: &'a Set<K>) -> impl FusedIterator<Item = &'a K> + Clone {
        self.difference(other).chain(other.difference(self))
    }

    /// The keys that both sets have, from this one or from the other.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert!(Set::from([1, 2]).intersection(&Set::from([2, 3])).eq(&[2]));
    /// ```
    pub fn intersection<'a>(&'a self, other: &'a Set<K>) -> impl FusedIterator<Item = &'a K> + Clone {
        let (few, many) = self.by_size(other);
        few.iter().filter(|key| many.contains(form(*key)))
    }

    /// The keys that one of two sets has, or both: each key once.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert_eq!(Set::from([1, 2]).union(&Set::from([2, 3])).sum::<i32>(), 6);
    /// ```
    pub fn union<'a>(&'a self, other: &'a Set<K>) -> impl FusedIterator<Item = &'a K> + Clone {
        let (few, many) = self.by_size(other);
        many.iter().chain(few.difference(many))
    }

    /// Whether no key is in both sets.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert!(Set::from([1, 2]).is_disjoint(&Set::from([3])));
    /// ```
    pub fn is_disjoint(&self, other: &Set<K>) -> bool {
        self.intersection(other).next().is_none()
    }

    /// Whether the other set has all keys of this one.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert!(Set::from([1, 2]).is_subset(&Set::from([1, 2, 3])));
    /// ```
    pub fn is_subset(&self, other: &Set<K>) -> bool {
        self.len() <= other.len() && self.difference(other).next().is_none()
    }

    /// Whether this set has all keys of the other.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// assert!(!Set::from([1, 2]).is_superset(&Set::from([1, 2, 3])));
    /// ```
    pub fn is_superset(&self, other: &Set<K>) -> bool {
        other.is_subset(self)
    }

    /// The set with fewer keys, and the other one.
    fn by_size<'a>(&'a self, other: &'a Set<K>) -> (&'a Set<K>, &'a Set<K>) {
        if self.len() <= other.len() { (self, other) } else { (other, self) }
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

    /// Removes the key that is equal to this one, and returns it if it was there.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let mut set = Set::from(["Ada".to_owned()]);
    /// assert_eq!(set.take("Ada"), Some("Ada".to_owned()));
    /// assert!(set.is_empty());
    /// ```
    #[inline]
    pub fn take<Q: Borrow<K::Form> + ?Sized>(&mut self, key: &Q) -> Option<K> {
        self.map.remove_entry(key).map(|(key, ())| key)
    }

    /// Adds a key, in place of an equal one if there is one, which it returns.
    ///
    /// ```
    /// # use keylane_map::Set;
    /// let mut set = Set::new();
    /// assert_eq!(set.replace("Ada"), None);
    /// assert_eq!(set.replace("Ada"), Some("Ada"));
    /// ```
    pub fn replace(&mut self, key: K) -> Option<K> {
        let hash = form(&key).siphash(&self.map.siphash);
        if let Some((place, ())) = self.map.table.find_mut(hash, |(other, ())| form(other) == form(&key)) {
            return Some(replace(place, key));
        }
        self.map.entry_of(hash, key).or_insert(());
        None
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

/// Copies keys into the set.
impl<'a, K: Key + Copy> Extend<&'a K> for Set<K> {
    fn extend<I: IntoIterator<Item = &'a K>>(&mut self, keys: I) {
        self.extend(keys.into_iter().copied());
    }
}

/// An operator that makes a new set, under a new random key, from clones of keys of two sets.
macro_rules! operators {
    ($($doc:literal $example:literal, $trait:ident::$operator:ident is $method:ident;)*) => { $(
        #[doc = $doc]
        ///
        /// ```
        /// # use keylane_map::Set;
        /// let (a, b) = (Set::from([1, 2]), Set::from([2, 3]));
        #[doc = $example]
        /// ```
        impl<K: Key + Clone> $trait<&Set<K>> for &Set<K> {
            type Output = Set<K>;

            fn $operator(self, other: &Set<K>) -> Set<K> {
                self.$method(other).cloned().collect()
            }
        }
    )* };
}

operators! {
    "The [intersection](Set::intersection)." "assert_eq!(&a & &b, Set::from([2]));", BitAnd::bitand is intersection;
    "The [union](Set::union)." "assert_eq!(&a | &b, Set::from([1, 2, 3]));", BitOr::bitor is union;
    "The [symmetric difference](Set::symmetric_difference)." "assert_eq!(&a ^ &b, Set::from([1, 3]));",
        BitXor::bitxor is symmetric_difference;
    "The [difference](Set::difference)." "assert_eq!(&a - &b, Set::from([1]));", Sub::sub is difference;
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
        self.map.into_keys()
    }
}
