//! Packets of ChaCha20-Poly1305 and XChaCha20-Poly1305 by keylane-ref, with nonces of 12 or 24 bytes.

use keylane_ref as spec;

/// The key and the nonce of ChaCha20 that belong to a key and a nonce.
pub fn inner<const N: usize>(key: &[u8; 32], nonce: &[u8; N]) -> ([u8; 32], [u8; 12]) {
    match <&[u8; 24]>::try_from(&nonce[..]) {
        Ok(nonce) => spec::xchacha20_inner(key, nonce),
        Err(_) => (*key, *nonce.first_chunk().expect("12 bytes")),
    }
}

/// The ciphertext and the tag of a packet.
pub fn sealed<const N: usize>(
    key: &[u8; 32],
    nonce: &[u8; N],
    aad: &[u8],
    text: &[u8],
) -> (Vec<u8>, [u8; 16]) {
    let (key, nonce) = inner(key, nonce);
    spec::chacha20_poly1305(&key, &nonce, aad, text)
}
