//! The specification of keylane's functions, as slow and obvious code.
//!
//! Every kernel of keylane is compared with these functions, and these
//! functions with published answers (`tests/published.rs`). So the code has
//! one aim: a reader who has the papers can see that it is right. It
//! does nothing for speed, uses no CPU features and wipes nothing. Poly1305
//! is not constant-time here: do not give it a secret that matters.
//!
//! | function | what it computes | defined in |
//! | --- | --- | --- |
//! | [`siphash64`] | SipHash-c-d, 64-bit tag | \[SipHash\] |
//! | [`siphash128`] | SipHash-c-d, 128-bit tag | \[ref\] |
//! | [`halfsiphash32`] | HalfSipHash-c-d, 32-bit tag | \[ref\], \[Linux\] |
//! | [`halfsiphash64`] | HalfSipHash-c-d, 64-bit tag | \[ref\] |
//! | [`fold`] | `A`..`Z` to `a`..`z`, other bytes unchanged | \[Redis\] |
//! | [`siphash13_uj`] | SipHash-1-3-UJ: blocks, no padding, no length | \[Bitcoin\] |
//! | [`poly1305()`] | Poly1305 | \[RFC 8439\] |
//! | [`poly1305_from`] | Poly1305 with any initial accumulator | tests only |
//! | [`chacha20()`], [`chacha20_block`] | ChaCha20, a block of its key stream | \[RFC 8439\] |
//! | [`chacha20_poly1305`], [`chacha20_poly1305_tag`] | ChaCha20-Poly1305 | \[RFC 8439\] |
//! | [`hchacha20`], [`xchacha20_inner`] | the inner key and nonce of XChaCha20 | \[XChaCha\] |
//!
//! Two functions built on these need no code here:
//! * the server cookie of \[RFC 9018\] is `siphash64(2, 4, secret, m)`, with
//!   m = client cookie | version | reserved | timestamp | client address;
//! * `hsiphash` of \[Linux\] is the low 32 bits of `siphash64(1, 3, ..)` on
//!   64-bit machines and `halfsiphash32(1, 3, ..)` on 32-bit machines.
//!
//! # Conventions
//!
//! Bytes are converted to integers, and integers to bytes, little-endian. So
//! a tag's `to_le_bytes()` is the output of the designers' code. `+` on words
//! is modulo 2^64 (HalfSipHash: 2^32), `^` is exclusive or, `<<<` is rotation
//! to the left.
//!
//! # Sources
//!
//! * \[SipHash\] J.-P. Aumasson, D. J. Bernstein, "SipHash: a fast
//!   short-input PRF", INDOCRYPT 2012.
//! * \[ref\] the reference code of SipHash's designers. It came after the
//!   paper, and it alone defines the 128-bit tag and HalfSipHash.
//! * \[RFC 8439\] Y. Nir, A. Langley, "ChaCha20 and Poly1305 for IETF
//!   Protocols", 2018, sections 2.3 to 2.8; for Poly1305 first D. J.
//!   Bernstein, "The Poly1305-AES message-authentication code", FSE 2005.
//! * \[XChaCha\] S. Arciszewski, "XChaCha: eXtended-nonce ChaCha and
//!   AEAD_XChaCha20_Poly1305", draft-irtf-cfrg-xchacha-03, 2020.
//! * \[RFC 9018\] O. Sury, W. Toorop, D. Eastlake, M. Andrews,
//!   "Interoperable Domain Name System (DNS) Server Cookies", 2021.
//! * \[Linux\] the Linux kernel's `Documentation/security/siphash.rst`.
//! * \[Redis\] `siphash` and `siphash_nocase` of Redis' `src/siphash.c`.
//! * \[Bitcoin\] SipHash-1-3-UJ ("unpadded, jumbo") of Bitcoin Core 32.
//!
//! This code is written anew from these definitions and contains no code of
//! these sources.

#![forbid(unsafe_code)]

mod chacha20;
mod halfsiphash;
mod poly1305;
mod siphash;

pub use chacha20::{
    chacha20, chacha20_block, chacha20_poly1305, chacha20_poly1305_tag, hchacha20, xchacha20_inner,
};
pub use halfsiphash::{halfsiphash32, halfsiphash64};
pub use poly1305::{poly1305, poly1305_from};
pub use siphash::{UjBlock, fold, siphash13_uj, siphash64, siphash128};
