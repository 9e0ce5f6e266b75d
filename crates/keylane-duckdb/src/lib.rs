//! A loadable extension for DuckDB: the SQL functions `keylane_hash`, `keylane_hash128`, `keylane_pseudonym` and
//! `keylane_hash_rows`, by KCE-1. The repository's docs/DUCKDB.md says how it is built, loaded and used.
//!
//! * `capi` is the only module with `unsafe`: DuckDB's stable C API v1.2.0 and the memory of its vectors; its `entry` has
//!   the functions that DuckDB calls.
//! * `kind` says what DuckDB's types are to KCE-1.
//! * `names` turns the name of a key into prepared keys.
//! * `arrays` makes Arrow's arrays of vectors, for `keylane-columns`.
//! * `functions` has the four functions.

#![deny(unsafe_code, missing_docs)]

mod arrays;
mod capi;
mod functions;
mod kind;
mod names;
