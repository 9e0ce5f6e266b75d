//! Data-independent timing: a mode in which a CPU promises that the time of some instructions, multiplications among
//! them, does not depend on their operands. Only AArch64 has one that a program may set (DIT, from Armv8.4 on; every Apple
//! M1 and later). On Apple's M3 and later it also stops the prefetcher that follows values which look like pointers.
//!
//! With the feature `dit`, these calls take the mode themselves, and restore the former state: Poly1305 (one message,
//! batches and streams), all calls of [`aead`](crate::aead), SipHash's streams, and every `verify`. A caller who makes many
//! short calls takes one [`Independent`] around them: calls within it find the mode set and write no register.
//!
//! Setting the mode and restoring it are two writes of a register with a barrier each, some tens of cycles.
//!
//! ```
//! use keylane::poly1305::{OneTimeKey, mac};
//! use keylane::timing::Independent;
//!
//! let tags: Vec<_> = {
//!     let _guard = Independent::begin();
//!     (0..100u8).map(|i| mac(OneTimeKey::from_bytes([i; 32]), b"message")).collect()
//! };
//! assert_eq!(tags.len(), 100);
//! ```

pub use crate::job::dit::{Independent, is_supported, with};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aead::{ChaCha20Poly1305, Key as AeadKey, Packet};
    use crate::job::dit::WRITES;
    use crate::poly1305::{OneTimeKey, Poly1305, Tag, mac, mac_batch, verify_batch};
    use crate::siphash::{Key, SipHash24};

    /// Every kind of call that takes the guard itself, each with how often it does so.
    fn calls(len: usize, told: &mut dyn FnMut(&str, usize)) {
        let key = || OneTimeKey::from_bytes([7; 32]);
        let message = &[1; 700][..len];
        let tag = mac(key(), message);
        told("mac", 1);
        let mut stream = Poly1305::new(key());
        stream.update(message);
        told("update", 1);
        let same = stream.finish();
        told("finish", 1);
        assert!(same.verify(&tag).is_ok());
        told("verify", 1);
        let (mut tags, mut good) = ([Tag::default()], [false]);
        assert!(mac_batch([key()], &[message], &mut tags).is_ok());
        told("mac_batch", 1);
        assert!(verify_batch([key()], &[message], &[tag], &mut good).is_ok() && good[0]);
        told("verify_batch", 1);
        let hash = SipHash24::new(&Key::from_bytes([7; 16]));
        let mut pieces = hash.stream();
        pieces.update(message);
        told("update of SipHash", 1);
        let hashed = pieces.finish();
        told("finish of SipHash", 1);
        assert!(pieces.verify(hashed).is_ok() && hash.verify(message, hashed).is_ok());
        told("verify of SipHash", 2);
        let cipher = ChaCha20Poly1305::new(&AeadKey::from_bytes([7; 32]));
        let mut data = [1; 700];
        let sealed = cipher.seal_with_nonce(&[0; 12], b"", &mut data[..len]).unwrap_or_default();
        told("seal", 1);
        assert!(cipher.open(&[0; 12], b"", &mut data[..len], &sealed).is_ok());
        told("open", 1);
        let mut packets = [Packet { nonce: [0; 12], aad: b"", data: &mut data[..len], tag: sealed }];
        assert!(cipher.seal_many_with_nonces(&mut packets).is_ok());
        told("seal_many", 1);
        assert!(cipher.open_many(&mut packets, &mut good).is_ok());
        told("open_many", 1);
    }

    /// A call sets the mode and restores it, or finds it set and writes nothing.
    #[test]
    fn calls_take_the_mode() {
        for len in [0, 5, 100, 700] {
            calls(len, &mut |call, times| {
                let expected = if is_supported() { 2 * times } else { 0 };
                assert_eq!(WRITES.replace(0), expected, "{call} of {len} bytes");
                assert!(!Independent::is_active(), "{call}");
            });
            let guard = Independent::begin();
            WRITES.set(0);
            calls(len, &mut |call, _| {
                assert_eq!(WRITES.get(), 0, "{call} of {len} bytes");
                assert_eq!(Independent::is_active(), is_supported(), "{call}");
            });
            drop(guard);
            WRITES.set(0);
        }
    }
}
