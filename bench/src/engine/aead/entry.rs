//! An entry in the list of engines of ChaCha20-Poly1305.

use super::Aead;
pub use crate::engine::streams::POLY1305_KEY as KEY;
use crate::engine::{Engine as Any, Side};
use crate::work::aead::{Packets, Work};
use anyhow::{Result, ensure};

/// An engine of ChaCha20-Poly1305 in the list.
pub type Engine = Any<dyn Work>;

/// The nonce, the AAD and the tag of RFC 8439, section 2.8.2. Its key is [`KEY`].
const NONCE: [u8; 12] = [7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47];
const AAD: [u8; 12] = [0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7];
const TEXT: &[u8] =
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
sunscreen would be it.";
const TAG: u128 = 0x1ae1_0b59_4f09_e26a_7e90_2ecb_d060_0691;

impl Engine {
    /// An engine of ChaCha20-Poly1305.
    pub(super) fn aead(name: &str, side: Side, engine: impl Aead + 'static) -> Self {
        Any::new(name, side, Box::new(engine))
    }

    /// Checks known answers: the published one, and those of the specification for every length up to 600 and for some
    /// longer ones. A forged packet must not open.
    ///
    /// An answer is wrong. The error names the engine and the length.
    pub fn check(&self) -> Result<()> {
        self.ready();
        ensure!(self.sealed(TEXT).1 == TAG.to_be_bytes(), "{}: not the published answer", self.name);
        let text: Vec<u8> = (0..=255).cycle().take(20_000).collect();
        for len in (0..=600).chain([1023, 1420, 4096, 16_384, 20_000]) {
            let text = &text[..len];
            let (mut data, mut tag) = self.sealed(text);
            let right = keylane_ref::chacha20_poly1305(&KEY, &NONCE, &AAD, text);
            ensure!(
                (data.as_slice(), tag) == (&right.0, right.1),
                "{}: wrong answer for {len} bytes",
                self.name
            );
            ensure!(self.opens(&mut data, tag) && data == text, "{}: {len} bytes do not open", self.name);
            tag[len % 16] ^= 1;
            ensure!(!self.opens(&mut data, tag), "{}: opens {len} forged bytes", self.name);
        }
        Ok(())
    }

    /// The ciphertext and the tag of a packet.
    fn sealed(&self, text: &[u8]) -> (Vec<u8>, [u8; 16]) {
        let (mut data, mut tag) = (text.to_vec(), [0; 16]);
        self.work.seal(packet(&mut [&mut data], std::slice::from_mut(&mut tag)), 1, 1);
        (data, tag)
    }

    /// Whether a packet opens.
    fn opens(&self, data: &mut [u8], mut tag: [u8; 16]) -> bool {
        self.work.open(packet(&mut [data], std::slice::from_mut(&mut tag)), &mut [], 1, 1)
    }
}

/// One packet.
fn packet<'a, 'd>(data: &'a mut [&'d mut [u8]], tags: &'a mut [[u8; 16]]) -> Packets<'a, 'd> {
    Packets { nonces: &[NONCE], aad: &AAD, data, tags }
}
