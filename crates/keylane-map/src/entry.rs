//! The place of one key in a map.

use hashbrown::hash_table;
use std::fmt;
use std::mem::replace;

/// The place of a key in a map: [`Map::entry`](crate::Map::entry), [`Map::entry_many`](crate::Map::entry_many).
///
/// ```
/// use keylane_map::{Entry, Map};
///
/// let mut map = Map::from([("Ada", 1)]);
/// match map.entry("Ada") {
///     Entry::Occupied(mut entry) => *entry.get_mut() += 1,
///     Entry::Vacant(_) => unreachable!("Ada is there"),
/// }
/// assert_eq!(map.get("Ada"), Some(&2));
/// ```
#[derive(Debug)]
pub enum Entry<'a, K, V> {
    /// The map has the key.
    Occupied(OccupiedEntry<'a, K, V>),
    /// The map does not have the key.
    Vacant(VacantEntry<'a, K, V>),
}

impl<'a, K, V> Entry<'a, K, V> {
    /// The value, which is `value` if there was none.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut counts = Map::new();
    /// for word in ["to", "be", "or", "not", "to", "be"] {
    ///     *counts.entry(word).or_insert(0) += 1;
    /// }
    /// assert_eq!(counts.get("be"), Some(&2));
    /// ```
    #[inline]
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// The value, which is that of `make` if there was none.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map: Map<&str, String> = Map::new();
    /// map.entry("Ada").or_insert_with(|| "Countess".to_owned()).push_str(" of Lovelace");
    /// assert_eq!(map.get("Ada").map(String::as_str), Some("Countess of Lovelace"));
    /// ```
    #[inline]
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        self.or_insert_with_key(|_| make())
    }

    /// The value, which is what `make` makes of the key if there was none.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map: Map<&str, usize> = Map::new();
    /// assert_eq!(map.entry("Ada").or_insert_with_key(|key| key.len()), &3);
    /// ```
    #[inline]
    pub fn or_insert_with_key(self, make: impl FnOnce(&K) -> V) -> &'a mut V {
        match self {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let value = make(entry.key());
                entry.insert(value)
            }
        }
    }

    /// The value, which is the default of its type if there was none.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut places: Map<&str, Vec<usize>> = Map::new();
    /// places.entry("Ada").or_default().push(7);
    /// assert_eq!(places.get("Ada"), Some(&vec![7]));
    /// ```
    #[inline]
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }

    /// Changes the value if there is one.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::from([("Ada", 1)]);
    /// map.entry("Ada").and_modify(|value| *value += 1).or_insert(10);
    /// map.entry("Grace").and_modify(|value| *value += 1).or_insert(10);
    /// assert_eq!([map.get("Ada"), map.get("Grace")], [Some(&2), Some(&10)]);
    /// ```
    #[inline]
    pub fn and_modify(mut self, change: impl FnOnce(&mut V)) -> Self {
        if let Entry::Occupied(entry) = &mut self {
            change(entry.get_mut());
        }
        self
    }

    /// The key: that of the map if it has one, or else the one that was looked up.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// assert_eq!(Map::<_, u32>::new().entry("Ada").key(), &"Ada");
    /// ```
    #[inline]
    pub fn key(&self) -> &K {
        match self {
            Entry::Occupied(entry) => entry.key(),
            Entry::Vacant(entry) => entry.key(),
        }
    }

    /// Sets the value, and returns the entry. An existing key is kept.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::from([("Ada", 1)]);
    /// assert_eq!(map.entry("Ada").insert_entry(2).get(), &2);
    /// assert_eq!(map.entry("Grace").insert_entry(3).remove(), 3);
    /// assert_eq!(map, Map::from([("Ada", 2)]));
    /// ```
    #[inline]
    pub fn insert_entry(self, value: V) -> OccupiedEntry<'a, K, V> {
        match self {
            Entry::Occupied(mut entry) => {
                entry.insert(value);
                entry
            }
            Entry::Vacant(entry) => entry.insert_entry(value),
        }
    }

    /// Sets the value, and returns the previous one if there was one. An existing key is kept.
    ///
    /// ```
    /// # use keylane_map::Map;
    /// let mut map = Map::new();
    /// assert_eq!(map.entry(7).set("seven"), None);
    /// assert_eq!(map.entry(7).set("sept"), Some("seven"));
    /// ```
    #[inline]
    pub fn set(self, value: V) -> Option<V> {
        match self {
            Entry::Occupied(mut entry) => Some(entry.insert(value)),
            Entry::Vacant(entry) => {
                entry.insert(value);
                None
            }
        }
    }
}

