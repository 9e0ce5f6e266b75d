//! The implementations of SipHash to time, ours and others'.
//!
//! An engine is a type that implements [`SipHash`] (or [`U64s`] for tags of another width), and an entry in
//! the list of its module. The loops of [`work`](crate::work) are compiled for each type, so calls are
//! inlined, or not, just as in a program that uses the engine.

#[cfg(feature = "aead")]
pub mod aead;
#[cfg(feature = "internals")]
pub mod chacha20;
mod entry;
mod hashers;
mod highwayhash;
mod keylane;
mod libsodium;
pub mod macs;
pub mod maps;
pub mod poly1305;
mod reference;
#[cfg(feature = "internals")]
pub mod rows;
mod siphasher;
mod specification;
mod standard;
pub mod streams;

pub use self::entry::{Engine, Form, KEY, KEY_WORDS, Rounds, Side};
pub use self::keylane::{Missing, Slot, double, half, keylane, missing, restore};
pub use self::specification::{double_specification, half_specification, specification};
pub use crate::work::hash::{SipHash, U64s};

use crate::work::U64Work;
use anyhow::Result;

/// Every peer in this program, with its answers checked.
///
/// # Errors
/// A peer gives a wrong answer.
pub fn peers(rounds: Rounds) -> Result<Vec<Engine>> {
    let lists =
        [siphasher::engines, standard::engines, reference::engines, libsodium::engines, highwayhash::engines];
    let peers: Vec<Engine> = lists.iter().flat_map(|list| list(rounds)).collect();
    peers.iter().try_for_each(|peer| peer.check(rounds))?;
    Ok(peers)
}

/// Every peer with 128-bit tags. Their answers are checked in each cell.
pub fn double_peers(rounds: Rounds) -> Vec<Engine<dyn U64Work<u128>>> {
    let lists = [siphasher::double, reference::double, libsodium::double];
    lists.iter().flat_map(|list| list(rounds)).collect()
}

/// Every peer with HalfSipHash. Their answers are checked in each cell.
pub fn half_peers(rounds: Rounds) -> Vec<Engine<dyn U64Work<u32>>> {
    reference::half(rounds)
}

/// An engine that is not in this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Its name.
    pub name: &'static str,
    /// The Debian packages it needs.
    pub packages: &'static [&'static str],
}

/// The engines that are not in this program: their packages were not installed when it was built.
pub fn absent() -> Vec<Absent> {
    let known = [
        (cfg!(engine = "gcc"), Absent { name: "C gcc", packages: &["gcc"] }),
        (cfg!(engine = "clang"), Absent { name: "C clang", packages: &["clang"] }),
        (
            cfg!(engine = "libsodium"),
            Absent { name: "libsodium", packages: &["libsodium-dev", "pkg-config"] },
        ),
        (cfg!(engine = "highwayhash"), Absent { name: "highwayhash", packages: &["libhighwayhash-dev"] }),
        (
            cfg!(engine = "openssl"),
            Absent { name: "OpenSSL EVP_MAC", packages: &["libssl-dev", "pkg-config"] },
        ),
        (cfg!(engine = "openssl-newest"), Absent { name: "OpenSSL newest", packages: &["perl", "make"] }),
        // Debian has it only for x86-64.
        (
            cfg!(any(engine = "ipsec-mb", not(target_arch = "x86_64"))),
            Absent { name: "ipsec-mb", packages: &["libipsec-mb-dev"] },
        ),
    ];
    known.into_iter().filter_map(|(here, absent)| (!here).then_some(absent)).collect()
}
