//! An entry in the list of engines of Poly1305.

use crate::engine::{Engine as Any, Side};
use crate::work::hash::Poly1305;
use crate::work::poly1305::Work;
use anyhow::{Result, ensure};

/// An engine of Poly1305 in the list.
pub type Engine = Any<dyn Work>;

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
    pub(super) fn poly1305(name: &str, side: Side, engine: impl Poly1305 + 'static) -> Self {
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
