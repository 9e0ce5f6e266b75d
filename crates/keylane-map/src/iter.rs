//! Iterators over entries.

use hashbrown::hash_table;
use std::fmt;
use std::iter::FusedIterator;

/// The entries of a map, borrowed: [`Map::iter`](crate::Map::iter).
///
/// ```
/// # use keylane_map::Map;
/// let map = Map::from([("Ada", 1)]);
/// assert_eq!(map.iter().next(), Some((&"Ada", &1)));
/// ```
pub struct Iter<'a, K, V> {
    pub(crate) entries: hash_table::Iter<'a, (K, V)>,
}

/// The entries of a map, with values that can be changed: [`Map::iter_mut`](crate::Map::iter_mut).
///
/// ```
/// # use keylane_map::Map;
/// let mut map = Map::from([("Ada", 1)]);
/// assert_eq!(map.iter_mut().next(), Some((&"Ada", &mut 1)));
/// ```
pub struct IterMut<'a, K, V> {
    pub(crate) entries: hash_table::IterMut<'a, (K, V)>,
}

/// The entries of a map that is used up.
///
/// ```
/// # use keylane_map::Map;
/// assert_eq!(Map::from([("Ada", 1)]).into_iter().next(), Some(("Ada", 1)));
/// ```
pub struct IntoIter<K, V> {
    pub(crate) entries: hash_table::IntoIter<(K, V)>,
}

/// The removed entries of a map: [`Map::drain`](crate::Map::drain).
///
/// ```
/// # use keylane_map::Map;
/// let mut map = Map::from([("Ada", 1)]);
/// assert_eq!(map.drain().next(), Some(("Ada", 1)));
/// ```
pub struct Drain<'a, K, V> {
    pub(crate) entries: hash_table::Drain<'a, (K, V)>,
}

/// The keys of a map or set, borrowed: [`Map::keys`](crate::Map::keys), [`Set::iter`](crate::Set::iter).
///
/// ```
/// # use keylane_map::Set;
/// assert_eq!(Set::from(["Ada"]).iter().next(), Some(&"Ada"));
/// ```
pub struct Keys<'a, K, V = ()> {
    pub(crate) entries: hash_table::Iter<'a, (K, V)>,
}

/// The values of a map, borrowed: [`Map::values`](crate::Map::values).
///
/// ```
/// # use keylane_map::Map;
/// assert_eq!(Map::from([("Ada", 1)]).values().next(), Some(&1));
/// ```
pub struct Values<'a, K, V> {
    pub(crate) entries: hash_table::Iter<'a, (K, V)>,
}

/// The values of a map, to change them: [`Map::values_mut`](crate::Map::values_mut).
///
/// ```
/// # use keylane_map::Map;
/// assert_eq!(Map::from([("Ada", 1)]).values_mut().next(), Some(&mut 1));
/// ```
pub struct ValuesMut<'a, K, V> {
    pub(crate) entries: hash_table::IterMut<'a, (K, V)>,
}

/// The keys of a map or set that is used up: [`Map::into_keys`](crate::Map::into_keys).
///
/// ```
/// # use keylane_map::Set;
/// assert_eq!(Set::from(["Ada"]).into_iter().next(), Some("Ada"));
/// ```
pub struct IntoKeys<K, V = ()> {
    pub(crate) entries: hash_table::IntoIter<(K, V)>,
}

/// The values of a map that is used up: [`Map::into_values`](crate::Map::into_values).
///
/// ```
/// # use keylane_map::Map;
/// assert_eq!(Map::from([("Ada", 1)]).into_values().next(), Some(1));
/// ```
pub struct IntoValues<K, V> {
    pub(crate) entries: hash_table::IntoIter<(K, V)>,
}

/// The removed keys of a set: [`Set::drain`](crate::Set::drain).
///
/// ```
/// # use keylane_map::Set;
/// assert_eq!(Set::from(["Ada"]).drain().next(), Some("Ada"));
/// ```
pub struct DrainKeys<'a, K> {
    pub(crate) entries: hash_table::Drain<'a, (K, ())>,
}

/// Iterators that turn entries of hashbrown into those of a map.
macro_rules! iterators {
    ($([$($generics:tt)*] $type:ty: $item:ty, $entry:pat => $result:expr, $name:literal;)*) => { $(
        impl<$($generics)*> Iterator for $type {
            type Item = $item;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                self.entries.next().map(|$entry| $result)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.entries.size_hint()
            }

            #[inline]
            fn fold<B, F: FnMut(B, Self::Item) -> B>(self, first: B, mut step: F) -> B {
                self.entries.fold(first, |sum, $entry| step(sum, $result))
            }
        }

        impl<$($generics)*> ExactSizeIterator for $type {}
        impl<$($generics)*> FusedIterator for $type {}

        impl<$($generics)*> fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct($name).field("len", &self.len()).finish_non_exhaustive()
            }
        }
    )* };
}

iterators! {
    ['a, K, V] Iter<'a, K, V>: (&'a K, &'a V), (key, value) => (key, value), "Iter";
    ['a, K, V] IterMut<'a, K, V>: (&'a K, &'a mut V), (key, value) => (&*key, value), "IterMut";
    [K, V] IntoIter<K, V>: (K, V), entry => entry, "IntoIter";
    [K, V] Drain<'_, K, V>: (K, V), entry => entry, "Drain";
    ['a, K, V] Keys<'a, K, V>: &'a K, (key, _) => key, "Keys";
    ['a, K, V] Values<'a, K, V>: &'a V, (_, value) => value, "Values";
    ['a, K, V] ValuesMut<'a, K, V>: &'a mut V, (_, value) => value, "ValuesMut";
    [K, V] IntoKeys<K, V>: K, (key, _) => key, "IntoKeys";
    [K, V] IntoValues<K, V>: V, (_, value) => value, "IntoValues";
    [K] DrainKeys<'_, K>: K, (key, ()) => key, "DrainKeys";
}

/// Iterators that borrow can be cloned, whatever they iterate over.
macro_rules! clones {
    ($($type:ident),*) => { $(
        impl<K, V> Clone for $type<'_, K, V> {
            fn clone(&self) -> Self {
                $type { entries: self.entries.clone() }
            }
        }
    )* };
}

clones!(Iter, Keys, Values);
