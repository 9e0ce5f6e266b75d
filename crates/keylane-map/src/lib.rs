//! Hash maps and sets that cannot be flooded, with many look-ups in one call.
//!
//! [`Map`] and [`Set`] are hash tables of `hashbrown`, like std's, under keylane's SipHash-1-3 with a random key. They
//! have the methods of std's types, but for those that choose a hasher, and others that take many keys: [`Map::get_many`], [`Map::contains_many`],
//! [`Map::insert_many`] and [`Map::entry_many`]. These hash many keys in one call of keylane, and request all their
//! entries from memory before they read one. In tables beyond the caches that is several times as fast.
//!
//! ```
//! use keylane_map::Map;
//!
//! // A join: the orders of known customers.
//! let customers: Map<u64, &str> = Map::from([(1, "Ada"), (2, "Grace")]);
//! let orders = [(7, 2), (8, 3), (9, 1), (10, 2)];
//! let wanted: Vec<u64> = orders.iter().map(|&(_, customer)| customer).collect();
//! let joined: Vec<_> = orders
//!     .iter()
//!     .zip(customers.get_many(&wanted))
//!     .filter_map(|((order, _), name)| Some((order, *name?)))
//!     .collect();
//! assert_eq!(joined, [(&7, "Grace"), (&9, "Ada"), (&10, "Grace")]);
//! ```
//!
//! * [`Key`] says what may be a key: integers, strings, byte slices, arrays of bytes, and what you make one.
//! * No call panics, except where the code of a key does, or where memory or the system's random bits are missing. As
//!   with std's map, `map[key]` needs a key that the map has, and [`Map::get_disjoint_mut`] needs keys that differ.
//! * [`table`] does many look-ups in a `HashTable` that you keep yourself.
//! * The key of the hash is random for each map, never printed, and wiped when the map is dropped.
//! * On wasm32-unknown-unknown, Xous and VEXos, std has no random keys, and the build fails without the feature
//!   `getrandom`. For JavaScript, the program also needs getrandom's own feature `wasm_js`; that crate describes the
//!   other backends.
//! * Keys have other hashes here than under [`keylane::hash_map`], and hashes may change with any version.

#![deny(unsafe_code, missing_docs)]

#[cfg(all(
    not(feature = "getrandom"),
    any(all(target_family = "wasm", target_os = "unknown"), target_os = "xous", target_os = "vexos")
))]
compile_error!(
    "std has no random keys on this target: enable the feature `getrandom` of keylane-map, and choose a backend of the \
     crate getrandom 0.4, such as its feature `wasm_js` for JavaScript"
);

mod entry;
mod error;
mod grow;
mod iter;
mod key;
mod many;
mod map;
mod prefetch;
mod set;
pub mod table;

pub use entry::{Entry, OccupiedEntry, VacantEntry};
pub use error::TryReserveError;
pub use iter::{Drain, DrainKeys, IntoIter, IntoKeys, IntoValues, Iter, IterMut, Keys, Values, ValuesMut};
pub use key::{Form, Key};
pub use many::GetMany;
pub use map::Map;
pub use set::Set;

/// The crate whose [`HashTable`](hashbrown::HashTable) the module [`table`] takes.
pub use hashbrown;
