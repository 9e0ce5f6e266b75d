//! A provider for OpenSSL 3 and later: the MACs `POLY1305` and `SIPHASH` and the cipher `ChaCha20-Poly1305`, computed by
//! keylane.
//!
//! * `mac` says what a MAC does, and `aead` what the cipher does. Nothing there knows OpenSSL.
//! * `abi` has the structures and functions that OpenSSL's provider interface prescribes, and all `unsafe`.

mod abi;
mod aead;
mod mac;