/// The place of a key that a map has.
///
/// ```
/// use keylane_map::{Entry, Map};
///
/// let mut map = Map::from([("Ada", 1)]);
/// if let Entry::Occupied(mut entry) = map.entry("Ada") {
///     assert_eq!((*entry.key(), *entry.get()), ("Ada", 1));
///     assert_eq!(entry.insert(2), 1);
///     *entry.get_mut() += 1;
///     assert_eq!(entry.remove_entry(), ("Ada", 3));
/// }
/// assert!(map.is_empty());
/// ```
pub struct OccupiedEntry<'a, K, V> {
    pub(crate) place: hash_table::OccupiedEntry<'a, (K, V)>,
}

impl<'a, K, V> OccupiedEntry<'a, K, V> {
    /// The key in the map.
    #[inline]
    pub fn key(&self) -> &K {
        &self.place.get().0
    }

    /// The value.
    #[inline]
    pub fn get(&self) -> &V {
        &self.place.get().1
    }

    /// The value, to change it.
    #[inline]
    pub fn get_mut(&mut self) -> &mut V {
        &mut self.place.get_mut().1
    }

    /// The value, for as long as the map is borrowed.
    ///
    /// ```
    /// # use keylane_map::{Entry, Map};
    /// let mut map = Map::from([("Ada", 1)]);
    /// if let Entry::Occupied(entry) = map.entry("Ada") {
    ///     *entry.into_mut() += 1;
    /// }
    /// assert_eq!(map.get("Ada"), Some(&2));
    /// ```
    #[inline]
    pub fn into_mut(self) -> &'a mut V {
        &mut self.place.into_mut().1
    }

    /// Replaces the value, and returns the previous one.
    #[inline]
    pub fn insert(&mut self, value: V) -> V {
        replace(self.get_mut(), value)
    }

    /// Removes key and value, and returns the value.
    ///
    /// ```
    /// # use keylane_map::{Entry, Map};
    /// let mut map = Map::from([("Ada", 1)]);
    /// if let Entry::Occupied(entry) = map.entry("Ada") {
    ///     assert_eq!(entry.remove(), 1);
    /// }
    /// assert!(map.is_empty());
    /// ```
    #[inline]
    pub fn remove(self) -> V {
        self.remove_entry().1
    }

    /// Removes key and value, and returns both.
    #[inline]
    pub fn remove_entry(self) -> (K, V) {
        self.place.remove().0
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for OccupiedEntry<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OccupiedEntry").field("key", self.key()).field("value", self.get()).finish()
    }
}

/// The place of a key that a map does not have.
///
/// ```
/// use keylane_map::{Entry, Map};
///
/// let mut map = Map::new();
/// if let Entry::Vacant(entry) = map.entry("Ada") {
///     assert_eq!(entry.key(), &"Ada");
///     *entry.insert(1) += 1;
/// }
/// assert_eq!(map.get("Ada"), Some(&2));
/// ```
pub struct VacantEntry<'a, K, V> {
    pub(crate) key: K,
    pub(crate) place: hash_table::VacantEntry<'a, (K, V)>,
}

impl<'a, K, V> VacantEntry<'a, K, V> {
    /// The key that is not in the map.
    #[inline]
    pub fn key(&self) -> &K {
        &self.key
    }

    /// The key, given back.
    ///
    /// ```
    /// # use keylane_map::{Entry, Map};
    /// let mut map: Map<String, u32> = Map::new();
    /// if let Entry::Vacant(entry) = map.entry("Ada".to_owned()) {
    ///     assert_eq!(entry.into_key(), "Ada");
    /// }
    /// assert!(map.is_empty());
    /// ```
    #[inline]
    pub fn into_key(self) -> K {
        self.key
    }

    /// Inserts the key with a value.
    #[inline]
    pub fn insert(self, value: V) -> &'a mut V {
        self.insert_entry(value).into_mut()
    }

    /// Inserts the key with a value, and returns the entry.
    ///
    /// ```
    /// # use keylane_map::{Entry, Map};
    /// let mut map = Map::new();
    /// if let Entry::Vacant(entry) = map.entry("Ada") {
    ///     assert_eq!(entry.insert_entry(1).key(), &"Ada");
    /// }
    /// ```
    #[inline]
    pub fn insert_entry(self, value: V) -> OccupiedEntry<'a, K, V> {
        OccupiedEntry { place: self.place.insert((self.key, value)) }
    }
}

impl<K: fmt::Debug, V> fmt::Debug for VacantEntry<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VacantEntry").field(self.key()).finish()
    }
}
