//! RustCrypto's traits: `digest::Mac` and `KeyInit` for SipHash and Poly1305 (feature `digest`), `UniversalHash` for
//! Poly1305 (feature `universal-hash`), and those of the crate aead for ChaCha20-Poly1305 (features `aead`, `aead-05`).
//!
//! **A Poly1305 key authenticates one message.** The traits cannot express that. Callers of `KeyInit::new` must never
//! use a key twice: two messages under one key reveal it.

#[cfg(any(feature = "aead", feature = "aead-05"))]
mod packets;

#[cfg(any(feature = "digest", feature = "universal-hash"))]
mod key {
    use crate::poly1305::{OneTimeKey, Poly1305};
    // Both crates re-export the same `KeyInit`.
    #[cfg(feature = "digest")]
    use digest::common;
    #[cfg(not(feature = "digest"))]
    use universal_hash::common;

    impl common::KeySizeUser for Poly1305 {
        type KeySize = common::typenum::U32;
    }

    /// Begins a message. **One key, one message.**
    impl common::KeyInit for Poly1305 {
        fn new(key: &common::Key<Self>) -> Self {
            Poly1305::new(OneTimeKey::from_bytes((*key).into()))
        }
    }
}

#[cfg(feature = "digest")]
mod mac {
    use crate::poly1305::Poly1305;
    use crate::siphash::{Key, SipHash, Stream};
    use digest::common::{self, KeyInit, KeySizeUser};
    use digest::typenum::{U8, U16};
    use digest::{FixedOutput, MacMarker, Output, OutputSizeUser, Update};

    macro_rules! siphash {
        ($tag:ty, $size:ty) => {
            impl<const C: usize, const D: usize> KeySizeUser for Stream<C, D, $tag> {
                type KeySize = U16;
            }

            impl<const C: usize, const D: usize> OutputSizeUser for Stream<C, D, $tag> {
                type OutputSize = $size;
            }

            impl<const C: usize, const D: usize> KeyInit for Stream<C, D, $tag> {
                fn new(key: &common::Key<Self>) -> Self {
                    SipHash::<C, D, $tag>::new(&Key::from_bytes((*key).into())).stream()
                }
            }

            impl<const C: usize, const D: usize> Update for Stream<C, D, $tag> {
                fn update(&mut self, data: &[u8]) {
                    Stream::<C, D, $tag>::update(self, data);
                }
            }

            impl<const C: usize, const D: usize> FixedOutput for Stream<C, D, $tag> {
                fn finalize_into(self, out: &mut Output<Self>) {
                    *out = self.finish().to_le_bytes().into();
                }
            }

            impl<const C: usize, const D: usize> MacMarker for Stream<C, D, $tag> {}
        };
    }
    siphash!(u64, U8);
    siphash!(u128, U16);

    impl OutputSizeUser for Poly1305 {
        type OutputSize = U16;
    }

    impl Update for Poly1305 {
        fn update(&mut self, data: &[u8]) {
            Poly1305::update(self, data);
        }
    }

    impl FixedOutput for Poly1305 {
        fn finalize_into(self, out: &mut Output<Self>) {
            *out = self.finish().to_bytes().into();
        }
    }

    /// **One key, one message**: two messages under one key reveal it.
    impl MacMarker for Poly1305 {}
}

#[cfg(feature = "universal-hash")]
mod universal {
    use crate::poly1305::Poly1305;
    use universal_hash::array::Array;
    use universal_hash::common::{BlockSizeUser, ParBlocksSizeUser};
    use universal_hash::consts::{U1, U16};
    use universal_hash::{Block, UhfBackend, UhfClosure, UniversalHash};

    impl BlockSizeUser for Poly1305 {
        type BlockSize = U16;
    }

    /// **One key, one message**: two messages under one key reveal it.
    impl UniversalHash for Poly1305 {
        fn update_with_backend(&mut self, f: impl UhfClosure<BlockSize = U16>) {
            f.call(&mut OneBlock(self));
        }

        fn update(&mut self, blocks: &[Block<Self>]) {
            Poly1305::update(self, Array::cast_slice_to_core(blocks).as_flattened());
        }

        fn finalize(self) -> Block<Self> {
            self.finish().to_bytes().into()
        }
    }

    /// Poly1305 as a backend that takes one block at a time.
    struct OneBlock<'a>(&'a mut Poly1305);

    impl BlockSizeUser for OneBlock<'_> {
        type BlockSize = U16;
    }

    impl ParBlocksSizeUser for OneBlock<'_> {
        type ParBlocksSize = U1;
    }

    impl UhfBackend for OneBlock<'_> {
        fn proc_block(&mut self, block: &Block<Self>) {
            self.0.update(block);
        }
    }
}
