//! Keyed hashes of Arrow columns and rows, by KCE-1: an encoding whose bytes do not change. A tag that is computed today
//! equals the one that any later version computes, in any language. The repository's docs/COLUMNS.md is the contract.
//!
//! * [`ColumnKey`] is a key with a name, from which subkeys are derived.
//! * [`KeyRegistry`] holds the keys of a process under their names, which plans carry instead.
//! * [`ColumnHasher`] hashes arrays, chunks, columns of a record batch, and rows.
//! * [`Algorithm`] and [`Form`] choose the function, and how tags are stored. [`hex`] writes a tag in digits.
//! * [`SqlFunction`] has the names and the algorithms of the functions in SQL engines.
//! * [`ByteRows`] reads arrays of bytes or text row by row, for other uses than hashes.
//!
//! ```
//! use arrow_array::{RecordBatch, StringArray};
//! use keylane::siphash::Key;
//! use keylane_columns::{Algorithm, ColumnHasher, ColumnKey};
//! use std::sync::Arc;
//!
//! let emails = StringArray::from(vec!["a@example.com", "b@example.com"]);
//! let batch = RecordBatch::try_from_iter([("email", Arc::new(emails) as _)])?;
//!
//! let secret = ColumnKey::new("users", Key::from_bytes([7; 16]));
//! let hasher = ColumnHasher::new(&secret.derive("users.email")?, Algorithm::SipHashX24);
//! let pseudonyms = hasher.hash_record_batch(&batch, &["email"])?;
//! assert_eq!(pseudonyms.num_rows(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! No call panics, and no error shows a value or a key. What lies behind nulls has no influence. Pseudonyms are not
//! anonymous: whoever has the key can link them to people again.

#![deny(unsafe_code, missing_docs)]

mod algorithm;
mod bytes;
mod error;
mod hasher;
mod hex;
mod key;
mod leaf;
mod parallel;
mod plain;
mod registry;
mod rows;
mod sql;
mod types;
mod value;

pub use algorithm::{Algorithm, Form};
pub use bytes::ByteRows;
pub use error::ColumnError;
pub use hasher::{ColumnHasher, METADATA_KEY, Nulls};
pub use hex::hex;
pub use key::{ColumnKey, Mode};
pub use registry::{
    KEY_DIR, KeyError, KeyFileError, KeyRegistry, NamedKey, check_name, parse_key, same_key, split_name,
};
pub use sql::SqlFunction;
