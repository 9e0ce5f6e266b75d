//! A provider for OpenSSL 3 and later: the MACs `POLY1305` and `SIPHASH`, computed by keylane.
//!
//! * `mac` says what a MAC does. Nothing there knows OpenSSL.
//! * `abi` has the structures and functions that OpenSSL's provider interface prescribes, and all `unsafe`.

mod abi;
mod mac;
