//! The implementations of Poly1305 to time, ours and others'.
//!
//! As for SipHash, an engine is a type that implements [`Poly1305`], and an entry in the list of its module.
//! Each message comes with its key.

#[cfg(feature = "peers")]
mod aws_lc;
mod ipsec_mb;
mod keylane;
mod libsodium;
#[cfg(feature = "internals")]
mod methods;
mod openssl;
mod reading;
#[cfg(feature = "internals")]
mod rows;
mod rustcrypto;
mod specification;

pub use self::keylane::{many, one};
#[cfg(feature = "internals")]
pub use self::methods::with_methods;
pub use self::reading::{plain, reading};
#[cfg(feature = "internals")]
pub use self::rows::{absent, lab, table};
pub use self::specification::specification;

use super::{Engine as Any, Side};
use crate::work::poly1305::Work;
use anyhow::{Result, ensure};

/// An engine of Poly1305 in the list.
pub type Engine = Any<dyn Work>;

/// Poly1305: one message, and many.
///
/// By default an engine uses the loop over single calls that its user would write.
pub trait Poly1305 {
    /// A tag as the engine gives it: 16 bytes.
    type Tag: Copy + Default + AsRef<[u8]>;

    /// The tag of a message.
    fn mac(&self, key: &[u8; 32], message: &[u8]) -> Self::Tag;

    /// The tags of messages, each under its own key. The numbers of all three are equal.
    #[inline(always)]
    fn macs(&self, keys: &[[u8; 32]], messages: &[&[u8]], tags: &mut [Self::Tag]) {
        for (tag, (key, message)) in tags.iter_mut().zip(keys.iter().zip(messages)) {
            *tag = self.mac(key, message);
        }
    }
}

/// The key, the message and the tag of RFC 8439, section 2.5.2.
const PUBLISHED: ([u8; 32], &[u8], u128) = (
    [
        0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01,
        0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b,
    ],
    b"Cryptographic Forum Research Group",
    0xa806_1dc1_3051_36c6_c22b_8baf_0c01_27a9,
);

impl Engine {
    /// An engine of Poly1305.
    fn poly1305(name: &str, side: Side, engine: impl Poly1305 + 'static) -> Self {
        Any::new(name, side, Box::new(engine))
    }

    /// Checks known answers: the published one, and those of the specification for every length up to 600 and
    /// for some longer ones. That is far into every kernel's long form.
    ///
    /// An answer is wrong. The error names the engine and the length.
    pub fn check(&self) -> Result<()> {
        self.ready();
        let (key, message, tag) = PUBLISHED;
        let tag = tag.to_be_bytes();
        ensure!(self.work.mac(&key, message) == tag, "{}: not the published answer", self.name);
        let message: Vec<u8> = (0..=255).cycle().take(5000).collect();
        for len in (0..=600).chain([1023, 1420, 4096, 5000]) {
            let message = &message[..len];
            let right = keylane_ref::poly1305(&key, message);
            ensure!(self.work.mac(&key, message) == right, "{}: wrong answer for {len} bytes", self.name);
        }
        Ok(())
    }
}

/// The lab's rows: none in a program without the lab.
///
/// # Errors
/// None.
#[cfg(not(feature = "internals"))]
pub fn lab() -> Result<Vec<Engine>> {
    Ok(Vec::new())
}

/// The rows that this CPU cannot run: a program without `internals` does not know them.
#[cfg(not(feature = "internals"))]
pub fn absent() -> Vec<super::Missing> {
    Vec::new()
}

/// Every peer in this program, with its answers checked. For `many` messages, also those with a separate call
/// for many.
///
/// # Errors
/// A peer gives a wrong answer.
pub fn peers(many: bool) -> Result<Vec<Engine>> {
    let lists = [
        ipsec_mb::engines,
        openssl::engines,
        libsodium::engines,
        #[cfg(feature = "peers")]
        aws_lc::engines,
        rustcrypto::engines,
    ];
    let mut peers: Vec<Engine> = lists.iter().flat_map(|list| list()).collect();
    if many {
        peers.extend(ipsec_mb::bursts());
    }
    peers.iter().try_for_each(Engine::check)?;
    Ok(peers)
}
